// A lane, one of the runs that are played side by side, and the moments that they share.

const NOT_BEGUN = -1;

class Lane extends Run {
  constructor(description, bytes) {
    super(description, bytes);
    this.blank = new Int32Array(this.cells).fill(this.layout.background);
    // What is asked of a step before the first; nothing that counts or lists steps meets it.
    this.steps[NOT_BEGUN] = { structures: [] };
  }

  labelsAfter(step) {
    return step === NOT_BEGUN ? this.blank : super.labelsAfter(step);
  }

  changed(step) {
    return step === NOT_BEGUN ? [] : super.changed(step);
  }

  parentsAfter(step, kind) {
    return step === NOT_BEGUN ? this.blank : super.parentsAfter(step, kind);
  }
}

// Stands where the player has a run: its steps are the moments, its cells those of the grid.
class Moments {
  constructor(lanes, { names, moments: table, seconds }) {
    const [{ width, height, components }] = lanes;
    Object.assign(this, { lanes, names, table, seconds, width, height, components });
    this.count = table.length;
    this.steps = table.map((places, index) => (
      { index, stage: this.inWords(index), iteration: null, level: null, structures: [] }));
    this.begins = this.findBegins();
  }

  // The place of each lane's step at a moment.
  placesAt(moment) {
    return this.table[moment];
  }

  // The step of a lane at a moment; null before its first.
  stepOf(lane, moment) {
    const place = this.table[moment][lane];
    return place === NOT_BEGUN ? null : this.lanes[lane].steps[place];
  }

  // How many cells are wrong in all lanes that show the end of a run with wrong cells.
  wrongAt(moment) {
    return this.placesAt(moment).reduce(
      (sum, place, lane) => sum + (place === NOT_BEGUN ? 0 : this.lanes[lane].wrongAt(place)), 0);
  }

  // The first moment at which a lane shows the last step of its run; Infinity if it never does.
  endOf(lane) {
    const { steps, recorded } = this.lanes[lane];
    const end = this.table.findIndex((places) => steps[places[lane]].index === recorded - 1);
    return end < 0 ? Infinity : end;
  }

  // Where a lane goes on to another iteration or level, and the first moment.
  findBegins() {
    const groupOf = (lane, moment) => {
      const step = this.stepOf(lane, moment);
      return step && groupName(step.iteration, step.level);
    };
    return this.table.map((_, moment) => moment).filter((moment) => !moment
      || this.lanes.some((_, lane) => groupOf(lane, moment) !== groupOf(lane, moment - 1)));
  }

  inWords(moment) {
    return this.lanes.map((lane, number) => {
      const step = this.stepOf(number, moment);
      return `${this.names[number]} ${step ? `at ${step.index + 1}, ${step.stage}` : "not begun"}`;
    }).join("; ");
  }

  cell(x, y) {
    return this.lanes[0].cell(x, y);
  }

  place(cell) {
    return this.lanes[0].place(cell);
  }
}

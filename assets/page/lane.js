// A lane is one of the runs side by side; moments are the positions that lanes share.

const NOT_BEGUN = -1;

class Lane extends Run {
  constructor(description, bytes) {
    super(description, bytes);
    this.blank = new Int32Array(this.cells).fill(this.layout.background);
    // The step before the first. It is a named property, so loops over steps skip it.
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

// Used by the player like a run: its steps are the moments.
class Moments {
  constructor(lanes, { names, moments: table, seconds }) {
    const [{ width, height, components }] = lanes;
    Object.assign(this, { lanes, names, table, seconds, width, height, components });
    this.count = table.length;
    this.steps = table.map((places, index) => (
      { index, stage: this.inWords(index), iteration: null, level: null, structures: [] }));
    this.begins = this.findBegins();
  }

  // The index of each lane's step at a moment.
  placesAt(moment) {
    return this.table[moment];
  }

  // The step of a lane at a moment; null before its first step.
  stepOf(lane, moment) {
    const place = this.table[moment][lane];
    return place === NOT_BEGUN ? null : this.lanes[lane].steps[place];
  }

  // The number of wrong cells, summed over lanes that show the end of a wrong run.
  wrongAt(moment) {
    return this.placesAt(moment).reduce(
      (sum, place, lane) => sum + (place === NOT_BEGUN ? 0 : this.lanes[lane].wrongAt(place)), 0);
  }

  // The first moment at which a lane shows the last step of its run, or Infinity.
  endOf(lane) {
    const { steps, recorded } = this.lanes[lane];
    const end = this.table.findIndex((places) => steps[places[lane]].index === recorded - 1);
    return end < 0 ? Infinity : end;
  }

  // The first moment, and those at which a lane starts an iteration or level.
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

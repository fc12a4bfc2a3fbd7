// One of the runs side by side, and moments: the positions that these runs share.

const NOT_BEGUN = -1;

class ComparedRun extends Run {
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
  constructor(runs, { names, moments: table, seconds }) {
    const [{ width, height, components }] = runs;
    Object.assign(this, { runs, names, table, seconds, width, height, components });
    this.count = table.length;
    this.steps = table.map((places, index) => (
      { index, stage: this.inWords(index), iteration: null, level: null, structures: [] }));
    this.begins = this.findBegins();
  }

  // The index of each run's step at a moment.
  placesAt(moment) {
    return this.table[moment];
  }

  // The step of a run at a moment; null before its first step.
  stepOf(number, moment) {
    const place = this.table[moment][number];
    return place === NOT_BEGUN ? null : this.runs[number].steps[place];
  }

  // The number of wrong cells, summed over wrong runs that show their end.
  wrongAt(moment) {
    return this.placesAt(moment).reduce(
      (sum, place, number) => sum + (place === NOT_BEGUN ? 0 : this.runs[number].wrongAt(place)), 0);
  }

  // The first moment at which a run shows its last step, or Infinity.
  endOf(number) {
    const { steps, recorded } = this.runs[number];
    const end = this.table.findIndex((places) => steps[places[number]].index === recorded - 1);
    return end < 0 ? Infinity : end;
  }

  // The first moment, and those at which a run starts an iteration or level.
  findBegins() {
    const groupOf = (number, moment) => {
      const step = this.stepOf(number, moment);
      return step && groupName(step.iteration, step.level);
    };
    return this.table.map((_, moment) => moment).filter((moment) => !moment
      || this.runs.some((_, number) => groupOf(number, moment) !== groupOf(number, moment - 1)));
  }

  inWords(moment) {
    return this.runs.map((_, number) => {
      const step = this.stepOf(number, moment);
      return `${this.names[number]} ${step ? `at ${step.index + 1}, ${step.stage}` : "not begun"}`;
    }).join("; ");
  }

  cell(x, y) {
    return this.runs[0].cell(x, y);
  }

  place(cell) {
    return this.runs[0].place(cell);
  }
}

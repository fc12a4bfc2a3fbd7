// A run: its steps, its labels after each, and the trees that they form.

const NO_CELL = -1;

class Run {
  constructor(description, bytes) {
    Object.assign(this, description);
    this.cells = this.width * this.height;
    this.image = octetsAt(bytes, description.image);
    this.components = numbersAt(bytes, description.components);
    this.componentColours = octetsAt(bytes, description.componentColours);
    this.colours = octetsAt(bytes, description.colours);
    this.wrong = description.wrong && octetsAt(bytes, description.wrong);
    this.film = new Film(bytes, description.labels, this.cells);
    this.films = new Map(Object.entries(description.layers).map(
      ([name, place]) => [name, new Film(bytes, place, this.cells)]));
    this.counts = new Map(Object.entries(description.counts).map(
      ([kind, place]) => [kind, new Film(bytes, place, this.cells)]));
    this.count = this.steps.length;
    this.sizes = this.countSizes();
    this.digits = Math.max(
      ...[this.layout.background, this.addressOf(this.cells - 1)].map((n) => String(n).length));
  }

  countSizes() {
    const sizes = new Map();
    for (const number of this.components) {
      if (number) sizes.set(number, (sizes.get(number) || 0) + 1);
    }
    return sizes;
  }

  // How many cells are wrong in the last step of a run that ended so; 0 in all other steps.
  wrongAt(step) {
    if (!this.wrong || this.steps[step].index !== this.recorded - 1) return 0;
    return this.wrong.reduce((sum, one) => sum + one, 0);
  }

  labelsAfter(step) {
    return this.film.frame(step);
  }

  changed(step) {
    return this.film.changedBy(step);
  }

  // The array beside the labels that numbers of a kind show; undefined if they show none.
  filmOf(kind) {
    return kind.startsWith("layer:") ? this.films.get(kind.slice(6)) : undefined;
  }

  // The cells in which a step changed the number of a kind. What an array held before the first step
  // of all is not known: there it is the labels that changed.
  rewritten(step, kind) {
    const film = this.filmOf(kind);
    return film && this.steps[step].index ? film.changedBy(step) : this.changed(step);
  }

  // What arrows and ways to roots lead along: the array whose numbers are shown if it refers to
  // cells, or the labels.
  parentsAfter(step, kind) {
    const array = this.referring(kind);
    return array ? this.films.get(array).frame(step) : this.labelsAfter(step);
  }

  // Name of the array that numbers of a kind show if it refers to cells; empty if it does not.
  referring(kind) {
    const name = kind.slice(6);
    return this.filmOf(kind) && this.references.includes(name) ? name : "";
  }

  // The cells of the label array, with its margin, as left, top, right and bottom; ends excluded.
  get window() {
    const { pitch, margin } = this.layout;
    const right = pitch - margin;
    return [-margin, -margin, right, this.height + right - this.width];
  }

  addressOf(cell) {
    const { pitch, margin, origin } = this.layout;
    const y = Math.floor(cell / this.width);
    return (y + margin) * pitch + (cell - y * this.width) + margin + origin;
  }

  // The cell that a label names; NO_CELL if it names none.
  cellOf(label) {
    const { pitch, margin, origin, background } = this.layout;
    if (label === background) return NO_CELL;
    const address = label - origin;
    const row = Math.floor(address / pitch);
    const x = address - row * pitch - margin;
    const y = row - margin;
    return x >= 0 && x < this.width && y >= 0 && y < this.height ? y * this.width + x : NO_CELL;
  }

  // The cells on the way from a cell to its root, the root last; empty without a label.
  chainOf(cell, labels) {
    const chain = [];
    const seen = new Set();
    for (let here = this.cellOf(labels[cell]); here !== NO_CELL && !seen.has(here);
      here = this.cellOf(labels[here])) {
      chain.push(here);
      seen.add(here);
    }
    return chain;
  }

  // Root and depth of each cell; the root is NO_CELL where a way leads to none.
  trees(labels) {
    const roots = new Int32Array(this.cells).fill(-2); // not known yet
    const depths = new Int32Array(this.cells);
    const way = [];
    for (let start = 0; start < this.cells; start += 1) {
      let here = start;
      while (roots[here] === -2) {
        const parent = this.cellOf(labels[here]);
        if (parent === here || parent === NO_CELL) {
          roots[here] = parent;
          depths[here] = parent === NO_CELL ? -1 : 0;
        } else {
          way.push(here);
          roots[here] = -3; // on the way
          here = parent;
        }
      }
      let root = roots[here] === -3 ? NO_CELL : roots[here];
      let depth = depths[here];
      // A cell that is pointed at but has no label itself ends the way as a root would.
      if (root === NO_CELL && depth < 0 && way.length) root = here;
      if (root === here) depth = 0;
      while (way.length) {
        const cell = way.pop();
        depth += 1;
        roots[cell] = root;
        depths[cell] = depth;
      }
    }
    return { roots, depths };
  }

  // What is counted after each step, such as roots; null where that is not known.
  curve(name) {
    this.curves ||= {};
    this.curves[name] ||= this.steps.map((step) => step[name]);
    return this.curves[name].includes(null) ? null : this.curves[name];
  }

  cell(x, y) {
    return y * this.width + x;
  }

  place(cell) {
    const y = Math.floor(cell / this.width);
    return [cell - y * this.width, y];
  }
}

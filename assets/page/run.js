// A run: its steps, the labels after each step, and their trees.

const NO_CELL = -1;

class Run {
  constructor(description, bytes) {
    Object.assign(this, description);
    this.cells = this.width * this.height;
    this.image = bytesAt(bytes, description.image);
    this.components = numbersAt(bytes, description.components);
    this.componentColours = bytesAt(bytes, description.componentColours);
    this.colours = bytesAt(bytes, description.colours);
    this.wrong = description.wrong && bytesAt(bytes, description.wrong);
    this.labels = new Frames(bytes, description.labels, this.cells);
    this.arrays = new Map(Object.entries(description.layers).map(
      ([name, place]) => [name, new Frames(bytes, place, this.cells)]));
    this.counts = new Map(Object.entries(description.counts).map(
      ([kind, place]) => [kind, new Frames(bytes, place, this.cells)]));
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

  // The number of wrong cells in the last step of a wrong run; 0 in other steps.
  wrongAt(step) {
    if (!this.wrong || this.steps[step].index !== this.recorded - 1) return 0;
    return this.wrong.reduce((sum, one) => sum + one, 0);
  }

  labelsAfter(step) {
    return this.labels.frame(step);
  }

  changed(step) {
    return this.labels.changedBy(step);
  }

  // The array whose values these numbers show; undefined for labels.
  arrayOf(kind) {
    return kind.startsWith("layer:") ? this.arrays.get(kind.slice(6)) : undefined;
  }

  // The cells in which a step changed these numbers. An array's values before the first step are
  // unknown; changes of labels are returned there.
  rewritten(step, kind) {
    const array = this.arrayOf(kind);
    return array && this.steps[step].index ? array.changedBy(step) : this.changed(step);
  }

  // The parents for arrows and paths: the array whose numbers are shown if its values name cells,
  // otherwise the labels.
  parentsAfter(step, kind) {
    const array = this.referring(kind);
    return array ? this.arrays.get(array).frame(step) : this.labelsAfter(step);
  }

  // Name of the array whose values these numbers show, if they name cells; otherwise empty.
  referring(kind) {
    const name = kind.slice(6);
    return this.arrayOf(kind) && this.references.includes(name) ? name : "";
  }

  // The cells of the label array with its margin: left, top, right, bottom, ends excluded.
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

  // The cell that a label names, or NO_CELL.
  cellOf(label) {
    const { pitch, margin, origin, background } = this.layout;
    if (label === background) return NO_CELL;
    const address = label - origin;
    const row = Math.floor(address / pitch);
    const x = address - row * pitch - margin;
    const y = row - margin;
    return x >= 0 && x < this.width && y >= 0 && y < this.height ? y * this.width + x : NO_CELL;
  }

  // The path from a cell to its root, without the cell; empty without a label.
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

  // Root and depth of each cell; the root is NO_CELL if its path ends without one.
  trees(labels) {
    const roots = new Int32Array(this.cells).fill(-2); // unknown
    const depths = new Int32Array(this.cells);
    const path = [];
    for (let start = 0; start < this.cells; start += 1) {
      let here = start;
      while (roots[here] === -2) {
        const parent = this.cellOf(labels[here]);
        if (parent === here || parent === NO_CELL) {
          roots[here] = parent;
          depths[here] = parent === NO_CELL ? -1 : 0;
        } else {
          path.push(here);
          roots[here] = -3; // visited
          here = parent;
        }
      }
      let root = roots[here] === -3 ? NO_CELL : roots[here];
      let depth = depths[here];
      // A cell without a label that others point at counts as their root.
      if (root === NO_CELL && depth < 0 && path.length) root = here;
      if (root === here) depth = 0;
      while (path.length) {
        const cell = path.pop();
        depth += 1;
        roots[cell] = root;
        depths[cell] = depth;
      }
    }
    return { roots, depths };
  }

  // A count after each step, such as roots; null if some are unknown.
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

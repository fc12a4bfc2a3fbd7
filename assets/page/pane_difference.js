// Where runs differ: cells whose tree has another first cell than in the first run.

const NO_TREE = 0;
const UNKNOWN = -2;
const VISITED = -3;

// The root of each cell; NO_CELL where a path ends without a root or in a cycle.
const rootsAfter = (run, step) => {
  const labels = run.labelsAfter(step);
  const roots = new Int32Array(run.cells).fill(UNKNOWN);
  const visited = [];
  for (let start = 0; start < run.cells; start += 1) {
    let here = start;
    while (roots[here] === UNKNOWN) {
      const parent = run.image[here] ? run.cellOf(labels[here]) : NO_CELL;
      if (parent === here || parent === NO_CELL) {
        roots[here] = parent;
      } else {
        roots[here] = VISITED;
        visited.push(here);
        here = parent;
      }
    }
    const root = roots[here] === VISITED ? NO_CELL : roots[here];
    while (visited.length) roots[visited.pop()] = root;
  }
  return roots;
};

// The first cell of each cell's tree, from 1. This names a tree in all runs.
const treesAfter = (run, step) => {
  const roots = rootsAfter(run, step);
  const first = new Int32Array(run.cells);
  return roots.map((root, cell) => {
    if (root === NO_CELL) return NO_TREE;
    first[root] ||= cell + 1;
    return first[root];
  });
};

// Compares runs, and caches the result and the trees of the last moment.
class Difference {
  constructor(runs) {
    this.runs = runs;
    this.known = runs.map(() => ({}));
  }

  // The cells of each run that differ, and their number; in the first run, those that differ in any other.
  at(steps) {
    if (this.found && steps.every((step, number) => step === this.known[number].step)) return this.found;
    const trees = this.runs.map((_, number) => this.treesOf(number, steps[number]));
    const any = new Uint8Array(trees[0].length);
    const masks = trees.map((own, number) => (number ? own.map((tree, cell) => {
      const differs = tree !== trees[0][cell] ? 1 : 0;
      any[cell] |= differs;
      return differs;
    }) : any));
    this.found = { masks, counts: masks.map((mask) => mask.reduce((sum, one) => sum + one, 0)) };
    return this.found;
  }

  treesOf(number, step) {
    if (this.known[number].step !== step) {
      this.known[number] = { step, trees: treesAfter(this.runs[number], step) };
    }
    return this.known[number].trees;
  }
}

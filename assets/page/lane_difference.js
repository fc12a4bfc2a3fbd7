// Where lanes differ: cells whose tree has another first cell than in the first lane.

const NO_TREE = 0;
const UNKNOWN = -2;
const VISITED = -3;

// The root of each cell; NO_CELL where a path ends without a root or in a cycle.
const rootsAfter = (lane, step) => {
  const labels = lane.labelsAfter(step);
  const roots = new Int32Array(lane.cells).fill(UNKNOWN);
  const visited = [];
  for (let start = 0; start < lane.cells; start += 1) {
    let here = start;
    while (roots[here] === UNKNOWN) {
      const parent = lane.image[here] ? lane.cellOf(labels[here]) : NO_CELL;
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

// The first cell of each cell's tree, from 1. This names a tree in all lanes.
const treesAfter = (lane, step) => {
  const roots = rootsAfter(lane, step);
  const first = new Int32Array(lane.cells);
  return roots.map((root, cell) => {
    if (root === NO_CELL) return NO_TREE;
    first[root] ||= cell + 1;
    return first[root];
  });
};

// Compares lanes, and caches the result and the trees of the last moment.
class Difference {
  constructor(lanes) {
    this.lanes = lanes;
    this.known = lanes.map(() => ({}));
  }

  // The cells of each lane that differ, and their number; in the first lane, those that differ in any other.
  at(steps) {
    if (this.found && steps.every((step, lane) => step === this.known[lane].step)) return this.found;
    const trees = this.lanes.map((_, lane) => this.treesOf(lane, steps[lane]));
    const any = new Uint8Array(trees[0].length);
    const masks = trees.map((own, lane) => (lane ? own.map((tree, cell) => {
      const differs = tree !== trees[0][cell] ? 1 : 0;
      any[cell] |= differs;
      return differs;
    }) : any));
    this.found = { masks, counts: masks.map((mask) => mask.reduce((sum, one) => sum + one, 0)) };
    return this.found;
  }

  treesOf(lane, step) {
    if (this.known[lane].step !== step) {
      this.known[lane] = { step, trees: treesAfter(this.lanes[lane], step) };
    }
    return this.known[lane].trees;
  }
}

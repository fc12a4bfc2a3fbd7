// Where lanes differ: cells whose tree begins at another cell than it does in the first lane.

const NO_TREE = 0;
const UNKNOWN = -2;
const ON_THE_WAY = -3;

// The root that each cell leads to; NO_CELL where a way ends without one, or in a circle.
const rootsAfter = (lane, step) => {
  const labels = lane.labelsAfter(step);
  const roots = new Int32Array(lane.cells).fill(UNKNOWN);
  const way = [];
  for (let start = 0; start < lane.cells; start += 1) {
    let here = start;
    while (roots[here] === UNKNOWN) {
      const parent = lane.image[here] ? lane.cellOf(labels[here]) : NO_CELL;
      if (parent === here || parent === NO_CELL) {
        roots[here] = parent;
      } else {
        roots[here] = ON_THE_WAY;
        way.push(here);
        here = parent;
      }
    }
    const root = roots[here] === ON_THE_WAY ? NO_CELL : roots[here];
    while (way.length) roots[way.pop()] = root;
  }
  return roots;
};

// The first cell of each cell's tree, counted from 1: a name that all lanes have in common.
const treesAfter = (lane, step) => {
  const roots = rootsAfter(lane, step);
  const first = new Int32Array(lane.cells);
  return roots.map((root, cell) => {
    if (root === NO_CELL) return NO_TREE;
    first[root] ||= cell + 1;
    return first[root];
  });
};

// The difference of the moment that was asked for last, and the trees of the steps in it.
class Difference {
  constructor(lanes) {
    this.lanes = lanes;
    this.known = lanes.map(() => ({}));
  }

  // Which cells of each lane differ, and how many; of the first lane those that do in any other.
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

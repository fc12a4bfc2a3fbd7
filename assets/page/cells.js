// The palette index and the number of each cell of a step.

const UNLABELLED = 1;
const FIRST_COLOUR = SIZES.firstColour;
const HUES = SIZES.hues;
const FIRST_DEPTH = SIZES.firstDepth;
const DEEPEST = SIZES.deepest;
const FIRST_COUNT = SIZES.firstCount;
const COUNT_SHADES = SIZES.countShades;

const labelIndex = (run, cell, label) => {
  if (!run.components[cell]) return 0;
  const stray = run.colours.length - 1;
  const address = label - run.layout.origin;
  return run.colours[address < 0 || address > stray ? stray : address];
};

const COLOURINGS = {
  label: (run, labels) => (cell) => labelIndex(run, cell, labels[cell]),
  tree: (run, labels) => {
    const { roots } = run.trees(labels);
    return (cell) =>
      labelIndex(run, cell, roots[cell] >= 0 ? run.addressOf(roots[cell]) : labels[cell]);
  },
  component: (run) => (cell) =>
    (run.components[cell] ? run.componentColours[run.components[cell]] : 0),
  depth: (run, labels) => {
    const { depths } = run.trees(labels);
    return (cell) => {
      if (!run.components[cell]) return 0;
      return depths[cell] < 0 ? UNLABELLED : Math.min(depths[cell], DEEPEST) + FIRST_DEPTH;
    };
  },
  input: (run) => (cell) => {
    const value = run.image[cell];
    if (!value || !run.multivalued) return value ? UNLABELLED : 0;
    return (value - 1) % HUES + FIRST_COLOUR;
  },
};

// A shade for each power of two of accesses.
const countIndex = (run, counts) => (cell) => {
  if (!counts[cell]) return run.components[cell] ? UNLABELLED : 0;
  return FIRST_COUNT + Math.min(31 - Math.clz32(counts[cell]), COUNT_SHADES - 1);
};

// The palette index of each cell after a step.
const indicesOf = (run, step, colours) => {
  const indices = new Uint8Array(run.cells);
  const index = run.counts.has(colours)
    ? countIndex(run, run.counts.get(colours).frame(step))
    : (COLOURINGS[colours] || COLOURINGS.label)(run, run.labelsAfter(step));
  for (let cell = 0; cell < run.cells; cell += 1) indices[cell] = index(cell);
  return indices;
};

// Returns a function from a cell to its number, which is null where there is none, as in background.
const numbersOf = (run, step, { numbers: kind, colours }) => {
  const counts = kind && run.counts.get(colours)?.frame(step);
  if (counts) return (cell) => (run.image[cell] || counts[cell] ? counts[cell] : null);
  const labels = run.labelsAfter(step);
  const labelOf = (cell) => (labels[cell] === run.layout.background ? null : labels[cell]);
  if (kind === "raw") return (cell) => (run.image[cell] ? labelOf(cell) : null);
  if (kind === "component") return (cell) => run.components[cell] || null;
  if (kind === "root") {
    const { roots } = run.trees(labels);
    return (cell) => {
      if (!run.components[cell]) return null;
      return roots[cell] >= 0 ? run.addressOf(roots[cell]) : labelOf(cell);
    };
  }
  const array = run.arrayOf(kind);
  if (!array) return null;
  const values = array.frame(step);
  return (cell) => (run.components[cell] ? values[cell] : null);
};

// Mixes two colours such as #rrggbb: share 0 is the first, 1 the second.
const mixed = (first, second, share) => {
  const part = (colour, at) => parseInt(colour.slice(at, at + 2), 16);
  return "#" + [1, 3, 5].map((at) => {
    const value = part(first, at) + (part(second, at) - part(first, at)) * share;
    return Math.round(value).toString(16).padStart(2, "0");
  }).join("");
};

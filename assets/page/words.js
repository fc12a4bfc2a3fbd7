// Steps, launches and cells in words.

const number = (value) => value.toLocaleString("en-US");

const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

const stepInWords = (run, step, concealed) => {
  const { stage, iteration, level } = run.steps[step];
  const group = groupName(iteration, level);
  const place = concealed ? `Step ${step + 1}` : `Step ${step + 1} of ${run.count}`;
  return `${place}: ${stage}${group && `, ${group}`}`;
};

const factsOf = ({ paper, kernel, iteration, level, time }) =>
  [groupName(iteration, level), paper || kernel, time]
    .filter(Boolean).join("  ·  ");

const sizeOf = (size) => (size[2] === 1 ? size.slice(0, 2) : size).map(number).join(" × ");

const launchOf = ({ kernel, grid, block }) => {
  const shape = (size) => `dim3(${size.join(", ")})`;
  return `${kernel}<<<${shape(grid)}, ${shape(block)}>>>`;
};

const shapeOf = ({ grid, block }) => {
  const [blocks, threads] = [grid, block].map((size) => size[0] * size[1] * size[2]);
  return `${sizeOf(grid)} block${blocks === 1 ? "" : "s"} of ${sizeOf(block)} `
    + `thread${threads === 1 ? "" : "s"}: ${number(blocks * threads)} in all`;
};

const placeInWords = (run, cell) => {
  const [x, y] = run.place(cell);
  return `x = ${x}, y = ${y}`;
};

const LONGEST_CHAIN = 6;

// The facts of a cell after a step, as pairs of name and value.
const cellInWords = (run, step, cell, numbers, counts = true, paths = true) => {
  const labels = run.labelsAfter(step);
  const facts = [["cell", placeInWords(run, cell)]];
  if (run.multivalued) facts.push(["value", number(run.image[cell])]);
  if (!run.image[cell]) return [...facts, ["background", `label ${labels[cell]}`]];
  facts.push(["label", labels[cell] === run.layout.background ? "none yet" : String(labels[cell])]);
  const component = run.components[cell];
  const along = run.referring(numbers);
  const by = along ? ` by ${along}` : "";
  const chain = run.chainOf(cell, run.parentsAfter(step, numbers));
  if (!paths) facts.push(["path to the root", "asked for"]);
  else if (!chain.length) facts.push([`parent${by}`, "none yet"]);
  else if (chain[0] === cell) facts.push([`root${by}`, "it is its own parent"]);
  else facts.push([`path to the root${by}`, chainInWords(run, chain)]);
  // A component's number would give away how many there are.
  if (counts && paths) facts.push(["component", `${number(component)}, ${counted(run.sizes.get(component) || 0, "cell")}`]);
  for (const [name, array] of run.arrays) facts.push([name, number(array.frame(step)[cell])]);
  return facts;
};

const chainInWords = (run, chain) => {
  const shown = chain.length > LONGEST_CHAIN
    ? [...chain.slice(0, LONGEST_CHAIN - 1), null, chain[chain.length - 1]] : chain;
  const places = shown.map((cell) => (cell === null ? "…" : `(${run.place(cell).join(", ")})`));
  const links = chain.length > 1 ? `  ${counted(chain.length, "link")}` : "";
  return `→ ${places.join(" → ")}${links}`;
};

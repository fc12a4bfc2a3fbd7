// Texts around the grids of a comparison: for all runs, and for each pane.

class PaneTexts extends Panels {
  constructor(player, description, parts) {
    super(player, description);
    this.parts = parts;
  }

  fillRun() {
    const { pages, parts, description: { comparison: { names, going } }, player: { run: { runs } } } = this;
    const [{ width, height, setting }] = runs;
    const one = runs.every((run) => run.setting === setting);
    pages.setting.textContent = [one ? setting : `${width} x ${height} cells`, going].join("  ·  ");
    parts.forEach((part, number) => {
      const run = runs[number];
      part.title.textContent = part.title.title = names[number];
      part.setting.textContent = part.setting.title = one ? "" : run.setting;
      part.verdict.dataset.standing = run.standing;
      const sentence = (run.standing === "ok" ? "✓ " : "") + run.sentence;
      part.verdict.textContent = part.verdict.title = `${sentence}  ·  ${run.totals}`;
      part.note.textContent = run.note;
    });
    pages.stages.replaceChildren(...this.stageItems(runs.flatMap(({ steps }) => steps)));
    for (const name of new Set(runs.flatMap(({ arrays }) => [...arrays.keys()]))) {
      const option = element("option", name);
      option.value = `layer:${name}`;
      pages.numbers.append(option);
    }
    this.offerCounts([...new Set(runs.flatMap(({ counts }) => [...counts.keys()]))]);
  }

  fillStep() {
    const { pages, parts, player: { run, step: moment } } = this;
    parts.forEach((part, number) => this.fillPane(part, run, number, moment));
    pages.place.textContent = `${moment + 1} / ${run.count}`;
    this.fillTransport();
  }

  fillPane(part, moments, number, moment) {
    const run = moments.runs[number];
    const step = moments.stepOf(number, moment);
    const explanation = step ? step.explanation : "";
    part.stage.hidden = !step;
    if (step) {
      part.stage.replaceChildren(this.mark(step.stage, "#101318"), step.stage);
      part.stage.style.background = step.colour;
    }
    part.place.textContent = step ? `Step ${step.index + 1} of ${run.recorded}` : "Not begun yet";
    part.ended.hidden = moment <= moments.endOf(number);
    part.facts.textContent = step ? factsOf(step) : "";
    part.caption.textContent = step ? step.caption : "";
    part.explanation.textContent = explanation;
    part.canvas.setAttribute("aria-label", `${moments.names[number]}, grid of ${run.width} by `
      + `${run.height} cells. ${part.place.textContent}. ${explanation}`);
  }

  fillLayers() {
    super.fillLayers();
    const { parts, player: { run, step, board: { counts }, view: { layers } } } = this;
    parts.forEach((part, number) => {
      part.legend.textContent = this.divisionsOf(run.runs[number], run.stepOf(number, step), layers);
      part.differs.hidden = !counts;
      part.differs.textContent = counts ? `≠ ${counts[number].toLocaleString("en-US")}` : "";
    });
  }

  // Each pane has its own line.
  divisionsAt() {
    return [];
  }

  divisionsOf(run, step, layers) {
    if (!step) return "";
    const texts = divisionsShown(step, layers).map(([place]) => run.structures[place].text);
    return texts.join("  ·  ") || (layers.structure ? "This launch does not divide the grid." : "");
  }

  // The cell under the pointer: its position once, then its facts in each run.
  fillReadout() {
    const { pages, parts, player } = this;
    const { view, run } = player;
    const cell = view.hover !== null ? view.hover : view.pin;
    pages.readout.textContent = cell === null
      ? "Point at a cell to see its label in each run; click to pin its component."
      : `cell ${placeInWords(run, cell)}`;
    parts.forEach((part, number) => {
      const facts = cell === null ? [] : player.describeIn(number, cell);
      part.readout.replaceChildren(...facts.flatMap(([name, value], place) =>
        [`${place ? "  ·  " : ""}${name} `, element("b", value)]));
      part.readout.title = part.readout.textContent;
    });
  }
}

// Texts around the grids of lanes: for all lanes, and for each one.

class LanePanels extends Panels {
  constructor(player, description, parts) {
    super(player, description);
    this.parts = parts;
  }

  fillRun() {
    const { pages, parts, description: { lanes: { names, going } }, player: { run: { lanes } } } = this;
    const [{ width, height, setting }] = lanes;
    const one = lanes.every((lane) => lane.setting === setting);
    pages.setting.textContent = [one ? setting : `${width} x ${height} cells`, going].join("  ·  ");
    parts.forEach((part, number) => {
      const lane = lanes[number];
      part.title.textContent = part.title.title = names[number];
      part.setting.textContent = part.setting.title = one ? "" : lane.setting;
      part.verdict.dataset.standing = lane.standing;
      const sentence = (lane.standing === "ok" ? "✓ " : "") + lane.sentence;
      part.verdict.textContent = part.verdict.title = `${sentence}  ·  ${lane.totals}`;
      part.note.textContent = lane.note;
    });
    pages.stages.replaceChildren(...this.stageItems(lanes.flatMap(({ steps }) => steps)));
    for (const name of new Set(lanes.flatMap(({ arrays }) => [...arrays.keys()]))) {
      const option = element("option", name);
      option.value = `layer:${name}`;
      pages.numbers.append(option);
    }
    this.offerCounts([...new Set(lanes.flatMap(({ counts }) => [...counts.keys()]))]);
  }

  fillStep() {
    const { pages, parts, player: { run, step: moment } } = this;
    parts.forEach((part, number) => this.fillLane(part, run, number, moment));
    pages.place.textContent = `${moment + 1} / ${run.count}`;
    this.fillTransport();
  }

  fillLane(part, moments, number, moment) {
    const lane = moments.lanes[number];
    const step = moments.stepOf(number, moment);
    const explanation = step ? step.explanation : "";
    part.stage.hidden = !step;
    if (step) {
      part.stage.replaceChildren(this.mark(step.stage, "#101318"), step.stage);
      part.stage.style.background = step.colour;
    }
    part.place.textContent = step ? `Step ${step.index + 1} of ${lane.recorded}` : "Not begun yet";
    part.ended.hidden = moment <= moments.endOf(number);
    part.facts.textContent = step ? factsOf(step) : "";
    part.caption.textContent = step ? step.caption : "";
    part.explanation.textContent = explanation;
    part.canvas.setAttribute("aria-label", `${moments.names[number]}, grid of ${lane.width} by `
      + `${lane.height} cells. ${part.place.textContent}. ${explanation}`);
  }

  fillLayers() {
    super.fillLayers();
    const { parts, player: { run, step, board: { counts }, view: { layers } } } = this;
    parts.forEach((part, number) => {
      part.legend.textContent = this.divisionsOf(run.lanes[number], run.stepOf(number, step), layers);
      part.differs.hidden = !counts;
      part.differs.textContent = counts ? `≠ ${counts[number].toLocaleString("en-US")}` : "";
    });
  }

  // Each lane has its own line.
  divisionsAt() {
    return [];
  }

  divisionsOf(lane, step, layers) {
    if (!step) return "";
    const texts = divisionsShown(step, layers).map(([place]) => lane.structures[place].text);
    return texts.join("  ·  ") || (layers.structure ? "This launch does not divide the grid." : "");
  }

  // The cell under the pointer: its position once, then its facts in each lane.
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

// What the page says around the grid: header, step, layers, cell.

class Panels {
  constructor(player, description) {
    this.player = player;
    this.pages = player.pages;
    this.description = description;
    this.fillHeader();
  }

  fillHeader() {
    const { pages, description } = this;
    pages.title.textContent = description.title;
    pages.caption.hidden = pages.explanation.hidden = !description.caption;
    pages["key-list"].replaceChildren(...keyList(description.scenes.length));
    pages.speed.replaceChildren(...SPEEDS.map((speed) => {
      const option = element("option", `${speed}×`);
      option.value = String(speed);
      return option;
    }));
    pages.speed.value = "1";
  }

  fillRun() {
    const { pages, player: { run } } = this;
    const lesson = this.description.scenes.length > 0;
    pages.setting.textContent = (lesson ? `${run.algorithm}  ·  ` : "") + run.setting;
    pages.verdict.dataset.standing = run.standing;
    pages.verdict.textContent = (run.standing === "ok" ? "✓ " : "") + run.sentence;
    pages.citation.textContent = run.citation;
    pages.note.textContent = run.note;
    const stages = [...new Set(run.steps.map(({ stage }) => stage))];
    const wrong = run.steps.every((step) => step.wrong !== null);
    pages.stages.replaceChildren(
      ...stages.map((stage) => {
        const item = document.createElement("li");
        item.append(this.mark(stage, this.description.stages[stage][0]), stage);
        return item;
      }),
      element("li", "", "curve roots"),
      ...(wrong ? [element("li", "", "curve wrong")] : []),
    );
    [...pages.numbers.options].slice(4).forEach((option) => option.remove());
    for (const name of run.films.keys()) {
      const option = element("option", name);
      option.value = `layer:${name}`;
      pages.numbers.append(option);
    }
  }

  mark(stage, colour) {
    const names = "http://www.w3.org/2000/svg";
    const [svg, path] = ["svg", "path"].map((name) => document.createElementNS(names, name));
    svg.setAttribute("viewBox", "-5 -5 110 110");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", this.description.stages[stage][1]);
    path.setAttribute("fill", colour);
    path.setAttribute("fill-rule", "evenodd");
    svg.append(path);
    return svg;
  }

  fillStep() {
    const { pages, player } = this;
    const { run, step: place } = player;
    const step = run.steps[place];
    pages["number-of-step"].textContent = `Step ${step.index + 1}`;
    pages.stage.replaceChildren(this.mark(step.stage, "#101318"), step.stage);
    pages.stage.style.background = this.description.stages[step.stage][0];
    pages.stage.style.color = "#101318";
    pages.facts.textContent = factsOf(step);
    pages.caption.textContent = step.caption;
    const counts = !player.lesson?.concealsCount;
    const outlook = counts && !player.concealed; // both compare the step with the end of the run
    const explanation = outlook ? step.explanation : "";
    pages.explanation.textContent = explanation;
    pages.place.textContent = player.concealed ? `${place + 1}` : `${place + 1} / ${run.count}`;
    pages.board.setAttribute("aria-label",
      `Grid of ${run.width} by ${run.height} cells. ${stepInWords(run, place, player.concealed)}. ${explanation}`);
    const [roots, wrong] = pages.stages.querySelectorAll(".curve");
    roots.textContent = counts ? `roots ${number(step.roots)}` : "";
    if (wrong) wrong.textContent = outlook ? `wrong ${number(step.wrong)}` : "";
    player.source.show(step);
    this.fillTransport();
  }

  fillTransport() {
    const { pages, player: { run, step, playing, looping, backwards, concealed } } = this;
    pages.play.classList.toggle("playing", playing);
    pages.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    pages.first.disabled = pages.back.disabled = step === 0;
    pages.last.disabled = pages.forward.disabled = step === run.count - 1;
    pages.way.setAttribute("aria-pressed", String(backwards));
    pages.loop.setAttribute("aria-pressed", String(looping));
    if (!playing) pages.spoken.textContent = stepInWords(run, step, concealed);
  }

  fillLayers() {
    const { pages, player: { run, step, view: { layers } } } = this;
    for (const button of document.querySelectorAll("[data-layer]")) {
      button.setAttribute("aria-pressed", String(Boolean(layers[button.dataset.layer])));
    }
    pages.colours.value = layers.colours;
    pages.numbers.value = layers.numbers;
    const divisions = run.steps[step].structures
      .map(([place]) => run.structures[place].text);
    if (!divisions.length) divisions.push("this launch does not divide the grid");
    pages.legend.textContent = [...this.colouring(), ...(layers.structure ? divisions : [])]
      .join("  ·  ");
  }

  // What the colours say, unless it is labels.
  colouring() {
    const { colours } = this.player.view.layers;
    return colours === "label" ? [] : [this.description.colourings[colours]];
  }

  fillReadout() {
    const { pages, player } = this;
    const { view } = player;
    const cell = view.hover !== null ? view.hover : view.pin;
    if (cell === null) {
      pages.readout.textContent = "Point at a cell to see its label and its way to the root; click to pin its component.";
      return;
    }
    pages.readout.replaceChildren(...player.describe(cell).flatMap(([name, value], place) =>
      [`${place ? "  ·  " : ""}${name} `, element("b", value)]));
  }
}

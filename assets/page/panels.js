// Texts around the grid: header, step, layers, cell.

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
    pages.frame.style.setProperty("--shape", run.width / run.height);
    pages.note.textContent = run.note;
    const wrong = run.steps.every((step) => step.wrong !== null);
    pages.stages.replaceChildren(
      ...this.stageItems(run.steps),
      element("li", "", "curve roots"),
      ...(wrong ? [element("li", "", "curve wrong")] : []),
    );
    [...pages.numbers.options].slice(4).forEach((option) => option.remove());
    for (const name of run.arrays.keys()) {
      const option = element("option", name);
      option.value = `layer:${name}`;
      pages.numbers.append(option);
    }
    this.offerCounts([...run.counts.keys()]);
  }

  // Offers the counts of memory accesses in the page as colours.
  offerCounts(kinds) {
    const { colours } = this.pages;
    [...colours.options].slice(5).forEach((option) => option.remove());
    for (const kind of kinds) colours.append(element("option", kind));
    this.counted = new Set(kinds);
  }

  // The stages, in order of appearance, each with a mark for each level's colour.
  stageItems(steps) {
    const colours = new Map();
    for (const { stage, colour } of steps) {
      if (!colours.has(stage)) colours.set(stage, new Set());
      colours.get(stage).add(colour);
    }
    return [...colours].map(([stage, own]) => {
      const item = document.createElement("li");
      item.append(...[...own].map((colour) => this.mark(stage, colour)), stage);
      return item;
    });
  }

  mark(stage, colour) {
    const names = "http://www.w3.org/2000/svg";
    const [svg, path] = ["svg", "path"].map((name) => document.createElementNS(names, name));
    svg.setAttribute("viewBox", "-5 -5 110 110");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", this.description.stages[stage]);
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
    pages.stage.style.background = step.colour;
    pages.stage.style.color = "#101318";
    pages.facts.textContent = factsOf(step);
    pages.caption.textContent = step.caption;
    const counts = !player.lesson?.concealsCount;
    const outlook = counts && !player.concealed; // the explanation and the wrong cells compare the step with the end of the run
    const trees = !player.lesson || player.lesson.showsTrees;
    const explanation = outlook && trees ? step.explanation : "";
    pages.explanation.textContent = explanation;
    pages.totals.textContent = player.asked ? "" : run.totals; // they could give the answer away
    pages.place.textContent = player.concealed ? `${place + 1}` : `${place + 1} / ${run.count}`;
    pages.board.setAttribute("aria-label",
      `Grid of ${run.width} by ${run.height} cells. ${stepInWords(run, place, player.concealed)}. ${explanation}`);
    const [roots, wrong] = pages.stages.querySelectorAll(".curve");
    roots.textContent = counts && trees ? `roots ${number(step.roots)}` : "";
    if (wrong) wrong.textContent = outlook && trees ? `wrong ${number(step.wrong)}` : "";
    player.source.show(step);
    this.fillTransport();
  }

  fillTransport() {
    const { pages, player: { run, step, playing, looping, backwards, concealed } } = this;
    pages.play.classList.toggle("playing", playing);
    pages.play.setAttribute("aria-label", playing ? "Pause" : "Play");
    pages.first.disabled = pages.back.disabled = step === 0;
    pages.last.disabled = pages.forward.disabled = step === run.count - 1;
    pages.backwards.setAttribute("aria-pressed", String(backwards));
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
    this.fillLegend(this.divisionsAt(run, step, layers));
  }

  divisionsAt(run, step, layers) {
    const texts = divisionsShown(run.steps[step], layers).map(([place]) => run.structures[place].text);
    if (texts.length || !layers.structure) return texts.map((text) => ["line", text]);
    return [["", "this launch does not divide the grid"]];
  }

  // Fills the legend with lines of a sample and its meaning.
  fillLegend(divisions) {
    const { pages, player: { view: { layers }, palette, cellSize } } = this;
    const lines = [[layers.colours, this.description.colourings[layers.colours]]];
    for (const { text, sample, smallest, small } of LAYERS.flatMap(({ name, legend }) => layers[name] ? legend : [])) {
      if (cellSize >= smallest) lines.push([sample, text]);
      else lines.push(small ? [small, text] : [sample, `${text} (zoom in)`]);
    }
    const { run, step, view: { judged } } = this.player;
    const wrong = judged && !layers.difference ? run.wrongAt(step) : 0;
    if (wrong) lines.push(["wrong", `${wrong.toLocaleString("en-US")} wrong cell${wrong === 1 ? "" : "s"}`]);
    lines.push(...divisions);
    const known = JSON.stringify([lines, palette]);
    if (known === this.known) return;
    this.known = known;
    pages.legend.replaceChildren(...lines.map(([sample, text]) => {
      const line = element("span", "");
      if (sample) line.append(this.sample(sample));
      line.append(text);
      return line;
    }));
  }

  sample(name) {
    const { cells } = this.player.palette;
    const box = element("i", "", `sample ${name}`);
    const counted = this.counted.has(name);
    const firsts = { depth: FIRST_DEPTH, input: UNLABELLED, ...(counted && { [name]: FIRST_COUNT }) };
    const first = firsts[name] ?? FIRST_COLOUR;
    const counts = { input: 1, depth: DEEPEST + 1, ...(counted && { [name]: COUNT_SHADES }) };
    const count = counts[name] ?? 3;
    const colours = cells.slice(first, first + count);
    if (name in COLOURINGS || counted) {
      const stops = colours.map((colour, at) => `${colour} ${at / count * 100}% ${(at + 1) / count * 100}%`);
      box.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
    } else {
      box.style.setProperty("--cell", colours[0]);
      box.style.setProperty("--other-cell", colours[2]);
    }
    return box;
  }

  fillReadout() {
    const { pages, player } = this;
    const { view } = player;
    const cell = view.hover !== null ? view.hover : view.pin;
    if (cell === null) {
      pages.readout.textContent = "Point at a cell to see its label and its path to the root; click to pin its component.";
      return;
    }
    pages.readout.replaceChildren(...player.describe(cell).flatMap(([name, value], place) =>
      [`${place ? "  ·  " : ""}${name} `, element("b", value)]));
  }
}

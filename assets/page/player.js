// The player: what is shown, how it moves, and what the controls do.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 15];
const STEPS_PER_SECOND = 4;

class Player {
  constructor(pages, { description, bytes }) {
    this.pages = pages;
    this.description = description;
    this.runs = description.runs.map((run) => new Run(run, bytes));
    this.usual = description.layers;
    this.numbers = this.usual.numbers || "raw";
    this.playing = false;
    this.looping = false;
    this.speed = 1;
    this.board = new Board(pages.board);
    this.timeline = new Timeline(pages.timeline, description.stages, (step) => this.jump(step));
    this.source = new Source(pages, description.files, description.programs);
    this.view = { layers: { ...this.usual }, marks: [], picked: [], pin: null, hover: null, asked: null };
    this.setTheme(matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");
    this.fillHeader();
    this.connect();
    this.lesson = description.scenes.length ? new Lesson(this, description.scenes) : null;
    listenToKeys(this);
    this.follow(location.hash, true);
  }

  // ---- what is shown

  enter({ run, step, layers, marks, pin, asked }) {
    this.pause();
    Object.assign(this.view, { layers, marks, pin, asked, hover: null });
    if (this.run !== run) {
      this.run = run;
      this.fillRun();
    }
    this.show(step);
  }

  show(step) {
    this.step = Math.min(this.run.count - 1, Math.max(0, step));
    this.paint();
    this.fillStep();
    this.remember();
  }

  paint() {
    const picked = this.lesson ? [...this.lesson.picked] : [];
    const { run, step, palette, colours } = this;
    Object.assign(this.view, { run, step, palette, colours, picked });
    this.board.show(this.view);
    this.timeline.show(run, step, colours);
    this.fillReadout();
    this.fillLayers();
  }

  fillHeader() {
    const { pages, description } = this;
    pages.title.textContent = description.title;
    pages["key-list"].replaceChildren(...keyList(description.scenes.length));
    pages.speed.replaceChildren(...SPEEDS.map((speed) => {
      const option = element("option", `${speed}×`);
      option.value = String(speed);
      return option;
    }));
    pages.speed.value = "1";
  }

  fillRun() {
    const { pages, run } = this;
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
    const { pages, run } = this;
    const step = run.steps[this.step];
    pages["number-of-step"].textContent = `Step ${step.index + 1}`;
    pages.stage.replaceChildren(this.mark(step.stage, "#101318"), step.stage);
    pages.stage.style.background = this.description.stages[step.stage][0];
    pages.stage.style.color = "#101318";
    pages.facts.textContent = factsOf(step);
    pages.caption.textContent = step.caption;
    pages.explanation.textContent = step.explanation;
    pages.place.textContent = `${this.step + 1} / ${run.count}`;
    pages.board.setAttribute("aria-label",
      `Grid of ${run.width} by ${run.height} cells. ${stepInWords(run, this.step)}. ${step.explanation}`);
    const [roots, wrong] = pages.stages.querySelectorAll(".curve");
    roots.textContent = `roots ${number(step.roots)}`;
    if (wrong) wrong.textContent = `wrong ${number(step.wrong)}`;
    this.source.show(step);
    this.fillTransport();
  }

  fillTransport() {
    const { pages } = this;
    pages.play.classList.toggle("playing", this.playing);
    pages.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    pages.first.disabled = pages.back.disabled = this.step === 0;
    pages.last.disabled = pages.forward.disabled = this.step === this.run.count - 1;
    pages.loop.setAttribute("aria-pressed", String(this.looping));
    if (!this.playing) pages.spoken.textContent = stepInWords(this.run, this.step);
  }

  fillLayers() {
    const { pages, view: { layers } } = this;
    for (const button of document.querySelectorAll("[data-layer]")) {
      button.setAttribute("aria-pressed", String(Boolean(layers[button.dataset.layer])));
    }
    pages.colours.value = layers.colours;
    pages.numbers.value = layers.numbers;
    const divisions = this.run.steps[this.step].structures
      .map(([place]) => this.run.structures[place].text);
    pages.legend.textContent = layers.structure
      ? divisions.join("  ·  ") || "This launch does not divide the grid." : "";
  }

  fillReadout() {
    const { pages, view, run } = this;
    const cell = view.hover !== null ? view.hover : view.pin;
    if (cell === null) {
      pages.readout.textContent = "Point at a cell to see its label and its way to the root; click to pin its component.";
      return;
    }
    pages.readout.replaceChildren(...cellInWords(run, this.step, cell).flatMap(([name, value], place) =>
      [`${place ? "  ·  " : ""}${name} `, element("b", value)]));
  }

  // ---- playing

  toggle() {
    if (this.playing) return this.pause();
    if (this.step >= this.run.count - 1) this.show(0);
    this.playing = true;
    this.due = performance.now() + 1000 / (STEPS_PER_SECOND * this.speed);
    this.fillTransport();
    this.wait();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.request);
    this.fillTransport();
    this.remember();
  }

  wait() {
    this.request = requestAnimationFrame((now) => {
      if (!this.playing) return;
      const pause = 1000 / (STEPS_PER_SECOND * this.speed);
      const steps = Math.floor((now - this.due) / pause) + 1;
      if (steps > 0) {
        this.due = steps > 30 ? now + pause : this.due + steps * pause;
        this.advance(steps > 30 ? 1 : steps);
      }
      if (this.playing) this.wait();
    });
  }

  advance(steps) {
    const last = this.run.count - 1;
    const wanted = this.step + steps;
    if (wanted >= last && !this.looping) {
      this.show(last);
      this.pause();
    } else {
      this.show(wanted % this.run.count);
    }
  }

  stepBy(by) {
    this.jump(this.step + by);
  }

  jump(step) {
    this.pause();
    this.show(step);
  }

  group(by) {
    const groups = groupsOf(this.run);
    const here = groups.findIndex(({ start, end }) => start <= this.step && this.step <= end);
    if (by < 0) {
      const start = groups[here].start;
      this.jump(this.step > start || here === 0 ? start : groups[here - 1].start);
    } else {
      this.jump(here + 1 < groups.length ? groups[here + 1].start : Infinity);
    }
  }

  changeSpeed(by) {
    const place = SPEEDS.indexOf(this.speed) + by;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place))]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.due = performance.now() + 1000 / (STEPS_PER_SECOND * speed);
    this.pages.speed.value = String(speed);
    this.pages.spoken.textContent = `Speed ${speed}`;
  }

  switchLoop() {
    this.looping = !this.looping;
    this.fillTransport();
  }

  // ---- what is drawn

  change(layers) {
    Object.assign(this.view.layers, layers);
    this.paint();
  }

  switchLayer(name) {
    this.change({ [name]: !this.view.layers[name] });
  }

  switchNumbers() {
    const { numbers } = this.view.layers;
    if (numbers) this.numbers = numbers;
    this.change({ numbers: numbers ? "" : this.numbers });
  }

  nextChoice(name) {
    const values = [...this.pages[name].options].map((option) => option.value);
    const place = values.indexOf(this.view.layers[name]);
    this.change({ [name]: values[(place + 1) % values.length] });
  }

  zoomBy(factor, place) {
    this.board.zoomBy(factor, place);
  }

  fit() {
    this.board.fit();
    this.paint();
  }

  switchTheme() {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
    this.paint();
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.palette = this.description.palettes[theme];
    const style = getComputedStyle(document.documentElement);
    const names = ["canvas", "text", "dim", "accent", "warning", "bold", "halo", "raised", "hover", "mono"];
    this.colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    this.colours.sans = style.fontFamily;
    const other = `Switch to ${theme === "dark" ? "light" : "dark"}`;
    this.pages.theme.setAttribute("aria-label", other);
    this.pages.theme.title = `${other} (T)`;
  }

  // ---- cells

  hover(cell) {
    if (this.view.hover === cell) return;
    this.view.hover = cell;
    this.paint();
  }

  moveCursor(dx, dy) {
    const { run, view } = this;
    const start = view.hover !== null ? view.hover : view.pin;
    const [x, y] = start === null
      ? [run.width >> 1, run.height >> 1]
      : run.place(start).map((at, axis) =>
        Math.min([run.width, run.height][axis] - 1, Math.max(0, at + [dx, dy][axis])));
    this.hover(run.cell(x, y));
    this.pages.spoken.textContent = cellInWords(run, this.step, view.hover).flat().join(" ");
  }

  press(cell = this.view.hover) {
    if (cell === null) return;
    if (this.lesson && this.lesson.asksForCells) return this.lesson.pick(cell);
    const same = this.view.pin !== null && this.run.components[this.view.pin] === this.run.components[cell];
    this.view.pin = same || !this.run.components[cell] ? null : cell;
    this.paint();
  }

  release() {
    this.view.pin = this.view.hover = null;
    this.paint();
  }

  // ---- links to a step

  remember() {
    clearTimeout(this.later);
    if (this.playing) return;
    this.later = setTimeout(() => {
      const scene = this.lesson ? `scene=${this.lesson.scene + 1}&` : "";
      const hash = `#${scene}step=${this.run.steps[this.step].index + 1}`;
      try {
        history.replaceState(null, "", hash);
      } catch {
        // A page inside a notebook has no address of its own.
      }
    }, 200);
  }

  follow(hash, atStart = false) {
    const wanted = new URLSearchParams(hash.slice(1));
    const named = wanted.has("step") ? Number(wanted.get("step")) - 1 : NaN;
    const stepIn = (run) => {
      if (!Number.isInteger(named)) return null;
      const place = run.steps.findIndex(({ index }) => index >= named);
      return place < 0 ? run.count - 1 : place;
    };
    if (this.lesson) {
      const scene = Math.min(this.description.scenes.length, Math.max(1, Number(wanted.get("scene")) || 1)) - 1;
      this.lesson.show(scene, stepIn(this.runs[this.description.scenes[scene].run]));
    } else if (atStart) {
      const { layers, marks, asked } = this.view;
      const [run] = this.runs;
      const pin = this.description.pin && run.cell(...this.description.pin);
      this.enter({ run, step: stepIn(run) || 0, layers, marks, pin, asked });
    } else {
      const step = stepIn(this.run);
      if (step !== null) this.jump(step);
    }
  }

  // ---- controls

  showKeys() {
    this.pages.keys.showModal();
  }

  connect() {
    const { pages } = this;
    const press = (name, action) => pages[name].addEventListener("click", action);
    press("play", () => this.toggle());
    press("first", () => this.jump(0));
    press("back", () => this.stepBy(-1));
    press("forward", () => this.stepBy(1));
    press("last", () => this.jump(Infinity));
    press("loop", () => this.switchLoop());
    press("theme", () => this.switchTheme());
    press("help", () => this.showKeys());
    press("zoom-in", () => this.zoomBy(1.25));
    press("zoom-out", () => this.zoomBy(0.8));
    press("zoom-fit", () => this.fit());
    for (const button of document.querySelectorAll("[data-layer]")) {
      button.addEventListener("click", () => this.switchLayer(button.dataset.layer));
    }
    pages.speed.addEventListener("change", () => this.setSpeed(Number(pages.speed.value)));
    pages.colours.addEventListener("change", () => this.change({ colours: pages.colours.value }));
    pages.numbers.addEventListener("change", () => this.change({ numbers: pages.numbers.value }));
    matchMedia("(prefers-color-scheme: light)").addEventListener("change", ({ matches }) => {
      this.setTheme(matches ? "light" : "dark");
      this.paint();
    });
    window.addEventListener("hashchange", () => this.follow(location.hash));
    new ResizeObserver(() => this.run && this.paint()).observe(pages.frame);
    this.connectBoard(pages.board);
  }

  connectBoard(canvas) {
    let held = null;
    canvas.addEventListener("pointerdown", ({ button, offsetX, offsetY }) => {
      if (button === 0) held = { x: offsetX, y: offsetY, moved: false };
    });
    canvas.addEventListener("pointermove", ({ offsetX, offsetY, buttons, pointerId }) => {
      if (held && buttons && this.board.zoom > 1) {
        const [dx, dy] = [offsetX - held.x, offsetY - held.y];
        if (!held.moved && Math.hypot(dx, dy) < 4) return;
        canvas.setPointerCapture(pointerId);
        held = { x: offsetX, y: offsetY, moved: true };
        this.board.moveBy(dx, dy);
      } else {
        this.hover(this.board.cellAt(offsetX, offsetY));
      }
    });
    canvas.addEventListener("pointerup", ({ offsetX, offsetY }) => {
      if (held && !held.moved) this.press(this.board.cellAt(offsetX, offsetY));
      held = null;
    });
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return; // the wheel alone scrolls the page
      event.preventDefault();
      this.zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, [event.offsetX, event.offsetY]);
    }, { passive: false });
  }
}

const start = async () => {
  const pages = {};
  for (const part of document.querySelectorAll("[id]")) pages[part.id] = part;
  try {
    const unpacked = await unpack(pages.data.textContent);
    pages.app.hidden = false;
    new Player(pages, unpacked);
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    pages.app.hidden = true;
    pages.trouble.hidden = false;
    pages.trouble.textContent = typeof DecompressionStream === "undefined"
      ? "This browser is too old to unpack the recording: use one from 2023 or later."
      : `The recording in this page cannot be shown (${error}).`;
  }
};

start();

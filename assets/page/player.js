// The player: the run on display, its step, and playing.

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 15];

const systemTheme = () => (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark");

class Player {
  constructor(pages, { description, bytes }) {
    this.pages = pages;
    this.description = description;
    this.usual = description.layers;
    this.numbers = this.usual.numbers || "raw";
    this.playing = false;
    this.looping = false;
    this.backwards = false;
    this.section = null; // first and last step to play; null for all
    this.speed = 1;
    this.makeParts(description, bytes);
    this.view = { layers: { ...this.usual }, marks: [], followed: [], picked: [], pin: null, hover: null, asked: null };
    this.setTheme(description.theme === "auto" ? systemTheme() : description.theme);
    this.panels = this.makePanels(description);
    connectControls(this);
    this.lesson = description.scenes.length ? new Lesson(this, description.scenes) : null;
    listenToKeys(this);
    this.follow(location.hash, true);
  }

  // ---- parts

  makeParts(description, bytes) {
    const { pages } = this;
    this.runs = description.runs.map((run) => new Run(run, bytes));
    this.board = new Board(pages.board);
    this.timeline = new Timeline(pages.timeline, description.stages, (step) => this.jump(step));
    this.source = new Source(pages, description.files, description.programs);
  }

  makePanels(description) {
    return new Panels(this, description);
  }

  // ---- the view

  enter({ run, step, layers, marks, pin, asked, followed = [] }) {
    this.pause();
    Object.assign(this.view, { layers, marks, followed, pin, asked, hover: null });
    if (this.run !== run) {
      this.run = run;
      this.section = null;
      this.panels.fillRun();
    }
    this.show(step);
  }

  show(step) {
    this.step = Math.min(this.run.count - 1, Math.max(0, step));
    this.paint();
    this.panels.fillStep();
    this.remember();
  }

  paint() {
    const picked = this.lesson ? [...this.lesson.picked] : [];
    const { run, step, palette, colours } = this;
    const showsPaths = !this.lesson?.conceals("paths");
    const judged = !this.concealed && !this.lesson?.concealsCount;
    Object.assign(this.view, { run, step, palette, colours, picked, showsPaths, judged });
    this.board.show(this.view);
    this.lesson?.paintRuns(this.view);
    this.timeline.show(run, step, colours, this.section, this.concealed, this.asked);
    this.panels.fillReadout();
    this.panels.fillLayers();
  }

  // Size of a cell in pixels of the page.
  get cellSize() {
    const { scale, ratio } = this.board.place();
    return scale / ratio;
  }

  // Whether later steps are hidden.
  get concealed() {
    return Boolean(this.lesson) && this.lesson.concealsCourse;
  }

  // The question, in short, whose answer the timeline or totals would show; empty if there is none.
  get asked() {
    if (this.concealed) return "How much follows?";
    if (this.lesson?.concealsCount) return "How many are there?";
    return this.lesson?.conceals("tables") ? "How many are left?" : "";
  }

  // The facts of a cell that are not hidden.
  describe(cell) {
    const { layers, showsPaths } = this.view;
    return cellInWords(this.run, this.step, cell, layers.numbers, !this.lesson?.concealsCount, showsPaths);
  }

  // ---- playing

  toggle() {
    if (this.playing) return this.pause();
    const [first, last] = this.span();
    const [start, end] = this.backwards ? [last, first] : [first, last];
    const passed = this.backwards ? this.step <= end : this.step >= end;
    if (passed || this.step < first || this.step > last) this.show(start);
    this.playing = true;
    this.due = performance.now() + this.pauseAt(this.step);
    this.panels.fillTransport();
    this.wait();
  }

  // How long a step is shown, in milliseconds.
  pauseAt(step) {
    const { seconds } = this.run;
    return 1000 * seconds[Math.min(seconds.length - 1, Math.max(0, step))] / this.speed;
  }

  // First and last step to play.
  span() {
    return this.section || [0, this.run.count - 1];
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    cancelAnimationFrame(this.request);
    this.panels.fillTransport();
    this.remember();
  }

  wait() {
    this.request = requestAnimationFrame((now) => {
      if (!this.playing) return;
      let steps = 0;
      while (now >= this.due && steps < 30) {
        steps += 1;
        this.due += this.pauseAt(this.step + (this.backwards ? -steps : steps));
      }
      if (now >= this.due) { // the page was out of sight
        steps = 1;
        this.due = now + this.pauseAt(this.step);
      }
      if (steps) this.advance(steps);
      if (this.playing) this.wait();
    });
  }

  advance(steps) {
    const [first, last] = this.span();
    const wanted = this.step + (this.backwards ? -steps : steps);
    if (wanted > first && wanted < last) {
      this.show(wanted);
    } else if (this.looping) {
      const count = last - first + 1;
      this.show(first + ((wanted - first) % count + count) % count);
    } else {
      this.show(this.backwards ? first : last);
      this.pause();
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
    if (this.run) this.due = performance.now() + this.pauseAt(this.step);
    this.pages.speed.value = String(speed);
    this.pages.spoken.textContent = `Speed ${speed}`;
  }

  switchDirection() {
    this.backwards = !this.backwards;
    this.pages.spoken.textContent = this.backwards ? "Plays backwards" : "Plays forwards";
    this.panels.fillTransport();
  }

  // Plays only from or up to this step; null plays all steps again.
  setSection(side) {
    const [first, last] = this.span();
    const { step } = this;
    if (side === "start") this.section = [step, Math.max(step, last)];
    else if (side === "end") this.section = [Math.min(first, step), step];
    else this.section = null;
    this.paint();
  }

  switchLoop() {
    this.looping = !this.looping;
    this.panels.fillTransport();
  }

  // ---- layers

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
    const names = ["canvas", "text", "dim", "accent", "warning", "error", "bold", "halo", "raised", "hover", "surface", "mono"];
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
    this.pages.spoken.textContent = this.describe(view.hover).flat().join(" ");
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
        // A page inside a notebook has no address.
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
      this.lesson.show(scene, stepIn(this.runs[this.description.scenes[scene].runs[0].run]));
    } else if (atStart) {
      const { layers, marks, asked } = this.view;
      const [run] = this.runs;
      const pin = this.description.pin && run.cell(...this.description.pin);
      const followed = this.description.follow.map(([x, y]) => run.cell(x, y));
      this.enter({ run, step: stepIn(run) || 0, layers, marks, pin, asked, followed });
    } else {
      const step = stepIn(this.run);
      if (step !== null) this.jump(step);
    }
  }

  showKeys() {
    this.pages.keys.showModal();
  }
}

// Unpacks the page's data and starts a player.
const start = async (Kind) => {
  const pages = {};
  for (const part of document.querySelectorAll("[id]")) pages[part.id] = part;
  try {
    const unpacked = await unpack(pages.data.textContent);
    pages.app.hidden = false;
    new Kind(pages, unpacked);
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    pages.app.hidden = true;
    pages.trouble.hidden = false;
    pages.trouble.textContent = typeof DecompressionStream === "undefined"
      ? "This browser is too old to unpack the recording: use one from 2023 or later."
      : `The recording in this page cannot be shown (${error}).`;
  }
};

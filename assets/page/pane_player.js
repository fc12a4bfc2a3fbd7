// The player of runs side by side. It moves through their moments.

// Sizes of a pane's texts, in font sizes: width and height beside the grid; height above and below it,
// with and without captions.
const TEXT_BESIDE = 17.5;
const TEXT_HEIGHT = 13.5;
const TEXT_AROUND = 13;
const TEXT_AROUND_BARE = 8;

class PanePlayer extends Player {
  makeParts(description, bytes) {
    const { pages } = this;
    const runs = description.runs.map((run) => new ComparedRun(run, bytes));
    const run = new Moments(runs, description.comparison);
    this.runs = [run];
    this.parts = makePanes(pages, description);
    const canvases = this.parts.map(({ canvas }) => canvas);
    this.board = new Boards(canvases, run);
    this.timeline = new PaneTimeline(pages.timeline, description.stages, (step) => this.jump(step));
    for (const canvas of canvases.slice(1)) connectBoard(this, canvas); // the first is already connected
    pages.panes.style.setProperty("--aspect", `${run.width} / ${run.height}`);
    document.querySelector("main").style.setProperty("--shape", run.width / run.height);
    new ResizeObserver(() => this.arrange()).observe(pages.panes);
  }

  makePanels(description) {
    return new PaneTexts(this, description, this.parts);
  }

  // Goes to the next or previous moment at which any run starts an iteration or level.
  group(by) {
    const { begins } = this.run;
    if (by < 0) this.jump(begins.findLast((moment) => moment < this.step) ?? 0);
    else this.jump(begins.find((moment) => moment > this.step) ?? Infinity);
  }

  describe(cell) {
    return [["cell", placeInWords(this.run, cell)],
      ...this.run.names.map((name, number) => [`${name}:`, this.describeIn(number, cell).flat().join(" ")])];
  }

  // The facts of a cell in a run, without its position.
  describeIn(number, cell) {
    const { runs } = this.run;
    return cellInWords(runs[number], this.run.placesAt(this.step)[number], cell, this.view.layers.numbers).slice(1);
  }

  // Chooses the number of columns, and texts beside or below the grids, for the largest grids.
  arrange() {
    const { panes } = this.pages;
    const { columns, beside } = this.bestPlan();
    panes.classList.toggle("beside", beside);
    panes.style.setProperty("--columns", columns);
    if (this.run) this.paint();
  }

  bestPlan() {
    const { panes } = this.pages;
    const [moments] = this.runs;
    const { clientWidth, clientHeight } = panes;
    const scrolls = getComputedStyle(panes).flexGrow === "0"; // the page scrolls, and panes are as high as their content
    if (scrolls) return { columns: clientWidth < 560 ? 1 : 2, beside: false };
    const size = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const around = this.description.caption ? TEXT_AROUND : TEXT_AROUND_BARE;
    const plans = this.parts.flatMap((_, less) => [false, true].map((beside) => {
      const columns = less + 1;
      const width = clientWidth / columns - (beside ? TEXT_BESIDE * size : 0);
      const room = clientHeight / Math.ceil(this.parts.length / columns);
      const height = beside && room < TEXT_HEIGHT * size ? 0 : room - (beside ? 0 : around * size);
      const scale = Math.min(LARGEST_CELL, width / moments.width, height / moments.height);
      return { columns, beside, scale };
    }));
    return plans.reduce((best, plan) => (plan.scale > best.scale * 1.05 ? plan : best));
  }
}

// The player of runs side by side. It moves through their moments.

// Sizes of a lane's texts, in font sizes: width and height beside the grid; height above and below it,
// with and without captions.
const TEXT_BESIDE = 17.5;
const TEXT_HEIGHT = 13.5;
const TEXT_AROUND = 13;
const TEXT_AROUND_BARE = 8;

class LanePlayer extends Player {
  makeParts(description, bytes) {
    const { pages } = this;
    const lanes = description.runs.map((run) => new Lane(run, bytes));
    const run = new Moments(lanes, description.lanes);
    this.runs = [run];
    this.parts = makeLanes(pages, description);
    const canvases = this.parts.map(({ canvas }) => canvas);
    this.board = new Boards(canvases, run);
    this.timeline = new LaneTimeline(pages.timeline, description.stages, (step) => this.jump(step));
    for (const canvas of canvases.slice(1)) connectBoard(this, canvas); // the first is already connected
    pages.lanes.style.setProperty("--aspect", `${run.width} / ${run.height}`);
    document.querySelector("main").style.setProperty("--shape", run.width / run.height);
    new ResizeObserver(() => this.arrange()).observe(pages.lanes);
  }

  makePanels(description) {
    return new LanePanels(this, description, this.parts);
  }

  // Goes to the next or previous moment at which any run starts an iteration or level.
  group(by) {
    const { begins } = this.run;
    if (by < 0) this.jump(begins.findLast((moment) => moment < this.step) ?? 0);
    else this.jump(begins.find((moment) => moment > this.step) ?? Infinity);
  }

  describe(cell) {
    return [["cell", placeInWords(this.run, cell)],
      ...this.run.names.map((name, lane) => [`${name}:`, this.describeIn(lane, cell).flat().join(" ")])];
  }

  // The facts of a cell in a lane, without its position.
  describeIn(lane, cell) {
    const { lanes } = this.run;
    return cellInWords(lanes[lane], this.run.placesAt(this.step)[lane], cell, this.view.layers.numbers).slice(1);
  }

  // Chooses the number of columns, and texts beside or below the grids, for the largest grids.
  arrange() {
    const { lanes } = this.pages;
    const { columns, beside } = this.bestPlan();
    lanes.classList.toggle("beside", beside);
    lanes.style.setProperty("--columns", columns);
    if (this.run) this.paint();
  }

  bestPlan() {
    const { lanes } = this.pages;
    const [moments] = this.runs;
    const { clientWidth, clientHeight } = lanes;
    const scrolls = getComputedStyle(lanes).flexGrow === "0"; // the page scrolls, and lanes are as high as their content
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

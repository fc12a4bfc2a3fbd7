// The boards of all panes, which zoom and move together.

// Used by the player like a board. All canvases have the same size.
class Boards {
  constructor(canvases, moments) {
    this.moments = moments;
    this.boards = canvases.map((canvas) => new Board(canvas));
    this.difference = new Difference(moments.runs);
    this.counts = null; // cells of each run that differ, while the difference is shown
  }

  get zoom() {
    return this.boards[0].zoom;
  }

  place() {
    return this.boards[0].place();
  }

  show(view) {
    const { runs } = this.moments;
    const steps = this.moments.placesAt(view.step);
    const found = view.layers.difference ? this.difference.at(steps) : null;
    this.counts = found && found.counts;
    this.boards.forEach((board, number) => board.show(
      { ...view, run: runs[number], step: steps[number], differs: found && found.masks[number] }));
  }

  fit() {
    for (const board of this.boards) board.fit();
  }

  zoomBy(factor, place) {
    this.boards[0].zoomBy(factor, place);
    this.follow();
  }

  moveBy(dx, dy) {
    this.boards[0].moveBy(dx, dy);
    this.follow();
  }

  // Moves the other boards to the first one's part of the grid.
  follow() {
    const [{ zoom, shift }, ...others] = this.boards;
    for (const board of others) {
      Object.assign(board, { zoom, shift });
      board.paint();
    }
  }

  cellAt(x, y) {
    return this.boards[0].cellAt(x, y);
  }
}

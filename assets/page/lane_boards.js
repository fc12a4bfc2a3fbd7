// The boards of all lanes: zoomed, moved and pointed at as one.

// Stands where the player has a board. All canvases are of one size.
class Boards {
  constructor(canvases, moments) {
    this.moments = moments;
    this.boards = canvases.map((canvas) => new Board(canvas));
    this.difference = new Difference(moments.lanes);
    this.counts = null; // how many cells of each lane differ, while that is shown
  }

  get zoom() {
    return this.boards[0].zoom;
  }

  place() {
    return this.boards[0].place();
  }

  show(view) {
    const { lanes } = this.moments;
    const steps = this.moments.placesAt(view.step);
    const found = view.layers.difference ? this.difference.at(steps) : null;
    this.counts = found && found.counts;
    this.boards.forEach((board, number) => board.show(
      { ...view, run: lanes[number], step: steps[number], differs: found && found.masks[number] }));
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

  // Lets all other boards show the part of the grid that the first shows.
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

// The boards of all lanes: zoomed, moved and pointed at as one.

const HATCH = 6; // from one line to the next
const HATCH_LINE = 2;
const RIM_FROM = 16; // pixels a cell from which only the rim is hatched, so that numbers can be read

class LaneBoard extends Board {
  // Hatches the cells that differ, so that they stand out from cells of any colour.
  paintDifference(place) {
    const { pen, view: { differs } } = this;
    const rim = place.scale >= RIM_FROM * place.ratio ? Math.max(3, Math.round(place.scale * 0.17)) : 0;
    const path = new Path2D();
    let last = null;
    this.eachInSight(place, (cell, x, y) => {
      if (!differs[cell]) return;
      if (!rim && last && last.cell === cell - 1 && last.y === y) {
        Object.assign(last, { cell, width: x + place.scale - last.x });
        return;
      }
      if (last) path.rect(last.x, last.y, last.width, place.scale);
      last = { cell, x, y, width: place.scale };
      if (rim) path.rect(x + rim, y + rim, place.scale - 2 * rim, place.scale - 2 * rim);
    });
    if (last) path.rect(last.x, last.y, last.width, place.scale);
    pen.fillStyle = this.hatch();
    pen.fill(path, "evenodd");
  }

  hatch() {
    const { bold, halo } = this.view.colours;
    const tile = document.createElement("canvas");
    tile.width = tile.height = HATCH;
    const paper = tile.getContext("2d");
    for (let y = 0; y < HATCH; y += 1) {
      for (let x = 0; x < HATCH; x += 1) {
        const line = (x + y) % HATCH;
        if (line >= 2 * HATCH_LINE) continue;
        paper.fillStyle = line < HATCH_LINE ? bold : halo;
        paper.fillRect(x, y, 1, 1);
      }
    }
    return this.pen.createPattern(tile, "repeat");
  }
}

// Stands where the player has a board. All canvases are of one size.
class Boards {
  constructor(canvases, moments) {
    this.moments = moments;
    this.boards = canvases.map((canvas) => new LaneBoard(canvas));
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

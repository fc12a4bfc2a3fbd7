// The grid on its canvas: its position, the cell under the pointer, and the drawing of cells.

const LARGEST_CELL = 64;
const HATCH = 6; // pixels between lines
const HATCH_LINE = 2;
const RIM_FROM = 16; // in larger cells, only the rim is hatched, so that numbers stay readable
const LEAST_SHARE = 0.97; // cells are shrunk to whole pixels if they keep this share of their size

// An opaque colour as one number for Uint32Array: red, green, blue, alpha in this machine's order.
const wordOf = (shade) => {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(shade.slice(at, at + 2), 16));
  return new Uint32Array(new Uint8Array([red, green, blue, 255]).buffer)[0];
};

class Board {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.picture = document.createElement("canvas"); // one pixel per cell
    this.zoom = 1;
    this.shift = [0, 0];
    this.view = null;
  }

  // Shows a view: run, step, layers, palette, colours, hover, pin, marks.
  show(view) {
    if (!this.view || this.view.run !== view.run) this.fit();
    this.view = view;
    this.paint();
  }

  fit() {
    this.zoom = 1;
    this.shift = [0, 0];
  }

  // Size of the canvas in pixels of the screen, and pixels of the screen per pixel of the page.
  measure() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    const wanted = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.canvas.width !== wanted[0] || this.canvas.height !== wanted[1]) {
      [this.canvas.width, this.canvas.height] = wanted;
    }
    return { width: wanted[0], height: wanted[1], ratio };
  }

  // The cells to fit: the grid, with the margin of the label array if the structure is shown.
  bounds() {
    const { run, layers } = this.view;
    return layers.structure ? run.window : [0, 0, run.width, run.height];
  }

  // Position of the grid and size of a cell, in pixels of the screen.
  place() {
    const [first, top, right, bottom] = this.bounds();
    const [columns, rows] = [right - first, bottom - top];
    const { width, height, ratio } = this.measure();
    const margin = 10 * ratio;
    const room = Math.min((width - 2 * margin) / columns, (height - 2 * margin) / rows);
    const fitting = Math.min(room, LARGEST_CELL * ratio) * this.zoom;
    const scale = Math.floor(fitting) >= fitting * LEAST_SHARE ? Math.floor(fitting) : fitting;
    const left = Board.along(width, columns * scale, this.shift[0] * ratio) - first * scale;
    const above = Board.along(height, rows * scale, this.shift[1] * ratio) - top * scale;
    return { scale, left, top: above, width, height, ratio };
  }

  // Start of the grid along one axis. The user's shift never moves it out of sight.
  static along(room, size, shift) {
    const middle = (room - size) / 2;
    const free = Math.max(0, (size - room) / 2 + 20);
    return Math.round(middle + Math.min(free, Math.max(-free, shift)));
  }

  zoomBy(factor, [x, y] = [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2]) {
    const before = this.place();
    const at = [x * before.ratio - before.left, y * before.ratio - before.top];
    this.zoom = Math.min(64, Math.max(1, this.zoom * factor));
    const after = this.place();
    const grown = after.scale / before.scale;
    const middle = [after.width / 2, after.height / 2];
    const [left, top, right, bottom] = this.bounds();
    const centres = [(left + right) / 2, (top + bottom) / 2]; // in cells of the grid
    this.shift = [0, 1].map((axis) => {
      const start = [x, y][axis] * after.ratio - at[axis] * grown;
      return this.zoom === 1 ? 0 : (start - middle[axis] + centres[axis] * after.scale) / after.ratio;
    });
    this.paint();
  }

  moveBy(dx, dy) {
    this.shift = [this.shift[0] + dx, this.shift[1] + dy];
    this.paint();
  }

  cellAt(x, y) {
    const { run } = this.view;
    const place = this.place();
    const column = Math.floor((x * place.ratio - place.left) / place.scale);
    const row = Math.floor((y * place.ratio - place.top) / place.scale);
    const inside = column >= 0 && row >= 0 && column < run.width && row < run.height;
    return inside ? run.cell(column, row) : null;
  }

  paint() {
    if (!this.view || !this.canvas.clientWidth || !this.canvas.clientHeight) return; // out of sight
    const place = this.place();
    const { pen, view } = this;
    this.canvas.classList.toggle("zoomed", this.zoom > 1);
    this.canvas.dataset.place = [place.left, place.top, place.scale].join(" ");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = view.colours.canvas;
    pen.fillRect(0, 0, place.width, place.height);
    this.prepare(place);
    if (view.layers.structure) this.paintMargin(place);
    pen.imageSmoothingEnabled = place.scale < 1;
    pen.drawImage(this.picture, place.left, place.top,
      view.run.width * place.scale, view.run.height * place.scale);
    this.paintDots(place);
    if (view.layers.onion) this.paintOnion(place);
    if (view.layers.lines && place.scale >= SIZES.lines * place.ratio) this.paintLines(place);
    const { bold, error, halo } = view.colours;
    if (view.differs) this.paintHatch(place, view.differs, bold, halo); // only in comparisons
    else if (view.judged && view.run.wrongAt(view.step)) this.paintHatch(place, view.run.wrong, error, halo);
    paintUnderNumbers(this, place);
    if (view.layers.numbers) this.paintNumbers(place);
    paintOverNumbers(this, place);
  }

  // Paints the cells' colours into the picture, if anything changed.
  prepare(place) {
    const { run, step, layers, pin, palette } = this.view;
    const known = [run, step, layers.colours, layers.strength, layers.only ? pin : null, palette];
    if (this.known && known.every((one, place) => one === this.known[place])) return;
    this.known = known;
    this.indices = indicesOf(run, step, layers.colours);
    this.shades = this.shadesOf();
    this.fillPicture();
  }

  // The palette as #rrggbb at the layers' strength, then the same colours dimmed.
  shadesOf() {
    const { palette, layers, colours } = this.view;
    const plain = palette.cells.map((colour, index) =>
      (index < FIRST_COLOUR ? colour : mixed(palette.cells[UNLABELLED], colour, layers.strength)));
    return [...plain, ...plain.map((colour) => mixed(colour, colours.canvas, SIZES.dimmed))];
  }

  // The index of each cell's colour in the shades.
  shadePlaces() {
    const { run, layers, pin, palette } = this.view;
    const pinned = layers.only && pin !== null ? run.components[pin] : 0;
    if (!pinned) return this.indices;
    const stepBack = palette.cells.length;
    return this.indices.map((index, cell) => (run.components[cell] === pinned ? index : index + stepBack));
  }

  fillPicture() {
    const { run } = this.view;
    const { picture, shades } = this;
    if (picture.width !== run.width || picture.height !== run.height) {
      picture.width = run.width;
      picture.height = run.height;
    }
    const paper = picture.getContext("2d");
    const pixels = paper.createImageData(run.width, run.height);
    const cells = new Uint32Array(pixels.data.buffer);
    const places = this.shadePlaces();
    const words = Uint32Array.from(shades, wordOf);
    for (let cell = 0; cell < cells.length; cell += 1) cells[cell] = words[places[cell]];
    paper.putImageData(pixels, 0, 0);
  }

  // The dots of dotted colours: a quarter of a dot in each corner of a cell.
  paintDots(place) {
    const { pen, shades, indices, view } = this;
    if (place.scale < SIZES.marks * place.ratio) return;
    const isDotted = (index) => SIZES.dotOf[index] !== undefined;
    if (!indices.some(isDotted)) return;
    const places = this.shadePlaces();
    const dot = Math.max(1, Math.round(SIZES.dot * place.scale));
    const line = view.layers.lines && place.scale >= SIZES.lines * place.ratio ? 1 : 0;
    this.eachInSight(place, (cell, x, y) => {
      const index = indices[cell];
      if (!isDotted(index)) return;
      const [left, right] = [x, x + place.scale].map(Math.round);
      const [top, bottom] = [y, y + place.scale].map(Math.round);
      pen.fillStyle = shades[places[cell] - index + SIZES.dotOf[index]];
      for (const [across, wide] of [[left, dot + line], [right - dot, dot]]) {
        for (const [down, high] of [[top, dot + line], [bottom - dot, dot]]) pen.fillRect(across, down, wide, high);
      }
    });
  }

  paintOnion(place) {
    const { view: { run, step, layers }, pen, shades, indices } = this;
    if (step < 1 || place.scale < SIZES.lines * place.ratio) return;
    const before = indicesOf(run, step - 1, layers.colours);
    run.labelsAfter(step);
    const places = this.shadePlaces();
    const rim = Math.max(2, Math.round(place.scale * SIZES.rim));
    const inner = place.scale - 2 * rim;
    this.eachInSight(place, (cell, x, y) => {
      if (before[cell] === indices[cell]) return;
      pen.fillStyle = shades[places[cell] - indices[cell] + before[cell]];
      pen.fillRect(x, y, place.scale, place.scale);
      pen.fillStyle = shades[places[cell]];
      pen.fillRect(x + rim, y + rim, inner, inner);
    });
  }

  // Hatches cells, which is visible over any colour.
  paintHatch(place, hatched, ...inks) {
    const { pen } = this;
    const rim = place.scale >= RIM_FROM * place.ratio ? Math.max(3, Math.round(place.scale * 0.17)) : 0;
    const path = new Path2D();
    let last = null;
    this.eachInSight(place, (cell, x, y) => {
      if (!hatched[cell]) return;
      if (!rim && last && last.cell === cell - 1 && last.y === y) {
        Object.assign(last, { cell, width: x + place.scale - last.x });
        return;
      }
      if (last) path.rect(last.x, last.y, last.width, place.scale);
      last = { cell, x, y, width: place.scale };
      if (rim) path.rect(x + rim, y + rim, place.scale - 2 * rim, place.scale - 2 * rim);
    });
    if (last) path.rect(last.x, last.y, last.width, place.scale);
    pen.fillStyle = this.hatch(inks);
    pen.fill(path, "evenodd");
  }

  hatch(inks) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = HATCH;
    const paper = tile.getContext("2d");
    for (let y = 0; y < HATCH; y += 1) {
      for (let x = 0; x < HATCH; x += 1) {
        const ink = inks[Math.floor((x + y) % HATCH / HATCH_LINE)];
        if (!ink) continue;
        paper.fillStyle = ink;
        paper.fillRect(x, y, 1, 1);
      }
    }
    return this.pen.createPattern(tile, "repeat");
  }

  paintLines(place) {
    const { pen, view: { run, colours } } = this;
    pen.fillStyle = colours.canvas;
    const width = run.width * place.scale;
    const height = run.height * place.scale;
    for (let x = 0; x <= run.width; x += 1) pen.fillRect(place.left + x * place.scale, place.top, 1, height);
    for (let y = 0; y <= run.height; y += 1) pen.fillRect(place.left, place.top + y * place.scale, width, 1);
  }

  // Paints the label array's cells outside the grid, with the background's label.
  paintMargin(place) {
    const { pen, view: { run, step, layers, colours } } = this;
    const [left, top, right, bottom] = run.window;
    if (left === 0 && right === run.width && bottom === run.height) return;
    const x = (column) => Math.floor(place.left + column * place.scale);
    const y = (row) => Math.floor(place.top + row * place.scale);
    pen.fillStyle = mixed(colours.canvas, colours.dim, 0.08);
    pen.fillRect(x(left), y(top), x(right) - x(left), y(bottom) - y(top));
    if (place.scale < SIZES.lines * place.ratio) return;
    pen.fillStyle = mixed(colours.canvas, colours.dim, 0.3);
    for (let column = left; column <= right; column += 1) pen.fillRect(x(column), y(top), 1, y(bottom) - y(top));
    for (let row = top; row <= bottom; row += 1) pen.fillRect(x(left), y(row), x(right) - x(left), 1);
    const number = layers.numbers === "raw" && numbersOf(run, step, layers);
    const size = number ? this.numberSize(number, place) : 0;
    if (!size) return;
    pen.font = `${size.toFixed(1)}px ${colours.mono}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = colours.dim;
    for (let row = top; row < bottom; row += 1) {
      for (let column = left; column < right; column += 1) {
        const inside = column >= 0 && row >= 0 && column < run.width && row < run.height;
        if (!inside) pen.fillText(String(run.layout.background), x(column + 0.5), y(row + 0.5));
      }
    }
  }

  paintNumbers(place) {
    const { pen, view, indices } = this;
    const number = numbersOf(view.run, view.step, view.layers);
    if (!number) return;
    const size = this.numberSize(number, place);
    if (!size) return;
    pen.font = `${size.toFixed(1)}px ${view.colours.mono}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineWidth = 4 * place.ratio;
    pen.lineJoin = "round";
    const places = hasLinesBelow(this, place) && this.shadePlaces();
    this.eachInSight(place, (cell, x, y) => {
      const value = number(cell);
      if (value === null) return;
      const text = [String(value), x + place.scale / 2, y + place.scale / 2 + size * 0.06];
      if (places) {
        pen.strokeStyle = this.shades[places[cell]];
        pen.strokeText(...text);
      }
      pen.fillStyle = indices[cell] ? view.palette.inks[indices[cell]] : view.colours.dim;
      pen.fillText(...text);
    });
  }

  // Font size at which numbers fit into cells; 0 if it is too small to read.
  numberSize(number, place) {
    const { run, layers } = this.view;
    const size = place.scale / place.ratio;
    if (size < SIZES.numbers) return 0;
    const digits = layers.numbers === "raw" || layers.numbers === "root"
      ? run.digits : this.widest(number, place);
    const wide = SIZES.digit * digits;
    const fits = Math.min(size * 0.46, size * 0.9 / wide, SIZES.largestNumber);
    if (fits >= SIZES.smallestNumber) return Math.floor(fits) * place.ratio;
    return wide * SIZES.smallestNumber < size - 1 ? SIZES.smallestNumber * place.ratio : 0;
  }

  widest(number, place) {
    let digits = 1;
    this.eachInSight(place, (cell) => {
      const value = number(cell);
      if (value !== null) digits = Math.max(digits, String(value).length);
    });
    return digits;
  }

  // Calls `each` with cell, left and top of each visible cell.
  eachInSight(place, each) {
    const { run } = this.view;
    const first = (start) => Math.max(0, Math.floor(-start / place.scale));
    const last = (start, room, count) => Math.min(count, Math.ceil((room - start) / place.scale));
    for (let y = first(place.top); y < last(place.top, place.height, run.height); y += 1) {
      for (let x = first(place.left); x < last(place.left, place.width, run.width); x += 1) {
        each(run.cell(x, y), place.left + x * place.scale, place.top + y * place.scale);
      }
    }
  }
}

// Layers over the cells: structure, contours, arrows, marks, and highlighted cells.

const paintUnderNumbers = (board, place) => {
  const { view } = board;
  const pinned = view.pin === null ? 0 : view.run.components[view.pin];
  if (view.layers.contours && !(pinned && view.layers.only)) {
    paintContours(board, place, null, view.colours.bold);
  }
  if (pinned) paintContours(board, place, pinned, view.colours.accent);
  paintStructures(board, place);
  if (view.layers.arrows) paintArrows(board, place);
  else for (const cell of view.followed) paintPath(board, place, cell, view.colours.bold, 1.6);
};

// Whether digits can overlap arrows.
const hasLinesBelow = ({ view }, place) =>
  (view.layers.arrows || view.followed.length > 0) && place.scale >= SIZES.arrows * place.ratio;

const paintOverNumbers = (board, place) => {
  const { view } = board;
  if (view.layers.changed) paintChanged(board, place);
  if (view.pin !== null && !view.run.components[view.pin]) ring(board, place, view.pin, view.colours.accent);
  for (const cell of view.marks) ring(board, place, cell, view.colours.accent);
  for (const cell of view.picked) ring(board, place, cell, view.colours.warning);
  if (view.asked !== null) ring(board, place, view.asked, view.colours.warning);
  const { run, step } = view;
  if (run.fault !== null && run.steps[step].index === run.recorded - 1) paintFault(board, place);
  if (view.hover !== null) paintHover(board, place);
};

// Frames the cell at which the run failed, with a card beside it.
const paintFault = (board, place) => {
  const { pen, view } = board;
  const { error, canvas } = view.colours;
  ring(board, place, view.run.fault, error);
  const [x, y] = view.run.place(view.run.fault);
  const [width, height] = [52 * place.ratio, 18 * place.ratio];
  const left = Math.max(0, Math.min(place.left + x * place.scale, place.width - width));
  const above = place.top + y * place.scale - height;
  const top = above >= 0 ? above : place.top + (y + 1) * place.scale;
  pen.fillStyle = error;
  pen.fillRect(left, top, width, height);
  pen.fillStyle = canvas;
  pen.font = `bold ${12 * place.ratio}px ${view.colours.mono}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText("fault", left + width / 2, top + height / 2);
};

const stroke = (board, place, path, colour, width, setOff = true) => {
  const { pen, view } = board;
  pen.lineJoin = pen.lineCap = "round";
  pen.strokeStyle = view.colours.halo;
  pen.lineWidth = (width + 1.6) * place.ratio;
  if (setOff) pen.stroke(path);
  pen.strokeStyle = colour;
  pen.lineWidth = width * place.ratio;
  pen.stroke(path);
};

const ring = (board, place, cell, colour) => {
  const [x, y] = board.view.run.place(cell);
  const inset = Math.min(2 * place.ratio, place.scale / 8);
  const path = new Path2D();
  const side = Math.max(place.scale - 2 * inset, 3);
  path.rect(place.left + x * place.scale + inset, place.top + y * place.scale + inset, side, side);
  stroke(board, place, path, colour, Math.min(3, Math.max(1.4, place.scale / 14)));
};

// Whether the parts of a division are large enough to be drawn.
const showsParts = ({ side }, place) => side * place.scale / place.ratio >= SIZES.smallestPart;

// The divisions of a step that are drawn: all, or only tiles.
const divisionsShown = ({ structures }, layers) =>
  structures.filter(([, , tiles]) => layers.structure || (layers.tiles && tiles));

const paintStructures = (board, place) => {
  const { pen, view } = board;
  const { run } = view;
  const size = place.scale / place.ratio;
  // The coarsest division is the boldest, and is drawn last.
  for (const [number, rank] of divisionsShown(run.steps[view.step], view.layers).reverse()) {
    const division = run.structures[number];
    if (!showsParts(division, place)) continue;
    const path = new Path2D();
    const { runs, parts, side } = division;
    for (let at = 0; at < parts.length; at += 4) {
      const [x0, y0, x1, y1] = [0, 1, 2, 3].map((axis) =>
        (axis % 2 ? place.top : place.left) + parts[at + axis] * place.scale);
      if (runs) {
        const inset = Math.max(1, place.scale * SIZES.runInset);
        path.roundRect(x0 + inset, y0 + inset, x1 - x0 - 2 * inset, y1 - y0 - 2 * inset,
          place.scale * SIZES.runRound);
      } else {
        path.moveTo(x0, y0);
        path.lineTo(x1, y1);
      }
    }
    const width = Math.max(1, Math.min(division.width / 2 ** rank, side * size * 0.05));
    pen.setLineDash(division.dash.map((length) => length * width * place.ratio));
    stroke(board, place, path, view.colours.bold, width, side * size >= SIZES.haloSide);
    pen.setLineDash([]);
  }
};

// Outlines all components, or one if its number is given.
const paintContours = (board, place, number, colour) => {
  const { pen, view: { run } } = board;
  const side = place.scale / place.ratio;
  const path = new Path2D();
  path.addPath(contourOf(run, number),
    new DOMMatrix([place.scale, 0, 0, place.scale, place.left, place.top]));
  pen.globalAlpha = side < SIZES.solidContour ? 0.5 : 1;
  stroke(board, place, path, colour, Math.max(1, Math.min(side / 14, 2.4)), side >= SIZES.softContour);
  pen.globalAlpha = 1;
};

// The sides of cells where components end, in cells. All steps share the path.
const contourOf = (run, number) => {
  run.contours ||= new Map();
  if (!run.contours.has(number)) run.contours.set(number, findContour(run, number));
  return run.contours.get(number);
};

const findContour = (run, number) => {
  const { components, width, height } = run;
  const path = new Path2D();
  const at = (x, y) => {
    if (x < 0 || y < 0 || x >= width || y >= height) return 0;
    const found = components[run.cell(x, y)];
    return number === null || found === number ? found : 0;
  };
  // Collinear sides become one line.
  const draw = (lines, places, isEdge, line) => {
    for (let across = 0; across <= lines; across += 1) {
      for (let start = 0; start < places; start += 1) {
        if (!isEdge(across, start)) continue;
        let end = start + 1;
        while (end < places && isEdge(across, end)) end += 1;
        line(across, start, end);
        start = end;
      }
    }
  };
  draw(height, width, (y, x) => at(x, y) !== at(x, y - 1), (y, start, end) => {
    path.moveTo(start, y);
    path.lineTo(end, y);
  });
  draw(width, height, (x, y) => at(x, y) !== at(x - 1, y), (x, start, end) => {
    path.moveTo(x, start);
    path.lineTo(x, end);
  });
  return path;
};

// Outlines changed cells. Small ones have stripes instead; a few tiny ones have a dot each.
const paintChanged = (board, place) => {
  const { pen, view: { run, step, colours, layers, pin } } = board;
  const { scale, ratio } = place;
  const size = scale / ratio;
  const number = numbersOf(run, step, layers);
  const written = number && board.numberSize(number, place);
  const changed = [...run.rewritten(step, written ? layers.numbers : "")];
  const pinned = layers.only && pin !== null ? run.components[pin] : 0;
  const cells = pinned ? changed.filter((cell) => run.components[cell] === pinned) : changed;
  if (size < SIZES.marks) {
    const striped = new Uint8Array(run.width * run.height);
    for (const cell of cells) striped[cell] = 1;
    pen.globalAlpha = SIZES.changedAlpha;
    board.paintHatch(place, striped, null, colours.bold);
    pen.globalAlpha = 1;
    if (size < SIZES.dots && cells.length <= SIZES.mostDots) paintDots(board, place, cells);
    return;
  }
  const gap = layers.lines && size >= SIZES.lines ? Math.max(1, Math.round(ratio)) : 0;
  const line = Math.max(1, Math.round(ratio * Math.max(1, Math.min(size / 24, 2))));
  const rim = size >= SIZES.lines + 2 ? Math.max(1, Math.round(ratio)) : 0;
  const outline = (cell, inset, width) => {
    const [x, y] = run.place(cell);
    const [left, right] = [x, x + 1].map((at) => Math.round(place.left + at * scale));
    const [top, bottom] = [y, y + 1].map((at) => Math.round(place.top + at * scale));
    const edge = inset + width / 2;
    pen.lineWidth = width;
    pen.strokeRect(left + gap + edge, top + gap + edge,
      right - left - gap - 2 * edge, bottom - top - gap - 2 * edge);
  };
  pen.lineJoin = "miter";
  pen.globalAlpha = SIZES.changedAlpha;
  pen.strokeStyle = colours.bold;
  for (const cell of cells) outline(cell, 0, line);
  pen.globalAlpha = 0.55;
  pen.strokeStyle = colours.halo;
  if (rim) for (const cell of cells) outline(cell, line, rim);
  pen.globalAlpha = 1;
};

// Dots that would hide much of a small picture are points.
const paintDots = ({ pen, view: { run, colours } }, place, cells) => {
  const rim = Math.max(1, Math.round(place.ratio));
  const area = run.width * run.height * place.scale ** 2;
  const points = cells.length * (5 * rim) ** 2 > SIZES.dotsShare * area;
  const dots = [[colours.halo, 2 * rim], [colours.bold, rim]];
  for (const [colour, around] of points ? [[colours.bold, 0]] : dots) {
    pen.fillStyle = colour;
    for (const cell of cells) {
      const [x, y] = run.place(cell);
      const left = Math.floor(place.left + (x + 0.5) * place.scale) - around;
      const top = Math.floor(place.top + (y + 0.5) * place.scale) - around;
      pen.fillRect(left, top, 2 * around + rim, 2 * around + rim);
    }
  }
};

// Adds a curve from a cell to its parent, and its head. Long curves bend to one side.
const arrow = (path, heads, run, place, from, to, size) => {
  const [start, end] = [from, to].map((cell) => run.place(cell).map((part) => part + 0.5));
  const vector = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(...vector) || 1;
  const bend = length > 1.5 ? Math.min(0.16 * length, 1.4) : 0;
  const control = [(start[0] + end[0]) / 2 + vector[1] / length * bend,
    (start[1] + end[1]) / 2 - vector[0] / length * bend];
  const toward = (one, other) => {
    const far = Math.hypot(other[0] - one[0], other[1] - one[1]) || 1;
    return [(other[0] - one[0]) / far, (other[1] - one[1]) / far];
  };
  const out = toward(start, control);
  const into = toward(control, end);
  const tip = [end[0] - into[0] * SIZES.arrowEnd, end[1] - into[1] * SIZES.arrowEnd];
  const pixel = ([x, y]) => [place.left + x * place.scale, place.top + y * place.scale];
  path.moveTo(...pixel([start[0] + out[0] * SIZES.arrowStart, start[1] + out[1] * SIZES.arrowStart]));
  path.quadraticCurveTo(...pixel(control), ...pixel(tip));
  const base = [tip[0] - into[0] * size, tip[1] - into[1] * size];
  heads.moveTo(...pixel(tip));
  heads.lineTo(...pixel([base[0] - into[1] * size / 2, base[1] + into[0] * size / 2]));
  heads.lineTo(...pixel([base[0] + into[1] * size / 2, base[1] - into[0] * size / 2]));
  heads.closePath();
};

const drawArrows = (board, place, pairs, colour, width, size) => {
  const path = new Path2D();
  const heads = new Path2D();
  for (const [from, to] of pairs) {
    arrow(path, heads, board.view.run, place, from, to, size);
  }
  stroke(board, place, path, colour, width);
  board.pen.fillStyle = colour;
  board.pen.fill(heads);
};

const paintArrows = (board, place) => {
  if (place.scale < SIZES.arrows * place.ratio) return;
  const { run, step, colours, layers } = board.view;
  const parents = run.parentsAfter(step, layers.numbers);
  const pairs = [];
  const roots = [];
  board.eachInSight(place, (cell) => {
    const parent = run.components[cell] ? run.cellOf(parents[cell]) : NO_CELL;
    if (parent === cell) roots.push(cell);
    else if (parent !== NO_CELL) pairs.push([cell, parent]);
  });
  const width = Math.max(1.4, Math.min(place.scale / place.ratio / 26, 2.2));
  drawArrows(board, place, pairs, colours.bold, width, SIZES.arrowHead);
  paintRoots(board, place, roots, width);
};

// Draws a ring in each root, in the colour of its number.
const paintRoots = (board, place, roots, width) => {
  const { pen, indices, view: { run, palette } } = board;
  const radius = SIZES.root / 2 * place.scale;
  pen.lineWidth = width * place.ratio;
  for (const cell of roots) {
    const [x, y] = run.place(cell).map((part) => (part + 0.5) * place.scale);
    pen.strokeStyle = palette.inks[indices[cell]];
    pen.beginPath();
    pen.arc(place.left + x, place.top + y, radius, 0, 2 * Math.PI);
    pen.stroke();
  }
};

// Draws the path from a cell to its root.
const paintPath = (board, place, cell, colour, width) => {
  const { run, step, layers } = board.view;
  const chain = [cell, ...run.chainOf(cell, run.parentsAfter(step, layers.numbers))];
  const pairs = chain.slice(1).map((above, at) => [chain[at], above]).filter(([a, b]) => a !== b);
  if (pairs.length && place.scale >= 5 * place.ratio) {
    const size = Math.min(0.28, 9 * place.ratio / place.scale + 0.08); // visible in small cells
    drawArrows(board, place, pairs.slice(0, 400), colour, width, size);
    ring(board, place, pairs[pairs.length - 1][1], colour);
  }
};

// Marks the cell under the pointer, and its path to its root.
const paintHover = (board, place) => {
  const { hover, colours, showsPaths = true } = board.view;
  if (showsPaths) paintPath(board, place, hover, colours.accent, 2);
  ring(board, place, hover, colours.bold);
};

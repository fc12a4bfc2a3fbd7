// The steps of a run in a row: iterations, curves of roots and wrong cells, and coloured stages.

const RULER = 15;
const MARKS = 18;
const EDGE = 6;

class Timeline {
  constructor(canvas, stages, onStep) {
    this.canvas = canvas;
    this.still = document.createElement("canvas"); // the parts that are the same at each step
    this.stages = stages;
    this.onStep = onStep;
    this.run = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.scrub(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) this.scrub(event);
    });
  }

  scrub(event) {
    if (this.run) this.onStep(this.stepAt(event.offsetX));
  }

  pitch() {
    return (this.canvas.clientWidth - 2 * EDGE) / this.run.count;
  }

  stepAt(x) {
    const step = Math.floor((x - EDGE) / this.pitch());
    return Math.min(this.run.count - 1, Math.max(0, step));
  }

  show(run, step, colours, section, concealed, asked) {
    this.run = run;
    this.canvas.setAttribute("aria-valuemax", concealed ? step + 1 : run.count);
    this.canvas.setAttribute("aria-valuenow", step + 1);
    this.canvas.setAttribute("aria-valuetext", stepInWords(run, step, concealed));
    const size = [this.canvas.clientWidth, this.canvas.clientHeight, window.devicePixelRatio || 1];
    if (!size[0] || !size[1]) return; // out of sight, like a notebook's frames at first
    const rows = { top: RULER + 4, bottom: size[1] - MARKS - 6, marks: size[1] - MARKS - 1 };
    const curves = this.curvesOf(run, colours, rows, concealed);
    const known = [run, colours, concealed, ...size];
    if (!this.known || known.some((one, place) => one !== this.known[place])) {
      this.known = known;
      this.pen = Timeline.penOf(this.still, size);
      this.paintGroups(run, colours, rows);
      curves.forEach((curve) => this.paintCurve(curve));
      this.paintStages(run, rows);
    }
    this.pen = Timeline.penOf(this.canvas, size);
    this.pen.drawImage(this.still, 0, 0, size[0], size[1]);
    if (section) this.paintSection(section, colours, rows);
    if (asked) this.conceal(step, colours, asked);
    curves.forEach((curve) => this.paintPoint(curve, step));
    this.paintKnob(step, colours, rows);
  }

  static penOf(canvas, [width, height, ratio]) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    return pen;
  }

  // The curves of roots and wrong cells: values, colour, and a function from value to height.
  curvesOf(run, colours, rows, concealed) {
    return [["roots", colours.accent], ["wrong", colours.warning]].flatMap(([name, colour]) => {
      // Wrong cells show how far the end is, which a question may ask.
      const values = concealed && name === "wrong" ? null : run.curve(name);
      return values ? [{ values, colour, y: Timeline.scaleOf(values, rows) }] : [];
    });
  }

  // Returns a scale for counts: linear, or logarithmic if they span more than a factor of 100.
  static scaleOf(values, rows) {
    const most = values.reduce((one, other) => Math.max(one, other), 1);
    const least = values.reduce((one, other) => (other > 0 ? Math.min(one, other) : one), most);
    const share = most / least > 100
      ? (value) => Math.log1p(value) / Math.log1p(most) : (value) => value / most;
    return (value) => rows.bottom - 2 - share(value) * (rows.bottom - rows.top - 4);
  }

  paintGroups(run, colours, rows) {
    const { pen } = this;
    const pitch = this.pitch();
    pen.font = `11px ${colours.sans}`;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    let free = 0;
    groupsOf(run).forEach(({ start, end, name }, place) => {
      const left = EDGE + start * pitch;
      const width = (end + 1 - start) * pitch;
      if (!name) return;
      pen.fillStyle = place % 2 ? colours.raised : colours.hover;
      pen.globalAlpha = 0.55;
      pen.fillRect(left, 0, Math.max(width - 1, 0.5), rows.bottom);
      pen.globalAlpha = 1;
      const text = [name, name.replace(/^\D+/, "")].find((one) => pen.measureText(one).width + 8 <= width);
      if (text && left >= free) {
        pen.fillStyle = colours.dim;
        pen.fillText(text, left + 4, RULER / 2 + 1);
        free = left + pen.measureText(text).width + 8;
      }
    });
  }

  xOf(step) {
    return EDGE + (step + 0.5) * this.pitch();
  }

  paintCurve({ values, colour, y }) {
    const { pen } = this;
    pen.beginPath();
    values.forEach((value, step) => pen.lineTo(this.xOf(step), y(value)));
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.stroke();
  }

  paintPoint({ values, colour, y }, step) {
    const { pen } = this;
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(this.xOf(step), y(values[step]), 3.2, 0, 7);
    pen.fill();
  }

  paintStages(run, rows) {
    const { pen } = this;
    const pitch = this.pitch();
    const gap = pitch >= 4 ? 1 : 0;
    run.steps.forEach(({ stage, colour }, place) => {
      const left = EDGE + place * pitch;
      pen.fillStyle = colour;
      pen.fillRect(left, rows.marks, pitch - gap, MARKS);
      if (pitch < 15) return;
      pen.save();
      pen.translate(left + (pitch - gap) / 2 - 4, rows.marks + MARKS / 2 - 4);
      pen.scale(0.08, 0.08);
      pen.fillStyle = "#101318";
      pen.fill(new Path2D(this.stages[stage]), "evenodd");
      pen.restore();
    });
  }

  // Dims the steps outside the played section.
  paintSection([first, last], colours, rows) {
    const { pen } = this;
    const [left, right] = [EDGE + first * this.pitch(), EDGE + (last + 1) * this.pitch()];
    const end = this.canvas.clientWidth;
    pen.fillStyle = colours.surface;
    pen.globalAlpha = 0.72;
    pen.fillRect(0, 0, left, rows.marks + MARKS + 1);
    pen.fillRect(right, 0, end - right, rows.marks + MARKS + 1);
    pen.globalAlpha = 1;
    pen.fillStyle = colours.accent;
    pen.fillRect(left, rows.bottom, right - left, 2);
  }

  // Covers the following steps, which would give the answer away.
  conceal(step, colours, words) {
    const { pen, canvas: { clientWidth: width, clientHeight: height } } = this;
    const left = EDGE + (step + 1) * this.pitch();
    pen.fillStyle = colours.raised;
    pen.fillRect(left, 0, width - left, height);
    pen.fillStyle = colours.dim;
    pen.font = `13px ${colours.sans}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    if (pen.measureText(words).width < width - left) pen.fillText(words, (left + width) / 2, height / 2);
  }

  paintKnob(step, colours, rows) {
    const { pen } = this;
    const pitch = this.pitch();
    const x = this.xOf(step);
    pen.strokeStyle = pen.fillStyle = colours.text;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, RULER);
    pen.lineTo(x, pitch >= 9 ? rows.marks : rows.marks + MARKS);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x - 5.5, RULER - 4);
    pen.lineTo(x + 5.5, RULER - 4);
    pen.lineTo(x, RULER + 5);
    pen.fill();
    if (pitch < 9) return;
    pen.lineWidth = 2;
    pen.strokeRect(EDGE + step * pitch + 0.5, rows.marks, pitch - 1, MARKS);
  }
}

// Consecutive steps of the same iteration or level.
const groupsOf = (run) => {
  const groups = [];
  run.steps.forEach(({ iteration, level }, place) => {
    const last = groups[groups.length - 1];
    if (last && last.iteration === iteration && last.level === level) last.end = place;
    else groups.push({ start: place, end: place, iteration, level, name: groupName(iteration, level) });
  });
  return groups;
};

const groupName = (iteration, level) => {
  if (iteration !== null) return `iteration ${iteration}`;
  return level === null ? "" : `level ${level}`;
};

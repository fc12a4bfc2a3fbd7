// The moments in a row, and below them a row for each run with its stages, pale after its end.

const RUN_ROW = 16;
const RUN_GAP = 4;
const ENDED = 0.22;
const LABEL_ROOM = 34;

class PaneTimeline extends Timeline {
  static heightOf(count) {
    return RULER + 4 + count * (RUN_ROW + RUN_GAP);
  }

  show(moments, moment, colours, section) {
    this.run = moments;
    const { canvas } = this;
    canvas.setAttribute("aria-valuemax", moments.count);
    canvas.setAttribute("aria-valuenow", moment + 1);
    canvas.setAttribute("aria-valuetext", stepInWords(moments, moment, false));
    const size = [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio || 1];
    if (!size[0] || !size[1]) return; // out of sight
    const known = [colours, ...size];
    if (!this.known || known.some((one, place) => one !== this.known[place])) {
      this.known = known;
      this.pen = Timeline.penOf(this.still, size);
      this.paintRuler(colours);
      moments.runs.forEach((_, number) => this.paintRun(number));
    }
    this.pen = Timeline.penOf(canvas, size);
    this.pen.drawImage(this.still, 0, 0, size[0], size[1]);
    const rows = { marks: size[1] - MARKS - 1, bottom: size[1] - 2 };
    if (section) this.paintSection(section, colours, rows);
    this.paintKnob(moment, colours, size[1]);
  }

  paintRuler(colours) {
    const { pen, run: { count } } = this;
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find(
      (one) => one * this.pitch() >= LABEL_ROOM) || count;
    pen.font = `10px ${colours.sans}`;
    pen.fillStyle = colours.dim;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let number = every; number <= count; number += every) {
      pen.fillText(String(number), this.xOf(number - 1), RULER / 2);
    }
  }

  // A block for each step, as wide as its moments.
  paintRun(number) {
    const { pen, run: { table, runs } } = this;
    const pitch = this.pitch();
    const top = RULER + 4 + number * (RUN_ROW + RUN_GAP);
    const end = this.run.endOf(number);
    for (let start = 0; start < table.length;) {
      const place = table[start][number];
      let after = start + 1;
      while (after < table.length && table[after][number] === place) after += 1;
      if (place !== NOT_BEGUN) {
        const step = runs[number].steps[place];
        const shown = start === end ? start + 1 : after;
        this.paintBlock(step, [start, shown], top, 1);
        if (shown < after) this.paintBlock(step, [shown, after], top, ENDED);
      } else {
        pen.fillStyle = "#80808040";
        pen.fillRect(EDGE, top + RUN_ROW / 2, (after - start) * pitch, 1);
      }
      start = after;
    }
  }

  paintBlock({ stage, colour }, [start, after], top, strength) {
    const { pen } = this;
    const left = EDGE + start * this.pitch();
    const width = (after - start) * this.pitch();
    pen.globalAlpha = strength;
    pen.fillStyle = colour;
    pen.fillRect(left, top, width - (width >= 4 ? 1 : 0), RUN_ROW);
    pen.globalAlpha = 1;
    if (width < 15 || strength < 1) return;
    pen.save();
    pen.translate(left + width / 2 - 4.5, top + RUN_ROW / 2 - 4);
    pen.scale(0.08, 0.08);
    pen.fillStyle = "#101318";
    pen.fill(new Path2D(this.stages[stage]), "evenodd");
    pen.restore();
  }

  paintKnob(moment, colours, height) {
    const { pen } = this;
    const pitch = this.pitch();
    const x = this.xOf(moment);
    pen.strokeStyle = pen.fillStyle = colours.text;
    pen.lineWidth = 2;
    pen.beginPath();
    if (pitch >= 9) {
      pen.rect(EDGE + moment * pitch - 0.5, RULER + 2, pitch, height - RULER - 4);
    } else {
      pen.moveTo(x, RULER);
      pen.lineTo(x, height);
    }
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x - 5.5, RULER - 6);
    pen.lineTo(x + 5.5, RULER - 6);
    pen.lineTo(x, RULER + 2);
    pen.fill();
  }
}

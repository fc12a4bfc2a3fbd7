// A lesson: scenes as chapters, the presenter's notes, and questions.

const passage = (name) => document.getElementById(name).content.cloneNode(true);

class Lesson {
  constructor(player, scenes) {
    this.player = player;
    this.pages = player.pages;
    this.scenes = scenes;
    this.scene = -1;
    this.picked = new Set();
    this.answered = false;
    this.notes = false;
    this.build();
  }

  get question() {
    return this.scenes[this.scene].question;
  }

  // Whether a click on a cell answers.
  get asksForCells() {
    return Boolean(this.question) && this.question.wantsCells && !this.answered;
  }

  // Whether the steps that follow are not to be seen yet.
  get concealsCourse() {
    return Boolean(this.question) && this.question.kind === "iterations-left" && !this.answered;
  }

  // Whether nothing may tell how many components there are.
  get concealsCount() {
    return Boolean(this.question) && this.question.kind === "components" && !this.answered;
  }

  build() {
    const { pages } = this;
    pages.lesson.hidden = false;
    pages.aims.replaceChildren(passage("aims-text"));
    pages.chapter.replaceChildren(...this.scenes.map(({ title }, place) => {
      const option = element("option", `${place + 1} of ${this.scenes.length}: ${title}`);
      option.value = String(place);
      return option;
    }));
    pages.chapter.addEventListener("change", () => this.show(Number(pages.chapter.value)));
    pages["scene-back"].addEventListener("click", () => this.go(-1));
    pages["scene-next"].addEventListener("click", () => this.go(1));
    pages["notes-switch"].addEventListener("click", () => this.switchNotes());
    pages.skip.addEventListener("click", () => this.reveal(false));
    pages.question.addEventListener("submit", (event) => {
      event.preventDefault();
      this.reveal(true);
    });
  }

  go(by) {
    const scene = Math.min(this.scenes.length - 1, Math.max(0, this.scene + by));
    if (scene === this.scene) return;
    this.show(scene);
    this.pages["scene-title"].focus({ preventScroll: true });
    window.scrollTo({ top: 0 }); // of a phone, where the picture stays and the words scroll
  }

  show(scene, step = null) {
    const { pages, player } = this;
    const shown = this.scenes[scene];
    this.scene = scene;
    this.picked = new Set();
    this.answered = false;
    pages.chapter.value = String(scene);
    pages["scene-back"].disabled = scene === 0;
    pages["scene-next"].disabled = scene === this.scenes.length - 1;
    pages.aims.hidden = scene !== 0;
    pages["scene-title"].textContent = shown.title;
    pages["scene-caption"].replaceChildren(passage(`scene-${scene}-caption`));
    pages["scene-phase"].hidden = !shown.phase;
    pages["scene-phase"].replaceChildren(...(shown.phase ? [passage(`scene-${scene}-phase`)] : []));
    pages["notes-area"].hidden = !shown.notes;
    if (shown.notes) pages.notes.replaceChildren(passage(`scene-${scene}-notes`));
    this.ask();
    pages.side.scrollTop = 0;
    const run = player.runs[shown.run];
    player.enter({
      run,
      step: step === null ? shown.step : step,
      layers: { ...player.usual, ...shown.show },
      marks: shown.highlight.map(([x, y]) => run.cell(x, y)),
      followed: shown.follow.map(([x, y]) => run.cell(x, y)),
      pin: shown.pin ? run.cell(...shown.pin) : null,
      asked: shown.question && shown.question.cell ? run.cell(...shown.question.cell) : null,
    });
  }

  ask() {
    const { pages, question } = this;
    pages.question.hidden = !question;
    pages.verdict.hidden = this.concealsCount;
    pages.judgement.textContent = "";
    if (!question) return;
    pages.prompt.replaceChildren(passage(`scene-${this.scene}-prompt`));
    pages.number.hidden = question.wantsCells;
    pages.number.value = "";
    pages.picked.hidden = !question.wantsCells;
    pages.answer.disabled = pages.skip.disabled = pages.number.disabled = false;
    this.tellPicked();
  }

  // Chooses a cell for an answer, or takes it back.
  pick(cell) {
    const only = this.question.right.length === 1 && this.question.kind === "root";
    if (this.picked.delete(cell)) {
      // Taken back.
    } else {
      if (only) this.picked.clear();
      this.picked.add(cell);
    }
    this.tellPicked();
    this.player.paint();
  }

  tellPicked() {
    const count = this.picked.size;
    this.pages.picked.textContent = count
      ? `${counted(count, "cell")} chosen` : "Click in the grid, or Shift and arrows, then Enter";
  }

  // Says what is right and why, and of an answer whether it is.
  reveal(given) {
    const { pages, question, player } = this;
    if (!question || this.answered) return;
    const typed = pages.number.value.replace(/[\s,_]/g, "");
    if (given && !question.wantsCells && !/^-?\d+$/.test(typed)) {
      pages.judgement.dataset.right = "false";
      pages.judgement.textContent = "Type a whole number, or skip the question.";
      pages.number.focus();
      return;
    }
    const verdict = given ? judge(question, typed, this.picked, player.run)
      : { right: null, words: skipped(question) };
    this.answered = true;
    pages.verdict.hidden = false;
    pages.judgement.dataset.right = String(verdict.right);
    pages.judgement.textContent = verdict.words;
    // A field that keeps the focus would swallow the keys that go on.
    const focused = pages.question.contains(document.activeElement);
    pages.answer.disabled = pages.skip.disabled = pages.number.disabled = true;
    if (focused) pages.board.focus({ preventScroll: true });
    pages.judgement.scrollIntoView({ block: "nearest" });
    player.view.marks = question.right.map(([x, y]) => player.run.cell(x, y));
    player.show(player.step);
  }

  switchNotes() {
    this.notes = !this.notes;
    this.pages.notes.hidden = !this.notes;
    this.pages["notes-switch"].setAttribute("aria-expanded", String(this.notes));
  }
}

const skipped = (question) =>
  (question.wantsCells ? question.why : `It is ${number(question.number)}. ${question.why}`);

// Whether an answer is right, and the words for the class: as the program's own judge says it.
const judge = (question, typed, picked, run) => {
  const { why } = question;
  if (!question.wantsCells) {
    if (Number(typed) === question.number) return { right: true, words: `It is ${number(question.number)}. ${why}` };
    return { right: false, words: `Not ${number(Number(typed))}: it is ${number(question.number)}. ${why}` };
  }
  const right = new Set(question.right.map(([x, y]) => run.cell(x, y)));
  const found = [...picked].filter((cell) => right.has(cell)).length;
  const stray = picked.size - found;
  if (found === right.size && !stray) return { right: true, words: why };
  if (right.size === 1) return { right: false, words: `It is another cell. ${why}` };
  const others = stray ? `, and ${counted(stray, "other cell")}` : "";
  return { right: false, words: `${found} of ${right.size} found${others}. ${why}` };
};

// A lesson: scenes as chapters, notes, and questions.

const passage = (name) => document.getElementById(name).content.cloneNode(true);

class Lesson {
  constructor(player, scenes) {
    this.player = player;
    this.pages = player.pages;
    this.scenes = scenes;
    this.scene = -1;
    this.picked = new Set();
    this.smallBoards = [];
    this.answered = false;
    this.choice = null;
    this.results = new Map(); // by scene with a question: tries and outcome
    this.notes = false;
    this.build();
  }

  get question() {
    return this.scenes[this.scene].question;
  }

  // Whether the picture shows trees. If not, the texts do not mention roots.
  get showsTrees() {
    return this.scenes[this.scene].trees;
  }

  // Whether clicks on cells answer the question.
  get asksForCells() {
    return Boolean(this.question) && this.question.wantsCells && !this.answered;
  }

  // Whether something is hidden, because it gives away the answer to this or a later question.
  conceals(what) {
    return this.scenes[this.scene].conceals.some(([scene, names]) => names.includes(what)
      && (scene === this.scene ? !this.answered : !this.results.get(scene)?.done));
  }

  // Whether later steps are hidden.
  get concealsCourse() {
    return this.conceals("course");
  }

  // Whether the number of components is hidden.
  get concealsCount() {
    return this.conceals("counts");
  }

  build() {
    const { pages } = this;
    pages.lesson.hidden = false;
    document.body.classList.add("teaching");
    pages.aims.replaceChildren(passage("aims-text"));
    pages.links.hidden = !document.getElementById("links-text");
    if (!pages.links.hidden) pages.links.replaceChildren(passage("links-text"));
    pages.chapter.replaceChildren(...this.scenes.map(({ title }, place) => {
      const option = element("option", `${place + 1} of ${this.scenes.length}: ${title}`);
      option.value = String(place);
      return option;
    }));
    pages.chapter.addEventListener("change", () => this.show(Number(pages.chapter.value)));
    pages["scene-back"].addEventListener("click", () => this.go(-1));
    pages["scene-next"].addEventListener("click", () => this.go(1));
    pages["scene-run"].addEventListener("change", () => this.showRun(Number(pages["scene-run"].value)));
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
    window.scrollTo({ top: 0 }); // on phones, the words scroll past the picture
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
    pages["scene-code"].hidden = !shown.code;
    pages["scene-code"].replaceChildren(...(shown.code ? [passage(`scene-${scene}-code`)] : []));
    pages.aims.hidden = scene !== 0;
    pages["scene-title"].textContent = shown.title;
    pages["scene-caption"].replaceChildren(passage(`scene-${scene}-caption`));
    pages["scene-phase"].hidden = !shown.phase;
    pages["scene-phase"].replaceChildren(...(shown.phase ? [passage(`scene-${scene}-phase`)] : []));
    pages["scene-diagram"].hidden = !shown.diagram;
    pages["scene-diagram"].replaceChildren(...(shown.diagram ? [passage(`scene-${scene}-diagram`)] : []));
    pages["more-area"].hidden = !shown.more;
    if (shown.more) pages.more.replaceChildren(passage(`scene-${scene}-more`));
    pages["notes-area"].hidden = !shown.notes;
    if (shown.notes) pages.notes.replaceChildren(passage(`scene-${scene}-notes`));
    this.ask();
    this.recap();
    pages.side.scrollTop = 0;
    this.fillRuns();
    this.showRun(0, step);
  }

  // Shows the table of a comparison, without the answer while the question is open.
  fillTable() {
    const { pages, question, answered, scene } = this;
    const name = question && !answered ? `scene-${scene}-early-table` : `scene-${scene}-table`;
    pages["scene-table"].hidden = !document.getElementById(name);
    if (!pages["scene-table"].hidden) pages["scene-table"].replaceChildren(passage(name));
  }

  // Adds a small picture for each compared run; a click shows that run on the large board.
  fillRuns() {
    const { pages } = this;
    const { runs } = this.scenes[this.scene];
    pages["scene-runs"].hidden = runs.length < 2;
    pages["scene-run"].replaceChildren(...runs.map(({ name }, place) => {
      const option = element("option", `Run ${place + 1} of ${runs.length}: ${name}`);
      option.value = String(place);
      return option;
    }));
    this.small = runs.length < 2 ? [] : runs.map(({ name }, place) => {
      const button = element("button", "");
      button.type = "button";
      button.append(element("canvas", ""), element("span", name));
      button.addEventListener("click", () => this.showRun(place));
      return button;
    });
    pages["run-boards"].replaceChildren(...this.small);
    this.smallBoards = this.small.map((button) => new Board(button.firstChild));
  }

  // Shows the compared runs at the same step, or at their last one.
  paintRuns(view) {
    const { runs } = this.scenes[this.scene];
    const last = view.step === view.run.count - 1;
    const layers = { ...view.layers, changed: false, numbers: "" };
    this.smallBoards.forEach((board, place) => {
      const run = this.player.runs[runs[place].run];
      if (board.canvas.clientWidth) {
        board.show({ ...view, layers, run, step: last ? run.count - 1 : Math.min(view.step, run.count - 1) });
      }
      this.small[place].setAttribute("aria-pressed", String(run === view.run));
    });
  }

  showRun(place, step = null) {
    const { player } = this;
    const shown = this.scenes[this.scene];
    this.pages["scene-run"].value = String(place);
    const chosen = shown.runs[place];
    const run = player.runs[chosen.run];
    player.enter({
      run,
      step: step === null ? chosen.step : step,
      layers: { ...player.usual, ...shown.show },
      marks: shown.highlight.map(([x, y]) => run.cell(x, y)),
      followed: shown.follow.map(([x, y]) => run.cell(x, y)),
      pin: shown.pin ? run.cell(...shown.pin) : null,
      asked: shown.question && shown.question.cell ? run.cell(...shown.question.cell) : null,
    });
  }

  ask() {
    const { pages, question } = this;
    this.fillTable();
    pages.question.hidden = !question;
    pages.verdict.hidden = this.concealsCount;
    pages.judgement.textContent = "";
    if (!question) return;
    pages.prompt.replaceChildren(passage(`scene-${this.scene}-prompt`));
    pages.number.hidden = question.wantsCells || question.choices.length > 0;
    pages.number.value = "";
    this.choice = null;
    this.tries = 0;
    pages.answer.textContent = "Answer";
    pages.choices.replaceChildren(...question.choices.map((words, place) => {
      const button = element("button", words);
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => this.choose(place + 1));
      return button;
    }));
    pages.picked.hidden = !question.wantsCells;
    pages.answer.disabled = pages.skip.disabled = pages.number.disabled = false;
    this.tellPicked();
  }

  // Adds a cell to the answer, or removes it.
  pick(cell) {
    const only = this.question.right.length === 1 && this.question.kind === "root";
    if (this.picked.delete(cell)) {
      // It was chosen, and is removed.
    } else {
      if (only) this.picked.clear();
      this.picked.add(cell);
    }
    this.tellPicked();
    this.player.paint();
  }

  choose(number) {
    if (this.answered) return;
    this.choice = number;
    [...this.pages.choices.children].forEach((button, place) => {
      button.setAttribute("aria-pressed", String(place + 1 === number));
    });
  }

  tellPicked() {
    const count = this.picked.size;
    this.pages.picked.textContent = count
      ? `${counted(count, "cell")} chosen` : "Click in the grid, or Shift and arrows, then Enter";
  }

  // Judges the answer, if one is given, and shows the right one with the reason.
  reveal(given) {
    const { pages, question, player } = this;
    if (!question || this.answered) return;
    const choosing = question.choices.length > 0;
    const typed = choosing ? String(this.choice) : pages.number.value.replace(/[\s,_]/g, "");
    if (given && !question.wantsCells && !/^-?\d+$/.test(typed)) {
      pages.judgement.dataset.right = "false";
      pages.judgement.textContent = choosing ? "Choose an answer, or have it shown."
        : "Type a whole number, or have the answer shown.";
      if (!choosing) pages.number.focus();
      return;
    }
    const verdict = given ? judge(question, typed, this.picked, player.run)
      : { right: null, words: revealed(question) };
    this.tries += given ? 1 : 0;
    this.answered = !given || verdict.right;
    const before = this.results.get(this.scene);
    if (!before?.done) {
      this.results.set(this.scene, { tries: this.tries, right: verdict.right, done: this.answered });
    }
    pages.answer.textContent = this.answered ? "Answer" : "Try again";
    this.fillTable();
    this.recap();
    pages.verdict.hidden = this.concealsCount;
    pages.judgement.dataset.right = String(verdict.right);
    pages.judgement.textContent = verdict.words;
    if (!this.answered) {
      pages.judgement.scrollIntoView({ block: "nearest" });
      return;
    }
    // A focused field would take the keys that step on.
    const focused = pages.question.contains(document.activeElement);
    pages.answer.disabled = pages.skip.disabled = pages.number.disabled = true;
    if (focused) pages.board.focus({ preventScroll: true });
    pages.judgement.scrollIntoView({ block: "nearest" });
    player.view.marks = question.right.map(([x, y]) => player.run.cell(x, y));
    player.show(player.step);
  }

  // After the last scene: the aims, and the outcome of each question.
  recap() {
    const { pages, scenes, results } = this;
    const last = this.scene === scenes.length - 1;
    pages.recap.hidden = !last || (Boolean(this.question) && !this.answered);
    if (pages.recap.hidden) return;
    const asked = scenes.map(({ title, question }, place) => [place, title, question])
      .filter(([, , question]) => question);
    const right = asked.filter(([place]) => results.get(place)?.right).length;
    const rows = asked.map(([place, title]) => element("li",
      `${place + 1}. ${title}: ${outcomeInWords(results.get(place))}`));
    const list = element("ul", "");
    list.append(...rows);
    const parts = [element("h3", "What you have learned"), passage("aims-text")];
    if (asked.length) {
      const save = element("button", "Save results");
      save.type = "button";
      save.title = "Save how each question was answered, as a text file";
      save.addEventListener("click", () => this.save(right, rows.map((row) => row.textContent)));
      parts.push(element("h3", `Questions: ${right} of ${asked.length} right`), list, save);
    }
    pages.recap.replaceChildren(...parts);
  }

  // Saves the outcomes as a text file, to hand in.
  save(right, rows) {
    const lines = [document.title, new Date().toLocaleString(), "",
      `${right} of ${rows.length} right`, ...rows, ""];
    const link = element("a", "");
    link.href = URL.createObjectURL(new Blob([lines.join("\n")], { type: "text/plain" }));
    link.download = `${document.title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}-results.txt`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  switchNotes() {
    this.notes = !this.notes;
    this.pages.notes.hidden = !this.notes;
    this.pages["notes-switch"].setAttribute("aria-expanded", String(this.notes));
  }
}

const revealed = (question) => (question.wantsCells || question.choices.length
  ? question.why : `It is ${number(question.number)}. ${question.why}`);

const outcomeInWords = (result) => {
  if (!result) return "open";
  if (result.right) return result.tries === 1 ? "right" : `right at try ${result.tries}`;
  return result.done ? "answer shown" : "not right yet";
};

// Whether an answer is right, and the words to show: the same as in the window.
const judge = (question, typed, picked, run) => {
  const { hint, reasons } = question;
  const wrong = (words) => ({ right: false, words: `${words} ${hint}`.trim() });
  if (!question.wantsCells) {
    if (Number(typed) === question.number) return { right: true, words: revealed(question) };
    if (reasons.length) return { right: false, words: reasons[Number(typed) - 1] };
    return wrong(`Not ${number(Number(typed))}.`);
  }
  const right = new Set(question.right.map(([x, y]) => run.cell(x, y)));
  const found = [...picked].filter((cell) => right.has(cell)).length;
  const stray = picked.size - found;
  if (found === right.size && !stray) return { right: true, words: question.why };
  if (right.size === 1) return wrong("It is another cell.");
  const others = stray ? `, and ${counted(stray, "other cell")}` : "";
  return wrong(`${found} of ${right.size} found${others}.`);
};

// The kernel's source, and its launch.

class Source {
  constructor(pages, files, programs) {
    this.pages = pages;
    this.files = files;
    this.programs = programs;
    this.program = null;
    this.shown = null;
  }

  show(step) {
    this.showLaunch(step);
    const main = this.programs[step.program][0];
    if (this.program !== step.program) {
      this.program = step.program;
      this.showNames(step);
    }
    this.showFile(main, step.lines);
  }

  showLaunch(step) {
    const { launch, shape, given, arguments: list } = this.pages;
    launch.textContent = launchOf(step);
    shape.textContent = [shapeOf(step), ...step.macros.map(([name, value]) => `${name} = ${value}`)].join("  ·  ");
    given.hidden = !step.arguments.length;
    list.replaceChildren(...step.arguments.flatMap(([name, type, value]) => [
      element("dt", `${type} ${name}`),
      element("dd", typeof value === "number" ? String(value) : value.replace(/ x /g, " × ")),
    ]));
  }

  showNames(step) {
    const files = this.programs[step.program];
    this.pages.files.replaceChildren(...files.map((file, place) => {
      const button = element("button", this.files[file].name);
      button.type = "button";
      button.addEventListener("click", () => this.showFile(file, place ? null : step.lines));
      return button;
    }));
  }

  showFile(file, lines) {
    const { source, files } = this.pages;
    const key = `${file}:${lines}`;
    if (this.shown === key) return;
    if (this.file !== file) {
      source.replaceChildren(...this.files[file].lines.map(Source.line));
      this.file = file;
    }
    this.shown = key;
    const names = this.programs[this.program];
    [...files.children].forEach((button, place) => {
      button.setAttribute("aria-pressed", names[place] === file);
    });
    const [first, last] = lines || [0, -1];
    [...source.children].forEach((line, place) => {
      line.classList.toggle("here", place >= first && place <= last);
    });
    source.scrollTop = lines ? source.children[first].offsetTop - source.firstChild.offsetTop - 24 : 0;
  }

  static line(spans) {
    const line = document.createElement("div");
    for (let at = 0; at < spans.length; at += 2) {
      const [kind, text] = [spans[at], spans[at + 1]];
      line.append(kind ? element("span", text, kind) : text);
    }
    if (!spans.length) line.append("\u200b");
    return line;
  }
}

const element = (name, text = "", kind = "") => {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
};

// Elements for runs side by side, made from the page's templates.

const PANE_PARTS = ["title", "setting", "verdict", "differs", "stage", "place", "ended", "facts", "caption",
  "explanation", "legend", "note", "readout"];

// Replaces the frame of the single grid by one for each pane; returns the panes' elements.
const makePanes = (pages, { comparison: { names }, caption }) => {
  const { frame } = pages;
  pages.panes = element("div", "", "panes");
  frame.replaceWith(pages.panes);
  const parts = names.map((name, number) => {
    const pane = makePane(pages, name, caption);
    if (number) {
      pane.canvas.id = `board-${number + 1}`;
    } else {
      pane.canvas.parentNode.replaceWith(frame); // the first pane takes the page's canvas
      pane.canvas = pages.board;
    }
    pane.canvas.parentNode.dataset.name = name;
    return pane;
  });
  makeNames(pages, names);
  makeRoom(pages);
  return parts;
};

// Moves the readout and the zoom buttons into the toolbar, so that grids can be larger.
const makeRoom = ({ readout }) => {
  document.querySelector(".tools").append(readout, document.querySelector(".zoom"));
};

const makePane = (pages, name, caption) => {
  const section = pages["pane-part"].content.firstElementChild.cloneNode(true);
  section.setAttribute("aria-label", name);
  const find = (part) => section.querySelector(`.pane-${part}`);
  const pane = Object.fromEntries(PANE_PARTS.map((part) => [part, find(part)]));
  pane.canvas = section.querySelector("canvas");
  pane.caption.hidden = pane.explanation.hidden = !caption;
  section.classList.toggle("bare", !caption);
  pages.panes.append(section);
  return pane;
};

// Adds the names of the runs beside their rows of the timeline.
const makeNames = (pages, names) => {
  const list = element("ol", "", "pane-names");
  list.setAttribute("aria-hidden", "true"); // each pane has its name as a heading
  list.append(...names.map((name) => element("li", name)));
  const height = `${PaneTimeline.heightOf(names.length)}px`;
  pages.timeline.parentNode.classList.add("of-panes");
  pages.timeline.style.height = height;
  pages.timeline.before(list);
};

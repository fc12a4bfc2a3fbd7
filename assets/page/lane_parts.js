// Elements for runs side by side, made from the page's templates.

const LANE_PARTS = ["title", "setting", "verdict", "differs", "stage", "place", "ended", "facts", "caption",
  "explanation", "legend", "note", "readout"];

// Replaces the frame of the single grid by one for each lane; returns the lanes' elements.
const makeLanes = (pages, { lanes: { names }, caption }) => {
  const { frame } = pages;
  pages.lanes = element("div", "", "lanes");
  frame.replaceWith(pages.lanes);
  const parts = names.map((name, number) => {
    const lane = makeLane(pages, name, caption);
    if (number) {
      lane.canvas.id = `board-${number + 1}`;
    } else {
      lane.canvas.parentNode.replaceWith(frame); // the first lane takes the page's canvas
      lane.canvas = pages.board;
    }
    lane.canvas.parentNode.dataset.name = name;
    return lane;
  });
  makeNames(pages, names);
  makeRoom(pages);
  return parts;
};

// Moves the readout and the zoom buttons into the toolbar, so that grids can be larger.
const makeRoom = ({ readout }) => {
  document.querySelector(".tools").append(readout, document.querySelector(".zoom"));
};

const makeLane = (pages, name, caption) => {
  const section = pages["lane-part"].content.firstElementChild.cloneNode(true);
  section.setAttribute("aria-label", name);
  const find = (part) => section.querySelector(`.lane-${part}`);
  const lane = Object.fromEntries(LANE_PARTS.map((part) => [part, find(part)]));
  lane.canvas = section.querySelector("canvas");
  lane.caption.hidden = lane.explanation.hidden = !caption;
  section.classList.toggle("bare", !caption);
  pages.lanes.append(section);
  return lane;
};

// Adds the lanes' names beside their rows of the timeline.
const makeNames = (pages, names) => {
  const list = element("ol", "", "lane-names");
  list.setAttribute("aria-hidden", "true"); // each lane has its name as a heading
  list.append(...names.map((name) => element("li", name)));
  const height = `${LaneTimeline.heightOf(names.length)}px`;
  pages.timeline.parentNode.classList.add("of-lanes");
  pages.timeline.style.height = height;
  pages.timeline.before(list);
};

// The keys in one table: names, explanation, and action.

const KEYS = [
  [["Space"], "Play or pause", (player) => player.toggle()],
  [["ArrowLeft", ","], "Step back", (player) => player.stepBy(-1)],
  [["ArrowRight", "."], "Step forward", (player) => player.stepBy(1)],
  [["Home"], "First step", (player) => player.jump(0)],
  [["End"], "Last step", (player) => player.jump(Infinity)],
  [["PageUp"], "Previous iteration", (player) => player.group(-1)],
  [["PageDown"], "Next iteration", (player) => player.group(1)],
  [["["], "Slower", (player) => player.changeSpeed(-1)],
  [["]"], "Faster", (player) => player.changeSpeed(1)],
  [["Backspace"], "Normal speed", (player) => player.setSpeed(1)],
  [["Shift+R"], "Play backwards", (player) => player.switchDirection()],
  [["Shift+A"], "Play only from this step on", (player) => player.setSection("start")],
  [["Shift+B"], "Play only up to this step", (player) => player.setSection("end")],
  [["Shift+Backspace"], "Play all steps again", (player) => player.setSection(null)],
  [["Shift+O"], "Begin again at the end", (player) => player.switchLoop()],
  [["N"], "Numbers in the cells", (player) => player.switchNumbers()],
  ...LAYERS.map(({ name, key, tip }) => [[key], tip, (player) => player.switchLayer(name)]),
  [["Shift+C"], "Next colouring", (player) => player.nextChoice("colours")],
  [["Shift+N"], "Next numbers", (player) => player.nextChoice("numbers")],
  [["+", "="], "Larger cells", (player) => player.zoomBy(1.25)],
  [["-"], "Smaller cells", (player) => player.zoomBy(0.8)],
  [["0"], "Show the whole grid", (player) => player.fit()],
  [["Shift+ArrowLeft"], "Cell cursor left", (player) => player.moveCursor(-1, 0)],
  [["Shift+ArrowRight"], "Cell cursor right", (player) => player.moveCursor(1, 0)],
  [["Shift+ArrowUp"], "Cell cursor up", (player) => player.moveCursor(0, -1)],
  [["Shift+ArrowDown"], "Cell cursor down", (player) => player.moveCursor(0, 1)],
  [["Enter"], "Pin the component of the cell, or choose the cell", (player) => player.press()],
  [["Escape"], "Unpin", (player) => player.release()],
  [["T"], "Dark or light", (player) => player.switchTheme()],
  [["Ctrl+ArrowLeft", "Shift+PageUp"], "Previous scene", (player) => player.lesson.go(-1), "lesson"],
  [["Ctrl+ArrowRight", "Shift+PageDown"], "Next scene", (player) => player.lesson.go(1), "lesson"],
  [["P"], "Notes of the lesson", (player) => player.lesson.switchNotes(), "lesson"],
  [["?"], "All keys", (player) => player.showKeys()],
];

const SHOWN = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", PageUp: "Page Up",
  PageDown: "Page Down", Escape: "Esc",
};

// Keys that a focused control handles itself.
const TAKEN = {
  BUTTON: /^(Space|Enter)$/,
  SUMMARY: /^(Space|Enter)$/,
  A: /^Enter$/,
  SELECT: /^(Space|Enter|Arrow.*|Home|End|Page.*|[A-Z])$/,
  INPUT: /./,
};
const SCROLLS = /^(Page.*|Home|End|Space)$/; // keys that scroll a focused text

const nameOf = ({ key, shiftKey, ctrlKey }) => {
  if (ctrlKey) return `Ctrl+${key}`;
  if (key === " ") return "Space";
  if (key.length > 1) return (shiftKey ? "Shift+" : "") + key;
  if (!/[a-z]/i.test(key)) return key; // already includes Shift
  return (shiftKey ? "Shift+" : "") + key.toUpperCase();
};

const listenToKeys = (player) => {
  const actions = new Map();
  for (const [names, , action, only] of KEYS) {
    if (only && !player.lesson) continue;
    for (const name of names) actions.set(name, action);
  }
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || player.pages.keys.open) return;
    const name = nameOf(event);
    const { target } = event;
    const action = actions.get(name);
    if (!action || TAKEN[target.tagName]?.test(name)) return;
    if (target.tagName === "PRE" && SCROLLS.test(name)) return;
    event.preventDefault();
    action(player);
  });
};

const keyList = (lesson) => KEYS.filter(([, , , only]) => !only || lesson).flatMap(([names, words]) => {
  const term = document.createElement("dt");
  names.forEach((name, place) => {
    const shown = name.split("+").map((part) => SHOWN[part] || part);
    term.append(place ? " " : "", element("kbd", name === "+" ? "+" : shown.join(" + ")));
  });
  return [term, element("dd", words)];
});

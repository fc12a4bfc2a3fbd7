// Connects buttons, fields and the pointer to the player.

const connectControls = (player) => {
  const { pages } = player;
  const press = (name, action) => pages[name].addEventListener("click", action);
  press("play", () => player.toggle());
  press("first", () => player.jump(0));
  press("back", () => player.stepBy(-1));
  press("forward", () => player.stepBy(1));
  press("last", () => player.jump(Infinity));
  press("backwards", () => player.switchDirection());
  press("loop", () => player.switchLoop());
  press("theme", () => player.switchTheme());
  press("help", () => player.showKeys());
  press("zoom-in", () => player.zoomBy(1.25));
  press("zoom-out", () => player.zoomBy(0.8));
  press("zoom-fit", () => player.fit());
  for (const button of document.querySelectorAll("[data-layer]")) {
    button.addEventListener("click", () => player.switchLayer(button.dataset.layer));
  }
  pages.speed.addEventListener("change", () => player.setSpeed(Number(pages.speed.value)));
  pages.colours.addEventListener("change", () => player.change({ colours: pages.colours.value }));
  pages.numbers.addEventListener("change", () => player.change({ numbers: pages.numbers.value }));
  matchMedia("(prefers-color-scheme: light)").addEventListener("change", () => {
    if (player.description.theme !== "auto") return;
    player.setTheme(systemTheme());
    player.paint();
  });
  // Not location.hash, which may have the step shown just before.
  window.addEventListener("hashchange", ({ newURL }) => player.follow(new URL(newURL).hash));
  new ResizeObserver(() => player.run && player.paint()).observe(pages.frame);
  connectBoard(player, pages.board);
};

const connectBoard = (player, canvas) => {
  let held = null;
  canvas.addEventListener("pointerdown", ({ button, offsetX, offsetY }) => {
    if (button === 0) held = { x: offsetX, y: offsetY, moved: false };
  });
  canvas.addEventListener("pointermove", ({ offsetX, offsetY, buttons, pointerId }) => {
    if (held && buttons && player.board.zoom > 1) {
      const [dx, dy] = [offsetX - held.x, offsetY - held.y];
      if (!held.moved && Math.hypot(dx, dy) < 4) return;
      canvas.setPointerCapture(pointerId);
      held = { x: offsetX, y: offsetY, moved: true };
      player.board.moveBy(dx, dy);
    } else {
      player.hover(player.board.cellAt(offsetX, offsetY));
    }
  });
  canvas.addEventListener("pointerup", ({ offsetX, offsetY }) => {
    if (held && !held.moved) player.press(player.board.cellAt(offsetX, offsetY));
    held = null;
  });
  canvas.addEventListener("pointerleave", () => player.hover(null));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return; // without Ctrl, the wheel scrolls the page
    event.preventDefault();
    player.zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, [event.offsetX, event.offsetY]);
  }, { passive: false });
};

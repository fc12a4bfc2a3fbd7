"""Reads and uses a page in a browser: its texts, its cells, and the numbers in them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from support.browser import Browser

_PIXELS = """
const [height, width, board, across, down] = arguments;
const canvas = document.getElementById(board);
const [left, top, scale] = canvas.dataset.place.split(" ").map(Number);
const copy = document.createElement("canvas");
[copy.width, copy.height] = [canvas.width, canvas.height];
const pen = copy.getContext("2d", { willReadFrequently: true });
pen.drawImage(canvas, 0, 0);
const pixels = pen.getImageData(0, 0, canvas.width, canvas.height);
const colours = [];
for (let y = 0; y < height; y += 1) {
  for (let x = 0; x < width; x += 1) {
    const column = Math.floor(left + (x + across) * scale);
    const row = Math.floor(top + (y + down) * scale);
    const at = 4 * (row * canvas.width + column);
    colours.push([...pixels.data.slice(at, at + 3)]);
  }
}
return colours;
"""
_SPY = """
window.written = [];
const write = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  if (this.canvas.id === "board") window.written.push([text, x, y]);
  return write.call(this, text, x, y);
};
"""
WRITTEN = """
const [left, top, scale] = document.getElementById("board").dataset.place.split(" ").map(Number);
const cells = window.written.map(([text, x, y]) =>
  [Math.floor((x - left) / scale), Math.floor((y - top) / scale), Number(text)]);
window.written = [];
return cells;
"""
"""Script that returns column, row and value of each number written since the last time."""


def text(browser: Browser, name: str) -> str:
    return str(browser.run("return document.getElementById(arguments[0]).textContent", name))


def go_to(browser: Browser, step: int) -> None:
    """Show a step, from 0; faster than opening the page again."""
    browser.run("location.hash = `#step=${arguments[0]}`", step + 1)
    browser.wait(f"return document.getElementById('place').textContent.startsWith('{step + 1} /')")


def colours(
    browser: Browser,
    shape: tuple[int, ...],
    board: str = "board",
    across: float = 0.5,
    down: float = 0.5,
) -> npt.NDArray[np.uint8]:
    """Return RGB in the middle of each cell, or elsewhere, in raster order."""
    return np.array(browser.run(_PIXELS, *shape, board, across, down), np.uint8)


def spy(browser: Browser) -> None:
    """Record what is written into cells from now on."""
    browser.run(_SPY)


def middle_of(browser: Browser, x: int, y: int, board: str = "board") -> tuple[float, float]:
    """Return the position of a cell in the page."""
    left, top, scale, across, down = browser.run(
        """
        const board = document.getElementById(arguments[0]);
        const place = board.getBoundingClientRect();
        return [...board.dataset.place.split(" ").map(Number), place.left, place.top];
        """,
        board,
    )
    return across + left + (x + 0.5) * scale, down + top + (y + 0.5) * scale


def choose(browser: Browser, name: str, value: str) -> None:
    """Choose an entry of a field."""
    browser.run(
        "const one = document.getElementById(arguments[0]); one.value = arguments[1];"
        "one.dispatchEvent(new Event('change'));",
        name,
        value,
    )

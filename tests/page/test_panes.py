"""The page of runs side by side in a real browser: panes in step, linked, and where they differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.browser import Browser
from support.browser_page import colours, middle_of, text
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.export import ExportOptions, Sync, export
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import NOT_BEGUN, Stops, align_steps, choose_stops
from ccl_viewer.render.forest import number_trees
from ccl_viewer.render.palette import colour_run
from ccl_viewer.render.scene import cell_indices
from ccl_viewer.render.step_view import Placement, RecordingLabels, Sampler, ViewOptions, view_step
from ccl_viewer.render.themes import THEMES, canvas_colours

BOARDS = ("board", "board-2", "board-3")
GRID = noise(9, 12, 0.6)
PICTURES = "return [...document.querySelectorAll('.pane canvas')].map((board) => board.toDataURL())"
KEEP = """
window.pixelsOf = (board) => {
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [board.width, board.height];
  const pen = copy.getContext("2d", { willReadFrequently: true });
  pen.drawImage(board, 0, 0);
  return new Uint32Array(pen.getImageData(0, 0, board.width, board.height).data.buffer);
};
window.kept = [...document.querySelectorAll(".pane canvas")].map(pixelsOf);
"""
CELLS_CHANGED = """
const [height, width] = arguments;
return [...document.querySelectorAll(".pane canvas")].map((board, pane) => {
  const [left, top, scale] = board.dataset.place.split(" ").map(Number);
  const changed = new Array(height * width).fill(false);
  window.pixelsOf(board).forEach((pixel, at) => {
    if (pixel === window.kept[pane][at]) return;
    const [column, row] = [at % board.width, Math.floor(at / board.width)];
    changed[Math.floor((row - top) / scale) * width + Math.floor((column - left) / scale)] = true;
  });
  return changed;
});
"""
"""Script that returns of each pane which cells look other than when they were kept."""


@pytest.fixture(scope="module")
def runs() -> tuple[Recording, ...]:
    keys = ("ha4", "label_equivalence", "shibata_naive")
    return tuple(
        ccl.record(
            GRID, key, connectivity=4, device="emulator", schedule="synchronous", ledger=True
        )
        for key in keys
    )


@pytest.fixture(scope="module")
def pages(
    runs: tuple[Recording, ...], tmp_path_factory: pytest.TempPathFactory
) -> dict[Sync, Path]:
    folder = tmp_path_factory.mktemp("panes")
    for sync in Sync:
        export(runs, folder / f"{sync}.html", ExportOptions(sync=sync))
    return {sync: folder / f"{sync}.html" for sync in Sync}


def frames_of(runs: tuple[Recording, ...], sync: Sync) -> tuple[Stops, ...]:
    return align_steps(runs, [choose_stops(run) for run in runs], sync)


def expected(recording: Recording, step: int, theme: str) -> npt.NDArray[Any]:
    height, width = recording.image.shape
    sample = Sampler().sample(recording.image, Placement(1, 0, 0, width, height))
    colouring = colour_run(recording)
    view = view_step(RecordingLabels(), recording, step, sample, ViewOptions(colouring=colouring))
    return canvas_colours(THEMES[theme]).rgb_table[cell_indices(view).ravel()]


def labels_of(run: Recording, step: int) -> npt.NDArray[np.int32]:
    if step == NOT_BEGUN:
        return np.full(run.image.shape, run.layout.background, np.int32)
    return run.labels(step)


def said(browser: Browser, part: str) -> list[str]:
    """Return what each pane says, of one kind."""
    return list(
        browser.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            f".pane-{part}",
        )
    )


def at_moment(browser: Browser, moment: int) -> bool:
    return text(browser, "place").startswith(f"{moment + 1} /")


@pytest.mark.parametrize("sync", Sync)
def test_every_pane_is_drawn_at_its_step(
    browser: Browser, pages: dict[Sync, Path], runs: tuple[Recording, ...], sync: Sync
) -> None:
    browser.open(pages[sync])
    browser.press("n", "c")
    frames = frames_of(runs, sync)
    for moment, steps in enumerate(frames):
        assert at_moment(browser, moment)
        for board, recording, step in zip(BOARDS, runs, steps, strict=True):
            np.testing.assert_array_equal(
                colours(browser, GRID.shape, board), expected(recording, step, "dark")
            )
        for place, recording, step in zip(said(browser, "place"), runs, steps, strict=True):
            number = "Not begun yet" if step == NOT_BEGUN else f"Step {step + 1} of "
            assert place.startswith(number)
            assert step == NOT_BEGUN or place.endswith(str(len(recording)))
        browser.press("Right")
    assert at_moment(browser, len(frames) - 1)
    assert said(browser, "ended") == [", ended"] * 3
    browser.press("Left")
    for board, recording, step in zip(BOARDS, runs, frames[-2], strict=True):
        np.testing.assert_array_equal(
            colours(browser, GRID.shape, board), expected(recording, step, "dark")
        )


def test_what_differs_is_counted_and_hatched(
    browser: Browser, pages: dict[Sync, Path], runs: tuple[Recording, ...]
) -> None:
    browser.open(pages[Sync.SHARE])
    browser.press("n", "c")
    frames = frames_of(runs, Sync.SHARE)
    found: set[bool] = set()
    for moment, steps in enumerate(frames):
        browser.run(KEEP)
        browser.press("Shift+D")
        trees = [
            number_trees(labels_of(run, step), run.layout, GRID)
            for run, step in zip(runs, steps, strict=True)
        ]
        masks = [own != trees[0] for own in trees[1:]]
        every = (masks[0] | masks[1], *masks)
        counts = [f"≠ {np.count_nonzero(mask)}" for mask in every]
        assert said(browser, "differs") == counts, moment
        hatched = np.array(browser.run(CELLS_CHANGED, *GRID.shape), bool)
        np.testing.assert_array_equal(hatched, [mask.ravel() for mask in every])
        found |= {*hatched.ravel().tolist()}
        browser.press("Shift+D", "Right")
    assert found == {True, False}


def test_the_difference_has_a_button_too(browser: Browser, pages: dict[Sync, Path]) -> None:
    browser.open(pages[Sync.STEP])
    pressed = "return document.querySelector('[data-layer=difference]').ariaPressed"
    assert browser.run(pressed) == "false"
    browser.run("document.querySelector('[data-layer=difference]').click()")
    assert browser.run(pressed) == "true"
    browser.press("?")
    assert "Hatch cells" in text(browser, "key-list")


def test_pointing_in_one_pane_tells_of_the_cell_in_all(
    browser: Browser, pages: dict[Sync, Path], runs: tuple[Recording, ...]
) -> None:
    browser.open(pages[Sync.STEP], "#step=2")
    y, x = (int(at[0]) for at in np.nonzero(GRID))
    plain = browser.run(PICTURES)
    browser.point(*middle_of(browser, x, y, "board-2"))
    assert text(browser, "readout") == f"cell x = {x}, y = {y}"
    for told, run in zip(said(browser, "readout"), runs, strict=True):
        assert told.startswith(f"label {run.labels(1)[y, x]}  ·  ")
    pointed = browser.run(PICTURES)
    assert all(one != other for one, other in zip(plain, pointed, strict=True))
    browser.point(*middle_of(browser, x, y, "board-3"), click=True)
    browser.point(5, 5)
    pinned = browser.run(PICTURES)
    assert all(one != other for one, other in zip(plain, pinned, strict=True))
    browser.press("Escape")
    assert said(browser, "readout") == [""] * 3
    browser.press("Shift+Right")
    assert "HA4: " in text(browser, "spoken")


def test_panes_are_zoomed_and_moved_as_one(browser: Browser, pages: dict[Sync, Path]) -> None:
    places = "return [...document.querySelectorAll('.pane canvas')].map((one) => one.dataset.place)"
    browser.open(pages[Sync.STEP])
    (whole,) = set(browser.run(places))
    browser.press("+", "+", "+")
    (zoomed,) = set(browser.run(places))
    assert float(zoomed.split()[2]) > float(whole.split()[2])
    browser.run(
        "const board = document.getElementById('board-2');"
        "const { left, top } = board.getBoundingClientRect();"
        "board.dispatchEvent(new WheelEvent('wheel',"
        "{ deltaY: -1, ctrlKey: true, clientX: left + 9, clientY: top + 9, cancelable: true }))"
    )
    (moved,) = set(browser.run(places))
    assert moved.split()[:2] != zoomed.split()[:2]
    browser.run("document.getElementById('zoom-fit').click()")
    assert set(browser.run(places)) == {whole}


def test_keys_move_through_the_moments(
    browser: Browser, pages: dict[Sync, Path], runs: tuple[Recording, ...]
) -> None:
    browser.open(pages[Sync.STEP])
    last = max(len(run) for run in runs) - 1
    browser.press("End")
    assert at_moment(browser, last)
    browser.press("Home")
    assert at_moment(browser, 0)
    browser.press("PageDown")
    begun = next(
        moment
        for moment in range(1, last)
        if any(
            moment < len(run) and run.step(moment).iteration != run.step(moment - 1).iteration
            for run in runs
        )
    )
    assert at_moment(browser, begun)
    browser.press("PageUp")
    assert at_moment(browser, 0)
    browser.press("End", "Left", "Left", "]", "]", "]", "]", "Space")
    browser.wait(f"return location.hash === '#step={last + 1}'")
    assert at_moment(browser, last)
    browser.open(pages[Sync.STEP], "#step=3")
    assert at_moment(browser, 2)
    spoken = browser.run("return document.getElementById('timeline').ariaValueText")
    assert spoken.startswith(f"Step 3 of {last + 1}: HA4 at 3, ")


def test_the_timeline_leads_to_a_moment(browser: Browser, pages: dict[Sync, Path]) -> None:
    browser.open(pages[Sync.SHARE])
    left, top, width, height = browser.run(
        "const at = document.getElementById('timeline').getBoundingClientRect();"
        "return [at.left, at.top, at.width, at.height]"
    )
    browser.point(left + width - 8, top + height - 4, click=True)
    assert said(browser, "ended") == [", ended"] * 3
    count = int(text(browser, "place").split("/")[1])
    assert at_moment(browser, count - 1)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_captions_and_theme_are_as_asked_for(
    browser: Browser, runs: tuple[Recording, ...], tmp_path: Path, theme: str
) -> None:
    for caption in (True, False):
        path = tmp_path / f"{caption}.html"
        export(runs[:2], path, ExportOptions(theme=theme, caption=caption))
        browser.open(path, "#step=2")
        assert browser.run("return document.documentElement.dataset.theme") == theme
        assert said(browser, "caption") == [run.step(1).caption for run in runs[:2]]
        shown = "return [...document.querySelectorAll('.pane-caption')].map((one) => !one.hidden)"
        assert browser.run(shown) == [caption, caption]
        browser.press("n", "c")
        for board, recording in zip(BOARDS, runs[:2], strict=False):
            np.testing.assert_array_equal(
                colours(browser, GRID.shape, board), expected(recording, 1, theme)
            )


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (820, 1180), (1280, 720), (1920, 1080)])
def test_it_fits_its_window(
    browser: Browser, pages: dict[Sync, Path], size: tuple[int, int]
) -> None:
    browser.resize(*size)
    browser.open(pages[Sync.STEP])
    assert browser.run("return document.documentElement.scrollWidth") <= size[0]
    boxes = browser.run(
        "return [...document.querySelectorAll('.pane canvas')].map((board) => {"
        "const at = board.getBoundingClientRect();"
        "return [at.left, at.top, at.width, at.height]})"
    )
    assert all(left >= 0 and left + width <= size[0] for left, _, width, _ in boxes)
    assert all(height >= 110 for *_, height in boxes)
    if size[0] >= 900:  # all of it is visible
        assert browser.run("return document.documentElement.scrollHeight") <= size[1]


@pytest.mark.parametrize("size", [(390, 844), (844, 390)])
def test_on_a_phone_all_pictures_stay_in_view(
    browser: Browser, pages: dict[Sync, Path], size: tuple[int, int]
) -> None:
    where = """
        const box = (one) => one.getBoundingClientRect();
        const boxes = [...document.querySelectorAll('.pane canvas')].map(box);
        return { top: Math.min(...boxes.map((one) => one.top)),
                 bottom: Math.max(...boxes.map((one) => one.bottom)),
                 words: box(document.querySelector('.pane-caption')).top,
                 play: box(document.getElementById('play')).bottom };
    """
    browser.resize(*size)
    browser.open(pages[Sync.STEP], "#step=3")
    before = browser.run(where)
    assert before["bottom"] <= before["words"]
    browser.run("window.scrollTo(0, document.documentElement.scrollHeight)")
    after = browser.run(where)
    assert after["words"] < before["words"]
    assert 0 <= after["top"] < after["bottom"] < after["play"] <= size[1]


def test_every_control_has_a_name(browser: Browser, pages: dict[Sync, Path]) -> None:
    browser.open(pages[Sync.STEP])
    nameless = browser.run(
        """
        const named = (one) => one.ariaLabel || one.textContent.trim()
          || [...(one.labels || [])].some((label) => label.textContent.trim());
        return [...document.querySelectorAll("button, select, input, canvas")]
          .filter((one) => !named(one)).map((one) => one.outerHTML);
        """
    )
    assert nameless == []

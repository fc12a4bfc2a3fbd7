"""What the page's own script finds out about trees, against what the program does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.browser import Browser
from support.browser_page import WRITTEN, choose, colours, go_to, middle_of, spy, text
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.export import FRAME_LAYERS, ExportOptions, export
from ccl_viewer.recording import Recording, RunFault
from ccl_viewer.recording.metrics import find_wrong_at_end
from ccl_viewer.render.forest import lookup_in_frame, root_labels, roots_and_depths
from ccl_viewer.render.geometry import arrow_curves
from ccl_viewer.render.layers import CellColours
from ccl_viewer.render.palette import colour_run, label_indices
from ccl_viewer.render.themes import (
    DARK,
    DOTS,
    FIRST_DOTTED,
    canvas_colours,
    count_indices,
    depth_indices,
    input_indices,
)

STEPS = (1, 3, 4)
SPY = """
window.outlined = [];
window.curves = [];
const outline = CanvasRenderingContext2D.prototype.strokeRect;
CanvasRenderingContext2D.prototype.strokeRect = function (x, y, width, height) {
  if (this.canvas.id === "board") window.outlined.push([x + width / 2, y + height / 2]);
  return outline.call(this, x, y, width, height);
};
const { arc } = CanvasRenderingContext2D.prototype;
window.rings = [];
CanvasRenderingContext2D.prototype.arc = function (...where) {
  if (this.canvas.id === "board") window.rings.push(where.slice(0, 3));
  return arc.apply(this, where);
};
const { moveTo, quadraticCurveTo } = Path2D.prototype;
Path2D.prototype.moveTo = function (...start) {
  this.start = start;
  return moveTo.apply(this, start);
};
Path2D.prototype.quadraticCurveTo = function (...places) {
  window.curves.push([this.start, places.slice(2), places.slice(0, 2)]);
  return quadraticCurveTo.apply(this, places);
};
"""
TAKEN = """
const [left, top, scale] = document.getElementById("board").dataset.place.split(" ").map(Number);
const cellAt = ([x, y]) =>
  Math.floor((y - top) / scale) * arguments[0] + Math.floor((x - left) / scale);
const marked = [...new Set(window.outlined.map(cellAt))].sort((a, b) => a - b);
const arrows = window.curves.map((ends) => ends.slice(0, 2).map(cellAt));
const bends = window.curves.map(([, , [x, y]]) => [(x - left) / scale, (y - top) / scale]);
const rings = window.rings.map(cellAt);
const radii = window.rings.map(([, , radius]) => radius / scale);
window.outlined = [];
window.curves = [];
window.rings = [];
return { marked, arrows, bends, rings, radii };
"""
"""Script that returns which cells were marked or ringed, and from where to where arrows led."""


@pytest.fixture(scope="module")
def recording() -> Recording:
    return ccl.record(
        noise(24, 30, 0.6),
        "label_equivalence_sizes",
        connectivity=4,
        device="emulator",
        schedule="synchronous",
    )


@pytest.fixture(scope="module")
def page(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "run.html"
    export(recording, path)
    return path


def indices(recording: Recording, step: int, colouring: str) -> npt.NDArray[np.uint8]:
    """Return the palette indices that the program gives the cells."""
    labels, known = recording.labels(step), colour_run(recording)
    match colouring:
        case "tree":
            cells = np.arange(labels.size).reshape(labels.shape)
            labels = root_labels(lookup_in_frame(labels), recording.layout, cells)
            return label_indices(labels, known)
        case "component":
            chosen = known.component_colours[known.components]
            return np.where(known.components != 0, chosen, np.uint8(0))
        case "depth":
            cells = np.arange(labels.size).reshape(labels.shape)
            _, depths = roots_and_depths(
                lookup_in_frame(labels), recording.layout, cells, labels.size
            )
            return depth_indices(depths, recording.image != 0)
    return input_indices(recording.image, multivalued=False)


def numbers(recording: Recording, step: int, kind: str) -> npt.NDArray[Any]:
    """Return the numbers that foreground cells show."""
    labels = recording.labels(step)
    if kind == "component":
        return colour_run(recording).components
    if kind == "root":
        cells = np.arange(labels.size).reshape(labels.shape)
        return root_labels(lookup_in_frame(labels), recording.layout, cells)
    return recording.layer("sizes", step)


@pytest.mark.parametrize("colouring", ["tree", "component", "depth", "input"])
def test_cells_have_the_colours_that_the_program_gives_them(
    browser: Browser, page: Path, recording: Recording, colouring: str
) -> None:
    table = canvas_colours(DARK).rgb_table
    browser.open(page)
    browser.press("n", "c")
    choose(browser, "colours", colouring)
    for step in STEPS:
        go_to(browser, step)
        expected = table[indices(recording, step, colouring).ravel()]
        np.testing.assert_array_equal(colours(browser, recording.image.shape), expected)


def test_the_cell_of_a_fault_is_named_in_the_last_step(browser: Browser, tmp_path: Path) -> None:
    recording = ccl.record(
        noise(12, 15, 0.6),
        "label_equivalence",
        connectivity=4,
        device="emulator",
        schedule="synchronous",
    )
    recording.break_off("It failed.", RunFault("It failed.", cell=(3, 4)))
    path = tmp_path / "fault.html"
    export(recording, path)
    browser.open(path, f"#step={len(recording) - 1}")
    spy(browser)
    for key, count in (("n", 0), ("Right", 1)):  # "n" leaves out the numbers
        browser.press(key)
        written = browser.run("return window.written.map(([text]) => text)")
        assert written.count("fault") == count


@pytest.mark.parametrize("kind", ["root", "component", "layer:sizes"])
def test_cells_have_the_numbers_that_the_program_gives_them(
    browser: Browser, page: Path, recording: Recording, kind: str
) -> None:
    browser.resize(1920, 1080)
    foreground = recording.image != 0
    browser.open(page)
    choose(browser, "colours", "input")
    browser.press("+", "+")
    choose(browser, "numbers", kind)
    spy(browser)
    for step in STEPS:
        go_to(browser, step)
        seen = browser.run(WRITTEN)
        assert len(seen) > 100
        expected = numbers(recording, step, kind)
        for x, y, value in seen:
            assert foreground[y, x]
            assert value == expected[y, x]


def test_marks_and_arrows_are_of_the_array_whose_numbers_are_shown(
    browser: Browser, tmp_path: Path
) -> None:
    run = ccl.record(
        noise(6, 9, 0.7),
        "label_equivalence_hawick",
        connectivity=4,
        device="emulator",
        schedule="synchronous",
    )
    export(run, tmp_path / "run.html")
    browser.open(tmp_path / "run.html", "#step=2")
    browser.press("a")
    browser.run(SPY)
    choose(browser, "numbers", "layer:references")
    found = browser.run(TAKEN, 9)
    changed = run.layer("references", 1) != run.layer("references", 0)
    assert found["marked"] == np.flatnonzero(changed).tolist() != []
    parents = run.parents(1, layer="references").ravel()
    leading = [cell for cell, parent in enumerate(parents) if parent not in (-1, cell)]
    assert found["arrows"] == [[cell, parents[cell]] for cell in leading] != []
    roots = [cell for cell, parent in enumerate(parents) if parent == cell]
    assert found["rings"] == roots != []
    assert max(found["radii"]) <= 0.5, "they lie in their cells"
    choose(browser, "numbers", "raw")
    found = browser.run(TAKEN, 9)
    assert (found["marked"], found["arrows"]) == ([], []), "labels stay as they are here"
    choose(browser, "numbers", "layer:references")
    cell = next(cell for cell in leading if parents[cell] != run.parents(1).ravel()[cell])
    browser.point(*middle_of(browser, cell % 9, cell // 9))
    parent = int(parents[cell])
    assert f"path to the root by references → ({parent % 9}, {parent // 9})" in text(
        browser, "readout"
    )


def test_arrows_bend_to_the_side_to_which_they_do_in_the_window(
    browser: Browser, tmp_path: Path
) -> None:
    run = ccl.record(
        np.ones((5, 8), np.uint8),
        "label_equivalence",
        connectivity=4,
        device="emulator",
        schedule="synchronous",
    )
    export(run, tmp_path / "run.html")
    browser.open(tmp_path / "run.html", f"#step={len(run) - 1}")
    browser.press("a")
    browser.run(SPY)
    go_to(browser, len(run) - 1)
    browser.run("window.dispatchEvent(new Event('resize'))")
    browser.wait("return window.curves.length > 0")
    found = browser.run(TAKEN, 8)
    cells, parents = np.array(found["arrows"]).T
    curves = arrow_curves(cells, parents, 8)
    np.testing.assert_allclose(found["bends"], curves[:, 1], atol=1e-3)
    middles = (
        np.stack([cells % 8, cells // 8], axis=1) + np.stack([parents % 8, parents // 8], 1)
    ) / 2
    assert np.abs(curves[:, 1] - middles - 0.5).max() > 0.5, "some are bent"


def test_counts_of_memory_accesses_are_colours(browser: Browser, tmp_path: Path) -> None:
    run = ccl.record(noise(12, 15, 0.6), "playne", device="emulator", ledger=True)
    layers = replace(FRAME_LAYERS, colours=CellColours.LOADS)
    export(run, tmp_path / "run.html", ExportOptions(layers=layers))
    table = canvas_colours(DARK).rgb_table
    browser.open(tmp_path / "run.html")
    browser.press("n", "c")
    for step in range(len(run)):
        go_to(browser, step)
        wanted = count_indices(run.counts(step, "loads"), run.image != 0)
        np.testing.assert_array_equal(colours(browser, run.image.shape), table[wanted.ravel()])


def test_dotted_colours_have_dots_of_their_hue(browser: Browser, tmp_path: Path) -> None:
    bars = np.zeros((7, 17), np.uint8)
    bars[:, ::2] = 1  # nine components, so two of them are dotted
    run = ccl.record(bars, "stava_benes", device="emulator")
    path = tmp_path / "bars.html"
    layers = replace(FRAME_LAYERS, colours=CellColours.LABEL, changed=False, numbers="")
    export(run, path, ExportOptions(layers=layers))
    browser.open(path)
    go_to(browser, len(run) - 1)
    indices = label_indices(run.labels(-1), colour_run(run)).ravel()
    dotted = np.flatnonzero(indices >= FIRST_DOTTED)
    table = canvas_colours(DARK).rgb_table
    np.testing.assert_array_equal(colours(browser, run.image.shape)[dotted], table[indices[dotted]])
    hues = np.array(DOTS)[indices[dotted] - FIRST_DOTTED]
    assert len({*hues.tolist()}) == 2
    for across in (0.1, 0.9):
        corners = colours(browser, run.image.shape, across=across, down=0.9)
        np.testing.assert_array_equal(corners[dotted], table[hues])


def test_wrong_cells_are_hatched_and_counted_in_the_last_step(
    browser: Browser, tmp_path: Path
) -> None:
    run = ccl.record(
        "pattern:spiral?size=15", "row_col_unify", connectivity=4, variant="printed_checks"
    )
    wrong = find_wrong_at_end(run)
    assert wrong is not None
    path = tmp_path / "wrong.html"
    export(run, path, ExportOptions(layers=replace(FRAME_LAYERS, changed=False)))
    browser.open(path)
    go_to(browser, len(run) - 1)
    error = np.array(DARK.error)
    spots = [
        (colours(browser, run.image.shape, across=part, down=0.05) == error).all(axis=1)
        for part in np.linspace(0.05, 0.9, 12)
    ]
    np.testing.assert_array_equal(np.any(spots, axis=0), wrong.ravel())
    assert f"{int(wrong.sum())} wrong cells" in text(browser, "legend")
    go_to(browser, len(run) - 2)
    assert "wrong" not in text(browser, "legend")

"""What the page's own script finds out about trees, against what the program does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.browser import Browser
from support.grids import noise
from support.players import WRITTEN, colours, spy

import ccl_viewer as ccl
from ccl_viewer.export import export
from ccl_viewer.recording import Recording
from ccl_viewer.render.cell_table import cell_table, input_indices
from ccl_viewer.render.depths import depth_indices
from ccl_viewer.render.forest import all_roots, tree_labels
from ccl_viewer.render.palette import colouring_of, label_indices
from ccl_viewer.render.themes import DARK

STEPS = (1, 3, 4)


@pytest.fixture(scope="module")
def recording() -> Recording:
    return ccl.record(noise(24, 30, 0.6), "label_equivalence_sizes", 4, "emulator", "synchronous")


@pytest.fixture(scope="module")
def page(recording: Recording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "run.html"
    export(recording, path)
    return path


def indices(recording: Recording, step: int, colouring: str) -> npt.NDArray[np.uint8]:
    """Return the palette indices that the program gives the cells."""
    labels, known = recording.labels(step), colouring_of(recording)
    match colouring:
        case "tree":
            cells = np.arange(labels.size)
            labels = tree_labels(labels, recording.layout, cells).reshape(labels.shape)
            return label_indices(labels, known)
        case "component":
            chosen = known.component_colours[known.components]
            return np.where(known.components != 0, chosen, np.uint8(0))
        case "depth":
            _, depths = all_roots(labels, recording.layout)
            return depth_indices(depths, recording.image != 0)
    return input_indices(recording.image, multivalued=False)


def numbers(recording: Recording, step: int, kind: str) -> npt.NDArray[Any]:
    """Return the numbers that foreground cells show."""
    labels = recording.labels(step)
    if kind == "component":
        return colouring_of(recording).components
    if kind == "root":
        cells = np.arange(labels.size)
        return tree_labels(labels, recording.layout, cells).reshape(labels.shape)
    return recording.layer("sizes", step)


@pytest.mark.parametrize("colouring", ["tree", "component", "depth", "input"])
def test_cells_have_the_colours_that_the_program_gives_them(
    browser: Browser, page: Path, recording: Recording, colouring: str
) -> None:
    table = cell_table(DARK, DARK.canvas, 1.0)[:, :3]
    for step in STEPS:
        browser.open(page, f"#step={step + 1}")
        browser.press("n", "c")
        choose(browser, "colours", colouring)
        expected = table[indices(recording, step, colouring).ravel()]
        np.testing.assert_array_equal(colours(browser, recording.image.shape), expected)


@pytest.mark.parametrize("kind", ["root", "component", "layer:sizes"])
def test_cells_have_the_numbers_that_the_program_gives_them(
    browser: Browser, page: Path, recording: Recording, kind: str
) -> None:
    browser.resize(1920, 1080)
    foreground = recording.image != 0
    for step in STEPS:
        browser.open(page, f"#step={step + 1}")
        choose(browser, "colours", "input")
        browser.press("+", "+")
        spy(browser)
        choose(browser, "numbers", kind)
        seen = browser.run(WRITTEN)
        assert len(seen) > 100
        expected = numbers(recording, step, kind)
        for x, y, value in seen:
            assert foreground[y, x]
            assert value == expected[y, x]


def choose(browser: Browser, name: str, value: str) -> None:
    browser.run(
        "const one = document.getElementById(arguments[0]); one.value = arguments[1];"
        "one.dispatchEvent(new Event('change'));",
        name,
        value,
    )

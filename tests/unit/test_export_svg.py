"""Pictures of vectors, read back with an XML parser."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support.fakes import picture, recorded

from ccl_viewer.export import FRAME_LAYERS, ExportOptions, export
from ccl_viewer.export.vectors import squares, text
from ccl_viewer.recording import Recording
from ccl_viewer.render.frame import FrameRenderer, FrameStyle
from ccl_viewer.render.layers import Layers, Numbers
from ccl_viewer.render.marks import Placing
from ccl_viewer.render.palette import colouring_of, label_indices
from ccl_viewer.render.themes import DARK

SVG = "{http://www.w3.org/2000/svg}"
BARE = ExportOptions(scale=40, caption=False, numbers="off", layers=Layers(changed=False))


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(picture("##.##\n#...#\n###.#"))


def parsed(path: Path) -> ET.Element:
    return ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 (written by ourselves)


def drawn(recording: Recording, path: Path, options: ExportOptions) -> ET.Element:
    assert export(recording, path, options) == 1
    return parsed(path)


def covered(path: str) -> set[tuple[int, int]]:
    """Columns and rows of the cells that rectangles of a path cover, at 40 pixels a cell."""
    cells = set()
    for left, top, width in re.findall(r"M(\d+) (\d+)h(\d+)v40h-\d+z", path):
        start, row = int(left) // 40, int(top) // 40
        cells |= {(column, row) for column in range(start, start + int(width) // 40)}
    return cells


def test_characters_that_xml_cannot_have_are_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Names of devices and files come from elsewhere."""
    run = recorded(picture("#.#"))
    every = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0xD800, 0xFFFE, 0xFFFF]))
    subject = replace(run._tape.subject, algorithm=f"<&\"'{every}\U0001f600")
    monkeypatch.setattr(run._tape, "subject", subject)
    title = drawn(run, tmp_path / "step.svg", BARE).find(f"{SVG}title")
    assert title is not None
    assert title.text is not None
    kept = title.text.partition(",")[0]
    assert kept.startswith("<&\"'")
    assert kept.endswith("\U0001f600")
    assert {char for char in kept[4:-1] if not char.isprintable()} <= {"\t", "\n"}
    written = text("\x1b]0;\x07\x85", 0, 0, fill="\0")
    assert written == '<text x="0" y="0" fill="?">?]0;??</text>'


def test_every_cell_has_its_colour(recording: Recording, tmp_path: Path) -> None:
    root = drawn(recording, tmp_path / "step.svg", replace(BARE, steps=slice(1, 2)))
    assert root.tag == f"{SVG}svg"
    assert (root.get("width"), root.get("height")) == ("201", "121")
    assert root.get("viewBox") == "0 0 201 121"
    indices = label_indices(recording.labels(1), colouring_of(recording))
    table = DARK.table()[:, :3].tolist()
    (cells,) = root.iterfind(f".//{SVG}g[@shape-rendering='crispEdges']")
    ground = cells.find(f"{SVG}rect")
    assert ground is not None
    assert (ground.get("width"), ground.get("height")) == ("200", "120")
    shown = {one.get("fill"): covered(one.get("d") or "") for one in cells.iterfind(f"{SVG}path")}
    for index in np.unique(indices[indices != 0]).tolist():
        red, green, blue = table[index]
        expected = {(x, y) for y, x in np.argwhere(indices == index).tolist()}
        assert shown.pop(f"#{red:02x}{green:02x}{blue:02x}") == expected
    assert not shown


def test_numbers_are_texts_in_the_middle_of_their_cells(
    recording: Recording, tmp_path: Path
) -> None:
    root = drawn(recording, tmp_path / "step.svg", replace(BARE, numbers="on"))
    labels = recording.labels(-1)
    found = {}
    for one in root.iter(f"{SVG}text"):
        x, y = float(one.get("x") or 0), float(one.get("y") or 0)
        found[int(x) // 40, int(y) // 40] = one.text
        assert x % 40 == 20.5
    cells = np.argwhere(recording.image != 0).tolist()
    assert found == {(x, y): str(labels[y, x]) for y, x in cells}


def test_arrows_contours_and_marks_are_paths(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "step.svg"
    bare = [*drawn(recording, path, BARE).iter(f"{SVG}path")]
    assert not [one for one in bare if one.get("stroke-linecap")]
    layers = replace(FRAME_LAYERS, arrows=True, contours=True)
    root = drawn(recording, path, replace(BARE, layers=layers))
    curves = [one.get("d") or "" for one in root.iter(f"{SVG}path") if "Q" in (one.get("d") or "")]
    parents = recording.parents(-1)
    own = np.arange(parents.size).reshape(parents.shape)
    arrows = int(((parents >= 0) & (parents != own)).sum())
    assert sum(curve.count("Q") for curve in curves) == 2 * arrows  # with their halos
    assert len([*root.iter(f"{SVG}circle")]) == recording.step(-1).roots
    assert [one for one in root.iter(f"{SVG}path") if one.get("stroke-linecap") == "square"]
    assert len([*root.iter(f"{SVG}path")]) > len(bare)


def test_marks_lie_in_a_corner_of_changed_cells(recording: Recording, tmp_path: Path) -> None:
    options = replace(BARE, steps=slice(1, 2), layers=replace(FRAME_LAYERS, changed=True))
    root = drawn(recording, tmp_path / "step.svg", options)
    (marks,) = root.iterfind(f".//{SVG}path[@paint-order]")
    found = set()
    for left, top, side in re.findall(r"M(\d+) (\d+)h(\d+)", marks.get("d") or ""):
        right = int(left) + int(side)
        assert right % 40 > 20
        assert int(top) % 40 < 20
        found.add((int(top) // 40, right // 40))
    changed = np.argwhere(recording.labels(0) != recording.labels(1)).tolist()
    assert found == {(y, x) for y, x in changed}


@pytest.mark.parametrize("scale", [3, 4])
def test_contours_of_the_smallest_cells_can_be_seen_through(
    recording: Recording, tmp_path: Path, scale: int
) -> None:
    layers = replace(FRAME_LAYERS, contours=True)
    root = drawn(recording, tmp_path / "step.svg", replace(BARE, scale=scale, layers=layers))
    through = [one for one in root.iter(f"{SVG}path") if one.get("stroke-opacity") == "0.5"]
    assert bool(through) == (scale < 4)
    assert len(through) == len(
        [one for one in root.iter(f"{SVG}path") if one.get("stroke-opacity")]
    )


def test_structure_is_drawn_with_dashes_and_capsules(recording: Recording, tmp_path: Path) -> None:
    layers = replace(FRAME_LAYERS, structure=True)
    root = drawn(recording, tmp_path / "step.svg", replace(BARE, layers=layers))
    assert any(one.get("stroke-dasharray") for one in root.iter(f"{SVG}path"))
    assert any(one.get("rx") for one in root.iter(f"{SVG}rect"))
    texts = [one.text for one in root.iter(f"{SVG}text")]
    assert not texts  # numbers are off, those of the padding too


def test_padding_has_its_value(recording: Recording, tmp_path: Path) -> None:
    layers = replace(FRAME_LAYERS, structure=True)
    options = replace(BARE, numbers="on", layers=layers)
    root = drawn(recording, tmp_path / "step.svg", options)
    values = [one.text for one in root.iter(f"{SVG}text")]
    assert values.count("0") == 7 * 5 - 5 * 3


def test_the_caption_is_text_and_special_characters_are_escaped(
    recording: Recording, tmp_path: Path
) -> None:
    layers = replace(FRAME_LAYERS, numbers=Numbers.NONE)
    root = drawn(recording, tmp_path / "step.svg", ExportOptions(layers=layers))
    texts = [one.text or "" for one in root.iter(f"{SVG}text")]
    assert texts[0] == "naive"
    assert f"step {len(recording)} of {len(recording)}" in texts
    bases = [float(one.get("y") or 0) for one in root.iter(f"{SVG}text")]
    assert bases == sorted(bases)
    assert len(set(bases)) > 1
    assert [one.text for one in root.iter(f"{SVG}title")] == [f"naive, step {len(recording)}"]


def test_a_bar_says_how_far_the_run_has_come(recording: Recording, tmp_path: Path) -> None:
    for step in range(len(recording)):
        options = ExportOptions(steps=slice(step, step + 1), scale=40)
        root = drawn(recording, tmp_path / "step.svg", options)
        bar, done = root.findall(f"{SVG}g")[1].findall(f"{SVG}rect")
        share = (step + 1) / len(recording)
        assert int(done.get("width") or 0) == round(int(bar.get("width") or 0) * share)
        assert bar.get("y") == done.get("y")


def test_inset_squares_lie_inside_their_cells() -> None:
    mask = np.array([[False, True, True]])
    assert squares(mask, Placing(10, 0, 0), 2) == "M12 2h6v6h-6zM22 2h6v6h-6z"
    assert squares(mask, Placing(10, 0, 0)) == "M10 0h20v10h-20z"


def test_it_is_as_large_as_the_frame_of_pixels(recording: Recording, tmp_path: Path) -> None:
    for layers in (FRAME_LAYERS, Layers(structure=True)):
        root = drawn(recording, tmp_path / "step.svg", ExportOptions(layers=layers))
        renderer = FrameRenderer([recording], [(len(recording) - 1,)], FrameStyle(layers=layers))
        assert (root.get("width"), root.get("height")) == tuple(map(str, renderer.size))


def test_runs_stand_side_by_side(recording: Recording, tmp_path: Path) -> None:
    path = tmp_path / "both.svg"
    assert export([recording, recorded(recording.image, 8)], path) == 1
    root = parsed(path)
    assert len(root.findall(f"{SVG}g")) == 4


def test_a_folder_can_hold_vectors(recording: Recording, tmp_path: Path) -> None:
    folder = tmp_path / "steps"
    assert export(recording, folder, ExportOptions(pictures="svg")) == len(recording)
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"frame_{index:04}.svg" for index in range(len(recording))]
    for path in folder.iterdir():
        parsed(path)


def test_it_is_compact(tmp_path: Path) -> None:
    run = recorded(np.ones((64, 64), np.uint8), passes=1)
    path = tmp_path / "step.svg"
    export(run, path, ExportOptions(numbers="off", caption=False))
    assert path.stat().st_size < 64 * 64 * 20

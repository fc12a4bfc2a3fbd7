"""Single ways to roots in exports: as arrows where not all arrows are shown, in every format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support.fakes import picture
from support.films import frame_of

from ccl_viewer.api import record
from ccl_viewer.cli import main
from ccl_viewer.errors import InputError
from ccl_viewer.export import FRAME_LAYERS, ExportOptions, export
from ccl_viewer.recording import Recording
from ccl_viewer.render.cells import Cells
from ccl_viewer.render.frame import FrameStyle
from ccl_viewer.session.exporting.choices import Choices, Subject, figure_options, options_of

SVG = "{http://www.w3.org/2000/svg}"
STEP = 1
FOLLOW = ((4, 2), (0, 2))


@pytest.fixture(scope="module")
def recording() -> Recording:
    grid = picture("##.##\n#..#.\n#.###\n..#..")
    return record(grid, "label_equivalence", device="emulator", schedule="synchronous")


def way(recording: Recording, cell: tuple[int, int]) -> set[int]:
    """The cells on the way of a cell to its root, both ends included."""
    parents = recording.parents(STEP).ravel()
    place = cell[1] * recording.image.shape[1] + cell[0]
    passed = {place}
    while parents[place] != place:
        place = int(parents[place])
        passed.add(place)
    return passed


def test_only_what_lies_on_the_way_has_arrows(recording: Recording) -> None:
    arrows = Cells(recording, FRAME_LAYERS, follow=FOLLOW).arrows(STEP).ravel()
    expected = way(recording, FOLLOW[0]) | way(recording, FOLLOW[1])
    assert {*np.flatnonzero(arrows >= 0).tolist()} == expected
    assert len(expected) > 3, "a way of a single cell would show nothing"
    every = Cells(recording, replace(FRAME_LAYERS, arrows=True), follow=FOLLOW)
    assert np.array_equal(every.arrows(STEP), every.parents(STEP))


def test_pictures_show_the_way_and_nothing_else(recording: Recording) -> None:
    style = FrameStyle(40, caption=False, numbers="off")
    without = frame_of(recording, STEP, style)
    followed = frame_of(recording, STEP, replace(style, follow=FOLLOW[1:]))
    drawn = (without != followed).any(axis=-1)
    assert drawn[80:120, :40].any()
    assert not drawn[:, 100:].any()
    small = replace(style, scale=9)
    assert np.array_equal(
        frame_of(recording, STEP, small),
        frame_of(recording, STEP, replace(small, follow=FOLLOW)),
    )


def test_vectors_ring_one_root_for_each_way(recording: Recording, tmp_path: Path) -> None:
    options = ExportOptions(steps=slice(STEP, STEP + 1), scale=40, follow=FOLLOW)
    export(recording, tmp_path / "way.svg", options)
    root = ET.fromstring((tmp_path / "way.svg").read_text("utf-8"))  # noqa: S314 (our own)
    parents = recording.parents(STEP).ravel()
    ends = {place for cell in FOLLOW for place in way(recording, cell) if parents[place] == place}
    assert len([*root.iter(f"{SVG}circle")]) == len(ends)


@pytest.mark.parametrize("suffix", [".gif", ".svg", ".html"])
def test_the_command_line_follows_cells_too(
    recording: Recording, tmp_path: Path, suffix: str
) -> None:
    source, one, other = tmp_path / "run.cclrec", tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    recording.save(source)
    export(recording, one, ExportOptions(follow=FOLLOW))
    words = [word for x, y in FOLLOW for word in ("--follow", f"{x},{y}")]
    assert main(["export", str(source), "-o", str(other), *words]) == 0
    assert one.read_bytes() == other.read_bytes()
    export(recording, one)
    assert one.read_bytes() != other.read_bytes()


def test_cells_outside_the_grid_are_refused(recording: Recording, tmp_path: Path) -> None:
    for suffix in (".gif", ".html"):
        with pytest.raises(InputError, match="Column 9, row 0"):
            export(recording, tmp_path / f"x{suffix}", ExportOptions(follow=((9, 0),)))


def test_the_window_exports_the_ways_that_it_shows(recording: Recording) -> None:
    subject = Subject(recording, follow=FOLLOW)
    assert options_of(Choices(path="run.gif"), subject).follow == FOLLOW
    assert options_of(Choices(path="run.npy"), subject).follow == ()
    assert figure_options(FRAME_LAYERS, None, 0, "dark", follow=FOLLOW).follow == FOLLOW

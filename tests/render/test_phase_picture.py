"""A phase as a picture: lanes, bits, arrows of shuffles, shared memory."""

from __future__ import annotations

import numpy as np
import pytest
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.diagnostics.phases import PhaseBoundary, PhaseView, trace_launch
from ccl_viewer.render import geometry
from ccl_viewer.render.display_list import DisplayList, Lines, Rects, Texts
from ccl_viewer.render.painters.pillow import paint
from ccl_viewer.render.phase_picture import draw_phase
from ccl_viewer.render.sheet import NO_LANE
from ccl_viewer.render.themes import DARK, LIGHT, canvas_colours, pack_colour

IMAGE = noise(16, 32, 0.7, seed=3)


def view(key: str, step: int, by: PhaseBoundary, phase: int, warp: int | None = None) -> PhaseView:
    recording = ccl.record(IMAGE, key, device="emulator", schedule="synchronous")
    trace = trace_launch(recording, step, (0, 0, 0))
    return PhaseView(trace, trace.phases(by, warp=warp)[phase])


def draw(shown: PhaseView, warp: int | None = None, width: int = 1280) -> DisplayList:
    return draw_phase(shown, None, warp, width, LIGHT).display


def words(shown: DisplayList) -> list[str]:
    return [text for item in shown if isinstance(item, Texts) for text in item.texts]


def test_a_ballot_shows_its_bits_and_distances() -> None:
    shown = draw(view("ha4", 0, PhaseBoundary.WARP, 0, warp=2))
    boxes = [
        item for item in shown if isinstance(item, Rects) and item.fill == pack_colour(LIGHT.accent)
    ]
    ones = np.count_nonzero(IMAGE[2])
    assert [len(item.boxes) for item in boxes] == [32, ones, ones]  # active, brings, gets
    assert {"Warp 2 of block (0, 0): __ballot_sync", "start", "end"} <= {*words(shown)}
    assert not any(isinstance(item, Lines) for item in shown)


def test_a_shuffle_shows_an_arrow_from_each_source() -> None:
    shown = draw(view("ha4", 2, PhaseBoundary.WARP, 1, warp=1))
    own, others = (item for item in shown if isinstance(item, Lines))
    assert len(own.segments) + len(others.segments) == 32
    assert (others.segments[:, 0] < others.segments[:, 2]).all()  # from starts, to the right
    assert {"brings", "from", "gets"} <= {*words(shown)}


def test_changed_elements_of_shared_memory_are_outlined() -> None:
    seen = view("stava_benes", 0, PhaseBoundary.BARRIER, 2)
    changed = sum(array.changed.size for array in seen.shared_arrays())
    mark, *_ = geometry.change_outlines(np.zeros((1, 4)), 1, 20, canvas_colours(LIGHT))
    outlines = [one for one in draw(seen) if isinstance(one, Rects) and one.stroke == mark.stroke]
    assert changed == sum(len(item.boxes) for item in outlines) > 0


def test_elements_behind_the_last_one_in_use_are_left_out() -> None:
    recording = ccl.record(np.ones((1, 8), np.uint8), "row_col_unify", device="emulator")
    trace = trace_launch(recording, 1)
    seen = PhaseView(trace, trace.phases(PhaseBoundary.BARRIER, (0, 0, 0))[1])
    picture = draw_phase(seen, (0, 0, 0), 0, 1280, LIGHT)
    tips = [tip for _, tip, _ in picture.areas if tip.startswith("shared_references")]
    assert [tip.rpartition(" ")[2] for tip in tips] == [*"011335577"]


def test_what_lies_under_the_mouse_is_said() -> None:
    picture = draw_phase(view("stava_benes", 0, PhaseBoundary.BARRIER, 2), None, 0, 320, LIGHT)
    for box, tip, lane in picture.areas:
        assert picture.tip_and_lane_at((box[0] + box[2]) / 2, (box[1] + box[3]) / 2) == (tip, lane)
    assert {lane for _, _, lane in picture.areas if lane != NO_LANE} == {*range(32)}
    assert picture.tip_and_lane_at(0, 0) is None


@pytest.mark.parametrize("width", [270, 540, 700, 1600])
def test_boxes_lie_within_the_picture(width: int) -> None:
    shown = draw(view("stava_benes", 0, PhaseBoundary.BARRIER, 2), warp=3, width=width)
    for item in shown:
        if isinstance(item, Rects):
            assert item.boxes[:, 2].max() <= width
            assert item.boxes[:, 3].max() <= shown.height


def test_both_themes_can_be_painted() -> None:
    seen = view("ha4", 0, PhaseBoundary.WARP, 0, warp=2)
    for theme in (DARK, LIGHT):
        shown = draw_phase(seen, None, None, 800, theme).display
        assert np.unique(paint(shown)).size > 5


def test_half_a_warp_stands_side_by_side_in_a_narrow_column() -> None:
    shown = draw(view("ha4", 0, PhaseBoundary.WARP, 0, warp=2), width=404)
    lanes = next(item for item in shown if isinstance(item, Texts) and "15" in item.texts)
    assert lanes.texts == tuple(map(str, range(16)))

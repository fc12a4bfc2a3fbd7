"""A phase as a picture: lanes, bits, arrows of shuffles, shared memory."""

from __future__ import annotations

import numpy as np
import pytest
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.phases import PhaseBy, PhaseView, trace_launch
from ccl_viewer.render.display_list import DisplayList, Lines, Rects, Texts
from ccl_viewer.render.painters.pillow import measure, paint
from ccl_viewer.render.phase_picture import phase_picture
from ccl_viewer.render.themes import DARK, LIGHT, mixed, packed

IMAGE = noise(16, 32, 0.7, seed=3)


def view(key: str, step: int, by: PhaseBy, phase: int, warp: int | None = None) -> PhaseView:
    recording = ccl.record(IMAGE, key, device="emulator", schedule="synchronous")
    trace = trace_launch(recording, step, (0, 0, 0))
    return trace.view(trace.phases(by, warp=warp)[phase])


def draw(shown: PhaseView, warp: int | None = None, width: int = 1000) -> DisplayList:
    return phase_picture(shown, None, warp, width, LIGHT, measure)


def words(shown: DisplayList) -> list[str]:
    return [text for item in shown if isinstance(item, Texts) for text in item.texts]


def test_a_ballot_shows_its_bits_and_distances() -> None:
    shown = draw(view("ha4", 0, PhaseBy.WARP, 0, warp=2))
    lit = packed(mixed(LIGHT.accent, LIGHT.canvas, 0.0))
    bits = [item for item in shown if isinstance(item, Rects) and item.fill == lit]
    assert [len(item.boxes) for item in bits] == [np.count_nonzero(IMAGE[2])] * 2  # brings, gets
    assert "from start" in words(shown)
    assert not any(isinstance(item, Lines) for item in shown)


def test_a_shuffle_shows_an_arrow_from_each_source() -> None:
    shown = draw(view("ha4", 2, PhaseBy.WARP, 1, warp=1))
    own, others = (item for item in shown if isinstance(item, Lines))
    assert len(own.segments) + len(others.segments) == 32
    assert (others.segments[:, 0] < others.segments[:, 2]).all()  # from starts, to the right


def test_changed_elements_of_shared_memory_are_outlined() -> None:
    seen = view("stava_benes", 0, PhaseBy.BARRIER, 2)
    changed = sum(array.changed.size for array in seen.shared())
    mark = packed(mixed(LIGHT.led, LIGHT.canvas, 0.0))
    boxes = [item for item in draw(seen) if isinstance(item, Rects) and item.stroke == mark]
    assert changed == sum(len(item.boxes) for item in boxes) > 0


@pytest.mark.parametrize("width", [540, 700, 1600])
def test_boxes_lie_within_the_picture(width: int) -> None:
    shown = draw(view("stava_benes", 0, PhaseBy.BARRIER, 2), warp=3, width=width)
    for item in shown:
        if isinstance(item, Rects):
            assert item.boxes[:, 2].max() <= width
            assert item.boxes[:, 3].max() <= shown.height


def test_both_themes_can_be_painted() -> None:
    seen = view("ha4", 0, PhaseBy.WARP, 0, warp=2)
    for theme in (DARK, LIGHT):
        shown = phase_picture(seen, None, None, 800, theme, measure)
        assert np.unique(paint(shown)).size > 5

"""Text in pictures: broken into lines, and written as in the window."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from support.fakes import recorded
from support.grids import noise

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.execution.plan import Stage
from ccl_viewer.render.facts import step_caption
from ccl_viewer.render.geometry import TIMES
from ccl_viewer.render.layers import COLOURS_MEAN
from ccl_viewer.render.painters.pillow import (
    line_height,
    render_line,
    replace_unprintable,
    width_of,
    wrap_text,
)
from ccl_viewer.support.units import duration, time_scale_for

MICRO = "\N{MICRO SIGN}"


def test_text_breaks_at_separators_first() -> None:
    text = "one two  ·  three four  ·  five"
    width = width_of("one two  ·  three four", 15)
    assert wrap_text(text, 15, width) == ["one two  ·  three four", "five"]
    assert wrap_text("word", 15, 400) == ["word"]
    narrow = wrap_text(text, 15, width_of("three", 15))
    assert narrow == ["one", "two", "three", "four", "five"]


def test_text_is_drawn_from_paper_to_ink() -> None:
    levels = render_line("Scan", 15)
    assert levels.min() == 0
    assert levels.max() == 255
    assert levels.shape[1] == width_of("Scan", 15)


def test_text_has_no_character_that_the_typeface_lacks() -> None:
    assert replace_unprintable("Bene\u0161, caf\u00e9 \u2026") == "Benes, cafe \u2026"
    assert replace_unprintable("8 \u00d7 8\n\u2603") == "8 x 8??"
    assert replace_unprintable("\u65e5 \ue000") == "? ?"


def test_pictures_say_what_the_window_says() -> None:
    caption = step_caption(recorded(noise(12, 9, 0.5)), 1)
    texts = [
        *(row.title for row in ALGORITHMS.values()),
        *(stage.value for stage in Stage),
        *COLOURS_MEAN.values(),
        *(duration(time) for time in (1e-4, 0.041, 4.1, 4100)),
        time_scale_for([0.058]).write(0.058),
        f"16 {TIMES} 16 threads",
        caption.setting,
        caption.counts,
        caption.step,
        step_caption(recorded(noise(12, 9, 0.5)), 5).result,
    ]
    assert f"9 {TIMES} 12 cells" in caption.setting
    missing = {char for char in chain(*texts) if replace_unprintable(char) not in {char, "x"}}
    assert not missing


@pytest.mark.parametrize("size", [8, 13, 15, 19, 30])
def test_the_micro_sign_is_a_u_with_a_stem(size: int) -> None:
    letter, micro = render_line("u", size), render_line(MICRO, size)
    assert micro.shape == letter.shape == (line_height(size), width_of(MICRO, size))
    longer = np.flatnonzero((micro > letter).any(axis=0))
    assert longer.size
    assert longer.max() < letter.shape[1] / 2, "at its left"


def test_signs_stand_where_they_are_said() -> None:
    text = render_line(f"4 {MICRO}s", 15)
    before = render_line("4 ", 15).shape[1]
    assert (text[:, : before - 4] == render_line("4 ", 15)[:, : before - 4]).all()
    assert (
        text.shape[1] == width_of(f"4 {MICRO}s", 15) == pytest.approx(width_of("4 us", 15), abs=1)
    )

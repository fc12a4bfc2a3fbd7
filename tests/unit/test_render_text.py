"""Text in pictures: broken into lines, and written as in the window."""

from __future__ import annotations

from itertools import chain

from support.fakes import recorded
from support.grids import noise

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.execution.plan import Stage
from ccl_viewer.render.facts import step_caption
from ccl_viewer.render.geometry import TIMES
from ccl_viewer.render.layers import COLOURS_MEAN
from ccl_viewer.render.painters.pillow import replace_unprintable, width_of, wrap_text
from ccl_viewer.support.units import duration, time_scale_for

MICRO = "\N{MICRO SIGN}"


def test_text_breaks_at_separators_first() -> None:
    text = "one two  ·  three four  ·  five"
    width = width_of("one two  ·  three four", 15)
    assert wrap_text(text, 15, width) == ["one two  ·  three four", "five"]
    assert wrap_text("word", 15, 400) == ["word"]
    narrow = wrap_text(text, 15, width_of("three", 15))
    assert narrow == ["one", "two", "three", "four", "five"]


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

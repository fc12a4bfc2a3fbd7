"""After any change to a good lesson's text, its faults are reported with lines."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ccl_viewer import lessons
from ccl_viewer.lessons.checking import find_faults
from ccl_viewer.lessons.reading import parse_lesson, read_lesson_text

SMALL = """\
title = "A small one"
aims = ["Know it."]

[grids]
row = '''
##.#
.###
'''

[defaults]
grid = "row"
algorithm = "label_equivalence"

[[scene]]
title = "First"
caption = "There are {roots} roots, and {label:1,0@-1} is **one**."
step = 1
highlight = [[0, 0], [1, 1]]
follow = [[3, 0]]
pin = [1, 0]
show = { numbers = "raw", arrows = true, strength = 0.5 }

[scene.question]
kind = "root"
cell = [3, 1]
prompt = "Which?"

[[scene]]
title = "Second"
caption = "After {1.roots} there are {roots}."
connectivity = 8
schedule = "reverse"
"""

PIECES = (
    "[", "]", "[[", "{", "}", '"', "'''", "=", "\n", "#", ",", "-", "9", "99999999999", "true",
    "[[scene]]\n", "[defaults]\n", "step = 3\n", "\x00", "\ufeff", "é", "{roots@7}", "{x}", "\\",
)  # fmt: skip
"""What is put into texts: signs that TOML or captions give a meaning, and values out of range."""


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """Return a text from which a piece was cut, and into which others were put."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 40)))
        text = text[:start] + draw(st.sampled_from(("", *PIECES))) + text[end:]
    return text


def test_the_small_lesson_is_good() -> None:
    assert find_faults(SMALL) == ()


@settings(max_examples=150)
@given(mutated(SMALL))
def test_a_spoilt_text_is_checked_to_its_end(text: str) -> None:
    last = max(1, len(text.splitlines()))
    for fault in find_faults(text):
        assert 1 <= fault.line <= last, fault
        assert fault.text.strip().endswith((".", "?")), fault


@settings(max_examples=60)
@given(
    st.sampled_from(lessons.lesson_names()).flatmap(
        lambda name: mutated(read_lesson_text(lessons.lesson_path(name)))
    )
)
def test_a_spoilt_lesson_is_read_or_refused_with_a_line(text: str) -> None:
    reading = parse_lesson(text, "spoilt")
    assert reading.lesson is not None or reading.faults
    last = max(1, len(text.splitlines()))
    assert all(1 <= fault.line <= last for fault in reading.faults)

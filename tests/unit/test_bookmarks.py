"""Where lessons were left is noted, forgotten at their ends, and read back."""

from __future__ import annotations

import pytest

from ccl_viewer.session.lessons.bookmarks import Bookmarks


def test_a_lesson_that_was_not_begun_was_left_at_its_first_scene() -> None:
    assert Bookmarks().of("shibata") == 0


def test_the_scene_on_display_is_noted_but_the_first_changes_nothing() -> None:
    marks = Bookmarks()
    marks.note("shibata", 4, 12)
    marks.note("shibata", 0, 12)
    marks.note("races", 2, 12)
    assert (marks.of("shibata"), marks.of("races")) == (4, 2)


def test_the_last_scene_ends_a_lesson() -> None:
    marks = Bookmarks()
    marks.note("shibata", 10, 12)
    marks.note("shibata", 11, 12)
    assert marks.of("shibata") == 0


def test_what_was_noted_is_read_back() -> None:
    marks, others = Bookmarks(), Bookmarks()
    marks.note('a "path", with/signs.toml', 3, 9)
    others.take(marks.to_text())
    assert others.of('a "path", with/signs.toml') == 3


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": "b"}', '{"a": -1}', '{"a": true}', "3"])
def test_damaged_text_is_refused(text: str) -> None:
    marks = Bookmarks()
    marks.note("a", 1, 3)
    with pytest.raises(ValueError, match="holds no scenes of lessons"):
        marks.take(text)
    assert marks.of("a") == 1


def test_only_so_many_are_kept_the_latest() -> None:
    marks = Bookmarks()
    for number in range(80):
        marks.note(f"lesson {number}", 1, 3)
        marks.note("lesson 0", 1, 3)
    assert marks.of("lesson 0") == 1
    assert marks.of("lesson 1") == 0
    assert marks.of("lesson 79") == 1

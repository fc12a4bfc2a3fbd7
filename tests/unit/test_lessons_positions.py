"""The lines of a TOML text are found, however it is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from ccl_viewer.lessons.positions import Path, Positions

TEXT = '''# a comment with "quotes", [brackets] and = signs
title = "A # that is no comment" # one that is
"quoted key" = 'x = [1'
dotted.inner = 1
many = [ # an array
    "a", 'b',  # over
    [1, 2],    # lines
]
caption = """
key = "not a key"
[not.a.table]
two "" quotes and \\""" three"""
literal = \'\'\'
it's [[not]] one
\'\'\'
inline = { x = 1, y = { z = [3, 4] } }
date = 1979-05-27T07:32:00Z
number = 1_000.5e3

[table]
key = true
[table.deeper]
key = "a\\\\"

[[scene]]
step = 1
[scene.question]
kind = "k"
[[scene.part]]
a = 1
[[scene.part]]
a = 2

  [[ scene ]]
  step = -1
[[scene.part]]
a = 3
'''

LINES: dict[Path, int] = {
    ("title",): 2,
    ("quoted key",): 3,
    ("dotted",): 4,
    ("dotted", "inner"): 4,
    ("many",): 5,
    ("many", 0): 6,
    ("many", 1): 6,
    ("many", 2): 7,
    ("many", 2, 1): 7,
    ("caption",): 9,
    ("literal",): 13,
    ("inline",): 16,
    ("inline", "y", "z", 1): 16,
    ("date",): 17,
    ("number",): 18,
    ("table",): 20,
    ("table", "key"): 21,
    ("table", "deeper"): 22,
    ("table", "deeper", "key"): 23,
    ("scene", 0): 25,
    ("scene", 0, "step"): 26,
    ("scene", 0, "question", "kind"): 28,
    ("scene", 0, "part", 0): 29,
    ("scene", 0, "part", 0, "a"): 30,
    ("scene", 0, "part", 1, "a"): 32,
    ("scene", 1): 34,
    ("scene", 1, "step"): 35,
    ("scene", 1, "part", 0, "a"): 37,
}


def paths_of(value: Any, path: Path = ()) -> Iterator[Path]:
    if path:
        yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths_of(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths_of(inner, (*path, index))


@pytest.mark.parametrize(("path", "line"), LINES.items())
def test_each_thing_is_found_on_its_line(path: Path, line: int) -> None:
    positions = Positions(TEXT)
    assert path in positions
    assert positions.line(path) == line


def test_all_that_the_reader_sees_is_found_and_nothing_else() -> None:
    found = set(paths_of(tomllib.loads(TEXT)))
    assert all(path in Positions(TEXT) for path in found)
    assert len(Positions(TEXT)) == len(found)


def test_what_is_missing_is_told_where_it_should_be() -> None:
    positions = Positions(TEXT)
    assert positions.line(("scene", 1, "question", "kind")) == 34
    assert positions.line(("nowhere",)) == 1
    assert Positions("").line(()) == 1


def test_carriage_returns_change_no_line() -> None:
    positions = Positions(TEXT.replace("\n", "\r\n"))
    assert all(positions.line(path) == line for path, line in LINES.items())

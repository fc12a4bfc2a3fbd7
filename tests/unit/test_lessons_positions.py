"""The lines of a TOML text are found, however it is written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


KEYS = st.text("abc-_", min_size=1, max_size=3) | st.text("ab \".'\\#=[]\t", max_size=4)
WORDS = st.text("ab #=[]{}'\"\\\n,.", max_size=8)
SCALARS = st.integers(-5, 5) | st.booleans() | st.floats(-2, 2) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


def quoted(text: str) -> str:
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t")):
        text = text.replace(plain, escaped)
    return f'"{text}"'


class Writer:
    """Writes TOML in many styles, and notes on which line it puts each thing."""

    def __init__(self, data: st.DataObject) -> None:
        self.text = ""
        self.lines: dict[Path, int] = {}
        self._draw = data.draw

    def table(self, values: dict[str, Any], path: Path) -> None:
        later = []
        for key, value in values.items():
            if isinstance(value, dict) and self._chance():
                later.append((key, value))
                continue
            self._gap()
            self._note((*path, key))
            self.text += f"{self._key(key)} = "
            self._value(value, (*path, key))
            self.text += self._draw(st.sampled_from(["\n", " # note [x] = 'y'\n"]))
        for key, value in later:
            self._gap()
            self._note((*path, key))
            header = ".".join(self._key(part) for part in (*path, key) if isinstance(part, str))
            self.text += f"[{header}]\n"
            self.table(value, (*path, key))

    def tables(self, key: str, values: list[dict[str, Any]]) -> None:
        for index, inner in enumerate(values):
            self._gap()
            self.lines.setdefault((key,), self._line())
            self._note((key, index))
            self.text += f"[[{self._key(key)}]]\n"
            self.table(inner, (key, index))

    def _value(self, value: Any, path: Path) -> None:
        if isinstance(value, list):
            self._array(value, path)
        elif isinstance(value, dict):
            self._inline(value, path)
        elif isinstance(value, str):
            self._string(value)
        elif isinstance(value, bool):
            self.text += str(value).lower()
        else:
            self.text += repr(value)

    def _array(self, values: list[Any], path: Path) -> None:
        self.text += "["
        for index, inner in enumerate(values):
            self.text += self._draw(st.sampled_from(["", " ", "\n", " # ]\n  "]))
            self._note((*path, index))
            self._value(inner, (*path, index))
            self.text += self._draw(st.sampled_from([",", " ,", "\n,"]))
        self.text += self._draw(st.sampled_from(["]", "\n]"]))

    def _inline(self, values: dict[str, Any], path: Path) -> None:
        self.text += "{"
        for index, (key, inner) in enumerate(values.items()):
            self.text += ", " if index else " "
            self._note((*path, key))
            self.text += f"{self._key(key)} = "
            self._value(inner, (*path, key))
        self.text += " }"

    def _string(self, value: str) -> None:
        if self._chance() and "'" not in value and "\n" not in value:
            self.text += f"'{value}'"
        elif self._chance():
            self.text += '"""\n' + quoted(value)[1:-1].replace("\\n", "\n") + '"""'
        else:
            self.text += quoted(value)

    def _key(self, key: str) -> str:
        bare = bool(key) and all(letter.isalnum() or letter in "-_" for letter in key)
        return key if bare and self._chance() else quoted(key)

    def _gap(self) -> None:
        self.text += self._draw(st.sampled_from(["", "\n", "# [x]\n", "  "]))

    def _note(self, path: Path) -> None:
        self.lines[path] = self._line()

    def _line(self) -> int:
        return self.text.count("\n") + 1

    def _chance(self) -> bool:
        return bool(self._draw(st.booleans()))


@given(
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=3),
    st.data(),
)
def test_lines_of_any_file(
    values: dict[str, Any], scenes: list[dict[str, Any]], data: st.DataObject
) -> None:
    writer = Writer(data)
    values.pop("scene", None)
    deep = {key: value for key, value in values.items() if isinstance(value, dict)}
    flat = {key: value for key, value in values.items() if key not in deep}
    writer.table({**flat, **deep}, ())
    # Tables of tables stay within their own element: deeper headers would name their index.
    for scene in scenes:
        for key in [key for key, value in scene.items() if isinstance(value, dict)]:
            del scene[key]
    writer.tables("scene", scenes)
    read = tomllib.loads(writer.text)
    positions = Positions(writer.text)
    assert set(paths_of(read)) == set(writer.lines)
    for path, line in writer.lines.items():
        assert positions.line(path) == line, (path, writer.text)
        assert path in positions

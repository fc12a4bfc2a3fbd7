"""The line of each key and element of a TOML text, which the standard reader does not report.

:mod:`tomllib` has read the text before, so this module reports no errors: it only distinguishes
strings, brackets and comments, to find where keys and elements begin.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Keys of tables and indices of arrays, the outermost first."""

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r'[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:\'{0,2})|"(?:[^"\\]|\\.)*"|\'[^\']*\'',
    re.DOTALL,
)
_BARE = re.compile(r"[^\s,\]}#][^,\]}#\n]*")
_ESCAPE = re.compile(r'\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|["\\btnfre])')
_ESCAPED = {
    '"': '"',
    "\\": "\\",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
}


class Positions:
    """The lines of all keys and elements of a TOML text.

    Parameters
    ----------
    text : str
        Valid TOML.
    """

    def __init__(self, text: str) -> None:
        self._lines: Mapping[Path, int] = _Scanner(text).scan()

    def __len__(self) -> int:
        return len(self._lines)

    def __contains__(self, path: object) -> bool:
        return path in self._lines

    def line(self, path: Path) -> int:
        """Return the line, from 1, of a key or element, or of the enclosing table."""
        while path and path not in self._lines:
            path = path[:-1]
        return self._lines.get(path, 1)


class _Scanner:
    """Walks over a TOML text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._found: dict[Path, int] = {}
        self._elements: dict[Path, int] = {}

    def scan(self) -> dict[Path, int]:
        """Return the line of each path."""
        table: Path = ()
        while self._skip() < len(self._text):
            if self._text.startswith("[[", self._at):
                table = self._array_header()
            elif self._text.startswith("[", self._at):
                table = self._header()
            else:
                self._setting(table)
        return self._found

    def _skip(self) -> int:
        blank = _BLANK.match(self._text, self._at)
        self._at = self._at if blank is None else blank.end()
        return self._at

    def _note(self, path: Path, line: int) -> None:
        for length in range(1, len(path) + 1):
            self._found.setdefault(path[:length], line)

    def _here(self) -> int:
        return bisect_right(self._starts, self._at)

    def _key(self) -> list[str]:
        """Read a key, dotted or not, and what follows up to its end."""
        parts = []
        while (match := _KEY.match(self._text, self._skip())) is not None:
            self._at = match.end()
            parts.append(_read_plain(match.group()))
            if self._text[self._skip()] != ".":
                break
            self._at += 1
        return parts

    def _header(self) -> Path:
        line = self._here()
        self._at += 1
        path: Path = ()
        for part in self._key():
            path = self._inside((*path, part))
        self._at += 1
        self._note(path, line)
        return path

    def _array_header(self) -> Path:
        line = self._here()
        self._at += 2
        *parents, last = self._key()
        self._at += 2
        path: Path = ()
        for part in parents:
            path = self._inside((*path, part))
        path = (*path, last)
        index = self._elements.get(path, -1) + 1
        self._elements[path] = index
        self._note((*path, index), line)
        return (*path, index)

    def _inside(self, path: Path) -> Path:
        """Return the element that is being written, if the path names an array of tables."""
        return (*path, self._elements[path]) if path in self._elements else path

    def _setting(self, table: Path) -> None:
        line = self._here()
        path = (*table, *self._key())
        self._note(path, line)
        self._at += 1  # the equals sign
        self._value(path)

    def _value(self, path: Path) -> None:
        match self._text[self._skip()]:
            case '"' | "'":
                self._pass(_STRING)
            case "[":
                self._array(path)
            case "{":
                self._inline_table(path)
            case _:
                self._pass(_BARE)

    def _pass(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        self._at = len(self._text) if match is None else match.end()

    def _array(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._text[self._skip()] != "]":
            self._note((*path, index), self._here())
            self._value((*path, index))
            index += 1
            if self._text[self._skip()] == ",":
                self._at += 1
        self._at += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while self._text[self._skip()] != "}":
            self._setting(path)
            if self._text[self._skip()] == ",":
                self._at += 1
        self._at += 1


def _read_plain(key: str) -> str:
    """Return a key without its quotes and escapes."""
    if key[0] == "'":
        return key[1:-1]
    if key[0] == '"':
        return _ESCAPE.sub(_unescape, key[1:-1])
    return key


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if code[0] in "uU" else _ESCAPED[code]

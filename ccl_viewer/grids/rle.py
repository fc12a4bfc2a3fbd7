"""Read and write grids in Golly's run length encoding, with two states or more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import MAX_CELLS, Grid, check_size

_HEADER = re.compile(r"\s*x\s*=\s*(\d{1,99})\s*,\s*y\s*=\s*(\d{1,99})\s*(?:,.*)?", re.IGNORECASE)
_LINE = 70  # longest line that Golly writes
_PLAIN, _SEVERAL = (
    "B3/S23",
    "/2/{}",
)  # rules for two states, and for a number of states
_MAX_HEAD: Final = 1 << 20  # characters in which the header must end
_PIECE: Final = 1 << 20  # characters read at a time
_MAX_DIGITS: Final = 10  # digits of a count
_MAX_STATE: Final = 255

_STRAY, _SPACE, _DIGIT, _PREFIX, _ROWS, _CELL, _LETTER = range(7)
"""Kinds of characters; a prefix and a letter are one state, and the last three kinds end a run."""


def _make_kind_table() -> npt.NDArray[np.uint8]:
    kinds = np.full(256, _STRAY, np.uint8)
    for kind, characters in (
        (_SPACE, b" \t\n\r\v\f"),
        (_DIGIT, b"0123456789"),
        (_PREFIX, b"pqrstuvwxy"),
        (_ROWS, b"$"),
        (_CELL, b".bo"),
        (_LETTER, b"ABCDEFGHIJKLMNOPQRSTUVWX"),
    ):
        kinds[[*characters]] = kind
    return kinds


_KINDS: Final = _make_kind_table()


def is_rle(text: str) -> bool:
    """Return whether a text begins like RLE: comments after ``#``, then ``x = ...``."""
    return _read_header(text) is not None


def parse(text: str, most_cells: int = MAX_CELLS) -> Grid:
    """Read a grid from Golly's run length encoding.

    Parameters
    ----------
    text : str
        Comment lines that begin with ``#``; a header ``x = width, y = height``; then runs: a
        count and ``b`` or ``.`` for 0, ``o`` or ``A`` for 1, ``B`` to ``X`` for 2 to 24, ``pA`` to
        ``yO`` for 25 to 255, ``$`` for the end of rows and ``!`` for the end of all.
    most_cells : int
        Most cells allowed; the header is checked before memory is allocated.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        The states; cells outside all runs are 0.

    Raises
    ------
    InputError
        If the header or the end is missing, a run leaves the size in the header, or the text holds
        anything but runs.
    """
    header = _read_header(text)
    if header is None:
        raise InputError("The text has no header: RLE begins with a line 'x = width, y = height'.")
    width, height, begin = header
    if not width * height:
        raise InputError(
            f"The header 'x = {width}, y = {height}' leaves no room for a cell: write the "
            "pattern's width and height there."
        )
    check_size((height, width), most_cells)
    runs = _RunReader(height, width)
    end = text.find("!", begin)
    for piece in _split_into_pieces(text, begin, len(text) if end < 0 else end):
        runs.read(piece)
    if end < 0:
        raise InputError("The text ends before its '!': it was cut off, so copy or save it again.")
    return runs.grid()


def format_grid(grid: Grid) -> str:
    """Write a grid in Golly's run length encoding.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        States from 0 to 255; if any is above 1, the many-state form is written.

    Returns
    -------
    str
        The text with a final newline; :func:`parse` reads it back.
    """
    height, width = grid.shape
    most = int(grid.max())
    rule = _PLAIN if most <= 1 else _SEVERAL.format(most + 1)
    lines = [f"x = {width}, y = {height}, rule = {rule}"]
    line = ""
    for item in _format_runs(grid, "bo" if most <= 1 else ".A"):
        if len(line) + len(item) > _LINE:
            lines.append(line)
            line = ""
        line += item
    return "\n".join([*lines, line]) + "\n"


def _read_header(text: str) -> tuple[int, int, int] | None:
    """Return width, height and the position of the first run, or None without a header."""
    begin = 0
    for line in text[:_MAX_HEAD].splitlines(keepends=True):
        begin += len(line)
        bare = line.removeprefix("\ufeff").rstrip()
        if bare and not bare.startswith("#"):
            match = _HEADER.fullmatch(bare)
            return None if match is None else (int(match[1]), int(match[2]), begin)
    return None


def _split_into_pieces(text: str, begin: int, end: int) -> Iterator[str]:
    """Yield a text in pieces that end with a run."""
    while begin < end:
        cut = min(begin + _PIECE, end)
        longest = min(cut + 2 * _MAX_DIGITS, end)
        while cut < longest and _KINDS[ord(text[cut - 1]) & 0xFF] in {_DIGIT, _PREFIX}:
            cut += 1
        yield text[begin:cut]
        begin = cut


class _RunReader:
    """Reads a text piece by piece into a grid.

    NumPy reads all runs of a piece together: one by one, the runs of the largest grid take minutes.
    """

    def __init__(self, height: int, width: int) -> None:
        self._height, self._width = height, width
        self._x = self._y = 0
        # Differences between successive cells, modulo 256: a run changes two of them.
        self._rises = np.zeros(height * width + 1, np.uint8)

    def grid(self) -> Grid:
        """Return the cells of all runs."""
        cells = np.cumsum(self._rises, dtype=np.uint8, out=self._rises)[:-1]
        return cells.reshape(self._height, self._width)

    def read(self, piece: str) -> None:
        """Read the runs of a text."""
        # With a space on both sides, every character has neighbours.
        text = np.frombuffer(f" {piece} ".encode("ascii", "replace"), np.uint8)
        kinds = _KINDS[text]
        _check_characters(piece, kinds)
        ends = np.flatnonzero(kinds >= _ROWS)
        if not ends.size:
            return
        counts, states = _read_counts(text, kinds, ends), _read_states(text, kinds, ends)
        is_rows = kinds[ends] == _ROWS
        rows, cells = np.where(is_rows, counts, 0), np.where(is_rows, 0, counts)
        y = self._y + np.cumsum(rows) - rows
        before = np.cumsum(cells) - cells
        # Subtract the cells before the row.
        x = before - np.maximum.accumulate(np.where(is_rows, before, -self._x))
        outside = ~is_rows & ((y >= self._height) | (x + counts > self._width))
        if outside.any():
            at = int(outside.argmax())
            raise InputError(
                f"A run of {counts[at]} cells at column {x[at] + 1} of row {y[at] + 1} is "
                f"outside the {self._width} x {self._height} cells of the header: correct one of "
                "them."
            )
        drawn = (states > 0) & (cells > 0)
        first = y[drawn] * self._width + x[drawn]
        self._rises[first] += states[drawn]
        self._rises[first + cells[drawn]] -= states[drawn]
        self._x = 0 if is_rows[-1] else int(x[-1] + cells[-1])
        self._y = int(y[-1] + rows[-1])


def _check_characters(piece: str, kinds: npt.NDArray[np.uint8]) -> None:
    """Raise if the text holds anything but runs; `kinds` has one more entry on both sides."""
    current, after = kinds[1:-1], kinds[2:]
    stray = current == _STRAY
    stray |= (current == _DIGIT) & (after <= _SPACE)
    stray |= (current == _PREFIX) & (after != _LETTER)
    if stray.any():
        raise InputError(
            f"{piece[int(stray.argmax())]!r} is not part of RLE: cells are b, o, '.', A to X and "
            "pA to yO, rows end with $, and all ends with !."
        )


def _read_counts(
    text: npt.NDArray[np.uint8], kinds: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the count of each run, which is 1 if the text has no number."""
    places = np.arange(text.size)
    last_other = np.maximum.accumulate(np.where(kinds == _DIGIT, 0, places))
    last_digit = ends - 1 - (kinds[ends - 1] == _PREFIX)
    digits = last_digit - last_other[last_digit]
    if digits.max() > _MAX_DIGITS:
        raise InputError(f"A count has at most {_MAX_DIGITS} digits: correct it.")
    counts = np.zeros(ends.size, np.int64)
    for digit in range(int(digits.max())):
        has_digit = digits > digit
        counts[has_digit] += (text[last_digit[has_digit] - digit] - np.int64(ord("0"))) * 10**digit
    return np.where(digits == 0, 1, counts)


def _read_states(
    text: npt.NDArray[np.uint8], kinds: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint8]:
    """Return the state of each run; it is meaningless for an end of rows."""
    states = np.where(text[ends] == ord("o"), 1, 0)
    letters = kinds[ends] == _LETTER
    states[letters] = text[ends[letters]].astype(np.int64) - ord("A") + 1
    long = kinds[ends - 1] == _PREFIX
    states[long] += 24 * (text[ends[long] - 1].astype(np.int64) - ord("p") + 1)
    if states.max() > _MAX_STATE:
        at = int(ends[states.argmax()])
        tag = bytes(text[at - 1 : at + 1]).decode("ascii")
        raise InputError(f"The state {tag!r} is above {_MAX_STATE}, the highest: yO.")
    return states.astype(np.uint8)


def _format_tag(state: int, plain: str) -> str:
    if state <= 1:
        return plain[state]
    before, letter = divmod(state - 1, 24)
    return ("" if before == 0 else chr(ord("p") + before - 1)) + chr(ord("A") + letter)


def _format_runs(grid: Grid, plain: str) -> Iterator[str]:
    ends = 0  # rows that ended since the last written cell
    for row in grid:
        starts = np.concatenate(([0], np.flatnonzero(np.diff(row)) + 1)).tolist()
        lengths = np.diff([*starts, row.size]).tolist()
        states = row[starts].tolist()
        if states[-1] == 0:
            lengths.pop()
            states.pop()
        if states and ends:
            yield _format_run(ends, "$")
            ends = 0
        for length, state in zip(lengths, states, strict=True):
            yield _format_run(length, _format_tag(state, plain))
        ends += 1
    yield "!"


def _format_run(count: int, tag: str) -> str:
    return tag if count == 1 else f"{count}{tag}"

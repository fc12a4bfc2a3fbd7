"""Grids in Golly's run length encoding, of two states and of several."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import MAX_CELLS, Grid, check_size

_HEADER = re.compile(r"\s*x\s*=\s*(\d{1,99})\s*,\s*y\s*=\s*(\d{1,99})\s*(?:,.*)?", re.IGNORECASE)
_ITEM = re.compile(r"(\d{0,10})([.bo$!A-X]|[p-y][A-X])|(\S)|\s+")
_LINE = 70  # longest line that Golly itself writes
_PLAIN, _SEVERAL = "B3/S23", "/2/{}"  # rules that make Golly accept two states, or that many


def is_rle(text: str) -> bool:
    """Return whether a text begins as this format does: remarks after ``#``, then ``x = ...``."""
    for line in text.removeprefix("\ufeff").splitlines():
        if line.strip() and not line.startswith("#"):
            return _HEADER.fullmatch(line) is not None
    return False


def parse(text: str, most_cells: int = MAX_CELLS) -> Grid:
    """Read a grid from Golly's run length encoding.

    Parameters
    ----------
    text : str
        Lines of remarks that begin with ``#``; a header ``x = width, y = height``; then runs: a
        count and ``b`` or ``.`` for 0, ``o`` or ``A`` for 1, ``B`` to ``X`` for 2 to 24, ``pA`` to
        ``yO`` for 25 to 255, ``$`` for the end of rows and ``!`` for the end of all.
    most_cells : int
        Most cells allowed; the header is checked before anything is made.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        The states; cells that no run names are 0.

    Raises
    ------
    InputError
        If there is no header, a run lies outside the size that it names, something is no run, or
        the end is missing.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    while lines and (not lines[0].strip() or lines[0].startswith("#")):
        lines.pop(0)
    header = _HEADER.fullmatch(lines[0]) if lines else None
    if header is None:
        raise InputError("The text has no header: RLE begins with a line 'x = width, y = height'.")
    width, height = int(header[1]), int(header[2])
    check_size((height, width), most_cells)
    grid = np.zeros((height, width), np.uint8)
    x = y = 0
    for count, tag in _items("\n".join(lines[1:])):
        if tag == "!":
            return grid
        if tag == "$":
            x, y = 0, y + count
            continue
        if y >= height or x + count > width:
            raise InputError(
                f"A run of {count} cells at column {x + 1} of row {y + 1} lies outside the "
                f"{width} x {height} cells of the header: correct one of them."
            )
        grid[y, x : x + count] = _state(tag)
        x += count
    raise InputError("The text ends before its '!': it was cut off, so copy or save it again.")


def format_grid(grid: Grid) -> str:
    """Write a grid in Golly's run length encoding.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        States from 0 to 255; with states above 1, the many-state form is written.

    Returns
    -------
    str
        The text, ended by a newline; :func:`parse` reads it back.
    """
    height, width = grid.shape
    most = int(grid.max())
    rule = _PLAIN if most <= 1 else _SEVERAL.format(most + 1)
    lines = [f"x = {width}, y = {height}, rule = {rule}"]
    line = ""
    for item in _runs(grid, "bo" if most <= 1 else ".A"):
        if len(line) + len(item) > _LINE:
            lines.append(line)
            line = ""
        line += item
    return "\n".join([*lines, line]) + "\n"


def _items(text: str) -> Iterator[tuple[int, str]]:
    for match in _ITEM.finditer(text):
        count, tag, stray = match.groups()
        if stray is not None:
            raise InputError(
                f"{stray!r} is no part of RLE: cells are b, o, '.', A to X and pA to yO, rows end "
                "with $, and all ends with !."
            )
        if tag is not None:
            yield int(count or 1), tag


def _state(tag: str) -> int:
    if tag in "b.":
        return 0
    if tag == "o":
        return 1
    letter = ord(tag[-1]) - ord("A") + 1
    state = letter if len(tag) == 1 else 24 * (ord(tag[0]) - ord("p") + 1) + letter
    if state > 255:
        raise InputError(f"The state {tag!r} is above 255, the highest: yO.")
    return state


def _tag(state: int, plain: str) -> str:
    if state <= 1:
        return plain[state]
    before, letter = divmod(state - 1, 24)
    return ("" if before == 0 else chr(ord("p") + before - 1)) + chr(ord("A") + letter)


def _runs(grid: Grid, plain: str) -> Iterator[str]:
    ends = 0  # rows that ended since the last cell that was written
    for row in grid:
        starts = np.concatenate(([0], np.flatnonzero(np.diff(row)) + 1)).tolist()
        lengths = np.diff([*starts, row.size]).tolist()
        states = row[starts].tolist()
        if states[-1] == 0:
            lengths.pop()
            states.pop()
        if states and ends:
            yield _counted(ends, "$")
            ends = 0
        for length, state in zip(lengths, states, strict=True):
            yield _counted(length, _tag(state, plain))
        ends += 1
    yield "!"


def _counted(count: int, tag: str) -> str:
    return tag if count == 1 else f"{count}{tag}"

"""Grids as text: a line for each row, ``#`` for foreground and ``.`` for background."""

from __future__ import annotations

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.grids.grid import Grid, check_size

_BACKGROUND, _FOREGROUND = ".", "#"
_BYTES = np.frombuffer(b".#", np.uint8)


def parse(text: str) -> Grid:
    """Read a grid from text.

    Parameters
    ----------
    text : str
        Lines of ``.`` and ``#``, all of one length. Blanks at the end of a line, empty lines at the
        end of the text and a byte order mark at its start are ignored.

    Returns
    -------
    ndarray of uint8, shape (lines, length of a line)
        0 and 1.

    Raises
    ------
    InputError
        If there is no cell, another character, or a line of another length; it names the line.
    """
    lines = [line.rstrip() for line in text.removeprefix("\ufeff").rstrip().splitlines()]
    if not lines:
        raise InputError("The text holds no cell: write lines of '.' and '#'.")
    for number, line in enumerate(lines, start=1):
        _check_line(number, line, width=len(lines[0]))
    check_size((len(lines), len(lines[0])))
    cells = np.frombuffer("".join(lines).encode("ascii"), np.uint8)
    grid: Grid = (cells == ord(_FOREGROUND)).astype(np.uint8).reshape(len(lines), -1)
    return grid


def format_grid(grid: Grid) -> str:
    """Write a grid as text.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        0 and 1.

    Returns
    -------
    str
        One line for each row, each ended by a newline; :func:`parse` reads it back.
    """
    height, width = grid.shape
    rows = np.full((height, width + 1), ord("\n"), np.uint8)
    rows[:, :width] = _BYTES[(grid != 0).astype(np.intp)]
    return rows.tobytes().decode("ascii")


def _check_line(number: int, line: str, width: int) -> None:
    if line.count(_BACKGROUND) + line.count(_FOREGROUND) != len(line):
        column, stray = next(
            (i, c) for i, c in enumerate(line, start=1) if c not in (_BACKGROUND, _FOREGROUND)
        )
        raise InputError(
            f"Line {number}, column {column} holds {stray!r}: use only '.' for background and '#' "
            "for foreground."
        )
    if len(line) != width:
        raise InputError(
            f"Line {number} has {len(line)} cells where line 1 has {width}: make all lines equally "
            "long."
        )

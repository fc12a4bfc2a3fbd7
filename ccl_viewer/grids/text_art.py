"""Grids as text: a line for each row, ``#`` for foreground and ``.`` for background.

Multi-valued grids have a digit or a letter for each cell: ``1`` to ``9``, then ``A`` to ``Z``, then
``a`` to ``z``. ``0`` is background as ``.`` is, and ``1`` is the same as ``#``.

Whole numbers with blanks or commas between them are read as well, as NumPy's ``savetxt`` writes
them.
"""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.grids.grid import MAX_CELLS, Grid, check_size
from ccl_viewer.support.units import counted

SYMBOLS = ".123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""Character of each value that text can hold."""

_PLAIN = ".#"
_BACKGROUND = "."
_ALLOWED = frozenset(SYMBOLS + "#0")
_STRAY, _BLANK, _LINE_END = 255, 254, 253
"""Entry of the table of values for characters other than cells."""
_BETWEEN = " \t,"
_NUMBERS = re.compile(r"(?=.*\d)[\d.eE+\-\s,]+", re.DOTALL)
_LARGEST = 255


@cache
def _value_table() -> npt.NDArray[np.uint8]:
    table = np.full(256, _STRAY, np.uint8)
    for value, symbol in enumerate(SYMBOLS):
        table[ord(symbol)] = value
    table[ord("0")], table[ord("#")] = 0, 1
    table[[ord(" "), ord("\t")]] = _BLANK
    table[ord("\n")] = _LINE_END
    return table


def is_text_art(text: str) -> bool:
    """Return whether a text is surely a grid.

    Its lines are equally long and hold only ``.``, ``#`` and digits, or letters as well if there is
    background in several lines. Or its lines hold equally many numbers, separated by blanks.
    """
    lines = _split_lines(text)
    if len(lines) > 1 and _is_numbers(lines[0]) and _NUMBERS.fullmatch(text.strip()):
        return len({len(_split_words(line)) for line in lines}) == 1
    if not lines or not lines[0] or len({len(line) for line in lines}) > 1:
        return False
    cells = "".join(lines)
    return not cells.strip(".#0123456789") or (
        len(lines) > 1 and cells.count(_BACKGROUND) >= len(lines) and _ALLOWED.issuperset(cells)
    )


def parse(text: str, most_cells: int = MAX_CELLS) -> Grid:
    """Read a grid from text.

    Parameters
    ----------
    text : str
        Lines of ``.`` and ``#``, or of digits and letters for values, all of one length; or of
        numbers from 0 to 255, separated by blanks or commas. Blanks at the end of a line, empty
        lines at the end of the text and a byte order mark at its start are ignored.
    most_cells : int
        Most cells allowed; length and number of the lines are checked before memory is allocated.

    Returns
    -------
    ndarray of uint8, shape (lines, length of a line)
        0 and 1, or the values.

    Raises
    ------
    InputError
        If there is no cell, an unknown character, or a line of another length; the message names
        the line.
    """
    lines = text.removeprefix("\ufeff").rstrip().replace("\r\n", "\n").replace("\r", "\n")
    if not lines:
        raise InputError("The text holds no cell: write lines of '.' and '#'.")
    first = lines.partition("\n")[0].rstrip(" \t")
    if _is_numbers(first):
        return _parse_numbers(lines.split("\n"), most_cells)
    width = len(first)
    if width:
        check_size((lines.count("\n") + 1, width), most_cells)
    # Each step handles the whole text: a Python loop over millions of cells or lines takes long.
    values = _value_table()[np.frombuffer(f"{lines}\n".encode("ascii", "replace"), np.uint8)]
    is_cell = values < _LINE_END
    stray = values == _STRAY
    stray[:-1] |= (values[:-1] == _BLANK) & is_cell[1:]
    ends = np.flatnonzero(values == _LINE_END)
    starts = np.concatenate(([0], ends[:-1] + 1))
    widths = np.add.reduceat(is_cell, starts, dtype=np.int64)
    if stray.any():
        at = int(stray.argmax())
        number = int(np.searchsorted(ends, at))
        raise InputError(
            f"Line {number + 1}, column {at - int(starts[number]) + 1} holds {lines[at]!r}: use "
            "only '.' for background and '#' for foreground, or digits and letters for values."
        )
    unequal = widths != widths[0]
    if unequal.any():
        number = int(unequal.argmax())
        cells = counted(int(widths[number]), "cell")
        raise InputError(
            f"Line {number + 1} has {cells} where line 1 has {widths[0]}: make all lines equally "
            "long."
        )
    return values[is_cell].reshape(widths.size, -1)


def _split_lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.removeprefix("\ufeff").rstrip().splitlines()]


def _is_numbers(line: str) -> bool:
    """Return whether a line holds separated numbers."""
    between = any(sign in line.strip() for sign in _BETWEEN)
    return between and _NUMBERS.fullmatch(line) is not None


def _split_words(line: str) -> list[str]:
    return line.replace(",", " ").split()


def _parse_numbers(lines: list[str], most_cells: int) -> Grid:
    """Read integers that are separated by blanks or commas."""
    check_size((len(lines), len(_split_words(lines[0]))), most_cells)
    spaced = [line.replace(",", " ") for line in lines]
    try:
        values = np.loadtxt(spaced, np.float64, comments=None, ndmin=2)
    except ValueError:
        values = np.full((1, 1), np.nan)
    if values.shape[0] == len(lines) and (values == np.clip(np.rint(values), 0, _LARGEST)).all():
        return values.astype(np.uint8)
    for number, line in enumerate(lines, start=1):
        _check_numbers(number, _split_words(line), len(_split_words(lines[0])))
    raise InputError("The text holds no grid of numbers: write lines of '.' and '#'.")


def _check_numbers(number: int, words: list[str], width: int) -> None:
    for column, word in enumerate(words, start=1):
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not (value.is_integer() and 0 <= value <= _LARGEST):
            raise InputError(
                f"Line {number}, number {column} is {shorten(word)!r}: use whole numbers from 0 to "
                f"{_LARGEST}, or lines of '.' and '#' without blanks."
            )
    if len(words) != width:
        raise InputError(
            f"Line {number} has {counted(len(words), 'number')} where line 1 has {width}: make all "
            "lines equally long."
        )


def format_grid(grid: Grid) -> str:
    """Write a grid as text.

    Parameters
    ----------
    grid : ndarray of uint8, shape (height, width)
        Values from 0 to 61. If none is above 1, foreground is written as ``#``.

    Returns
    -------
    str
        One line for each row, each with a newline; :func:`parse` reads it back.

    Raises
    ------
    InputError
        If a value is above 61.
    """
    height, width = grid.shape
    check_fits(grid)
    most = int(grid.max())
    symbols = np.frombuffer((_PLAIN if most <= 1 else SYMBOLS).encode("ascii"), np.uint8)
    rows = np.full((height, width + 1), ord("\n"), np.uint8)
    rows[:, :width] = symbols[grid.astype(np.intp)]
    return rows.tobytes().decode("ascii")


def check_fits(grid: Grid) -> None:
    """Raise if text has no character for a value of a grid.

    Raises
    ------
    InputError
        If a value is above 61.
    """
    most = int(grid.max())
    if most >= len(SYMBOLS):
        raise InputError(
            f"The grid holds the value {most}, and text has characters for 0 to "
            f"{len(SYMBOLS) - 1}: save it as .png, .npy or .rle."
        )

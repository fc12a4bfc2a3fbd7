"""The table of components as CSV, TSV and JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import Any, Final, TextIO

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms.components import TABLE
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.storage.files import replacing

Table = npt.NDArray[np.void]

_FORMAT: Final = 1
_SUFFIXES: Final = (".csv", ".json")
_AT_ONCE: Final = 1 << 16  # rows held as Python objects at a time


def check_table_name(path: Path) -> None:
    """Refuse a file name without a table format.

    Raises
    ------
    InputError
        If the suffix is not a table format.
    """
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(
            f"Components are saved as .csv or .json, not as {shorten(path.name or path)}: name it "
            "so."
        )


def write_components(file: TextIO, parts: Iterable[Table], delimiter: str = ",") -> None:
    """Write a header line and a line for each component, in the order of the table.

    Parameters
    ----------
    file : text file
        Destination, opened without translation of line ends.
    parts : iterable of structured ndarray
        The table as of :func:`ccl_viewer.components`, in one or more parts.
    delimiter : str
        Separator of values.
    """
    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    writer.writerow(TABLE.names or ())
    for rows in _split_rows(parts):
        writer.writerows(rows)


def save_components(path: Path, parts: Iterable[Table], run: Mapping[str, object]) -> None:
    """Save a table of components; a failure leaves no partial file.

    Parameters
    ----------
    path : Path
        Destination; the suffix decides the format.
    parts : iterable of structured ndarray
        The table as of :func:`ccl_viewer.components`, in one or more parts.
    run : mapping
        For JSON: the input and the settings, as JSON values.

    Raises
    ------
    InputError
        If the suffix is unknown, or it cannot be written.
    """
    check_table_name(path)
    with replacing(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        if path.suffix.lower() == ".csv":
            write_components(file, parts)
            return
        names = TABLE.names or ()
        empty = json.dumps({"format": _FORMAT, **run, "components": []}, indent=1)
        file.write(empty.removesuffix("]\n}"))
        between, end = "\n", ""
        for rows in _split_rows(parts):
            for row in rows:
                text = json.dumps(dict(zip(names, row, strict=True)), indent=1)
                file.write(between + indent(text, "  "))
                between, end = ",\n", "\n "
        file.write(f"{end}]\n}}\n")


def _split_rows(parts: Iterable[Table]) -> Iterator[list[tuple[Any, ...]]]:
    for part in parts:
        for first in range(0, part.size, _AT_ONCE):
            yield part[first : first + _AT_ONCE].tolist()


def sort_by_area(table: Table) -> Table:
    """Return the table with the largest area first; equal ones by number."""
    return table[np.argsort(-table["area"], kind="stable")]

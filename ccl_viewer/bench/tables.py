"""Tables of reports, as the papers print them: what was published beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ccl_viewer.bench.claims import TIME, Results
from ccl_viewer.bench.measuring import Measurement


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    title : str
        What it shows, and in which unit.
    header : sequence of str
        The titles of its columns.
    rows : sequence of sequence of str
        Its cells as text.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


TableMaker: TypeAlias = Callable[[Results], Table]
"""Given the results, returns a table of them."""


def number(value: float) -> str:
    """Return a value with three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"


def time_text(m: Measurement | None, kernel: str = "") -> str:
    """Return a time with half the distance between its rounds, empty if there is none."""
    if m is None:
        return ""
    figures = m.kernels.get(kernel, {}) if kernel else m.figures
    if TIME not in figures:
        return ""
    times = [part[kernel] for part in m.rounds if kernel in part]
    spread = (max(times) - min(times)) / 2 if len(times) > 1 else 0.0
    return f"{number(figures[TIME])} \N{PLUS-MINUS SIGN} {spread:.2g}"


def yield_text(found: Iterable[Measurement]) -> str:
    """Return on how many grids labels were wrong, of those on which they were compared."""
    compared = [m for m in found if m.correct is not None]
    wrong = sum(m.correct is False for m in compared)
    return f"labels wrong on {wrong} of {len(compared)} grids"


def rows_of(
    results: Results, cases: Sequence[tuple[str, str]], published: Sequence[str]
) -> list[list[str]]:
    """Return a row of published and a row of measured times for each case.

    Parameters
    ----------
    results : Results
        What was measured.
    cases : sequence of (str, str)
        The titles of the rows, and their cases.
    published : sequence of str
        The paper's cells of each row, with spaces between; empty for a row that it does not have.
    """
    rows = []
    for (title, case), cells in zip(cases, published, strict=True):
        if cells:
            rows.append([f"{title}, published", *cells.split()])
        measured = [time_text(results.measurement(case, name)) for name in results.workloads]
        rows.append([f"{title}, measured", *measured])
    return rows

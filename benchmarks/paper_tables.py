"""Tables of reports in the papers' form: published beside measured figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from paper_results import Results

from ccl_viewer.bench.measuring import TIME, Measurement


@dataclass(frozen=True)
class BenchTable:
    """A table.

    Parameters
    ----------
    title : str
        Title, with the unit.
    header : sequence of str
        Titles of the columns.
    rows : sequence of sequence of str
        Cells as text.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


TableMaker: TypeAlias = Callable[[Results], BenchTable]
"""A function from the results to a table of them."""


def format_number(value: float) -> str:
    """Return a value with three digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.3g}"


def median_text(m: Measurement | None) -> str:
    """Return the median of a time, with half the range of its rounds, empty if there is none."""
    if m is None or TIME not in m.figures:
        return ""
    times = [part[""] for part in m.rounds if "" in part]
    spread = (max(times) - min(times)) / 2 if len(times) > 1 else 0.0
    return f"{format_number(m.figures[TIME])} \N{PLUS-MINUS SIGN} {spread:.2g}"


def wrong_labels_text(measurements: Iterable[Measurement]) -> str:
    """Return the number of grids with wrong labels, and of grids that were compared."""
    compared = [m for m in measurements if m.correct is not None]
    wrong = sum(m.correct is False for m in compared)
    return f"labels wrong on {wrong} of {len(compared)} grids"


def published_and_measured(
    results: Results, cases: Sequence[tuple[str, str]], published: Sequence[str]
) -> list[list[str]]:
    """Return a row of published and a row of measured times for each case.

    Parameters
    ----------
    results : Results
        The results.
    cases : sequence of (str, str)
        The titles of the rows, and their cases.
    published : sequence of str
        The paper's cells of each row, separated by spaces; empty for a row without any.
    """
    rows = []
    for (title, case), cells in zip(cases, published, strict=True):
        if cells:
            rows.append([f"{title}, published", *cells.split()])
        measured = [median_text(results.measurement(case, name)) for name in results.workloads]
        rows.append([f"{title}, measured", *measured])
    return rows

"""The columns of the table of steps: their titles, their texts, and which there is room for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ccl_viewer.recording import Step
from ccl_viewer.session.facts.step_table import Row
from ccl_viewer.views.looks.text import DASH
from ccl_viewer.views.steps.format import (
    format_launch,
    short_kernel,
)


@dataclass(frozen=True)
class Column:
    """One column.

    Parameters
    ----------
    title, help : str
        Over it, and in its tooltip.
    width : int
        Pixels that it has at least.
    text : callable
        Returns what it shows of a row.
    left : bool
        Whether its text begins at the left, as words do and numbers do not.
    spare : int
        0 for a column that is always shown; others come as there is room, 1 first.
    """

    title: str
    help: str
    width: int
    text: Callable[[Row], str]
    left: bool = False
    spare: int = 0


def _count(number: int | None) -> str:
    return DASH if number is None else f"{number:,}"


def _time(row: Row) -> str:
    if row.spread is None:
        return row.scale.write(row.step.milliseconds, DASH)
    return row.scale.write_around(row.spread.median, row.spread.margin, DASH)


COLUMNS: Mapping[str, Column] = {
    "step": Column("Step", "Place in the recording", 40, lambda row: f"{row.step.index + 1:,}"),
    "iteration": Column(
        "Iter.", "Round of the convergence loop", 40, lambda row: _count(row.step.iteration)
    ),
    "level": Column("Level", "Level of the merge", 44, lambda row: _count(row.step.level)),
    "stage": Column(
        "Stage", "What the launch is for", 88, lambda row: str(row.step.stage), left=True
    ),
    "kernel": Column(
        "Kernel", "Name of the kernel", 72, lambda row: short_kernel(row.step), left=True
    ),
    "launch": Column(
        "Launch", "Blocks of threads", 92, lambda row: format_launch(row.step), spare=2
    ),
    "time": Column("Time", "Time of the launch on the device", 66, _time),
    "changed": Column(
        "Changed", "Cells whose label the launch changed", 66, lambda row: f"{row.step.changed:,}"
    ),
    "roots": Column(
        "Roots",
        "Cells that are their own parent: trees that are left",
        50,
        lambda row: f"{row.step.roots:,}",
    ),
    "merged": Column(
        "Merged",
        "Roots that the launch hooked to others",
        62,
        lambda row: _count(row.merged),
        spare=3,
    ),
    "wrong": Column(
        "Wrong",
        "Cells with a wrong root: they lead to another than the one they end with, or to none",
        62,
        lambda row: _count(row.wrong),
        spare=1,
    ),
    "atomics": Column(
        "Atomics",
        "Calls of atomic functions by all threads of the launch; not counted on a GPU",
        66,
        lambda row: _count(row.step.atomics),
        spare=4,
    ),
}
"""All columns by name, in their order."""

NAMES = tuple(COLUMNS)


def fitting(steps: tuple[Step, ...], widths: Mapping[str, int], room: int) -> frozenset[str]:
    """Return the columns that are shown if nobody chose.

    Parameters
    ----------
    steps : tuple of Step
        Iterations and levels have a column where a step has one.
    widths : mapping of str to int
        Of each column, in pixels.
    room : int
        Pixels that there are.
    """
    absent = set()
    if not any(step.iteration for step in steps):
        absent.add("iteration")
    if not any(step.level for step in steps):
        absent.add("level")
    shown = {name for name, column in COLUMNS.items() if not column.spare} - absent
    room -= sum(widths[name] for name in shown)
    for name in sorted(NAMES, key=lambda name: COLUMNS[name].spare):
        if COLUMNS[name].spare and widths[name] <= room:
            shown.add(name)
            room -= widths[name]
    return frozenset(shown)

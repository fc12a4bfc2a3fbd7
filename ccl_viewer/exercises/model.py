"""An exercise: a kernel with gaps, the task, and the goals to reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ccl_viewer.execution.plan import ParameterValue

GAP: Final = re.compile(
    r"^[ \t]*// GAP (\d+)\b[^\n]*\n(.*?)^[ \t]*// END OF GAP \1\b[^\n]*\n", re.M | re.S
)
"""A gap in a kernel: the lines between ``// GAP 1: what belongs here`` and ``// END OF GAP 1``."""


@dataclass(frozen=True)
class Budget:
    """The most, or the least, that a run may cost on one grid.

    Parameters
    ----------
    figure : str
        Name of a figure of :class:`ccl_viewer.diagnostics.profile.Profile`, such as ``"atomics"``.
    grid : str
        A pattern, or a drawing of ``#`` and ``.``.
    kernel : str
        Only launches of this kernel count; empty for all kernels.
    most, least : float or None
        The bounds; None for no bound.
    """

    figure: str
    grid: str
    kernel: str = ""
    most: float | None = None
    least: float | None = None


@dataclass(frozen=True)
class Goal:
    """One goal of an exercise.

    Parameters
    ----------
    title : str
        The goal as a sentence.
    budget : Budget or None
        The allowed cost of a run. None asks for right labels in any order of the threads, without
        memory errors.
    sizes : str
        The array that must hold the size of each component at its first cell, in any order of the
        threads; empty for other goals.
    """

    title: str
    budget: Budget | None = None
    sizes: str = ""


@dataclass(frozen=True)
class Exercise:
    """A kernel with gaps.

    Parameters
    ----------
    key : str
        Its name on the command line.
    title : str
        A few words.
    task : str
        What to do, in the Markdown of lessons.
    hints : tuple of str
        Help, one by one.
    notes : mapping
        Sentences to add to a verdict, by kind of defect.
    goals : tuple of Goal
        The goals, in the order in which they are judged.
    lesson : str
        Key of the lesson that teaches the prerequisites; may be empty.
    minutes : int
        Approximate time.
    algorithm : str
        Key of the algorithm that launches the kernels.
    module : str
        The kernel module that the student's file replaces.
    connectivity : int
        4 or 8.
    parameters : mapping
        Parameters of the algorithm.
    grids : tuple of str
        Patterns or drawings on which the labels are judged.
    orders : int
        Random orders of the threads on each grid.
    own_races : bool
        Whether a student may declare harmless races; otherwise only those of the exercise's kernel
        are accepted.
    source : str
        The kernel with its gaps.
    path : Path
        The exercise's file.
    """

    key: str
    title: str
    task: str
    hints: tuple[str, ...]
    notes: Mapping[str, str]
    goals: tuple[Goal, ...]
    lesson: str
    minutes: int
    algorithm: str
    module: str
    connectivity: int
    parameters: Mapping[str, ParameterValue]
    grids: tuple[str, ...]
    orders: int
    own_races: bool
    source: str = field(repr=False)
    path: Path

    @property
    def gaps(self) -> tuple[str, ...]:
        """The original text of each gap."""
        return tuple(found[2] for found in GAP.finditer(self.source))

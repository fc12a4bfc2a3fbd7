"""Figures of a recording for the texts of lessons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from ccl_viewer.diagnostics.profile import Profile
from ccl_viewer.errors import InputError
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.model import COUNT_FIGURES
from ccl_viewer.recording import Recording, Step

Figure: TypeAlias = int | str
OfRun: TypeAlias = Callable[[Recording], Figure]
OfStep: TypeAlias = Callable[[Recording, int], Figure]
OfCell: TypeAlias = Callable[[Recording, int, Cell], Figure]


def _foreground(recording: Recording) -> int:
    return int(np.count_nonzero(recording.image))


def _components(recording: Recording) -> int:
    return recording.component_numbers()[1]


def _found(recording: Recording) -> int:
    return 0 if recording.verdict is None else recording.verdict.found


def _wrong_labels(recording: Recording) -> int:
    return 0 if recording.verdict is None else recording.verdict.wrong_cells


def _depth(recording: Recording, step: int) -> int:
    """Count the links on the longest path to a root."""
    return recording.tree_counts(step).depth


def _iteration(recording: Recording, step: int) -> int:
    number = recording.step(step).iteration
    if number is None:
        raise InputError("This step belongs to no iteration: leave {iteration} out.")
    return number


def _level(recording: Recording, step: int) -> int:
    number = recording.step(step).level
    if number is None:
        raise InputError("This step belongs to no merge level: leave {level} out.")
    return number


def _counted(name: str, steps: Sequence[Step]) -> Figure:
    """Return a figure of the emulator's counts of some launches."""
    ledgers = tuple(step.ledger for step in steps if step.ledger is not None)
    if len(ledgers) < len(steps):
        raise InputError(
            f"Nothing was counted in that run: write {{{name}}} in a scene that shows it."
        )
    figure = Profile(ledgers).figures()[name]
    if isinstance(figure, int):
        return figure
    return f"{figure:.1f}" if name == "active_lanes" else f"{figure:.0%}"


def _of_launch(name: str) -> OfStep:
    return lambda recording, step: _counted(name, (recording.step(step),))


def _of_all(name: str) -> OfRun:
    return lambda recording: _counted(name, recording.steps)


def _blocks(recording: Recording, step: int) -> int:
    x, y, z = recording.step(step).grid
    return x * y * z


def _threads(recording: Recording, step: int) -> int:
    x, y, z = recording.step(step).block
    return x * y * z


RUN_FIGURES: Mapping[str, OfRun] = MappingProxyType(
    {
        "steps": len,
        "iterations": lambda recording: recording.iterations,
        "changes": lambda recording: sum(step.changed for step in recording.steps),
        "cells": _foreground,
        "components": _components,
        "found": _found,
        "wrong_labels": _wrong_labels,
        "width": lambda recording: recording.image.shape[1],
        "height": lambda recording: recording.image.shape[0],
        **{f"all_{name}": _of_all(name) for name in COUNT_FIGURES},
    }
)
"""Figures of a run, by name."""

STEP_FIGURES: Mapping[str, OfStep] = MappingProxyType(
    {
        "step": lambda recording, step: recording.step(step).index + 1,
        "stage": lambda recording, step: str(recording.step(step).stage),
        "kernel": lambda recording, step: recording.step(step).kernel,
        "changed": lambda recording, step: recording.step(step).changed,
        "roots": lambda recording, step: recording.step(step).roots,
        "merged": lambda recording, step: recording.change_counts(step).hooked,
        "wrong": lambda recording, step: recording.tree_counts(step).wrong,
        "depth": _depth,
        "iteration": _iteration,
        "level": _level,
        "blocks": _blocks,
        "threads": _threads,
        **{name: _of_launch(name) for name in COUNT_FIGURES},
    }
)
"""Figures of a step, by name."""


def _label(recording: Recording, step: int, cell: Cell) -> int:
    label = int(recording.labels(step)[cell[1], cell[0]])
    if label == recording.layout.background:
        raise InputError(f"The cell {_at(cell)} has no label at this step.")
    return label


def _root(recording: Recording, step: int, cell: Cell) -> int:
    """Return the label that the root of a cell holds: its address, as the paper writes it."""
    address = int(recording.roots(step)[cell[1], cell[0]])
    if address < 0:
        raise InputError(f"The cell {_at(cell)} leads to no root at this step.")
    return int(recording.labels(step).flat[address])


def _links(recording: Recording, step: int, cell: Cell) -> int:
    """Count the links from a cell to its root."""
    _root(recording, step, cell)
    parents = recording.parents(step).ravel()
    address, links = cell[1] * recording.image.shape[1] + cell[0], 0
    while parents[address] != address:
        address, links = int(parents[address]), links + 1
    return links


def _area(recording: Recording, step: int, cell: Cell) -> int:
    del step
    numbers, _ = recording.component_numbers()
    number = int(numbers[cell[1], cell[0]])
    if not number:
        raise InputError(f"The cell {_at(cell)} is background and has no area.")
    return int(np.count_nonzero(numbers == number))


CELL_FIGURES: Mapping[str, OfCell] = MappingProxyType(
    {"label": _label, "root": _root, "links": _links, "area": _area}
)
"""Figures of a cell after a step, by name."""


def layer_value(recording: Recording, step: int, name: str, cell: Cell) -> int:
    """Return the value of a recorded layer for a cell after a step.

    Parameters
    ----------
    recording : Recording
        The run.
    step : int
        The step, from 0.
    name : str
        Name of the layer.
    cell : tuple of int
        Column and row.
    """
    return int(recording.layer(name, step)[cell[1], cell[0]])


def _at(cell: Cell) -> str:
    return f"[{cell[0]}, {cell[1]}]"

"""What there is to say of a launch beside its source: its shape, what it was given, the paper."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ccl_viewer.algorithms import algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.plan import Dim3
from ccl_viewer.recording import Recording, Step
from ccl_viewer.session.state import Cell

_TIMES = "\N{MULTIPLICATION SIGN}"
_LAYER_CELLS = 1 << 18
"""Layers of larger grids are not decoded for the sake of one cell."""


@dataclass(frozen=True)
class Fact:
    """A name and its value, as text.

    Parameters
    ----------
    name, value : str
        What it is, and what it is worth.
    detail : str
        More about it, such as its type.
    """

    name: str
    value: str
    detail: str = ""


def shape_of(size: Dim3) -> str:
    """Return a launch's grid or block in words, without a depth of 1: ``3 x 2``."""
    shown = size[:2] if size[2] == 1 else size
    return f" {_TIMES} ".join(f"{length:,}" for length in shown)


def call_of(step: Step) -> str:
    """Return the launch as CUDA writes it."""
    grid, block = (", ".join(map(str, size)) for size in (step.grid, step.block))
    return f"{step.kernel}<<<dim3({grid}), dim3({block})>>>"


def launch_sentence(step: Step) -> str:
    """Return how many blocks and threads a launch has, and how many atomic operations it made."""
    blocks, threads = prod(step.grid), prod(step.block)
    return (
        f"{shape_of(step.grid)} {_plural('block', blocks)} of {shape_of(step.block)} "
        f"{_plural('thread', threads)}: {blocks * threads:,} in all{_atomics(step.atomics)}"
    )


def arguments_of(step: Step) -> tuple[Fact, ...]:
    """Return what the kernel was given, in the order of its parameters."""
    return tuple(
        Fact(
            argument.name,
            _value(argument.value),
            argument.type,
        )
        for argument in step.arguments
    )


def macros_of(step: Step) -> tuple[Fact, ...]:
    """Return the macros that the kernel was built with."""
    return tuple(Fact(name, str(value)) for name, value in step.macros)


def values_at(recording: Recording, step: Step, label: int, cell: Cell) -> tuple[Fact, ...]:
    """Return what the arrays hold for a cell after a step.

    Parameters
    ----------
    recording : Recording
        The run.
    step : Step
        The step on display.
    label : int
        The cell's raw label after it.
    cell : tuple of int
        Column and row, within the grid.

    Returns
    -------
    tuple of Fact
        The grid, the raw label, and the layers, as far as they can be had at once.
    """
    x, y = cell
    facts = [Fact("image", f"{recording.image[y, x]}"), Fact("label", f"{label}")]
    if recording.image.size <= _LAYER_CELLS:
        facts += [
            Fact(name, f"{recording.layer(name, step.index)[y, x]}") for name in recording.layers
        ]
    return tuple(facts)


def citation_of(key: str) -> str:
    """Return the paper of an algorithm; nothing for one that is not known here."""
    try:
        return algorithm(key).citation
    except InputError:
        return ""


def _value(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value.replace(" x ", f" {_TIMES} ")


def _atomics(count: int | None) -> str:
    return "" if count is None else f"; {count:,} {_plural('atomic operation', count)}"


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"

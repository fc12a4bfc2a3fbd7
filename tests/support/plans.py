"""Launches of every algorithm in every variant, from plans run against a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, repeat

import numpy as np
import pytest

from ccl_viewer.algorithms import ALGORITHMS, Algorithm, Parameter
from ccl_viewer.algorithms.components import find_components
from ccl_viewer.algorithms.consecutive import number_components
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Launch, ParameterValue, Task
from support.scripted_run import ScriptedRun

MAX = 40
"""Parameters without a useful upper end are tested up to this value."""


def variants(row: Algorithm) -> Iterator[Mapping[str, ParameterValue]]:
    """The defaults, then each parameter at its bounds with all others at their defaults."""
    yield row.complete({})
    for parameter in row.parameters:
        for value in _ends(parameter):
            yield row.complete({parameter.name: value})


def _ends(parameter: Parameter) -> Iterator[int | str]:
    if parameter.choices:
        yield from (choice.name for choice in parameter.choices)
        return
    yield parameter.minimum
    yield min(parameter.maximum, MAX)


VARIANTS = [
    pytest.param(
        row.key,
        connectivity,
        parameters,
        id=f"{row.key}-{connectivity}-"
        + ",".join(f"{name}={value}" for name, value in parameters.items()),
    )
    for row in ALGORITHMS.values()
    for connectivity in row.connectivities
    for parameters in variants(row)
]
"""(algorithm, connectivity, parameters): all choices for a run."""


def task_for(
    shape: tuple[int, int], connectivity: int, parameters: Mapping[str, ParameterValue]
) -> Task:
    """A task on a grid of a given shape."""
    return Task(Buffer("image", shape, np.dtype(np.uint8)), connectivity, parameters)


def launches(
    key: str, connectivity: int, parameters: Mapping[str, ParameterValue], shape: tuple[int, int]
) -> list[Launch]:
    """All launches of a run of two iterations, and of the numbering of flat labels."""
    run = ScriptedRun(chain([1], repeat(0)))
    row = ALGORITHMS[key]
    outcome = execute(row.planner(task_for(shape, connectivity, parameters)), run)
    for launch in outcome.completion:
        run.launch(launch)
    if outcome.flat:
        execute(number_components(outcome.labels, roots_first=row.roots_first), run)
    return run.launches


def table_launches(connectivity: int, shape: tuple[int, int]) -> list[Launch]:
    """The launches of the table of components, after two algorithms."""
    all_launches = []
    for row in (ALGORITHMS["bke"], ALGORITHMS["komura"]):
        run = ScriptedRun(repeat(1))  # values to read: one component of one cell
        execute(find_components(row, task_for(shape, connectivity, row.complete({}))), run)
        all_launches += run.launches
    return all_launches

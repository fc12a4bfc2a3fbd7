"""The type of an algorithm: an entry of the table of algorithms."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, shorten
from ccl_viewer.execution.plan import (
    Buffer,
    Dim3,
    NumberPlan,
    ParameterValue,
    Plan,
    Reply,
    Request,
    Task,
)
from ccl_viewer.support.spelling import find_nearest

Planner: TypeAlias = Callable[[Task], Plan]

Numberer: TypeAlias = Callable[[Task], NumberPlan]


_CROSS: Final = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.bool_)


def parse_value(text: str) -> int | str:
    """Return the value of a parameter from text: a whole number, or otherwise a name."""
    return int(text) if text.removeprefix("-").isdecimal() else text


@dataclass(frozen=True)
class Choice:
    """A value of a parameter that has names instead of numbers.

    Parameters
    ----------
    name : str
        An identifier.
    help : str
        What it does, as a text that continues the name.
    fault : str
        How its labels can be wrong, in one sentence; empty if they are always right.
    racy : bool
        Whether the fault only occurs in some orders of the threads.
    """

    name: str
    help: str
    fault: str = ""
    racy: bool = False

    @property
    def title(self) -> str:
        """The name, with a warning if labels can be wrong."""
        return f"{self.name} (labels can be wrong)" if self.fault else self.name


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm: a whole number, or one of several names.

    Parameters
    ----------
    name, title, help : str
        Keyword, short name, and a description in one sentence or more.
    default : int, str or None
        Default value; None if a missing value has a special meaning (see `help`).
    minimum, maximum : int
        Bounds of a number, both allowed.
    absent : str
        Text of a field for None.
    choices : tuple of Choice
        The allowed names; empty for a number.
    """

    name: str
    title: str
    help: str
    default: ParameterValue
    minimum: int = 0
    maximum: int = 0
    absent: str = "All"
    choices: tuple[Choice, ...] = ()

    def format_value(self, value: int | str) -> str:
        """Return a value for display; a choice has a warning if its labels can be wrong."""
        titles = {choice.name: choice.title for choice in self.choices}
        return titles.get(value, value) if isinstance(value, str) else f"{value:,}"

    def allows(self, value: ParameterValue) -> bool:
        """Return whether :meth:`resolve` accepts a value."""
        try:
            self.resolve(value)
        except InputError:
            return False
        return True

    def resolve(self, value: ParameterValue) -> ParameterValue:
        """Return the value if it is allowed.

        Raises
        ------
        InputError
            If it is not a whole number within the bounds, or none of the choices.
        """
        if self.choices:
            names = [choice.name for choice in self.choices]
            if value not in names:
                raise InputError(
                    f"The parameter {self.name} must be {' or '.join(names)}, not {value!r}."
                )
            return value
        if value is None and self.default is None:
            return None
        if isinstance(value, str):
            raise InputError(
                f"The parameter {self.name} must be a whole number, not {shorten(value)}."
            )
        try:
            number = self.minimum - 1 if value is None else index(value)
        except TypeError:
            number = self.minimum - 1
        if isinstance(value, bool) or not self.minimum <= number <= self.maximum:
            raise InputError(
                f"The parameter {self.name} must be a whole number from {self.minimum} to "
                f"{self.maximum}, not {value!r}."
            )
        return number


@dataclass(frozen=True)
class Tabulator:
    """Plans that find components and their features without labels.

    Parameters
    ----------
    count : callable
        Makes the plan that counts the components of a task. It reads nothing, and returns a buffer
        for `measure` and the buffer of the count, with the name ``"total"``.
    measure : callable
        Makes the plan that continues, given the task, the buffers of `count` by their names, and
        the number of components. It returns the table: see
        :func:`ccl_viewer.algorithms.components.find_components`.
    """

    count: Numberer
    measure: Callable[
        [Task, Mapping[str, Buffer], int], Generator[Request, Reply, npt.NDArray[np.void]]
    ]


@dataclass(frozen=True)
class Algorithm:
    """One entry of the table of algorithms.

    Parameters
    ----------
    key : str
        Name in code and on the command line.
    title : str
        Name for people.
    citation : str
        Authors, title and year of the paper.
    summary : str
        One sentence: the idea.
    connectivities : tuple of int
        Supported connectivities; the first is the paper's.
    multivalued : bool
        Whether cells of equal non-zero value can connect, instead of all non-zero ones.
    planner : callable
        Makes the plan for a task.
    parameters : tuple of Parameter
        Its parameters.
    roots_first : bool
        Whether the final root of a component is its first cell in raster order.
    parents_before : bool
        Whether labels never name a later cell in raster order.
    labels_fall : bool
        Whether labels never rise, once they are set.
    tagline : str
        The idea in a few words, for lists; if empty, lists show the summary.
    numberer : callable or None
        Makes a plan that labels with consecutive numbers directly, if that is faster than
        numbering the labels of `planner`.
    tabulator : Tabulator or None
        Finds components and their features without labels, if that is faster; not for multi-valued
        grids.
    """

    key: str
    title: str
    citation: str
    summary: str
    connectivities: tuple[int, ...]
    multivalued: bool
    planner: Planner
    parameters: tuple[Parameter, ...] = ()
    roots_first: bool = True
    parents_before: bool = True
    labels_fall: bool = True
    tagline: str = ""
    numberer: Numberer | None = None
    tabulator: Tabulator | None = None

    @property
    def sandboxed(self) -> bool:
        """Whether it is user code, which only runs in a child process."""
        return is_sandboxed(self.key)

    @property
    def project_variant(self) -> dict[str, ParameterValue]:
        """The parameters that choose the project's variant; empty without such a variant."""
        variants = {choice.name for each in self.parameters for choice in each.choices}
        return {"variant": "project"} if "project" in variants else {}

    def resolve_connectivity(self, connectivity: Any) -> int:
        """Return the connectivity if the algorithm supports it; the paper's for None.

        Raises
        ------
        InputError
            If it does not. ``4.0`` is refused too, because connectivities become macros of kernels
            and must be integers.
        """
        if connectivity is None:
            return self.connectivities[0]
        if type(connectivity) is int and connectivity in self.connectivities:
            return connectivity
        meant = neighbours_meant(connectivity)
        if meant is not None:
            raise InputError(f"Connectivity is a number of neighbours: write connectivity={meant}.")
        number = isinstance(connectivity, int | np.integer)
        if not number or connectivity not in self.connectivities:
            able = " or ".join(str(c) for c in self.connectivities)
            raise InputError(
                f"{self.title} labels with connectivity {able}, not {connectivity!r}: choose "
                "that, or another algorithm (ccl-viewer list algorithms shows what each can do)."
            )
        return int(connectivity)

    def complete(self, given: Mapping[str, ParameterValue]) -> dict[str, ParameterValue]:
        """Return all parameters: the given ones, checked, and defaults for the rest.

        Raises
        ------
        InputError
            If a parameter is unknown or out of bounds.
        """
        parameters = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in parameters:
                near = find_nearest(name, parameters)
                hint = "" if near is None else f" (did you mean {near}?)"
                has = ", ".join(parameters) if parameters else "none"
                raise InputError(
                    f"{self.title} has no parameter {shorten(name)}{hint}; it has {has}."
                )
        return {
            name: parameter.resolve(given.get(name, parameter.default))
            for name, parameter in parameters.items()
        }


def is_sandboxed(key: str) -> bool:
    """Return whether a key, of an algorithm or a kernel module, is that of user code."""
    return ":" in key


def neighbours_meant(value: object) -> int | None:
    """Return the number of neighbours that a value means in other libraries; None if unknown.

    Parameters
    ----------
    value : object
        SciPy and CuPy take an array of 3 x 3 that marks neighbours, scikit-image 1 or 2.
    """
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    if array.dtype.kind in "iu" and array.ndim == 0:
        return {1: 4, 2: 8}.get(array.item())
    if array.dtype.kind not in "buif" or array.shape != _CROSS.shape:
        return None
    if array.all():
        return 8
    return 4 if np.array_equal(array != 0, _CROSS) else None


def connectivity_advice(value: object) -> str:
    """Return a hint for a value that is the connectivity in the form of another library."""
    meant = neighbours_meant(value)
    if isinstance(value, int | np.integer) and value in {4, 8}:
        meant = int(value)
    return "connectivity=4 or connectivity=8" if meant is None else f"connectivity={meant}"


def ceil_div(cells: int, threads: int) -> int:
    """Return the number of blocks of a size that cover a number of cells."""
    return -(-cells // threads)


def grid_dim(width: int, height: int, block: Dim3) -> Dim3:
    """Return the grid of blocks that covers width x height cells, one thread per cell.

    Parameters
    ----------
    width, height : int
        Size of the grid in cells.
    block : tuple of three int
        Threads in a block, as (x, y, z).
    """
    return (ceil_div(width, block[0]), ceil_div(height, block[1]), 1)

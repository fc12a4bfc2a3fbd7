"""What an algorithm is to the rest of the program: a row of the table."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from operator import index
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, cut
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

Planner: TypeAlias = Callable[[Task], Plan]

Numberer: TypeAlias = Callable[[Task], NumberPlan]


_CROSS: Final = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.bool_)


def parse_value(text: str) -> int | str:
    """Return a parameter's value as text spells it: a whole number, or else a name."""
    return int(text) if text.removeprefix("-").isdecimal() else text


@dataclass(frozen=True)
class Choice:
    """A value of a parameter that has names instead of numbers.

    Parameters
    ----------
    name : str
        What callers write: an identifier.
    help : str
        What it does, to follow the name.
    fault : str
        What is wrong with it, in one sentence; empty if its labels are always right.
    racy : bool
        Whether that shows in some orders of threads only.
    """

    name: str
    help: str
    fault: str = ""
    racy: bool = False

    @property
    def title(self) -> str:
        """The name, and a warning where labels can be wrong."""
        return f"{self.name} (labels can be wrong)" if self.fault else self.name


@dataclass(frozen=True)
class Parameter:
    """A whole number, or one of several names, that an algorithm can be given.

    Parameters
    ----------
    name, title, help : str
        Keyword, short name and what it is for the user, in one sentence or more.
    default : int, str or None
        Value if none is given; None where absence has a meaning of its own (said in `help`).
    minimum, maximum : int
        Bounds of a number, both allowed.
    absent : str
        What a field shows for None: what absence means, in a word.
    choices : tuple of Choice
        The names that are allowed, if it is no number.
    """

    name: str
    title: str
    help: str
    default: ParameterValue
    minimum: int = 0
    maximum: int = 0
    absent: str = "All"
    choices: tuple[Choice, ...] = ()

    def shown(self, value: int | str) -> str:
        """Return a value as people read it: a choice with a warning if its labels can be wrong."""
        titles = {choice.name: choice.title for choice in self.choices}
        return titles.get(value, value) if isinstance(value, str) else f"{value:,}"

    def allows(self, value: ParameterValue) -> bool:
        """Return whether :meth:`check` lets a value pass."""
        try:
            self.check(value)
        except InputError:
            return False
        return True

    def check(self, value: ParameterValue) -> ParameterValue:
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
            raise InputError(f"The parameter {self.name} must be a whole number, not {cut(value)}.")
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
    """How components and their features are found without labels.

    Parameters
    ----------
    count : callable
        Makes the plan that counts the components of a task. It reads nothing, and returns a buffer
        for `measure` and that of the count, which has the name ``"total"``.
    measure : callable
        Makes the plan that goes on from there, given the task, the buffers of `count` by their
        names, and how many components there are. It returns the table: see
        :func:`ccl_viewer.algorithms.components.components`.
    """

    count: Numberer
    measure: Callable[
        [Task, Mapping[str, Buffer], int], Generator[Request, Reply, npt.NDArray[np.void]]
    ]


@dataclass(frozen=True)
class Algorithm:
    """One row of the table of algorithms.

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
        Connectivities it can label; the first is the paper's own.
    multivalued : bool
        Whether cells of equal non-zero value can connect, instead of all non-zero ones.
    planner : callable
        Makes the plan for a task.
    parameters : tuple of Parameter
        What can be set.
    roots_first : bool
        Whether the root that a component ends with is its first cell in raster order.
    parents_before : bool
        Whether no label ever names a cell behind its own in raster order.
    labels_fall : bool
        Whether labels only ever fall, once they are given.
    line : str
        The idea in a few words, for lists; the summary where it is empty.
    relabel_consecutive : callable or None
        Makes the plan that labels and numbers at once, where that is faster than to number the
        labels of `planner` afterwards.
    tabulator : Tabulator or None
        Finds components and their features without labels, where that is faster than to label
        first; not for several values.
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
    line: str = ""
    relabel_consecutive: Numberer | None = None
    tabulator: Tabulator | None = None

    @property
    def sandboxed(self) -> bool:
        """Whether its code is the user's, which runs in a child process only."""
        return is_sandboxed(self.key)

    @property
    def project_form(self) -> dict[str, ParameterValue]:
        """The parameters that choose this project's form; empty if there is no such form."""
        forms = {choice.name for each in self.parameters for choice in each.choices}
        return {"variant": "project"} if "project" in forms else {}

    def check_connectivity(self, connectivity: Any) -> int:
        """Return the connectivity if the algorithm has it, and that of its paper for None.

        Raises
        ------
        InputError
            If it does not. ``4.0`` is refused too: connectivities are macros of the kernels, where
            a number with a point has no place.
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
        """Return all parameters: those given, checked, and the others' defaults.

        Raises
        ------
        InputError
            If a parameter is unknown or out of bounds.
        """
        known = {parameter.name: parameter for parameter in self.parameters}
        for name, value in given.items():
            if name == "structure":
                raise InputError(
                    f"Neighbours are not given as a structure: write {connectivity_advice(value)}."
                )
            if name not in known:
                has = ", ".join(known) if known else "none"
                raise InputError(f"{self.title} has no parameter {cut(name)}; it has {has}.")
        return {
            name: parameter.check(given.get(name, parameter.default))
            for name, parameter in known.items()
        }


def is_sandboxed(key: str) -> bool:
    """Return whether a key, of an algorithm or a kernel module, is that of user code."""
    return ":" in key


def neighbours_meant(value: object) -> int | None:
    """Return how many neighbours a value means to another library: 4, 8, or None if it means none.

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
    """Return what to write for a value that says in some way how many neighbours are meant."""
    meant = neighbours_meant(value)
    if isinstance(value, int | np.integer) and value in {4, 8}:
        meant = int(value)
    return "connectivity=4 or connectivity=8" if meant is None else f"connectivity={meant}"


def blocks(cells: int, threads: int) -> int:
    """Return how many blocks of so many threads cover so many cells."""
    return -(-cells // threads)


def cover(width: int, height: int, block: Dim3) -> Dim3:
    """Return the grid of blocks that covers width x height cells, one thread a cell.

    Parameters
    ----------
    width, height : int
        Size of the grid in cells.
    block : tuple of three int
        Threads in a block, as (x, y, z).
    """
    return (blocks(width, block[0]), blocks(height, block[1]), 1)

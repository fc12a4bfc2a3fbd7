"""Plans: the requests with which an algorithm's host side controls a device.

A plan is a generator. It yields requests (:class:`Buffer`, :class:`Fill`, :class:`Launch`,
:class:`StartRead`, :class:`Read`), is sent the values that it reads, and returns an
:class:`Outcome`. It never sees a device, so the same plan can be recorded, timed, run for its
labels only, or played against a fake in a test.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Dim3: TypeAlias = tuple[int, int, int]
ParameterValue: TypeAlias = int | str | None
"""Value of a parameter: a number, the name of a choice, or None if it is left out."""

WARP: Final = 32
"""Threads of a warp."""

Cells = TypeVar("Cells", int, npt.NDArray[np.int64])


class Stage(StrEnum):
    """What a launch is for, by the paper's name if that distinguishes its launches."""

    INIT = "init"
    PROPAGATE = "propagate"
    SCAN = "scan"
    ANALYSIS = "analysis"
    LABEL = "label"
    TILE = "tile"
    MERGE = "merge"
    FLATTEN = "flatten"
    STRIP = "strip"
    STRIP_MERGE = "strip-merge"
    RELABEL = "relabel"
    FEATURES = "features"
    ROWS = "rows"
    COLUMNS = "columns"
    HORIZONTAL_MERGE = "horizontal-merge"
    VERTICAL_MERGE = "vertical-merge"
    KERNEL_1 = "kernel 1: tile"
    KERNEL_2 = "kernel 2: merge"
    KERNEL_3 = "kernel 3: flatten"
    KERNEL_4 = "kernel 4: update"


class StageLevel(NamedTuple):
    """A stage at one level of a merge hierarchy; plots and sums have an entry for each.

    Parameters
    ----------
    stage : Stage
        The stage.
    level : int or None
        From 1; None outside a hierarchy.
    """

    stage: Stage
    level: int | None = None

    def __str__(self) -> str:
        """Return stage and level in words: ``"kernel 2: merge, level 1"``."""
        return str(self.stage) + ("" if self.level is None else f", level {self.level:,}")


@dataclass(frozen=True)
class LabelLayout:
    """How a label buffer maps to the grid, and what its values mean.

    A label names a cell by its address: cell (y, x) of the grid has the address
    ``(y + margin) * pitch + x + margin + origin``. A cell labelled with its own address is a root.

    Parameters
    ----------
    height, width : int
        Size of the grid in cells.
    pitch : int
        Cells in a row of the buffer, padding included.
    margin : int
        Padding above and to the left of the grid, in cells. The padding below equals the padding to
        the right, which follows from the pitch.
    origin : int
        Address of the buffer's first cell.
    background : int
        Label of background, and of foreground that has no label yet.
    """

    height: int
    width: int
    pitch: int
    margin: int = 0
    origin: int = 0
    background: int = 0

    def crop(self, raw: Array) -> npt.NDArray[np.int32]:
        """Return the grid's part of a label buffer as a copy.

        Parameters
        ----------
        raw : ndarray, shape (rows, pitch)
            The whole buffer.

        Returns
        -------
        ndarray of int32, shape (height, width)
            A contiguous copy of the labels, as the paper writes them, without padding.
        """
        return np.array(self.inner(raw), dtype=np.int32, order="C")

    def inner(self, raw: Array) -> Array:
        """Return the grid's part of a buffer as a view.

        Parameters
        ----------
        raw : ndarray, shape (rows, pitch)
            The whole buffer.

        Returns
        -------
        ndarray, shape (height, width)
            A view.
        """
        rows = raw.reshape(-1, self.pitch)
        inside = slice(self.margin, self.margin + self.width)
        return rows[self.margin : self.margin + self.height, inside]

    def parents(self, labels: Array) -> npt.NDArray[np.int64]:
        """Return the cells that labels point at.

        Parameters
        ----------
        labels : ndarray of integers, shape (height, width)
            Labels without padding, as :meth:`crop` returns them, or other values that name cells.

        Returns
        -------
        ndarray of int64, shape (height, width)
            Linear index ``y * width + x`` of the cell that each cell points at; -1 where the cell
            has no label; -2, or a number beyond the last cell, where the label names no cell.
        """
        parents = labels.astype(np.int64) - self.origin
        outside = parents < 0
        if self.margin or self.pitch != self.width:
            y, x = np.divmod(parents, self.pitch)
            y, x = y - self.margin, x - self.margin
            parents = y * self.width + x
            outside |= (y < 0) | (x < 0) | (x >= self.width)
        parents[outside] = -2
        parents[labels == self.background] = -1
        return parents

    def addresses(self, cells: Cells) -> Cells:
        """Return the labels that name cells; the inverse of :meth:`parents`.

        Parameters
        ----------
        cells : int or ndarray of int64, any shape
            Linear indices ``y * width + x``.

        Returns
        -------
        int or ndarray of int64, of the same shape
            Their addresses.
        """
        y, x = divmod(cells, self.width)
        return (y + self.margin) * self.pitch + x + self.margin + self.origin


@dataclass(frozen=True, eq=False)
class Buffer:
    """An array in the device's memory; yielding it allocates it.

    Parameters
    ----------
    name : str
        Name of the kernel argument.
    shape : tuple of int
        Shape in elements.
    dtype : numpy dtype
        Element type.
    fill : int or None
        Initial value of every element; None leaves the memory uninitialised.
    layout : LabelLayout or None
        How the buffer maps to the grid. Set for the buffer of labels, which recordings show, and
        for padded layers.
    layer : str or None
        Name under which recordings keep an array that the paper shows beside the labels, such as
        sizes. It has one element per cell, in the grid's shape or padded as in `layout`.
    refers : bool
        Whether the values of a layer name cells as labels do, so that arrows can be drawn.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    fill: int | None = None
    layout: LabelLayout | None = None
    layer: str | None = None
    refers: bool = False

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


Argument: TypeAlias = Buffer | np.int32 | np.uint32 | np.int64 | np.uint64


@dataclass(frozen=True)
class Kernel:
    """A ``__global__`` function: its module, its name, and the macros of the build.

    Parameters
    ----------
    module : str
        Stem of the file in ``kernels/``; ``copy:`` and ``own:`` begin those of the user's files.
    name : str
        Name of the function.
    macros : tuple of (str, int)
        Macro definitions, in a fixed order; they are part of the module's identity.
    """

    module: str
    name: str
    macros: tuple[tuple[str, int], ...] = ()

    @property
    def file(self) -> str:
        """Name of the module's file."""
        return f"{self.module.rpartition(':')[2]}.cu"


class PartKind(StrEnum):
    """Kind of the parts into which a kernel divides the grid."""

    BLOCK = "block"
    WARP = "warp"
    TILE = "tile"
    STRIP = "strip"
    RUN = "run"
    QUAD = "quad"


@dataclass(frozen=True)
class LaunchStructure:
    """A regular division of the grid by a launch, which the canvas draws over the grid.

    Parameters
    ----------
    part : PartKind
        Kind of the parts. Runs end where foreground ends and at the sides of the parts.
    width, height : int or None
        Size of a part in cells; None for the whole width or height of the grid.
    linear : bool
        The parts have `width` cells each, in raster order, and continue from the end of a row at
        the start of the next, as in one-dimensional launches; `height` is 1. Otherwise a part
        begins at every multiple of `width` and `height`.
    level : int or None
        Level of a merge hierarchy that made these parts, from 1; None outside one.
    only : int or None
        The only strip of rows, from 0, that the launch works on; None for all parts.

    Raises
    ------
    ValueError
        If a part has no cells, `linear` parts are not rows, or `only` is set without strips of
        rows.
    """

    part: PartKind
    width: int | None
    height: int | None
    linear: bool = False
    level: int | None = None
    only: int | None = None

    def __post_init__(self) -> None:
        """Check the division."""
        if any(side is not None and side < 1 for side in (self.width, self.height)):
            raise ValueError(f"a part of {self.width} x {self.height} cells has no cells")
        if self.linear and (self.width is None or self.height != 1):
            raise ValueError("a linear part is one row of cells")
        if self.only is not None and (self.height is None or self.width is not None):
            raise ValueError("only a strip of rows can be singled out")


@dataclass(frozen=True)
class Launch:
    """One kernel launch.

    Parameters
    ----------
    kernel : Kernel
        The function.
    grid, block : tuple of three int
        Blocks in the grid and threads in a block, as (x, y, z).
    arguments : tuple of Buffer or numpy scalar
        Arguments in the order of the kernel's parameters, with their exact types.
    stage : Stage
        What the launch is for.
    caption : str
        One sentence for the user: what this launch does, and why.
    iteration : int or None
        Round of the convergence loop, from 1; None outside one.
    level : int or None
        Level of a merge hierarchy, from 1; None outside one.
    shared_bytes : int
        Dynamic shared memory of a block, in bytes.
    paper : str
        The paper's name for it, such as "Algorithm 3, strip labelling"; empty if it has none.
    structures : tuple of LaunchStructure
        How the launch divides the grid, from the coarsest to the finest.
    """

    kernel: Kernel
    grid: Dim3
    block: Dim3
    arguments: tuple[Argument, ...]
    stage: Stage
    caption: str
    iteration: int | None = None
    level: int | None = None
    shared_bytes: int = 0
    paper: str = ""
    structures: tuple[LaunchStructure, ...] = ()


@dataclass(frozen=True)
class Fill:
    """Set every element of a buffer to one value."""

    buffer: Buffer
    value: int


@dataclass(frozen=True)
class Read:
    """Copy a buffer to the host; the plan is sent the array, in the buffer's shape."""

    buffer: Buffer


@dataclass(frozen=True)
class StartRead:
    """Start copying a buffer to the host as it is now, for its next :class:`Read`.

    Launches in between run during the transfer, so that in a convergence loop the device does not
    wait for the host.
    """

    buffer: Buffer


Request: TypeAlias = Buffer | Launch | Fill | StartRead | Read
Reply: TypeAlias = Array | None


@dataclass(frozen=True)
class Outcome:
    """Result of a plan.

    Parameters
    ----------
    labels : Buffer
        The buffer of the final labels: after `completion`, every cell names the root of its
        component.
    converged : bool
        False if the plan stopped at a fixed number of passes while labels were still changing.
    iterations : int
        Rounds of the convergence loop, including the last, which changes nothing; 0 for direct
        methods.
    flat : bool
        False if the final labels may name cells that only lead to the root.
    completion : tuple of Launch
        Launches that give every cell its label, if the algorithm itself does not (an analysis does
        not need them). They are not part of the algorithm: callers who need all labels play them
        after the plan, and recordings do not show them.
    """

    labels: Buffer
    converged: bool = True
    iterations: int = 0
    flat: bool = True
    completion: tuple[Launch, ...] = ()


Plan: TypeAlias = Generator[Request, Reply, Outcome]

NumberPlan: TypeAlias = Generator[Request, Reply, tuple[Buffer, Buffer]]
"""A plan that numbers components and reads nothing. It returns the buffer of numbers, ``int32`` of
the grid's shape, and that of the count, of one element."""


@dataclass(frozen=True)
class NumberingRequests:
    """All requests of a :data:`NumberPlan`, to be launched repeatedly.

    Parameters
    ----------
    image, numbers, count : Buffer
        The grid, the numbers, and the count.
    buffers : tuple of Buffer
        All buffers of the plan, including numbers and count.
    launches : tuple of Launch
        The launches, in order.
    """

    image: Buffer
    numbers: Buffer
    count: Buffer
    buffers: tuple[Buffer, ...]
    launches: tuple[Launch, ...]


@dataclass(frozen=True)
class Task:
    """The input of a plan.

    Parameters
    ----------
    image : Buffer
        The grid on the device, ``uint8`` of shape (height, width), 0 for background; the driver
        has filled it.
    connectivity : int
        4 or 8.
    parameters : mapping
        Values of all the algorithm's parameters, checked.
    multivalued : bool
        Whether only cells of equal non-zero value connect, instead of all non-zero cells.
    """

    image: Buffer
    connectivity: int
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    multivalued: bool = False

    @property
    def height(self) -> int:
        """Rows of the grid."""
        return self.image.shape[0]

    @property
    def width(self) -> int:
        """Columns of the grid."""
        return self.image.shape[1]

    def parameter(self, name: str) -> int:
        """Return the value of a parameter that is always a number."""
        value = self.parameters[name]
        if not isinstance(value, int):
            raise TypeError(f"the parameter {name} is {value!r}, not a number")
        return value

    def optional(self, name: str) -> int | None:
        """Return the number of a parameter; None if it is left out."""
        return None if self.parameters[name] is None else self.parameter(name)

    def choice(self, name: str) -> str:
        """Return the name of a parameter's choice."""
        value = self.parameters[name]
        if not isinstance(value, str):
            raise TypeError(f"the parameter {name} is {value!r}, not a choice")
        return value


def cell_of_element(buffer: Buffer, index: int) -> tuple[int, int] | None:
    """Return column and row of the cell of a buffer's element.

    Parameters
    ----------
    buffer : Buffer
        The buffer.
    index : int
        Index of the element in memory.

    Returns
    -------
    tuple of int or None
        None if the buffer does not have one element per cell, or this element is padding.
    """
    layout = buffer.layout
    if layout is not None:
        y, x = (at - layout.margin for at in divmod(index, layout.pitch))
        return (x, y) if 0 <= x < layout.width and 0 <= y < layout.height else None
    if len(buffer.shape) != 2 or not 0 <= index < math.prod(buffer.shape):
        return None
    y, x = divmod(index, buffer.shape[1])
    return x, y


def unravel_index(linear: int, size: Dim3) -> Dim3:
    """Return the index of a thread in its block, or of a block in its grid.

    Parameters
    ----------
    linear : int
        Its linear index.
    size : tuple of three int
        Size of the block or grid.
    """
    x, y, _ = size
    return (linear % x, linear // x % y, linear // (x * y))


def linear_index(index: Dim3, size: Dim3) -> int:
    """Return the linear index of a thread or block; the inverse of :func:`unravel_index`."""
    x, y, z = index
    return x + size[0] * (y + size[1] * z)

"""The vocabulary of plans: what the host side of an algorithm may ask of a device.

A plan is a generator. It yields requests (:class:`Buffer`, :class:`Fill`, :class:`Launch`,
:class:`Fetch`, :class:`Read`), is sent the values that it reads, and returns an :class:`Outcome`.
It never sees a device, so the same plan is recorded, timed, run for its labels alone, or played
against a scripted fake in a test.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Dim3: TypeAlias = tuple[int, int, int]
ParameterValue: TypeAlias = int | str | None
"""Of an algorithm's parameter: a number, the name of a choice, or None where it is left out."""

Cells = TypeVar("Cells", int, npt.NDArray[np.int64])


class Stage(StrEnum):
    """What a launch is for, by the paper's name where that tells its launches apart."""

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
    """A stage at one level of a merge hierarchy: what plots and sums keep apart.

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
        """Return both in words: ``"kernel 2: merge, level 1"``."""
        return str(self.stage) + ("" if self.level is None else f", level {self.level:,}")


@dataclass(frozen=True)
class LabelLayout:
    """How a label buffer maps to the grid, and what its values mean.

    A label names a cell by its address: cell (y, x) of the grid has the address
    ``(y + margin) * pitch + x + margin + origin``. A cell whose label is its own address is a root.

    Parameters
    ----------
    height, width : int
        Size of the grid in cells.
    pitch : int
        Cells in a row of the buffer, padding included.
    margin : int
        Padding above and to the left of the grid, in cells. Below it is as much as the pitch
        leaves to its right.
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
        """Cut the grid out of a label buffer.

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
        """Return the part of a buffer that is the grid.

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
        """Translate labels into the cells that they point at.

        Parameters
        ----------
        labels : ndarray of integers, shape (height, width)
            Labels without padding, as :meth:`crop` returns them, or other values that name cells.

        Returns
        -------
        ndarray of int64, shape (height, width)
            Linear index ``y * width + x`` of the cell that each cell points at; -1 where the cell
            has no label.
        """
        address = labels.astype(np.int64) - self.origin
        if self.margin == 0 and self.pitch == self.width:
            parents = address
        else:
            y, x = np.divmod(address, self.pitch)
            parents = (y - self.margin) * self.width + (x - self.margin)
        parents[labels == self.background] = -1
        return parents

    def addresses(self, cells: Cells) -> Cells:
        """Translate cells into the labels that name them: the way back from :meth:`parents`.

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
        Name of the kernel argument that it is.
    shape : tuple of int
        Shape in elements.
    dtype : numpy dtype
        Element type.
    fill : int or None
        Value of every element to begin with; None leaves the memory as it is.
    layout : LabelLayout or None
        How the buffer maps to the grid. Given for the buffer that holds the labels, which is what
        recordings show, and for a layer that is padded.
    layer : str or None
        Given for an array that the paper shows beside the labels, such as sizes: its name, under
        which recordings keep it. One element a cell of the grid, in the grid's shape or padded
        as `layout` says.
    refers : bool
        Whether the values of a layer name cells as labels do, so that arrows can be drawn along
        them.
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
    """A ``__global__`` function: the module it lies in, its name, and the macros it is built with.

    Parameters
    ----------
    module : str
        Stem of the file in ``kernels/``; ``copy:`` and ``own:`` begin those of the user's files.
    name : str
        Name of the function.
    macros : tuple of (str, int)
        Macro definitions, in a fixed order; they take part in the identity of the module.
    """

    module: str
    name: str
    macros: tuple[tuple[str, int], ...] = ()

    @property
    def file(self) -> str:
        """Name of the module's file."""
        return f"{self.module.rpartition(':')[2]}.cu"


class Part(StrEnum):
    """What a kernel divides the grid into."""

    BLOCK = "block"
    WARP = "warp"
    TILE = "tile"
    STRIP = "strip"
    RUN = "run"
    QUAD = "quad"


@dataclass(frozen=True)
class Structure:
    """A regular division of the grid by which a launch works: what the canvas draws over it.

    Parameters
    ----------
    part : Part
        What one part is. Runs are cut where foreground ends, and at the sides of the parts.
    width, height : int or None
        Cells across and down a part; None for the whole width or height of the grid.
    linear : bool
        The parts are `width` cells each, one after another in raster order over the cells of the
        grid, from the end of one row to the start of the next, as one-dimensional launches have
        them; `height` is 1. Otherwise a part begins at every multiple of `width` and `height`.
    level : int or None
        Level of a merge hierarchy that made these parts, from 1; None outside one.
    only : int or None
        The strip of rows, from 0, on which alone the launch works; None for all parts.

    Raises
    ------
    ValueError
        If a part has no cells, a linear one is no row, or one singled out is no strip of rows.
    """

    part: Part
    width: int | None
    height: int | None
    linear: bool = False
    level: int | None = None
    only: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no division."""
        if any(side is not None and side < 1 for side in (self.width, self.height)):
            raise ValueError(f"a part of {self.width} x {self.height} cells has no cells")
        if self.linear and (self.width is None or self.height != 1):
            raise ValueError("a linear part is a row of so many cells")
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
        In the order of the kernel's parameters, with their exact types.
    stage : Stage
        What the launch is for.
    caption : str
        One sentence for the reader: what this launch does, and why.
    iteration : int or None
        Round of the convergence loop, from 1; None outside one.
    level : int or None
        Level of a merge hierarchy, from 1; None outside one.
    shared_bytes : int
        Dynamic shared memory of a block, in bytes.
    paper : str
        What the paper calls this, such as "Algorithm 3, strip labelling"; empty if it has no name.
    structures : tuple of Structure
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
    structures: tuple[Structure, ...] = ()


@dataclass(frozen=True)
class Fill:
    """Set every element of a buffer to one value."""

    buffer: Buffer
    value: int


@dataclass(frozen=True)
class Read:
    """Bring a buffer to the host; the plan is sent the array (a copy, of the buffer's shape)."""

    buffer: Buffer


@dataclass(frozen=True)
class Fetch:
    """Begin to bring a buffer to the host as it is now; its next :class:`Read` returns that.

    What is launched in between runs while the array is on its way, so that a convergence loop
    need not let the device wait for the host.
    """

    buffer: Buffer


Request: TypeAlias = Buffer | Launch | Fill | Fetch | Read
Reply: TypeAlias = Array | None


@dataclass(frozen=True)
class Outcome:
    """How a plan ended.

    Parameters
    ----------
    labels : Buffer
        The buffer that holds the final labels: every cell names the root of its component, once
        `completion` has run.
    converged : bool
        False if the plan stopped at a fixed number of passes while labels were still changing.
    iterations : int
        Rounds of the convergence loop, the one that only confirms included; 0 for direct methods.
    flat : bool
        False if cells may end at other cells than their roots, which leads there all the same.
    completion : tuple of Launch
        Launches that give every cell its label, for an algorithm that ends without (an analysis
        has no use for them). They are no part of it: whoever needs all labels plays them after
        the plan, and recordings do not show them.
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
class Numbering:
    """What a :data:`NumberPlan` asks for, as a whole: to be launched again and again.

    Parameters
    ----------
    image, numbers, count : Buffer
        The grid, the numbers, and the count.
    buffers : tuple of Buffer
        All that it allocates, numbers and count among them.
    launches : tuple of Launch
        In their order.
    """

    image: Buffer
    numbers: Buffer
    count: Buffer
    buffers: tuple[Buffer, ...]
    launches: tuple[Launch, ...]


@dataclass(frozen=True)
class Task:
    """What a plan is to label.

    Parameters
    ----------
    image : Buffer
        The grid on the device, ``uint8`` of shape (height, width), 0 for background; the driver
        has filled it.
    connectivity : int
        4 or 8.
    parameters : mapping
        Values of the algorithm's own parameters, complete and checked.
    multivalued : bool
        Whether only cells of equal non-zero value connect, instead of all non-zero ones.
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
        """Return the number that a parameter, which always has one, is set to."""
        value = self.parameters[name]
        if not isinstance(value, int):
            raise TypeError(f"the parameter {name} is {value!r}, which is no number")
        return value

    def optional(self, name: str) -> int | None:
        """Return the number that a parameter is set to; None where it is left out."""
        return None if self.parameters[name] is None else self.parameter(name)

    def choice(self, name: str) -> str:
        """Return the name of the choice that a parameter is set to."""
        value = self.parameters[name]
        if not isinstance(value, str):
            raise TypeError(f"the parameter {name} is {value!r}, which is no choice")
        return value

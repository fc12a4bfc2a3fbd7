"""What several plans need: label buffer, macros, size of the grid, tile parameters, flags."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, TypeAlias

import numpy as np

from ccl_viewer.algorithms.base import Choice, Parameter
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Buffer, Dim3, LabelLayout, Read, Reply, Request, Task

Macros: TypeAlias = tuple[tuple[str, int], ...]

_MAX_CELLS: Final = 2**31 - 1

TILE_PARAMETERS = (
    Parameter(
        "tile_width",
        "Tile width",
        "Columns of a tile that is labelled in shared memory.",
        default=32,
        minimum=2,
        maximum=32,
    ),
    Parameter(
        "tile_height",
        "Tile height",
        "Rows of a tile that is labelled in shared memory.",
        default=8,
        minimum=2,
        maximum=32,
    ),
)
"""Parameters of methods that label a tile per block, with a thread per cell."""


BLOCK_PARAMETERS = (
    Parameter(
        "block_width",
        "Block width",
        "Threads of a block across; each stands for a cell.",
        default=32,
        minimum=1,
        maximum=32,
    ),
    Parameter(
        "block_height",
        "Block height",
        "Threads of a block down; each stands for a cell.",
        default=8,
        minimum=1,
        maximum=32,
    ),
)
"""Parameters of methods whose blocks may have any shape; see :func:`block_shape`."""


def block_shape(task: Task) -> Dim3:
    """Return the threads of a block, from :data:`BLOCK_PARAMETERS`."""
    return task.parameter("block_width"), task.parameter("block_height"), 1


PRINTED: Final = 3
"""The macro VARIANT_PRINTED of ``kernels/common/variant.cuh``."""

_VARIANTS: Final = {"paper": 1, "project": 2, "printed": PRINTED}


def variant_parameter(
    project: str = "", *, printed: str = "", racy: bool = False, others: tuple[Choice, ...] = ()
) -> Parameter:
    """Return the parameter that chooses a variant: the paper's, this project's, the printed one.

    The paper's variant is the default, so that a name means the published algorithm. If the printed
    text gives wrong labels, the paper's variant has the smallest correction.

    Parameters
    ----------
    project : str
        How the project's variant differs, as a text that continues "project"; empty if there is
        none.
    printed : str
        How labels of the printed variant can be wrong, in one sentence; empty if it is right.
    racy : bool
        Whether that only occurs in some orders of the threads.
    others : tuple of Choice
        Further variants.
    """
    corrected = ", with the smallest correction that makes it right" if printed else ""
    choices = [Choice("paper", f"is the variant of the paper{corrected}")]
    if project:
        choices.append(Choice("project", project))
    if printed:
        choices.append(
            Choice("printed", "is the variant of the paper word for word", printed, racy)
        )
    choices += others
    words = "; ".join(f"{choice.name} {choice.help}" for choice in choices)
    wrong = " and ".join(choice.name for choice in choices if choice.fault)
    return Parameter(
        "variant",
        "Variant",
        f"{words}." + (f" Labels of {wrong} can be wrong. {printed}" if wrong else ""),
        default="paper",
        choices=tuple(choices),
    )


def variant_macro(task: Task) -> tuple[str, int]:
    """Return the macro VARIANT for a task; the default is the paper's variant."""
    chosen = task.choice("variant") if "variant" in task.parameters else "paper"
    return "VARIANT", _VARIANTS[chosen]


def index_label_buffer(task: Task, name: str = "labels", fill: int | None = None) -> Buffer:
    """Return a buffer for labels that are linear indices ``y * width + x``; -1 is background.

    Parameters
    ----------
    task : Task
        The task.
    name : str
        Name of the kernels' argument.
    fill : int or None
        As for :class:`~ccl_viewer.execution.plan.Buffer`.

    Returns
    -------
    Buffer
        ``int32`` of shape (height, width).
    """
    shape = (task.height, task.width)
    layout = LabelLayout(*shape, pitch=task.width, background=-1)
    return Buffer(name, shape, np.dtype(np.int32), fill=fill, layout=layout)


def check_padded(task: Task, padding: int, title: str) -> None:
    """Refuse a grid that has too many cells with padding.

    Parameters
    ----------
    task : Task
        The task.
    padding : int
        Number of rows, and of columns, that the method adds.
    title : str
        The title of the method.

    Raises
    ------
    InputError
        If 32-bit labels cannot name all cells.
    """
    height, width = task.height, task.width
    if (height + padding) * (width + padding) > _MAX_CELLS:
        raise InputError(
            f"{title} pads {width} x {height} cells to more than 32-bit labels can name: crop the "
            "grid, or choose an algorithm without padding."
        )


def extent(task: Task) -> tuple[np.int32, np.int32]:
    """Return the grid's width and height, as kernels take them."""
    return np.int32(task.width), np.int32(task.height)


def connectivity_macros(task: Task) -> Macros:
    """Return the macros for connectivity, and for grids of several values."""
    return (("CONNECTIVITY", task.connectivity), ("MULTIVALUED", int(task.multivalued)))


def read_flag(buffer: Buffer) -> Generator[Request, Reply, bool]:
    """Read a one-element buffer, and return whether it is not 0.

    For use inside plans: ``again = yield from read_flag(changed)``.
    """
    value = yield Read(buffer)
    if value is None:
        raise TypeError(f"the driver sent nothing for Read({buffer.name})")
    return bool(value.any())

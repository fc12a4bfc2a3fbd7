"""Find the cells of a launch's block, from the launch's structures."""

from __future__ import annotations

from ccl_viewer.execution.plan import Dim3, LaunchStructure, PartKind
from ccl_viewer.grids.shapes import Box, Cell
from ccl_viewer.recording import Step

_PARTS = (PartKind.BLOCK, PartKind.TILE, PartKind.STRIP)


def block_of_cell(step: Step, shape: tuple[int, int], cell: Cell) -> Dim3 | None:
    """Return the block that works on a cell; None if blocks are not parts of the grid.

    Parameters
    ----------
    step : Step
        The launch.
    shape : tuple of int
        Rows and columns of the grid.
    cell : tuple of int
        Column and row.
    """
    part = _part(step, shape)
    if part is None:
        return None
    x, y = cell
    if part.linear:
        return ((y * shape[1] + x) // (part.width or 1), 0, 0)
    column, row = x // (part.width or shape[1]), y // (part.height or shape[0])
    return (column, row, 0) if step.grid[1] > 1 or not row else (row, 0, 0)


def cells_of_block(step: Step, shape: tuple[int, int], block: Dim3) -> Box | None:
    """Return the cells of a block inside the grid; None if they are not a box or unknown.

    Parameters
    ----------
    step : Step
        The launch.
    shape : tuple of int
        Rows and columns of the grid.
    block : tuple of three int
        Index of the block, as (x, y, z).
    """
    part = _part(step, shape)
    if part is None or part.linear:
        return None
    width, height = part.width or shape[1], part.height or shape[0]
    column, row, _ = block
    if step.grid[1] == 1 and width >= shape[1]:
        column, row = 0, column
    top, left = row * height, column * width
    box = Box(top, left, top + height, left + width).clipped(shape)
    return None if box.empty else box


def _part(step: Step, shape: tuple[int, int]) -> LaunchStructure | None:
    """Return the structure with one block of the launch for each part."""
    height, width = shape
    for kind in _PARTS:
        for part in step.structures:
            if part.part is not kind or part.only is not None:
                continue
            if part.linear:
                count = (-(-width * height // (part.width or 1)), 1)
            else:
                count = -(-width // (part.width or width)), -(-height // (part.height or height))
            if step.grid in ((*count, 1), (count[1], count[0], 1) if count[0] == 1 else ()):
                return part
    return None

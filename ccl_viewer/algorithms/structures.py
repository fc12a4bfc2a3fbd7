"""How launches divide the grid, in the shapes that several algorithms share.

Each answer is kept: a plan is played between launches, and the device must not wait for it.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from ccl_viewer.execution.plan import WARP, Dim3, LaunchStructure, Part

LaunchStructures: TypeAlias = tuple[LaunchStructure, ...]


@cache
def per_cell(block: Dim3, across: int = 1, down: int = 1) -> LaunchStructures:
    """Return the blocks and warps of a launch with a thread a cell, or for a few cells.

    Parameters
    ----------
    block : tuple of three int
        Threads in a block, as (x, y, 1).
    across, down : int
        Cells of a thread.

    Returns
    -------
    tuple of LaunchStructure
        Blocks, then warps if they are rectangles that a block is made of.
    """
    threads_across, threads_down, _ = block
    parts = [LaunchStructure(Part.BLOCK, threads_across * across, threads_down * down)]
    warp = _warp(threads_across, threads_down)
    if warp is not None:
        parts.append(LaunchStructure(Part.WARP, warp[0] * across, warp[1] * down))
    return tuple(parts)


def _warp(across: int, down: int) -> tuple[int, int] | None:
    """Return the threads of a warp across and down, if all of a block's warps are alike."""
    if across % WARP == 0:
        return WARP, 1
    if across * down <= WARP:
        return across, down
    if WARP % across == 0 and down % (WARP // across) == 0:
        return across, WARP // across
    return None


@cache
def in_line(threads: int) -> LaunchStructures:
    """Return the blocks and warps of a one-dimensional launch with a thread a cell.

    Parts are regular: warps are left out where the last of a block is not full.
    """
    block = LaunchStructure(Part.BLOCK, threads, 1, linear=True)
    return (block,) if threads % WARP else (block, LaunchStructure(Part.WARP, WARP, 1, linear=True))


@cache
def tile(width: int, height: int | None = None, level: int | None = None) -> LaunchStructure:
    """Return a tile, square unless it has a height.

    Parameters
    ----------
    width, height : int
        Cells across and down.
    level : int or None
        Level of a merge hierarchy that made it, from 1; None outside one.
    """
    return LaunchStructure(Part.TILE, width, width if height is None else height, level=level)


@cache
def tile_a_block(width: int, height: int) -> LaunchStructures:
    """Return the parts of a launch in which a block labels a tile, with a thread a cell."""
    blocks, *warps = per_cell((width, height, 1))
    return (blocks, tile(width, height), *warps)


@cache
def warps_over_runs(columns: int, rows: int) -> LaunchStructures:
    """Return the parts of a launch whose warps look at `columns` cells of a row, and its runs.

    Parameters
    ----------
    columns : int
        Cells of a warp, in one row: no run that it sees is longer.
    rows : int
        Warps of a block, one below the other.
    """
    return (
        LaunchStructure(Part.BLOCK, columns, rows),
        LaunchStructure(Part.WARP, columns, 1),
        LaunchStructure(Part.RUN, columns, 1),
    )


@cache
def strip_a_block(columns: int, rows: int) -> LaunchStructures:
    """Return the parts of a launch whose blocks walk along strips, `columns` cells at a time."""
    return (
        LaunchStructure(Part.BLOCK, None, rows),
        LaunchStructure(Part.STRIP, None, rows),
        LaunchStructure(Part.WARP, columns, 1),
        LaunchStructure(Part.RUN, columns, 1),
    )


@cache
def strip_borders(columns: int, rows: int) -> LaunchStructures:
    """Return the parts of a launch that joins runs across the borders of strips."""
    return (LaunchStructure(Part.STRIP, None, rows), LaunchStructure(Part.RUN, columns, 1))

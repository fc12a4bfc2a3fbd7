"""Structures of launches that several algorithms share.

All results are cached: plans compute them between launches, while the device waits.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from ccl_viewer.execution.plan import WARP, Dim3, LaunchStructure, PartKind

LaunchStructures: TypeAlias = tuple[LaunchStructure, ...]


@cache
def block_structures(block: Dim3, across: int = 1, down: int = 1) -> LaunchStructures:
    """Return the blocks and warps of a launch with one or a few cells for each thread.

    Parameters
    ----------
    block : tuple of three int
        Threads in a block, as (x, y, 1).
    across, down : int
        Cells of a thread.

    Returns
    -------
    tuple of LaunchStructure
        Blocks, then warps if these are rectangles that tile a block.
    """
    threads_across, threads_down, _ = block
    parts = [LaunchStructure(PartKind.BLOCK, threads_across * across, threads_down * down)]
    warp = _warp(threads_across, threads_down)
    if warp is not None:
        parts.append(LaunchStructure(PartKind.WARP, warp[0] * across, warp[1] * down))
    return tuple(parts)


def _warp(across: int, down: int) -> tuple[int, int] | None:
    """Return the width and height of a warp, if all warps of a block have the same shape."""
    if across % WARP == 0:
        return WARP, 1
    if across * down <= WARP:
        return across, down
    if WARP % across == 0 and down % (WARP // across) == 0:
        return across, WARP // across
    return None


@cache
def in_line(threads: int) -> LaunchStructures:
    """Return the blocks and warps of a one-dimensional launch with a thread per cell.

    Parts are regular, so warps are omitted if the last warp of a block is not full.
    """
    block = LaunchStructure(PartKind.BLOCK, threads, 1, linear=True)
    return (
        (block,)
        if threads % WARP
        else (block, LaunchStructure(PartKind.WARP, WARP, 1, linear=True))
    )


@cache
def tile(width: int, height: int | None = None, level: int | None = None) -> LaunchStructure:
    """Return a tile; without a height it is square.

    Parameters
    ----------
    width, height : int
        Cells across and down.
    level : int or None
        Level of a merge hierarchy that made it, from 1; None outside one.
    """
    return LaunchStructure(PartKind.TILE, width, width if height is None else height, level=level)


@cache
def block_per_tile(width: int, height: int) -> LaunchStructures:
    """Return the parts of a launch in which each block labels a tile, a thread for each cell."""
    blocks, *warps = block_structures((width, height, 1))
    return (blocks, tile(width, height), *warps)


@cache
def warps_over_runs(columns: int, rows: int) -> LaunchStructures:
    """Return the parts of a launch in which each warp reads `columns` cells of a row, and runs.

    Parameters
    ----------
    columns : int
        Cells of a warp, in one row; longer runs are cut.
    rows : int
        Warps of a block, one below the other.
    """
    return (
        LaunchStructure(PartKind.BLOCK, columns, rows),
        LaunchStructure(PartKind.WARP, columns, 1),
        LaunchStructure(PartKind.RUN, columns, 1),
    )


@cache
def block_per_strip(columns: int, rows: int) -> LaunchStructures:
    """Return the parts of a launch in which blocks go along strips, `columns` cells at a time."""
    return (
        LaunchStructure(PartKind.BLOCK, None, rows),
        LaunchStructure(PartKind.STRIP, None, rows),
        LaunchStructure(PartKind.WARP, columns, 1),
        LaunchStructure(PartKind.RUN, columns, 1),
    )


@cache
def strip_borders(columns: int, rows: int) -> LaunchStructures:
    """Return the parts of a launch that merges runs across the borders of strips."""
    return (LaunchStructure(PartKind.STRIP, None, rows), LaunchStructure(PartKind.RUN, columns, 1))

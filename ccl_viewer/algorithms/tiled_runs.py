"""Tiled Runs, this project's own algorithm: the host part of ``kernels/tiled_runs.cu``."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Parameter, Tabulator, ceil_div
from ccl_viewer.algorithms.components import Rows, feature_buffer, read_table
from ccl_viewer.algorithms.shared import Macros, extent, index_label_buffer
from ccl_viewer.algorithms.structures import tile
from ccl_viewer.execution.plan import (
    Argument,
    Buffer,
    Kernel,
    Launch,
    LaunchStructure,
    NumberPlan,
    Outcome,
    PartKind,
    Plan,
    Reply,
    Request,
    Stage,
    Task,
)

_MODULE = "tiled_runs"
_TILE = 32
_TILE_RUNS = 512
_SCAN_WORDS = 2048
_SCAN_THREADS = 256
_SMALL = 2**20  # cells up to which blocks of one tile are faster: more of them share the GPU
_MOST_TILES = 4  # of a block, where pixels have values: there are twice as many runs
_SIDE = 64  # pixels across and down up to which one block takes the whole grid
_SOURCE = "Made for this project"


@dataclass(frozen=True)
class _Blocks:
    """How a grid is divided into blocks of tiles, and the buffers that this needs."""

    across: int
    down: int
    tiles_x: int
    tiles_y: int
    tile_height: int
    task: Task

    @classmethod
    def of(cls, task: Task, *, allow_one_block: bool) -> _Blocks:
        x, y = task.optional("tiles_across"), task.optional("tiles_down")
        one_block = allow_one_block and max(task.width, task.height) <= _SIDE
        small = not one_block and task.width * task.height <= _SMALL
        rows = 2 if task.connectivity == 8 and not task.multivalued else 1
        x = x or (1 if small else 2)
        y = y or (1 if small or rows == 2 else 2)
        if task.multivalued and x * y > _MOST_TILES:
            y = 1
        tile = _TILE * rows
        return cls(
            ceil_div(task.width, _TILE * x), ceil_div(task.height, tile * y), x, y, tile, task
        )

    @property
    def count(self) -> int:
        return self.across * self.down

    @property
    def is_whole(self) -> bool:
        """Whether one block covers the whole grid, so that one launch is enough."""
        return self.count == 1

    @property
    def perimeter(self) -> int:
        """Half the pixels on a block's sides, corners twice."""
        return _TILE * self.tiles_x + self.tile_height * self.tiles_y

    @property
    def pitch(self) -> int:
        """Words in a row of the bits that flag first pixels."""
        return self.across * self.tiles_x

    def macros(self, *, numbered: bool) -> Macros:
        return (
            ("CONNECTIVITY", self.task.connectivity),
            ("MULTIVALUED", int(self.task.multivalued)),
            ("TILES_X", self.tiles_x),
            ("TILES_Y", self.tiles_y),
            ("NUMBERED", int(numbered)),
        )

    def buffers(self) -> tuple[Buffer, ...]:
        """Return words, runs, nodes, counts and sides."""
        tiles = self.count * self.tiles_x * self.tiles_y
        crowded = 2 if self.task.multivalued else 1
        return (
            Buffer("words", (crowded * tiles * self.tile_height,), np.dtype(np.uint32)),
            Buffer("runs", (crowded * tiles * _TILE_RUNS,), np.dtype(np.uint16)),
            Buffer("nodes", (crowded * self.count * self.perimeter,), np.dtype(np.uint64)),
            Buffer("counts", (self.count,), np.dtype(np.int32)),
            Buffer("sides", (self.count * 2 * self.perimeter,), np.dtype(np.uint16)),
        )

    @property
    def structures(self) -> tuple[LaunchStructure, ...]:
        return (
            LaunchStructure(PartKind.BLOCK, _TILE * self.tiles_x, self.tile_height * self.tiles_y),
            tile(_TILE, self.tile_height),
            LaunchStructure(PartKind.RUN, _TILE, self.tile_height // _TILE),
        )


def _label_blocks(
    task: Task, parts: _Blocks, buffers: tuple[Buffer, ...], numbers: tuple[Buffer, ...] = ()
) -> Launch:
    return Launch(
        Kernel(_MODULE, "tiled_runs_label_blocks", parts.macros(numbered=bool(numbers))),
        (parts.across, parts.down, 1),
        (_TILE, parts.tiles_x * parts.tiles_y, 1),
        (task.image, *buffers, *numbers, *extent(task)),
        Stage.TILE,
        "Each warp turns its tile into bits and joins its runs, then each block joins its tiles, "
        "and what touches the block's border becomes a node.",
        paper=f"{_SOURCE}: blocks",
        structures=parts.structures,
    )


def _label_small(task: Task, parts: _Blocks, labels: Buffer, total: Buffer | None = None) -> Launch:
    extra = () if total is None else (total,)
    return Launch(
        Kernel(_MODULE, "tiled_runs_label_small", parts.macros(numbered=total is not None)),
        (1, 1, 1),
        (_TILE, parts.tiles_x * parts.tiles_y, 1),
        (task.image, labels, *extra, *extent(task)),
        Stage.LABEL,
        "One block labels the whole grid: its warps join the runs of their tiles, the block joins "
        "its tiles, and each run's label is written to its cells.",
        paper=f"{_SOURCE}: small grids",
        structures=parts.structures,
    )


def _merge_borders(
    task: Task, parts: _Blocks, buffers: tuple[Buffer, ...], roots: Buffer | None = None
) -> Launch:
    _, _, nodes, _, sides = buffers
    numbered = roots is not None
    values = (task.image, np.int32(task.height)) if task.multivalued else ()
    width = (np.int32(task.width),) if numbered or task.multivalued else ()
    extra: tuple[Argument, ...] = (*values, *(() if roots is None else (roots,)), *width)
    return Launch(
        Kernel(_MODULE, "tiled_runs_merge_borders", parts.macros(numbered=numbered)),
        (parts.across, parts.down, 1),
        (parts.perimeter, 1, 1),
        (sides, nodes, *extra, np.int32(parts.across), np.int32(parts.down)),
        Stage.MERGE,
        "Nodes that meet across a border of blocks are joined by an atomic minimum, once for each "
        "stretch of cells.",
        paper=f"{_SOURCE}: borders",
        structures=parts.structures[:1],
    )


def _write_labels(
    task: Task,
    parts: _Blocks,
    buffers: tuple[Buffer, ...],
    labels: Buffer,
    ranked: tuple[Buffer, ...] = (),
) -> Launch:
    words, runs, nodes, counts, _ = buffers
    return Launch(
        Kernel(_MODULE, "tiled_runs_write_labels", parts.macros(numbered=bool(ranked))),
        (parts.across, parts.down, 1),
        (_TILE, parts.tiles_x * parts.tiles_y, 1),
        (words, runs, nodes, counts, *ranked, labels, *extent(task)),
        Stage.RELABEL,
        "Each block finds the roots of its nodes, then the label of each run, and turns the words "
        "back into cells.",
        paper=f"{_SOURCE}: labels",
        structures=parts.structures,
    )


def _plan(task: Task) -> Plan:
    show_blocks = task.parameter("show_blocks")
    parts = _Blocks.of(task, allow_one_block=not show_blocks)
    buffers = parts.buffers()
    labels = index_label_buffer(task)
    if parts.is_whole and not show_blocks:
        yield labels
        yield _label_small(task, parts, labels)
        return Outcome(labels)
    yield from buffers
    yield labels
    yield _label_blocks(task, parts, buffers)
    if show_blocks:
        yield _write_labels(task, parts, buffers, labels)
    yield _merge_borders(task, parts, buffers)
    yield _write_labels(task, parts, buffers, labels)
    return Outcome(labels)


def number_directly(task: Task) -> NumberPlan:
    """Label with consecutive numbers directly, without intermediate labels.

    Parameters
    ----------
    task : Task
        The task.

    Returns
    -------
    tuple of (Buffer, Buffer)
        The numbers, ``int32`` of shape (height, width), in raster order of first pixels with 0 for
        background; and the count, ``int32``.
    """
    parts = _Blocks.of(task, allow_one_block=True)
    numbers = Buffer("labels", (task.height, task.width), np.dtype(np.int32))
    total = Buffer("total", (1,), np.dtype(np.int32))
    if parts.is_whole:
        yield from (numbers, total)
        yield _label_small(task, parts, numbers, total)
        return numbers, total
    buffers, ranked = yield from _rank(task, parts, total)
    yield numbers
    yield _write_labels(task, parts, buffers, numbers, ranked)
    return numbers, total


def _rank(
    task: Task, parts: _Blocks, total: Buffer
) -> Generator[Request, Reply, tuple[tuple[Buffer, ...], tuple[Buffer, ...]]]:
    """Do everything except writing labels; return the blocks' results, roots, ranks and offsets."""
    buffers = parts.buffers()
    words = parts.pitch * parts.down * parts.tiles_y * parts.tile_height
    chunks = ceil_div(words, _SCAN_WORDS)
    roots = Buffer("roots", (words,), np.dtype(np.uint32))
    ranks = Buffer("ranks", (words,), np.dtype(np.uint16))
    sums = Buffer("sums", (chunks,), np.dtype(np.int32))
    finished = Buffer("finished", (1,), np.dtype(np.uint32))
    offsets = Buffer("offsets", (chunks,), np.dtype(np.int32))
    yield from (*buffers, roots, ranks, sums, finished, offsets, total)
    yield _label_blocks(task, parts, buffers, (roots, finished))
    if parts.count > 1:
        yield _merge_borders(task, parts, buffers, roots)
    yield Launch(
        Kernel(_MODULE, "tiled_runs_rank_roots", parts.macros(numbered=True)),
        (chunks, 1, 1),
        (_SCAN_THREADS, 1, 1),
        (roots, ranks, sums, finished, offsets, total, np.int32(words)),
        Stage.SCAN,
        "Each block counts the flags before each of its words, and the last to finish adds up what "
        "all blocks counted.",
        paper="After Stava and Benes 2011, section 35.4.2: prefix sum",
    )
    return buffers, (roots, ranks, offsets)


def _count(task: Task) -> NumberPlan:
    """Count the components; see :class:`ccl_viewer.algorithms.base.Tabulator`."""
    parts = _Blocks.of(task, allow_one_block=True)
    total = Buffer("total", (1,), np.dtype(np.int32))
    numbers = Buffer("numbers", (parts.count * parts.perimeter,), np.dtype(np.int32))
    yield from _rank(task, parts, total)
    yield numbers
    return numbers, total


def _measure(
    task: Task, buffers: Mapping[str, Buffer], count: int
) -> Generator[Request, Reply, Rows]:
    """Compute the features of the counted components."""
    parts = _Blocks.of(task, allow_one_block=True)
    counts, numbers = buffers["counts"], buffers["numbers"]
    ranked = [buffers[name] for name in ("roots", "ranks", "offsets")]
    features = feature_buffer(count)
    yield features
    macros = parts.macros(numbered=True)[:-1]
    sizes = (np.int32(features.shape[1]), *extent(task))
    if parts.count > 1:
        yield Launch(
            Kernel("tiled_runs_features", "tiled_runs_number_nodes", macros),
            (parts.across, parts.down, 1),
            (parts.perimeter, 1, 1),
            (buffers["nodes"], counts, *ranked, numbers, features, *sizes),
            Stage.FEATURES,
            "Each node finds the number of its component, and roots clear its entry in the table.",
            paper=f"{_SOURCE}: features",
            structures=parts.structures[:1],
        )
    yield Launch(
        Kernel("tiled_runs_features", "tiled_runs_features", macros),
        (parts.across, parts.down, 1),
        (_TILE, parts.tiles_x * parts.tiles_y, 1),
        (buffers["words"], buffers["runs"], counts, *ranked, numbers, features, *sizes),
        Stage.FEATURES,
        "Each block adds up the runs of each component in shared memory, then stores those that "
        "lie within the block and adds the others to the table.",
        paper=f"{_SOURCE}: features",
        structures=parts.structures,
    )
    return (yield from read_table(features, count, (task.height, task.width)))


TILED_RUNS = Algorithm(
    key="tiled_runs",
    title="Tiled Runs",
    tagline="Rows of 32 pixels are bit words; this project's own",
    citation="Made for this project: runs in bit words, tiles in warps, and borders of blocks.",
    summary=(
        "Rows of 32 cells become bit words; warps join the runs of their tiles, blocks join their "
        "tiles, and only components on borders of blocks ever meet in device memory."
    ),
    connectivities=(4, 8),
    multivalued=True,
    planner=_plan,
    numberer=number_directly,
    tabulator=Tabulator(_count, _measure),
    parameters=(
        Parameter(
            "tiles_across",
            "Tiles across",
            "Tiles that a block has beside each other; 1 or 2 by the size of the grid if not set.",
            default=None,
            minimum=1,
            maximum=4,
            absent="Auto",
        ),
        Parameter(
            "tiles_down",
            "Tiles down",
            "Tiles that a block has below each other; 1 or 2 by the size of the grid if not set.",
            default=None,
            minimum=1,
            maximum=2,
            absent="Auto",
        ),
        Parameter(
            "show_blocks",
            "Show blocks",
            "Whether labels are also written before blocks are merged, so that they can be seen; "
            "0 leaves that out, as labelling does.",
            default=1,
            minimum=0,
            maximum=1,
        ),
    ),
)

"""Phases as text: an overview, and one phase with its shared memory and lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from ccl_viewer.diagnostics.phases.cutting import block_name
from ccl_viewer.diagnostics.phases.model import (
    Access,
    Phase,
    SharedArray,
    ThreadState,
    WarpLane,
    WarpOperation,
    distances_from_run_start,
    distances_to_run_end,
    word_text,
)
from ccl_viewer.diagnostics.phases.trace import LaunchTrace
from ccl_viewer.diagnostics.phases.view import PhaseView
from ccl_viewer.execution.plan import WARP, Dim3
from ccl_viewer.support.units import counted

_MAX_COLUMNS: Final = 34
"""Most columns of a shared array; a wider one is shown as a list of changes."""

_MAX_ELEMENTS: Final = 2048
_MAX_WHOLE: Final = 256
_MAX_LISTED: Final = 16
_NOT_WRITTEN: Final = "-"
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvw"  # up to 32


def overview_lines(trace: LaunchTrace, phases: Iterable[Phase]) -> Iterator[str]:
    """Yield a line for each phase: its index, title, and changes."""
    for phase in phases:
        view = PhaseView(trace, phase)
        done = [counted(view.active_thread_count, "thread")]
        if view.own_changed_cells.size:
            done.append(f"{counted(view.own_changed_cells.size, 'label')} changed")
        blocks = trace.blocks if phase.block is None else (phase.block,)
        arrays = (array for block in blocks for array in view.shared_arrays(block))
        changed = sum(array.changed.size for array in arrays)
        if changed:
            where = "" if phase.warp is None else " in the block"
            done.append(f"{changed:,} shared changed{where}")
        yield f"{phase.index:>4}  {phase.title}: {', '.join(done)}"


def detail_lines(
    view: PhaseView, block: Dim3 | None = None, warp: int | None = None, *, table: bool = True
) -> Iterator[str]:
    """Yield the lines about one phase.

    Parameters
    ----------
    view : PhaseView
        The phase.
    block : tuple of three int or None
        The block to show; None for the phase's block, or the first.
    warp : int or None
        The warp with the lanes to show; None for the phase's warp, or all if phases end at warp
        operations.
    table : bool
        Whether each lane of a single warp has a line with its state.

    Raises
    ------
    InputError
        If there is no such block or warp.
    """
    phase = view.phase
    yield f"Phase {phase.index + 1} of {phase.count} (index {phase.index}): {phase.title}"
    yield f"{counted(view.active_thread_count, 'active thread')}. {_changes(view)}"
    block = view.choose_block(block)
    if phase.block is None:
        yield ""
        yield f"In {block_name(block)}:"
    for location, threads in view.source_locations(block).items():
        yield f"{counted(len(threads), 'thread')} at {location} ({location.function})"
    for array in view.shared_arrays(block):
        yield ""
        yield from shared_lines(array)
    warps = view.choose_warps(warp)
    for one in warps:
        yield ""
        yield from warp_lines(view, block, one, table=table and len(warps) == 1)


def shared_lines(array: SharedArray) -> Iterator[str]:
    """Yield a shared array as rows of values; changed ones have a star.

    In a large array, rows of unwritten elements are left out.
    """
    changed = set(array.changed.tolist())
    star = " (*)" if changed else ""
    yield f"Shared {array.name}: {len(changed):,} of {array.values.size:,} elements changed{star}"
    words = array.texts
    texts = [
        f"{text}{'*' if i in changed else ' '}" if text else f"{_NOT_WRITTEN} "
        for i, text in enumerate(words)
    ]
    columns = array.columns if array.columns <= _MAX_COLUMNS else 16
    if array.values.size > _MAX_ELEMENTS:
        for i in sorted(changed)[:_MAX_LISTED]:
            yield f"  [{i}] = {words[i]}"
        return
    width = max(map(len, texts), default=0)
    left_out, large = 0, array.values.size > _MAX_WHOLE
    for first in range(0, len(texts), columns):
        row = texts[first : first + columns]
        if large and not array.written.flat[first : first + columns].any():
            left_out += len(row)
            continue
        yield f"{first:>6}  {' '.join(text.rjust(width) for text in row)}".rstrip()
    if left_out:
        yield f"        {counted(left_out, 'more unwritten element')}"


def warp_lines(view: PhaseView, block: Dim3, warp: int, *, table: bool = True) -> Iterator[str]:
    """Yield a warp's lanes: a ruler, the active lanes, the last operation, and a table."""
    lanes = view.lanes(block, warp)
    yield f"Warp {warp}"
    yield "  lane    " + "".join(f"{first:<8}" for first in range(0, WARP, 8)).rstrip()
    yield "  active  " + "".join("#" if lane.active else "." for lane in lanes)
    operation = view.last_warp_operation(block, warp)
    if operation is not None:
        yield from _operation_lines(operation)
    if not table:
        return
    yield "  " + "  ".join(("lane", "cell".ljust(9), "state".ljust(22), "read, wrote last"))
    yield from (f"  {_lane_line(lane)}" for lane in lanes)


def format_mask(mask: int) -> str:
    """Return a mask as 32 characters, lane 0 first: ``#`` for 1 and ``.`` for 0."""
    return "".join("#" if mask >> lane & 1 else "." for lane in range(WARP))


def _operation_lines(operation: WarpOperation) -> Iterator[str]:
    yield f"  {operation.name}, mask {word_text(operation.mask, 8)}"
    yield f"  lanes   {format_mask(operation.lanes)}"
    if operation.sources:
        yield "  from    " + _numbers(operation.sources)
        yield "  brings  " + _numbers(operation.brings)
        yield "  gets    " + _numbers(operation.gets)
        return
    brought = sum(1 << lane for lane, value in enumerate(operation.brings) if value)
    yield f"  brings  {format_mask(brought)}"
    different = dict.fromkeys(value for value in operation.gets if value is not None)
    for mask in different:
        yield f"  gets    {format_mask(mask)}  {word_text(mask, 8)}"
        if operation.name == "__ballot_sync":
            distances = _digits(distances_from_run_start(mask))
            yield f"  start   {distances}  ones to the left, in the same run"
            distances = _digits(distances_to_run_end(mask))
            yield f"  end     {distances}  this one and those to the right"


def _digits(distances: Iterable[int | None]) -> str:
    return "".join("." if one is None else _DIGITS[one] for one in distances)


def _numbers(values: Iterable[int | None]) -> str:
    return " ".join(_NOT_WRITTEN if value is None else str(value) for value in values)


def _lane_line(lane: WarpLane) -> str:
    cell = "" if lane.cell is None else f"({lane.cell[0]}, {lane.cell[1]})"
    state = lane.state.value
    if lane.state is ThreadState.WAITING:
        state = f"at {lane.operation}"
    return f"{lane.lane:>4}  {cell:9}  {state:22}  {', '.join(_describe_last(lane))}".rstrip()


def describe_lane(lane: WarpLane) -> str:
    """Return a lane's state and last accesses."""
    x, y, _ = lane.thread
    position = f"Lane {lane.lane}, thread ({x}, {y})"
    if lane.cell is not None:
        position += f", cell {lane.cell}"
    doing = f"waits in {lane.operation}" if lane.operation else lane.state.value
    return "; ".join([position, doing, *_describe_last(lane)])


def describe_lanes(lanes: Sequence[WarpLane]) -> str:
    """Return the memory that lanes read and wrote last, and the lines of unfinished lanes.

    It is empty if no lane has done anything yet.
    """
    parts = []
    for verb, accesses in (
        ("read", [lane.read for lane in lanes]),
        ("wrote", [lane.write for lane in lanes]),
    ):
        memories = dict.fromkeys(access.memory for access in accesses if access is not None)
        if memories:
            parts.append(f"{verb} {', '.join(memories)}")
    going = (lane.location for lane in lanes if lane.state is not ThreadState.ENDED)
    places = dict.fromkeys(str(location) for location in going if location is not None)
    if places:
        parts.append(f"at {', '.join(places)}")
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def _describe_last(lane: WarpLane) -> list[str]:
    """Return a lane's last read, last write, and place."""
    last = [
        f"{verb} {access.memory}[{access.index}] = {access.value_text}"
        f"{' (earlier)' if lane.is_earlier(access) else ''}"
        for verb, access in (("read", lane.read), ("wrote", lane.write))
        if access is not None
    ]
    if lane.location is not None and lane.state is not ThreadState.ENDED:
        last.append(f"at {lane.location}")
    return last


def _changes(view: PhaseView) -> str:
    cells = view.own_changed_cells
    others = view.changed_cells.size - cells.size
    meanwhile = f" Other threads changed {counted(others, 'label')} meanwhile." if others else ""
    if not cells.size:
        return f"No label changes.{meanwhile}"
    width = view.trace.shape[1]
    shown = [
        f"({cell % width}, {cell // width}) = {view.labels.flat[cell]}"
        for cell in cells[:_MAX_LISTED].tolist()
    ]
    more = f" and {cells.size - _MAX_LISTED:,} more" if cells.size > _MAX_LISTED else ""
    return f"{counted(cells.size, 'label')} changed: {', '.join(shown)}{more}.{meanwhile}"


def as_json(view: PhaseView, warp: int | None = None) -> dict[str, object]:
    """Return the content of :func:`detail_lines` for a JSON file; all numbers are exact."""
    phase = view.phase
    width = view.trace.shape[1]
    own_cells = set(view.own_changed_cells.tolist())
    values: dict[str, object] = {
        "index": phase.index,
        "title": phase.title,
        "by": phase.by.value,
        "block": phase.block,
        "warp": phase.warp,
        "operation": phase.operation,
        "active_threads": view.active_thread_count,
        "changed": [
            {
                "x": cell % width,
                "y": cell // width,
                "label": int(view.labels.flat[cell]),
                "by_others": cell not in own_cells,
            }
            for cell in view.changed_cells.tolist()
        ],
    }
    if phase.block is None:
        return values
    values["shared"] = [
        {
            "name": array.name,
            "values": np.where(array.written, array.values, 0).tolist(),
            "written": array.written.tolist(),
            "changed": array.changed.tolist(),
        }
        for array in view.shared_arrays()
    ]
    warps = [_warp_json(view, one) for one in view.choose_warps(warp)]
    return values | (warps[0] if len(warps) == 1 else {"warps": warps})


def _warp_json(view: PhaseView, warp: int) -> dict[str, object]:
    operation = view.last_warp_operation(warp=warp)
    return {
        "warp": warp,
        "lanes": [_lane_json(lane) for lane in view.lanes(warp=warp)],
        "warp_operation": None if operation is None else vars(operation),
    }


def _lane_json(lane: WarpLane) -> dict[str, object]:
    return {
        "lane": lane.lane,
        "thread": lane.thread,
        "cell": lane.cell,
        "state": lane.state.value,
        "operation": lane.operation,
        "location": None if lane.location is None else str(lane.location),
        "active": lane.active,
        "read": _access_json(lane.read),
        "write": _access_json(lane.write),
    }


def _access_json(access: Access | None) -> dict[str, object] | None:
    if access is None:
        return None
    return {
        "kind": access.kind.name.lower(),
        "memory": access.memory,
        "index": access.index,
        "cell": access.cell,
        "before": access.before,
        "value": access.value,
    }

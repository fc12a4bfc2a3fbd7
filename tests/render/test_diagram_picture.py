"""Diagrams of a launch: banks, sectors, bits, threads that wait, the order of accesses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.grids import noise

import ccl_viewer as ccl
from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.diagnostics.phases import LaunchTrace, distances_from_run_start, trace_launch
from ccl_viewer.diagnostics.phases.diagrams import (
    BankDiagram,
    Diagram,
    SectorDiagram,
    order_diagram,
    request_diagram,
    run_start_diagram,
    wait_diagram,
)
from ccl_viewer.diagnostics.phases.requests import warp_requests
from ccl_viewer.diagnostics.profile import Profile, profile_algorithm
from ccl_viewer.errors import InputError
from ccl_viewer.render.diagram_picture import draw_diagram
from ccl_viewer.render.display_list import DisplayList, Rects, Texts
from ccl_viewer.render.themes import LIGHT, pack_colour
from ccl_viewer.storage.resources import kernels_folder

BLOCK = (0, 0, 0)


def trace(
    key: str,
    grid: str | npt.NDArray[np.uint8],
    step: int,
    schedule: str = "synchronous",
    **parameters: Any,
) -> LaunchTrace:
    recording = ccl.record(grid, key, device="emulator", schedule=schedule, **parameters)
    return trace_launch(recording, step, BLOCK)


def words(shown: DisplayList) -> list[str]:
    return [text for item in shown if isinstance(item, Texts) for text in item.texts]


def boxes(shown: DisplayList) -> npt.NDArray[np.float64]:
    return np.concatenate([item.boxes for item in shown if isinstance(item, Rects)])


def lines(diagram: Diagram) -> str:
    return "\n".join(diagram.lines)


def test_lanes_that_want_two_elements_of_a_bank_take_two_turns() -> None:
    launch = trace("row_col_unify", "pattern:full?width=64&height=1", 1)
    source = (kernels_folder() / "row_col_unify.cu").read_text("utf-8").split("\n")
    line = source.index("    const unsigned int left = labels[i];") + 1
    shown = request_diagram(
        launch, BLOCK, 0, 0, shared=True, at=lambda found: found is not None and found.line == line
    )
    assert isinstance(shown, BankDiagram)
    assert [len(turn) for turn in shown.request.turns] == [16, 16]
    assert shown.request.turns[0][1] == (0,)
    assert shown.request.turns[1][1] == (16,)
    assert shown.example == "Lanes 0 and 16 want elements 1 and 33: both are in bank 1."
    assert "Turn 2, bank: lanes   1: 16, 3: 17" in lines(shown)
    picture = draw_diagram(shown, 540, LIGHT)
    assert len(boxes(picture.display)) == 32
    assert {tip for _, tip, _ in picture.areas} >= {"Bank 1, turn 2: lane 16, element 33"}


def test_lanes_that_want_one_element_share_a_turn() -> None:
    launch = trace("ha4", "pattern:full?width=32&height=4", 0)
    shown = request_diagram(launch, BLOCK, 1, -1, shared=True)
    assert isinstance(shown, BankDiagram)
    assert shown.request.turns == ({0: tuple(range(32))},)
    assert shown.example == ""
    assert "32x" in words(draw_diagram(shown, 540, LIGHT).display)


@pytest.mark.parametrize(("step", "sectors"), [(1, 2), (2, 8)])
def test_lanes_along_a_column_take_a_sector_each(step: int, sectors: int) -> None:
    launch = trace("row_col_unify", "pattern:full?width=16&height=16", step)
    shown = request_diagram(launch, BLOCK, 0, 0, shared=False)
    assert isinstance(shown, SectorDiagram)
    assert len(shown.request.sectors) == sectors
    assert f"The lanes asked for 32 of the {32 * sectors} bytes." in lines(shown)
    picture = draw_diagram(shown, 360, LIGHT)
    assert len(boxes(picture.display)) == 8 * sectors
    assert {tip for _, tip, _ in picture.areas} >= {"labels[18], for lane 0"}


@pytest.mark.parametrize("lane", range(1, 32))
def test_the_bits_lead_to_the_start_of_the_run(lane: int) -> None:
    mask = 0b1111_0000_1110_1111_1111_1111_0111_0010
    distance = distances_from_run_start(mask)[lane]
    shown = run_start_diagram(mask, lane, 2)
    assert distance is None or shown.leading_zeros == distance
    assert f"{mask:032b}" in lines(shown)
    assert f"__clz counts the zeros at the left end: {shown.leading_zeros}." in lines(shown)
    assert f"lane {lane}" in words(draw_diagram(shown, 360, LIGHT).display)


def test_threads_wait_until_the_last_has_come() -> None:
    launch = trace("stava_benes", "pattern:full?width=8&height=4", 0, "random:1", tile=4)
    shown = wait_diagram(launch, BLOCK, 2)
    assert len(shown.courses) == 16
    for number, end in enumerate(shown.barriers):
        arrivals = [course.arrivals[number] for course in shown.courses]
        assert max(arrivals) == end
        assert min(arrivals) < end
    assert lines(shown).count("|") == 2 * 16 + 1
    assert {"barrier 1", "barrier 2"} <= {*words(draw_diagram(shown, 360, LIGHT).display)}


def test_a_missing_barrier_lets_a_warp_overwrite_what_another_reads() -> None:
    grid = np.ones((2, 34), np.uint8)
    grid[0, 32] = 0
    grid[1, :10] = 0
    launch = trace("ha4", grid, 0, "random:2", variant="printed")
    shown = order_diagram(launch, BLOCK, "shared_pixels", 0)
    stored = [event for event in shown.events if event.words.startswith("writes")]
    assert [event.words for event in stored] == ["writes 0xffffffff", "writes 0x00000002"]
    assert shown.events[1].warp is None
    assert "---- barrier" in lines(shown)
    picture = draw_diagram(shown, 360, LIGHT).display
    assert {"warp 0", "writes 0x00000002"} <= {*words(picture)}
    rects = [item for layer in picture.layers for item in layer.items if isinstance(item, Rects)]
    assert sum(item.fill == pack_colour(LIGHT.accent) for item in rects) == len(stored)


def test_requests_are_those_that_the_ledger_counts() -> None:
    grid = noise(1, 24, 0.7, seed=2)
    launch = trace("row_col_unify", grid, 1)
    requests = warp_requests(launch, BLOCK, 0)
    ledger = profile_algorithm(
        grid, find_algorithm("row_col_unify"), 4, {}, schedule="synchronous"
    ).launches[1]
    counted = Profile((ledger,)).figures()
    shared = [request for request in requests if request.shared]
    moved = [request for request in requests if not request.shared]
    assert sum(len(request.turns) for request in shared) == counted["bank_turns"]
    assert 32 * sum(len(request.sectors) for request in moved) == counted["bytes"]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda launch: request_diagram(launch, BLOCK, 0, 99, shared=True), "there is no 99"),
        (lambda launch: request_diagram(launch, BLOCK, 7, 0, shared=True), "no warp 7"),
        (lambda _launch: run_start_diagram(1, 0, 0), "from 1 to 31"),
        (lambda launch: order_diagram(launch, BLOCK, "tile", 0), "it has shared_pixels"),
        (lambda launch: order_diagram(launch, BLOCK, "shared_pixels", 4), "elements 0 to 3"),
        (lambda launch: wait_diagram(launch, BLOCK, 1), "128 threads"),
    ],
)
def test_what_is_not_there_is_refused(ask: Callable[[LaunchTrace], object], said: str) -> None:
    launch = trace("ha4", "pattern:full?width=32&height=4", 0)
    with pytest.raises(InputError, match=said):
        ask(launch)

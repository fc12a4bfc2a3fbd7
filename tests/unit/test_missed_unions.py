"""Where a wrong run stops to join trees, and how many are left."""

from __future__ import annotations

import numpy as np
import pytest
from support.grids import noise
from support.recordings import played

import ccl_viewer as ccl
from ccl_viewer.errors import CancelledError
from ccl_viewer.recording.missed_unions import MissedUnions, find_missed_unions
from ccl_viewer.support.cancellation import CancelToken

ROW = np.array([[1, 1, 1, 0, 1, 1]], np.uint8)
OWN = [0, 1, 2, -1, 4, 5]


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        pytest.param([OWN, [0, 0, 1, -1, 4, 4], [0, 0, 0, -1, 4, 4]], None, id="right"),
        pytest.param([OWN, [0, 0, 2, -1, 4, 4]], MissedUnions(1, 1), id="at the last join"),
        pytest.param(
            [OWN, [0, 0, 2, -1, 4, 4], [0, 0, 2, -1, 4, 4]], MissedUnions(1, 1), id="before the end"
        ),
        pytest.param([OWN, OWN], MissedUnions(0, 3), id="never joined"),
        pytest.param([OWN, [0, 0, 2, -1, 0, 0]], MissedUnions(1, 1), id="joined wrongly as well"),
        pytest.param([OWN, [0, 0, 0, -1, 0, 0]], None, id="joined too much"),
        pytest.param(
            [[0, 0, 2, -1, 4, 4], [0, 2, 2, -1, 4, 4]], MissedUnions(1, 1), id="to another tree"
        ),
        pytest.param(
            [[0, -1, -1, -1, -1, -1], [0, 0, 2, -1, 4, 4]],
            MissedUnions(1, 1),
            id="labels come late",
        ),
        pytest.param(
            [[0, -1, 2, -1, 4, -1], [0, 0, 2, -1, 4, 4]],
            MissedUnions(0, 1),
            id="only roots at first",
        ),
        pytest.param([[-1] * 6], None, id="no label"),
    ],
)
def test_it_begins_when_nothing_is_joined_any_more(
    steps: list[list[int]], found: MissedUnions | None
) -> None:
    assert find_missed_unions(played(ROW, steps)) == found


def test_a_run_that_is_not_finished_may_still_join() -> None:
    assert find_missed_unions(played(ROW, [OWN, OWN], finished=False)) is None


def test_a_run_that_is_stopped_early_has_lost_nothing() -> None:
    stopped = ccl.record(
        noise(20, 20, 0.6), "shibata_naive", connectivity=8, device="emulator", passes=1
    )
    assert find_missed_unions(stopped) is None


def test_it_is_said_in_a_sentence() -> None:
    assert MissedUnions(0, 1).sentence.endswith("1 tree too many is left.")
    assert MissedUnions(0, 1200).sentence.endswith("1,200 trees too many are left.")


def test_it_can_be_cancelled() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(CancelledError):
        find_missed_unions(played(ROW, [OWN, [0, 0, 2, -1, 4, 4]]), token)

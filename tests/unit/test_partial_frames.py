"""Single cells equal those of the whole frame, from any known frame."""

from __future__ import annotations

from typing import Literal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ccl_viewer.recording.history import History
from ccl_viewer.recording.partial_frames import ChosenCells


def history_of(seed: int, shape: tuple[int, int], count: int) -> History:
    """Frames that differ in a few cells, in most, or in none from the one before."""
    rng = np.random.default_rng(seed)
    history = History(*shape, background=-1)
    frame = np.full(shape, -1, np.int32)
    for _ in range(count):
        mask = rng.random(shape) < rng.choice([0.0, 0.01, 0.9])
        frame = np.where(mask, rng.integers(-(2**31), 2**31, shape).astype(np.int32), frame)
        history.append(frame.copy())
    return history


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(1, 30),
    width=st.integers(1, 30),
    count=st.integers(1, 30),
    order=st.sampled_from("CF"),
)
def test_chosen_cells_are_those_of_the_frame(
    seed: int, height: int, width: int, count: int, order: Literal["C", "F"]
) -> None:
    rng = np.random.default_rng(seed)
    history = history_of(seed, (height, width), count)
    chosen = ChosenCells.of(rng.integers(0, height * width, (3, 5)).copy(order))
    known = None
    for index in rng.integers(0, count, 12).tolist():
        found = history.read_cells(index, chosen, known)
        assert np.array_equal(found, history.frame(index).reshape(-1)[chosen.cells])
        assert not found.flags.writeable
        known = None if rng.random() < 0.3 else (index, found)

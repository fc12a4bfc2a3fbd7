"""The history of a recording: any frame, in any order, while it grows."""

from __future__ import annotations

import threading
import tracemalloc
import zlib

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ccl_viewer.recording.delta import apply, diff_frames
from ccl_viewer.recording.history import History
from ccl_viewer.recording.packing import Packed, pack, unpack

Frame = npt.NDArray[np.int32]


def random_frames(seed: int, shape: tuple[int, int], count: int) -> list[Frame]:
    """Frames that differ in a few cells, in all, or in none from the one before."""
    rng = np.random.default_rng(seed)
    frame = np.zeros(shape, np.int32)
    frames = []
    for _ in range(count):
        share = rng.choice([0.0, 0.002, 0.1, 1.0])
        mask = rng.random(shape) < share
        values = rng.integers(-(2**31), 2**31, shape, dtype=np.int64).astype(np.int32)
        frame = np.where(mask, values, frame)
        frames.append(frame)
    return frames


def history_of(frames: list[Frame], background: int = 0) -> History:
    height, width = frames[0].shape
    history = History(height, width, background)
    for frame in frames:
        history.append(frame.copy())
    return history


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    height=st.integers(1, 40),
    width=st.integers(1, 40),
    count=st.integers(1, 60),
)
def test_every_frame_comes_back_in_any_order(
    seed: int, height: int, width: int, count: int
) -> None:
    frames = random_frames(seed, (height, width), count)
    history = history_of(frames)
    assert len(history) == count
    order = np.random.default_rng(seed).permutation(np.tile(np.arange(count), 2))
    for index in order.tolist():
        np.testing.assert_array_equal(history.frame(index), frames[index])


def test_bytes_that_unpack_to_more_than_they_should_take_no_memory() -> None:
    """Bytes of a file may claim anything."""
    bomb = Packed(zlib.compress(bytes(1 << 25)), 1000)
    tracemalloc.start()
    with pytest.raises(ValueError, match="size"):
        unpack(bomb, np.dtype(np.uint8))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 23


def test_a_large_frame_that_changes_all_over_comes_back() -> None:
    frames = random_frames(3, (700, 900), 1)
    frames.append(frames[0] ^ np.int32(-1))
    frames.append(np.where(np.arange(900) % 3 == 0, frames[0], frames[1]))
    history = history_of(frames)
    for index in (2, 0, 1, 2, 1, 0):
        np.testing.assert_array_equal(history.frame(index), frames[index])


def test_frames_are_read_only() -> None:
    history = history_of(random_frames(1, (5, 6), 4))
    for index in range(4):
        frame = history.frame(index)
        with pytest.raises(ValueError, match="read-only"):
            frame[0, 0] = 1


@pytest.mark.parametrize("index", [-1, 3])
def test_there_are_no_frames_beyond_the_ends(index: int) -> None:
    history = history_of(random_frames(1, (5, 6), 3))
    with pytest.raises(IndexError, match=str(index)):
        history.frame(index)


def test_readers_see_whole_frames_while_it_grows() -> None:
    count = 300
    history = History(16, 17, 0)
    problems: list[str] = []
    done = threading.Event()

    def read(seed: int) -> None:
        rng = np.random.default_rng(seed)
        while not done.is_set():
            index = int(rng.integers(len(history)))
            frame = history.frame(index)
            if not (frame == index + 1).all():
                problems.append(f"frame {index} shows {np.unique(frame)}")
                return

    readers = [threading.Thread(target=read, args=(seed,)) for seed in range(3)]
    history.append(np.full((16, 17), 1, np.int32))
    for reader in readers:
        reader.start()
    try:
        for index in range(1, count):
            history.append(np.full((16, 17), index + 1, np.int32))
    finally:
        done.set()
    for reader in readers:
        reader.join()
    assert problems == []


@given(st.integers(0, 2**32 - 1), st.integers(0, 64), st.integers(1, 40))
def test_a_delta_leads_both_ways(seed: int, changed: int, side: int) -> None:
    rng = np.random.default_rng(seed)
    before = rng.integers(-(2**31), 2**31, (side, side), dtype=np.int64).astype(np.int32)
    after = before.copy()
    places = rng.integers(0, side * side, changed)
    after.reshape(-1)[places] = rng.integers(-(2**31), 2**31, changed)
    delta = diff_frames(before, after)
    assert delta.changed == np.count_nonzero(before != after)
    frame = before.copy()
    apply(delta, frame, forwards=True)
    np.testing.assert_array_equal(frame, after)
    apply(delta, frame, forwards=False)
    np.testing.assert_array_equal(frame, before)


def empty() -> Packed:
    return pack(np.empty(0, np.int32))


def test_packed_bytes_that_hold_more_than_they_say_are_refused() -> None:
    packed = pack(np.zeros(1000, np.int32))
    assert len(packed.payload) < packed.nbytes
    with pytest.raises(ValueError, match="size they should"):
        unpack(Packed(packed.payload, 3996), np.dtype(np.int32))
    with pytest.raises(ValueError, match="size they should"):
        unpack(Packed(packed.payload, 4004), np.dtype(np.int32))
    with pytest.raises(ValueError, match="size they should"):
        unpack(Packed(packed.payload[:-3], 4000), np.dtype(np.int32))

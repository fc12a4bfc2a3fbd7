"""Frames of a window: decoded ahead, in any order, the same as the recording's own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ccl_viewer import record
from ccl_viewer.recording import Recording
from ccl_viewer.recording.peek import Chosen
from ccl_viewer.session.showing import frames as frames_module
from ccl_viewer.session.showing.frames import Frames


@pytest.fixture
def frames() -> Iterator[Frames]:
    made = Frames()
    yield made
    made.close()


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Which steps are decoded, and on which thread."""
    seen: list[tuple[int, str]] = []
    labels = Recording.labels

    def spy(self: Recording, index: int) -> npt.NDArray[np.int32]:
        seen.append((index, threading.current_thread().name))
        return labels(self, index)

    monkeypatch.setattr(Recording, "labels", spy)
    return seen


def test_frames_are_those_of_the_recording(
    frames: Frames, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    last = len(recording) - 1
    for index in (0, 1, 2, last, last - 1, last - 2, 0, last, 1, 2, 1, 0):
        assert np.array_equal(frames.at(recording, index), recording.labels(index))
        beside = max(index - 1, 0)
        assert np.array_equal(frames.beside(recording, beside), recording.labels(beside))


def test_the_next_step_is_decoded_ahead(
    frames: Frames,
    recording: Recording,
    decoded: list[tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    begun = {index: threading.Event() for index in range(len(recording))}
    labels = Recording.labels

    def told(self: Recording, index: int) -> npt.NDArray[np.int32]:
        if threading.current_thread() is not threading.main_thread():
            begun[index].set()
        return labels(self, index)

    monkeypatch.setattr(Recording, "labels", told)
    # Forwards, backwards, after a jump, and at the first step, before which there is none.
    for index, ahead in ((2, 3), (2, 1), (5, 6), (0, 1)):
        begun[ahead].clear()
        decoded.clear()
        frames.at(recording, index)
        assert begun[ahead].wait(60)
        frames.at(recording, ahead)
        elsewhere = [name for step, name in decoded if step == ahead]
        assert len(elsewhere) == 1
        assert elsewhere[0].startswith("ccl-viewer-ahead")


def test_steps_back_find_the_one_before_them_decoded_as_well(
    frames: Frames, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    begun = {index: threading.Event() for index in range(len(recording))}
    here = list[int]()
    peek = Recording.peek

    def told(
        self: Recording,
        index: int,
        chosen: Chosen,
        known: tuple[int, npt.NDArray[np.int32]] | None,
        layer: str | None,
    ) -> npt.NDArray[np.int32]:
        if threading.current_thread() is threading.main_thread():
            here.append(index)
        else:
            begun[index].set()
        return peek(self, index, chosen, known, layer)

    monkeypatch.setattr(Recording, "peek", told)
    chosen = Chosen.of(np.arange(20, 60))
    for index in (5, 4, 3):
        frames.seen(recording, index, chosen, beside=False)
        frames.seen(recording, index - 1, chosen, beside=True)
        assert begun[index - 2].wait(60)
    assert set(here) <= {5, 4}, "what the first look needs"


def test_small_grids_need_no_thread(
    frames: Frames, recording: Recording, decoded: list[tuple[int, str]]
) -> None:
    frames.at(recording, 1)
    frames.at(recording, 1)
    frames.beside(recording, 0)
    frames.beside(recording, 0)
    assert [index for index, _ in decoded] == [1, 0]
    assert {name for _, name in decoded} == {threading.current_thread().name}


def test_cells_in_sight_are_decoded_alone(
    frames: Frames,
    recording: Recording,
    decoded: list[tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    last = len(recording) - 1
    whole = [recording.labels(index).reshape(-1) for index in range(len(recording))]
    decoded.clear()
    for cells in (np.arange(0, 100, 7), np.arange(50)[:, None] + np.arange(3)):
        chosen = Chosen.of(cells)
        for index in (0, 1, 2, last, last - 1, 3, 2, 0):
            found = frames.seen(recording, index, chosen, beside=False)
            assert np.array_equal(found, whole[index][cells])
            before = frames.seen(recording, max(index - 1, 0), chosen, beside=True)
            assert np.array_equal(before, whole[max(index - 1, 0)][cells])
    assert not decoded


@pytest.mark.parametrize("large", [False, True])
def test_single_cells_can_be_looked_up(
    frames: Frames, recording: Recording, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1 if large else 1 << 30)
    cells = np.array([0, 21, 99])
    for index in (3, 0):
        found = frames.lookup(recording, index)(cells)
        assert np.array_equal(found, recording.labels(index).reshape(-1)[cells])


def test_cells_that_stay_in_sight_are_not_decoded_again(
    frames: Frames, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    cells = np.arange(100)
    frames.seen(recording, 2, Chosen.of(cells), beside=True)
    asked: list[int] = []
    peek = Recording.peek

    def told(self: Recording, index: int, chosen: Chosen, *, layer: None) -> npt.NDArray[np.int32]:
        asked.append(chosen.cells.size)
        return peek(self, index, chosen, layer=layer)

    monkeypatch.setattr(Recording, "peek", told)
    moved = cells.copy()
    moved[[3, 50]] = (4, 7)
    found = frames.seen(recording, 2, Chosen.of(moved), beside=True)
    assert np.array_equal(found, recording.labels(2).reshape(-1)[moved])
    assert asked == [2]


def test_the_first_look_opens_the_step_that_it_is_compared_with(
    frames: Frames, recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    monkeypatch.setattr(Recording, "holds", lambda *_: False)
    asked: list[int] = []
    peek = Recording.peek

    def told(self: Recording, index: int, *given: Any, **options: Any) -> npt.NDArray[np.int32]:
        asked.append(index)
        return peek(self, index, *given, **options)

    monkeypatch.setattr(Recording, "peek", told)
    look = frames.begun_to_see(recording, 2, Chosen.of(np.arange(100)))
    assert look is not None
    assert np.array_equal(look(), recording.labels(2).reshape(-1))
    assert asked == [2, 1]


def test_an_array_beside_the_labels_is_seen_and_decoded_ahead_as_they_are(
    frames: Frames, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    image = np.array(np.random.default_rng(3).random((9, 14)) < 0.7, np.uint8)
    run = record(image, algorithm="label_equivalence_hawick", device="emulator")
    chosen, name = Chosen.of(np.arange(20, 60).reshape(4, 10)), "references"
    first = frames.begun_to_see(run, 1, chosen, name)
    assert first is not None
    frames.keep_seen(run, 1, chosen, first(), name)
    assert frames.begun_to_see(run, 2, chosen, name) is None, "there is a step near by"
    for index in (1, 2, 3, 2, 0, len(run) - 1):
        for step in (index, max(index - 1, 0)):
            seen = frames.seen(run, step, chosen, beside=step != index, layer=name)
            assert np.array_equal(seen, run.layer(name, step).reshape(-1)[chosen.cells])
        labels = frames.seen(run, index, chosen, beside=False)
        assert np.array_equal(labels, run.labels(index).reshape(-1)[chosen.cells])


def test_single_cells_of_another_run_are_looked_up_without_decoding_all(
    frames: Frames,
    recording: Recording,
    decoded: list[tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frames_module, "AHEAD_CELLS", 1)
    other = record(recording.image, recording.algorithm, recording.connectivity)
    frames.at(other, 2)
    frames.close()
    frames.keep(other, 2, frames.at(other, 2))
    decoded.clear()
    place = np.array([25])
    found = frames.lookup(recording, 2)(place)
    assert decoded == []
    assert found == recording.labels(2).reshape(-1)[place]

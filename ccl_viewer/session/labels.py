"""The labels that the window looks at: whole steps, the cells in sight, single cells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Recording
from ccl_viewer.recording.peek import Chosen
from ccl_viewer.render.forest import Lookup
from ccl_viewer.render.step_view import follow
from ccl_viewer.session.tasks import Task, TaskQueue

Values: TypeAlias = npt.NDArray[Any]
"""Labels, or the values of an array recorded beside them."""

LARGE: Final = 1 << 18
"""Grids with fewer cells are decoded when they are asked for."""

FOLLOWED_AT_ONCE: Final = 1 << 15
"""Cells of a grid up to which paths to the roots are followed when they are asked for."""

_WHOLE_KEPT: Final = 3
_SAMPLES_KEPT: Final = 8


class LabelCache:
    """Decodes labels of recordings, keeps the last ones, and decodes what comes next ahead.

    Of large grids, only the cells in sight are decoded, unless all are asked for; that takes
    longer, and is done on the pool.

    Attributes
    ----------
    ready : psygnal.Signal
        What :meth:`whole` or :meth:`sampled` did not have is there now.
    """

    ready = Signal()

    def __init__(self, tasks: TaskQueue) -> None:
        self._tasks = tasks
        self._shelves: WeakKeyDictionary[Recording, _RecordingCache] = WeakKeyDictionary()

    def whole(self, recording: Recording, index: int, layer: str | None = None) -> Values | None:
        """Return all labels of a step.

        Parameters
        ----------
        recording : Recording
            The run.
        index : int
            The step, from 0.
        layer : str or None
            An array recorded beside the labels, whose values are returned instead.

        Returns
        -------
        ndarray of integers, shape (height, width), or None
            Read-only. None if they are on their way, or cannot be decoded; :attr:`ready` follows.
        """
        shelf = self._shelf(recording)
        found = shelf.whole.get((layer, index))
        if found is not None:
            shelf.whole.move_to_end((layer, index))
            return found
        if not is_large(recording):
            return self._keep_whole(shelf, (layer, index), _decode(recording, index, layer))
        self._start_whole(recording, shelf, index, layer)
        return None

    def sampled(
        self, recording: Recording, index: int, cells: Chosen, layer: str | None = None
    ) -> Values | None:
        """Return the labels of some cells of a step.

        As long as `cells` is the same object, what was decoded is kept, and steps beside one
        another are quick.

        Returns
        -------
        ndarray of integers, of the shape of the cells, or None
            None only for the first look at a large run that was not decoded yet;
            :attr:`ready` follows.
        """
        shelf = self._shelf(recording)
        samples = shelf.samples_of(layer)
        samples.turn_to(cells)
        if index in samples.values:
            samples.values.move_to_end(index)
            return samples.values[index]
        whole = shelf.whole.get((layer, index))
        if whole is not None or not is_large(recording):
            known = _decode(recording, index, layer) if whole is None else whole
            return samples.keep(index, known.reshape(-1).take(cells.cells))
        nearest = samples.nearest(index)
        if nearest is None and not recording.holds(index, layer):
            if not shelf.seen:
                self._start_sample(recording, shelf, index, layer)
                return None
            self._start_whole(recording, shelf, index, layer)  # more will be asked, while panning
        shelf.seen = True
        return samples.keep(index, recording.peek(index, cells, nearest, layer))

    def lookup(self, recording: Recording, index: int, layer: str | None = None) -> Lookup:
        """Return what gives the labels of any few cells of a step, by their linear indices.

        Returns
        -------
        callable
            Given an array of linear indices ``y * width + x``, returns as many raw values.
        """
        whole = self._shelf(recording).whole.get((layer, index))
        if whole is None and is_large(recording):
            return lambda cells: recording.peek(index, Chosen.of(cells), layer=layer)
        known = _decode(recording, index, layer) if whole is None else whole
        return lambda cells: known.reshape(-1)[cells]

    def followed(
        self, recording: Recording, index: int, cells: Chosen, *, depths: bool
    ) -> Values | None:
        """Return the labels of the roots of some cells at a step, or how far they are.

        Parameters
        ----------
        recording : Recording
            The run.
        index : int
            The step, from 0.
        cells : Chosen
            The cells.
        depths : bool
            Whether steps to the root are counted.

        Returns
        -------
        ndarray of int32, of the shape of the cells, or None
            None for a large grid while they are on their way; :attr:`ready` follows.
        """
        shelf, key = self._shelf(recording), (index, depths)
        if shelf.followed_cells is not cells:
            shelf.followed_cells = cells
            shelf.followed.clear()
        if key in shelf.followed:
            return shelf.followed[key]
        if recording.image.size <= FOLLOWED_AT_ONCE:
            whole = _decode(recording, index, None)
            found = follow(whole, recording.layout, cells.cells, depths=depths)
            return shelf.keep_followed(cells, key, found)
        group = f"labels {id(recording)}"
        if self._tasks.busy(group) or (None, index) in shelf.failed:
            return None

        def work(task: Task) -> Values:
            whole = _decode(recording, index, None)
            task.check()
            return follow(whole, recording.layout, cells.cells, depths=depths)

        def done(found: Values) -> None:
            shelf.keep_followed(cells, key, found)
            self.ready.emit()

        def failed(_error: CCLViewerError) -> None:
            shelf.failed.add((None, index))
            self.ready.emit()

        self._tasks.start("Following labels", work, done, failed, group=group)
        return None

    def prefetch(self, recording: Recording, index: int, direction: int = 1) -> None:
        """Decode the steps beside one ahead, as far as they were looked at last.

        Parameters
        ----------
        recording : Recording
            The run.
        index : int
            The step on display.
        direction : int
            1 if later steps come next, -1 if earlier ones do.
        """
        if not is_large(recording):
            return
        shelf, group = self._shelf(recording), f"labels ahead {id(recording)}"
        order = (index + direction, index - direction, index - 2)
        steps = [step for step in order if 0 <= step < len(recording)]
        missing = [
            (samples, _Request(layer, samples.cells, ahead, samples.nearest(index)))
            for layer, samples in shelf.samples.items()
            if (ahead := [step for step in steps if step not in samples.values])
        ]
        if not missing or self._tasks.busy(group):
            return

        def work(task: Task) -> list[dict[int, Values]]:
            return [request.decode(recording, task) for _, request in missing]

        def done(found: list[dict[int, Values]]) -> None:
            for (samples, request), values in zip(missing, found, strict=True):
                samples.keep_all(request.cells, values)

        self._tasks.start("Decoding the next steps", work, done, group=group)

    def is_decoding(self, recording: Recording) -> bool:
        """Return whether something of a run is on its way, which :attr:`ready` will tell."""
        return self._tasks.busy(f"labels {id(recording)}")

    def _shelf(self, recording: Recording) -> _RecordingCache:
        if recording not in self._shelves:
            self._shelves[recording] = _RecordingCache()
        return self._shelves[recording]

    def _start_whole(
        self, recording: Recording, shelf: _RecordingCache, index: int, layer: str | None
    ) -> None:
        """Decode a step on the pool, one of a run at a time; who still needs another asks again."""
        key, group = (layer, index), f"labels {id(recording)}"
        if self._tasks.busy(group) or key in shelf.failed:
            return

        def work(_task: Task) -> Values:
            return _decode(recording, index, layer)

        def done(values: Values) -> None:
            self._keep_whole(shelf, key, values)
            self.ready.emit()

        def failed(_error: CCLViewerError) -> None:
            shelf.failed.add(key)
            self.ready.emit()

        self._tasks.start("Decoding labels", work, done, failed, group=group)

    def _start_sample(
        self, recording: Recording, shelf: _RecordingCache, index: int, layer: str | None
    ) -> None:
        samples, group = shelf.samples_of(layer), f"labels {id(recording)}"
        if self._tasks.busy(group) or (layer, index) in shelf.failed:
            return
        # What lies between is open from then on, for those who compare the two.
        steps = list(range(index, max(index - 2, -1), -1))
        request = _Request(layer, samples.cells, steps, None)

        def work(task: Task) -> dict[int, Values]:
            return request.decode(recording, task)

        def done(found: dict[int, Values]) -> None:
            shelf.seen = True
            samples.keep_all(request.cells, found)
            self.ready.emit()

        def failed(_error: CCLViewerError) -> None:
            shelf.failed.add((layer, index))
            self.ready.emit()

        self._tasks.start("Decoding labels", work, done, failed, group=group)

    def _keep_whole(
        self, shelf: _RecordingCache, key: tuple[str | None, int], values: Values
    ) -> Values:
        shelf.whole[key] = values
        while len(shelf.whole) > _WHOLE_KEPT:
            shelf.whole.popitem(last=False)
        return values


class _RecordingCache:
    """What is kept of one recording."""

    def __init__(self) -> None:
        self.whole: OrderedDict[tuple[str | None, int], Values] = OrderedDict()
        self.samples: dict[str | None, _Samples] = {}
        self.followed: OrderedDict[tuple[int, bool], Values] = OrderedDict()
        self.followed_cells: Chosen | None = None
        self.failed: set[tuple[str | None, int]] = set()
        self.seen = False

    def keep_followed(self, cells: Chosen, key: tuple[int, bool], found: Values) -> Values:
        """Keep what was found for these cells, if they are still the ones in sight."""
        if cells is self.followed_cells:
            self.followed[key] = found
            while len(self.followed) > _SAMPLES_KEPT:
                self.followed.popitem(last=False)
        return found

    def samples_of(self, layer: str | None) -> _Samples:
        """Return the cells in sight of the labels or of an array, of which one is kept."""
        if layer not in self.samples:
            self.samples = {kept: self.samples[kept] for kept in (None,) if kept in self.samples}
            self.samples[layer] = _Samples()
        return self.samples[layer]


class _Samples:
    """Values of the cells in sight at the last steps."""

    def __init__(self) -> None:
        self.cells = Chosen.of(np.empty((0, 0), np.int64))
        self.values: OrderedDict[int, Values] = OrderedDict()

    def turn_to(self, cells: Chosen) -> None:
        """Look at these cells from now on."""
        if cells is not self.cells:
            self.values.clear()
            self.cells = cells

    def nearest(self, index: int) -> tuple[int, Values] | None:
        """Return the kept step that lies nearest to one, with its values."""
        return _nearest(self.values, index)

    def keep(self, index: int, values: Values) -> Values:
        """Keep the values of a step."""
        self.values[index] = values
        while len(self.values) > _SAMPLES_KEPT:
            self.values.popitem(last=False)
        return values

    def keep_all(self, cells: Chosen, found: dict[int, Values]) -> None:
        """Keep what was decoded of these cells, if they are still the ones in sight."""
        if cells is self.cells:
            for index, values in found.items():
                self.keep(index, values)


@dataclass(frozen=True, eq=False)
class _Request:
    """Cells to be decoded at some steps, from a step that is known; on any thread."""

    layer: str | None
    cells: Chosen
    steps: list[int]
    known: tuple[int, Values] | None

    def decode(self, recording: Recording, task: Task) -> dict[int, Values]:
        """Return the values of each step."""
        found = {} if self.known is None else {self.known[0]: self.known[1]}
        for index in self.steps:
            task.check()
            known = _nearest(found, index)
            found[index] = recording.peek(index, self.cells, known, self.layer)
        return {index: found[index] for index in self.steps}


def is_large(recording: Recording) -> bool:
    """Return whether a run's grid is large enough to be decoded in part and ahead."""
    return recording.image.size >= LARGE


def _decode(recording: Recording, index: int, layer: str | None) -> Values:
    return recording.labels(index) if layer is None else recording.layer(layer, index)


def _nearest(kept: Mapping[int, Values], index: int) -> tuple[int, Values] | None:
    step = min(kept, key=lambda step: abs(step - index), default=None)
    return None if step is None else (step, kept[step])

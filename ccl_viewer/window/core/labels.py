"""The labels that the window shows: whole steps, the cells in sight, single cells."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.recording import Recording
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.render.forest import Lookup, lookup_in_frame
from ccl_viewer.render.step_view import follow, follow_limit, step_values
from ccl_viewer.window.core.model import emit
from ccl_viewer.window.core.tasks import BackgroundTask, TaskQueue, ignore

_K = TypeVar("_K")
_T = TypeVar("_T")
Values: TypeAlias = npt.NDArray[Any]
"""Labels, or the values of an array recorded beside them."""

LARGE: Final = 1 << 18
"""Grids with fewer cells are decoded immediately."""

FOLLOWED_AT_ONCE: Final = 1 << 17
"""On grids of up to this many cells, paths to the roots are followed immediately."""

_SAMPLES_KEPT: Final = 8


class LabelCache:
    """Decodes labels of recordings, caches the last ones, and decodes the next ones ahead.

    Of large grids, only the cells in sight are decoded; a request for all of them takes longer and
    is done on the pool.
    """

    ready = Signal()  # requested labels are available

    def __init__(self, tasks: TaskQueue) -> None:
        self._tasks = tasks
        self._caches: WeakKeyDictionary[Recording, _RecordingCache] = WeakKeyDictionary()
        self._instead: tuple[Recording | None, Mapping[int, Values]] = (None, {})

    def override(self, recording: Recording | None, labels: Mapping[int, Values]) -> None:
        """Replace the labels of some steps of a run, until they are replaced again."""
        self._instead = recording, labels

    def _replacement(self, recording: Recording, index: int, layer: str | None) -> Values | None:
        replaced, labels = self._instead
        return labels.get(index) if recording is replaced and layer is None else None

    def fetch_labels(
        self, recording: Recording, index: int, cells: ChosenCells, layer: str | None = None
    ) -> Values | None:
        """Return the labels of some cells of a step, of the shape of the cells.

        As long as `cells` is the same object, decoded labels are cached, and steps next to each
        other are quick. None only for the first look at a large run that was not decoded yet;
        :attr:`ready` follows.
        """
        replaced = self._replacement(recording, index, layer)
        if replaced is not None:
            return replaced.reshape(-1).take(cells.cells)
        cache = self._cache_of(recording)
        samples = cache.samples_of(layer)
        samples.turn_to(cells)
        if index in samples:
            samples.move_to_end(index)
            return samples[index]
        if not is_large(recording):
            values = step_values(recording, index, layer)
            return samples.keep(index, values.reshape(-1).take(cells.cells))
        nearest = _nearest(samples, index)
        if nearest is None and not recording.is_decoded(index, layer):
            if not cache.seen:
                self._start_sample(recording, index, layer)
                return None
            # Panning will ask for more; the recording caches the whole step for a while.
            self._start(
                recording, (layer, index), lambda _task: step_values(recording, index, layer)
            )
        cache.seen = True
        if nearest is not None and index > nearest[0] + 1:  # the step before is needed, too
            before = recording.read_cells(index - 1, cells, nearest, layer)
            nearest = index - 1, samples.keep(index - 1, before)
        return samples.keep(index, recording.read_cells(index, cells, nearest, layer))

    def make_label_lookup(
        self, recording: Recording, index: int, layer: str | None = None
    ) -> Lookup:
        """Return a function that gives the labels of cells of a step, by ``y * width + x``."""
        replaced = self._replacement(recording, index, layer)
        if replaced is None and is_large(recording) and not recording.is_decoded(index, layer):
            return lambda cells: recording.read_cells(index, ChosenCells.of(cells), layer=layer)
        return lookup_in_frame(
            step_values(recording, index, layer) if replaced is None else replaced
        )

    def fetch_roots(
        self, recording: Recording, index: int, cells: ChosenCells, *, depths: bool
    ) -> Values | None:
        """Return the labels of the roots of some cells at a step, or their distances.

        The result is int32, of the shape of the cells. None for a large grid while it is being
        computed; :attr:`ready` follows. None for a large grid with replaced labels, too.
        """
        replaced = self._replacement(recording, index, None)
        if replaced is not None:
            small = recording.image.size <= FOLLOWED_AT_ONCE
            layout = recording.layout
            return follow(replaced, layout, cells.cells, depths=depths) if small else None
        followed, key = self._cache_of(recording).followed, (index, depths)
        followed.turn_to(cells)
        if key in followed:
            return followed[key]

        def find() -> Values:
            farthest = follow_limit(recording, depths=depths)
            return recording.follow(index, cells, farthest, depths=depths)

        if recording.image.size <= FOLLOWED_AT_ONCE or recording.is_decoded(index):
            return followed.keep(key, find())
        keep = partial(followed.keep_all, cells)
        self._start(recording, (None, index), lambda _task: {key: find()}, keep)
        return None

    @staticmethod
    def follows_at_once(recording: Recording, index: int) -> bool:
        """Return whether paths to the roots are followed within a frame, for example on a GPU."""
        if recording.image.size <= FOLLOWED_AT_ONCE:
            return True
        return recording.is_decoded(index) and not recording.grid_kernels.backend.on_host

    def prefetch(self, recording: Recording, index: int) -> None:
        """Decode the steps next to the one on display in advance, in the form last requested."""
        if not is_large(recording):
            return
        cache, group = self._cache_of(recording), f"labels ahead {id(recording)}"
        order = (index + 1, index - 1, index - 2)
        steps = [step for step in order if 0 <= step < len(recording)]
        missing = [
            (samples, _Request(layer, samples.cells, ahead, _nearest(samples, index)))
            for layer, samples in cache.samples.items()
            if (ahead := [step for step in steps if step not in samples])
        ]
        if not missing or self._tasks.busy(group):
            return

        def work(task: BackgroundTask) -> list[dict[int, Values]]:
            return [request.decode(recording, task) for _, request in missing]

        def done(decoded: list[dict[int, Values]]) -> None:
            for (samples, request), values in zip(missing, decoded, strict=True):
                samples.keep_all(request.cells, values)

        self._tasks.start("Decoding the next steps", work, done, ignore, group=group)

    def is_decoding(self, recording: Recording) -> bool:
        """Return whether something of a run is being decoded, which :attr:`ready` will announce."""
        return self._tasks.busy(f"labels {id(recording)}")

    def _cache_of(self, recording: Recording) -> _RecordingCache:
        return self._caches.setdefault(recording, _RecordingCache())

    def _start_sample(self, recording: Recording, index: int, layer: str | None) -> None:
        cache = self._cache_of(recording)
        samples = cache.samples_of(layer)
        # This also decodes the steps between, for comparisons.
        steps = list(range(index, max(index - 2, -1), -1))
        request = _Request(layer, samples.cells, steps, None)

        def keep(decoded: dict[int, Values]) -> None:
            cache.seen = True
            samples.keep_all(request.cells, decoded)

        self._start(recording, (layer, index), lambda task: request.decode(recording, task), keep)

    def _start(
        self,
        recording: Recording,
        key: tuple[str | None, int],
        work: Callable[[BackgroundTask], _T],
        keep: Callable[[_T], object] = lambda _: None,
    ) -> None:
        """Decode on the pool, one step of a run at a time; other requests must be repeated."""
        failures, group = self._cache_of(recording).failed, f"labels {id(recording)}"
        if self._tasks.busy(group) or key in failures:
            return

        def done(result: _T) -> None:
            keep(result)
            emit(self.ready)

        def failed(_error: CCLViewerError) -> None:
            failures.add(key)
            emit(self.ready)

        self._tasks.start("Decoding labels", work, done, failed, group=group)


class _Samples(OrderedDict[_K, Values]):
    """Values of the cells in sight, by step; the oldest are dropped first."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = ChosenCells.of(np.empty((0, 0), np.int64))

    def turn_to(self, cells: ChosenCells) -> None:
        if cells is not self.cells:
            self.clear()
            self.cells = cells

    def keep(self, key: _K, values: Values) -> Values:
        self[key] = values
        while len(self) > _SAMPLES_KEPT:
            self.popitem(last=False)
        return values

    def keep_all(self, cells: ChosenCells, decoded: Mapping[_K, Values]) -> None:
        """Store the decoded values of these cells, if they are still the ones in sight."""
        if cells is self.cells:
            for key, values in decoded.items():
                self.keep(key, values)


class _RecordingCache:
    def __init__(self) -> None:
        self.samples: dict[str | None, _Samples[int]] = {}
        self.followed = _Samples[tuple[int, bool]]()
        self.failed: set[tuple[str | None, int]] = set()
        self.seen = False

    def samples_of(self, layer: str | None) -> _Samples[int]:
        """Return the cells in sight of the labels or of an array; only one is cached."""
        if layer not in self.samples:
            self.samples = {key: self.samples[key] for key in (None,) if key in self.samples}
            self.samples[layer] = _Samples[int]()
        return self.samples[layer]


@dataclass(frozen=True, eq=False)
class _Request:
    """Cells to decode at some steps, starting from a known step; on any thread."""

    layer: str | None
    cells: ChosenCells
    steps: list[int]
    known: tuple[int, Values] | None

    def decode(self, recording: Recording, task: BackgroundTask) -> dict[int, Values]:
        decoded = {} if self.known is None else {self.known[0]: self.known[1]}
        for index in self.steps:
            task.check()
            nearest = _nearest(decoded, index)
            decoded[index] = recording.read_cells(index, self.cells, nearest, self.layer)
        return {index: decoded[index] for index in self.steps}


def is_large(recording: Recording) -> bool:
    """Return whether a run's grid is large enough to be decoded in part and ahead."""
    return recording.image.size >= LARGE


def _nearest(cached: Mapping[int, Values], index: int) -> tuple[int, Values] | None:
    """Return the cached step nearest to one, with its values."""
    step = min(cached, key=lambda step: abs(step - index), default=None)
    return None if step is None else (step, cached[step])

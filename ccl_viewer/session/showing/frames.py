"""The label frames that a window looks at, decoded ahead of the next step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ccl_viewer.recording import Recording
from ccl_viewer.recording.peek import Chosen
from ccl_viewer.render.forest import Lookup
from ccl_viewer.session.showing.ahead import Ahead, Decode, Values
from ccl_viewer.session.showing.samples import Samples

Labels: TypeAlias = npt.NDArray[np.int32]
AHEAD_CELLS = 1 << 18
"""Grids with fewer cells are decoded so quickly that nothing is gained by doing it ahead."""

_KEPT: Final = 3


class Frames:
    """Keeps the frame on display and its neighbours, for one thread.

    Of large grids, only the labels of the cells in sight are decoded, unless all are asked for.
    Once a step was asked for, those beside it are decoded on a thread of its own, first the one in
    the direction of the last step, so that playing and stepping find them ready.
    """

    def __init__(self) -> None:
        self._recording: Recording | None = None
        self._whole = Ahead(_KEPT)
        self._labels = Samples()
        self._array = Samples()

    def at(self, recording: Recording, index: int) -> Labels:
        """Return the labels of the step on display, and begin with the next.

        Parameters
        ----------
        recording : Recording
            The run on display.
        index : int
            The step on display, from 0.

        Returns
        -------
        ndarray of int32, shape (height, width)
            Raw labels, read-only.
        """
        self._show(recording)
        return self._whole.at(
            index, _whole_of(recording), len(recording) if is_large(recording) else 0
        )

    def beside(self, recording: Recording, index: int) -> Labels:
        """Return the labels of a step that is only compared with the one on display."""
        if recording is not self._recording:
            return recording.labels(index)
        return self._whole.get(index, _whole_of(recording))

    def begun(self, recording: Recording, index: int) -> Callable[[], Labels] | None:
        """Return what decodes a step's labels, on any thread; None if they are there already.

        What it returns is for :meth:`keep`.
        """
        self._show(recording)
        if not is_large(recording) or self._whole.kept(index) is not None:
            return None
        return self._whole.decoder(index, _whole_of(recording))

    def keep(self, recording: Recording, index: int, labels: Labels) -> None:
        """Keep labels that were decoded elsewhere, unless another run is on display."""
        if recording is self._recording:
            self._whole.keep(index, labels)

    def begun_to_see(
        self, recording: Recording, index: int, chosen: Chosen, layer: str | None = None
    ) -> Callable[[], Values] | None:
        """Return what decodes some cells of a step, on any thread; None if that need not wait.

        The first look at a large run may have to decode many steps; from then on there is always
        one near by. What it returns is for :meth:`keep_seen`, with the same layer.
        """
        if not is_large(recording):
            return None
        self._show(recording)
        return self._samples(layer).begun(recording, index, chosen)

    def unseen(self, recording: Recording, index: int) -> bool:
        """Return whether the first look at a large run is still to be taken, and takes long."""
        self._show(recording)
        return is_large(recording) and self._labels.unseen(recording, index)

    def keep_seen(
        self,
        recording: Recording,
        index: int,
        chosen: Chosen,
        values: Values,
        layer: str | None = None,
    ) -> None:
        """Keep what was seen of some cells, unless another run is on display or was looked at."""
        if recording is self._recording:
            self._samples(layer).keep(index, chosen, values)

    def seen(
        self,
        recording: Recording,
        index: int,
        chosen: Chosen,
        *,
        beside: bool,
        layer: str | None = None,
    ) -> Values:
        """Return the labels of some cells of the step on display, and begin with its neighbours.

        Parameters
        ----------
        recording : Recording
            The run on display.
        index : int
            The step, from 0.
        chosen : Chosen
            The cells; as long as they are the same object, what was decoded is kept.
        beside : bool
            Whether the step is only compared with the one on display.
        layer : str or None
            An array beside the labels, to look at instead of them.

        Returns
        -------
        ndarray of integers, of the shape of the cells
            Raw values.
        """
        if is_large(recording):
            self._show(recording)
            return self._samples(layer).seen(recording, index, chosen, beside=beside)
        if layer is not None:
            whole: Values = recording.layer(layer, index)
        else:
            whole = self.beside(recording, index) if beside else self.at(recording, index)
        return whole.reshape(-1)[chosen.cells]

    def lookup(self, recording: Recording, index: int, layer: str | None = None) -> Lookup:
        """Return what gives the labels of any few cells of a step, by their linear indices.

        Of large grids, no more is decoded than is asked for, unless the step is kept whole.

        Parameters
        ----------
        recording : Recording
            The run on display.
        index : int
            The step, from 0.
        layer : str or None
            An array beside the labels, to look at instead of them.

        Returns
        -------
        callable
            Given an array of linear indices ``y * width + x``, returns as many raw values.

        Raises
        ------
        InputError
            Now, or by what is returned, if there is no such step or no such array.
        """
        if is_large(recording):
            self._show(recording)
            if layer is not None or self._whole.kept(index) is None:
                return lambda cells: recording.peek(index, Chosen.of(cells), layer=layer)
        whole = self.beside(recording, index) if layer is None else recording.layer(layer, index)
        flat = whole.reshape(-1)
        return lambda cells: flat[cells]

    def close(self) -> None:
        """Let go of all frames, and wait for those that are being decoded."""
        self._show(None)
        self._whole.close()
        for samples in (self._labels, self._array):
            samples.close()

    def _samples(self, layer: str | None) -> Samples:
        """Return what keeps samples of the labels, or of the array that is looked at."""
        if layer is None:
            return self._labels
        self._array.turn_to(layer)
        return self._array

    def _show(self, recording: Recording | None) -> None:
        if recording is not self._recording:
            self._recording = recording
            self._whole.forget()
            self._labels.forget()
            self._array.forget()


def is_large(recording: Recording) -> bool:
    """Return whether a recording is of a grid that is worth decoding ahead, and in part."""
    return recording.image.size >= AHEAD_CELLS


def _whole_of(recording: Recording) -> Decode:
    return lambda index, _known: recording.labels(index)

"""The labels of the step on display: all of them, those in sight, or single ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ccl_viewer.recording import Recording
from ccl_viewer.recording.peek import Chosen
from ccl_viewer.render.forest import Lookup
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.session.showing.frames import Frames, Labels
from ccl_viewer.session.showing.looked import Looked
from ccl_viewer.session.showing.whole_labels import Decoding, DecodingWork
from ccl_viewer.session.signals import Signal


class StepLabels:
    """Decodes no more of a step than is asked for.

    Parameters
    ----------
    display : Looked
        Knows the run and the step on display.
    aside : Runner or None
        Decodes all labels of large grids; None decodes them when they are asked for.

    Attributes
    ----------
    arrived : Signal
        Labels that :meth:`ready` did not have are there now, or cannot be had.
    """

    def __init__(self, display: Looked, aside: Runner | None = None) -> None:
        self._display = display
        self._frames = Frames()
        self._decoding = None if aside is None else Decoding(aside)
        self.arrived = Signal() if self._decoding is None else self._decoding.arrived

    def whole(self) -> Labels | None:
        """Return the raw labels of the step on display, ``int32`` of shape (height, width)."""
        shown = self._display.shown
        return None if shown is None else self._frames.at(shown.recording, self._position)

    def whole_before(self) -> Labels | None:
        """Return the raw labels of the step before; None at the first."""
        shown, position = self._display.shown, self._position
        return self._frames.beside(shown.recording, position - 1) if shown and position else None

    @property
    def coming(self) -> bool:
        """Whether labels are being decoded, of which :attr:`arrived` will tell."""
        return self._decoding is not None and self._decoding.busy

    @property
    def unseen(self) -> bool:
        """Whether nobody looked at a large run yet, so that single labels would be dear."""
        shown = self._display.shown
        return shown is not None and self._frames.unseen(shown.recording, self._position)

    def waits(self, *, before: bool = False) -> bool:
        """Whether labels are still to be decoded, which is begun; :attr:`arrived` tells the end.

        Parameters
        ----------
        before : bool
            Ask for those of the step before.
        """
        shown, index = self._display.shown, self._position - before
        if shown is None or index < 0 or self._decoding is None:
            return False
        recording, frames = shown.recording, self._frames
        keep = partial(frames.keep, recording, index)
        return self._begin(recording, index, frames.begun(recording, index), keep)

    def waits_to_see(self, chosen: Chosen, layer: str | None = None) -> bool:
        """Whether labels of some cells are still to be decoded, as :meth:`waits` says of all.

        With a `layer`, an array beside the labels, whether its values are.
        """
        shown, index = self._display.shown, self._position
        if shown is None or self._decoding is None:
            return False
        recording, frames = shown.recording, self._frames
        keep = partial(frames.keep_seen, recording, index, chosen, layer=layer)
        decode = frames.begun_to_see(recording, index, chosen, layer)
        return self._begin(recording, index, decode, keep)

    def seen(
        self, chosen: Chosen, *, before: bool = False, layer: str | None = None
    ) -> Labels | None:
        """Return the raw labels of some cells of the step on display, or of the one before.

        Much cheaper than all of them where the grid is large and few of its cells are in sight.

        Parameters
        ----------
        chosen : Chosen
            Which cells.
        before : bool
            Whether the step before is meant.
        layer : str or None
            Name of an array beside the labels, whose values are returned instead.

        Returns
        -------
        ndarray of the cells' shape, or None
            None while they are not known.
        """
        shown, position = self._display.shown, self._position - before
        if shown is None or position < 0:
            return None
        return self._frames.seen(shown.recording, position, chosen, beside=before, layer=layer)

    def lookup(self, layer: str | None = None) -> Lookup | None:
        """Return what gives raw labels of single cells of the step on display, by linear index.

        With a `layer`, an array beside the labels, its values.
        """
        shown = self._display.shown
        if shown is None:
            return None
        return self._frames.lookup(shown.recording, self._position, layer)

    def close(self) -> None:
        """Let go of all labels, and wait for those that are being decoded."""
        if self._decoding is not None:
            self._decoding.close()
        self._frames.close()

    def _begin(
        self,
        recording: Recording,
        index: int,
        decode: Callable[[], Labels] | None,
        keep: Callable[[Labels], object],
    ) -> bool:
        decoding = self._decoding
        if decode is None or decoding is None or decoding.has_failed(recording, index):
            return False
        decoding.start(DecodingWork(recording, index, decode, keep))
        return True

    @property
    def _position(self) -> int:
        return self._display.playback.position

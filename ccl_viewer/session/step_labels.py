"""The labels of the step on display: all of them, those in sight, or single ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.recording.peek import Chosen
from ccl_viewer.session.frames import Frames, Labels, Lookup

if TYPE_CHECKING:
    from ccl_viewer.session.on_display import Looked


class StepLabels:
    """Decodes no more of a step than is asked for.

    Parameters
    ----------
    display : Looked
        Knows the run and the step on display.
    """

    def __init__(self, display: Looked) -> None:
        self._display = display
        self._frames = Frames()

    def whole(self) -> Labels | None:
        """Return the raw labels of the step on display, ``int32`` of shape (height, width)."""
        shown = self._display.shown
        return None if shown is None else self._frames.at(shown.recording, self._position)

    def whole_before(self) -> Labels | None:
        """Return the raw labels of the step before; None at the first."""
        shown, position = self._display.shown, self._position
        return self._frames.beside(shown.recording, position - 1) if shown and position else None

    def seen(self, chosen: Chosen, *, before: bool = False) -> Labels | None:
        """Return the raw labels of some cells of the step on display, or of the one before.

        Much cheaper than all of them where the grid is large and few of its cells are in sight.
        """
        shown, position = self._display.shown, self._position - before
        if shown is None or position < 0:
            return None
        return self._frames.seen(shown.recording, position, chosen, beside=before)

    def lookup(self) -> Lookup | None:
        """Return what gives raw labels of single cells of the step on display, by linear index."""
        shown = self._display.shown
        return None if shown is None else self._frames.lookup(shown.recording, self._position)

    def close(self) -> None:
        """Let go of all labels, and wait for those that are being decoded."""
        self._frames.close()

    @property
    def _position(self) -> int:
        return self._display.playback.position

"""The cells in sight of a large run, decoded without the rest and ahead of the next step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from ccl_viewer.recording import Recording
from ccl_viewer.recording.peek import Chosen
from ccl_viewer.session.showing.ahead import Ahead, Decode, Values

_KEPT: Final = 8
_CARRIED: Final = 0.1


class Samples:
    """Keeps what was seen of one run, as long as the same cells are in sight.

    It looks at the labels until it is turned to an array beside them.
    """

    def __init__(self) -> None:
        self._layer: str | None = None
        self._chosen: Chosen | None = None
        self._ahead = Ahead(_KEPT, behind=2)

    def turn_to(self, layer: str) -> None:
        """Look at an array beside the labels."""
        if layer != self._layer:
            self._layer = layer
            self.forget()

    def begun(
        self, recording: Recording, index: int, chosen: Chosen
    ) -> Callable[[], Values] | None:
        """Return what takes the first look, for :meth:`keep`; None if that need not wait."""
        if not self.unseen(recording, index):
            return None
        layer = self._layer

        def look() -> Values:
            values = recording.peek(index, chosen, layer=layer)
            if index:  # what lies between is open from then on, for those who compare the two
                recording.peek(index - 1, chosen, (index, values), layer)
            return values

        return look

    def unseen(self, recording: Recording, index: int) -> bool:
        """Return whether a look at a step would be the first, with many steps to decode."""
        return self._chosen is None and not recording.holds(index, self._layer)

    def keep(self, index: int, chosen: Chosen, values: Values) -> None:
        """Keep the first look, unless there was one since."""
        if self._chosen is None:
            self._chosen = chosen
            self._ahead.keep(index, values)

    def seen(self, recording: Recording, index: int, chosen: Chosen, *, beside: bool) -> Values:
        """Return the values of some cells; with `beside`, neighbours are not begun with."""
        if chosen is not self._chosen:
            carried = self._carried(recording, index, chosen)
            self._ahead.forget()
            self._chosen = chosen
            if carried is not None:
                self._ahead.keep(index, carried)
        decode = self._decoder(recording, chosen)
        if beside:
            return self._ahead.get(index, decode)
        return self._ahead.at(index, decode, len(recording))

    def forget(self) -> None:
        """Let go of everything: another run is going to be looked at."""
        self._chosen = None
        self._ahead.forget()

    def close(self) -> None:
        """Wait for what is being decoded."""
        self._ahead.close()

    def _decoder(self, recording: Recording, chosen: Chosen) -> Decode:
        layer = self._layer
        return lambda index, known: recording.peek(index, chosen, known, layer)

    def _carried(self, recording: Recording, index: int, chosen: Chosen) -> Values | None:
        """Return the values of cells most of which were in sight before, as while drawing."""
        old, kept = self._chosen, self._ahead.kept(index)
        if old is None or kept is None or old.cells.shape != chosen.cells.shape:
            return None
        new = old.cells != chosen.cells
        if np.count_nonzero(new) > new.size * _CARRIED:
            return None
        values = kept.copy()
        values[new] = recording.peek(index, Chosen.of(chosen.cells[new]), layer=self._layer)
        return values

"""Where the window stands in the recording on display, and how it plays."""

from __future__ import annotations

from typing import Protocol

from ccl_viewer.session import transport
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.work import Shown


class Played(Protocol):
    """What playback needs to know of the display."""

    @property
    def shown(self) -> Shown | None:
        """The run on display."""

    @property
    def count(self) -> int:
        """Steps of the run on display that the views were told of."""

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""


class Playback:
    """Position, speed and whether it plays; every method does nothing without a recording.

    Parameters
    ----------
    played : Played
        The display.
    """

    def __init__(self, played: Played) -> None:
        self.position_changed = Signal()
        self.playing_changed = Signal()
        self.speed_changed = Signal()
        self.following = False
        """Whether new steps are shown as they are recorded."""
        self._played = played
        self._position = 0
        self._playing = False
        self._speed = 1.0

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All signals."""
        return self.position_changed, self.playing_changed, self.speed_changed

    @property
    def count(self) -> int:
        """Steps of the recording on display, so far."""
        return self._played.count

    @property
    def position(self) -> int:
        """Index of the step on display; 0 without a recording."""
        return self._position

    @property
    def at_end(self) -> bool:
        """Whether the last step so far is on display."""
        return self._position >= self.count - 1

    @property
    def playing(self) -> bool:
        """Whether steps follow each other by themselves."""
        return self._playing

    @property
    def speed(self) -> float:
        """Multiple of the normal speed."""
        return self._speed

    @property
    def interval(self) -> int:
        """Milliseconds between steps."""
        return round(1000 / (transport.STEPS_PER_SECOND * self._speed))

    def go_to(self, index: int) -> None:
        """Show a step; beyond the ends, the nearest."""
        self.following = False
        self._move(index)

    def forward(self) -> None:
        """Show the next step."""
        self.pause()
        self.go_to(self._position + 1)

    def back(self) -> None:
        """Show the step before."""
        self.pause()
        self.go_to(self._position - 1)

    def first(self) -> None:
        """Show the first step."""
        self.pause()
        self.go_to(0)

    def last(self) -> None:
        """Show the last step so far."""
        self.pause()
        self.go_to(self.count - 1)

    def next_group(self) -> None:
        """Show the first step of the next iteration or level."""
        self.pause()
        if self._played.shown is not None:
            self.go_to(transport.next_group(self._played.shown.recording.steps, self._position))

    def previous_group(self) -> None:
        """Show the first step of this iteration or level, or of the one before."""
        self.pause()
        if self._played.shown is not None:
            self.go_to(transport.previous_group(self._played.shown.recording.steps, self._position))

    def toggle(self) -> None:
        """Play, or pause; at the end, play from the first step."""
        if self._playing:
            self.pause()
        elif self.count:
            self.following = False
            if self.at_end and not self._played.running:
                self._move(0)
            self._playing = True
            self.playing_changed.emit()

    def pause(self) -> None:
        """Stop playing."""
        if self._playing:
            self._playing = False
            self.playing_changed.emit()

    def tick(self) -> None:
        """Show the next step while playing; stop at the end of a run that is over."""
        if not self._playing:
            return
        if not self.at_end:
            self._move(self._position + 1)
        if self.at_end and not self._played.running:
            self.pause()

    def set_speed(self, speed: float) -> None:
        """Play at a multiple of the normal speed, one of :data:`transport.SPEEDS`."""
        if speed != self._speed:
            self._speed = speed
            self.speed_changed.emit()

    def faster(self) -> None:
        """Choose the next higher speed."""
        self.set_speed(transport.faster(self._speed))

    def slower(self) -> None:
        """Choose the next lower speed."""
        self.set_speed(transport.slower(self._speed))

    def follow(self) -> None:
        """Show the step recorded last, if new steps are being followed."""
        if self.following:
            self._move(self.count - 1)

    def reset(self, position: int) -> None:
        """Stand at a step of another recording, before views are told of it."""
        self._position = max(0, min(position, self.count - 1))

    def _move(self, index: int) -> None:
        index = max(0, min(index, self.count - 1))
        if index != self._position:
            self._position = index
            self.position_changed.emit()

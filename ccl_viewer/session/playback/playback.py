"""Where the window stands in the recording on display, and how it plays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ccl_viewer.session.playback import transport
from ccl_viewer.session.playback.pace import Pace
from ccl_viewer.session.playback.transport import Section
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.signals import Signal


class Played(Protocol):
    """What playback needs to know of the display."""

    @property
    def shown(self) -> DisplayedRun | None:
        """The run on display."""

    @property
    def count(self) -> int:
        """Steps of the run on display that the views were told of."""

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""


@dataclass(frozen=True)
class Way:
    """Where a recording stands and how it plays.

    Parameters
    ----------
    position : int
        Index of the step on display.
    section : Section or None
        The steps that are played.
    looping, backwards : bool
        Whether playing begins again at its end; whether it goes towards the first step.
    """

    position: int
    section: Section | None
    looping: bool
    backwards: bool


class Lead(Protocol):
    """What playing moves along instead of the steps of the run on display, as in a comparison."""

    @property
    def count(self) -> int:
        """Moments that there are."""

    @property
    def position(self) -> int:
        """The moment on display, from 0."""

    @property
    def rate(self) -> float | None:
        """Moments a second; None for the speed that was chosen."""

    def span(self, section: Section | None, /) -> Section:
        """Return the moments that belong to steps of the run on display; None is all of them."""

    def beside(self, *, forward: bool) -> int:
        """Return the next moment at which anything changes, or the one before."""

    def move(self, moment: int, /) -> None:
        """Show a moment, and the step of the run on display that belongs to it."""


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
        self.section_changed = Signal()
        self.way_changed = Signal()
        self.following = False
        """Whether new steps are shown as they are recorded."""
        self.lead: Lead | None = None
        """What is moved along instead of the steps; None for these."""
        self._played = played
        self._position = 0
        self._playing = False
        self._speed = 1.0
        self._section: Section | None = None
        self._looping = False
        self._backwards = False
        self._pace = Pace()

    @property
    def signals(self) -> tuple[Signal, ...]:
        """All signals."""
        return (
            self.position_changed,
            self.playing_changed,
            self.speed_changed,
            self.section_changed,
            self.way_changed,
        )

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
        """Whether nothing comes after what is on display."""
        if self.lead is not None:
            return self.lead.position >= self.lead.count - 1
        return self._position >= self.count - 1

    @property
    def at_start(self) -> bool:
        """Whether nothing comes before what is on display."""
        return (self._position if self.lead is None else self.lead.position) <= 0

    @property
    def playing(self) -> bool:
        """Whether steps follow each other by themselves."""
        return self._playing

    @property
    def speed(self) -> float:
        """Multiple of the normal speed."""
        return self._speed

    @property
    def rate(self) -> float:
        """Steps a second."""
        return transport.STEPS_PER_SECOND * self._speed

    @property
    def section(self) -> Section | None:
        """The steps that are played; None plays all."""
        return self._section

    @property
    def looping(self) -> bool:
        """Whether playing begins again when it has come to the end."""
        return self._looping

    @property
    def backwards(self) -> bool:
        """Whether playing goes towards the first step."""
        return self._backwards

    @property
    def way(self) -> Way:
        """All of this but the speed, to be put back by :meth:`go_back_to`."""
        return Way(self._position, self._section, self._looping, self._backwards)

    def go_back_to(self, way: Way) -> None:
        """Stand and play as before, in the recording that was on display then."""
        self.go_to(way.position)
        self.set_section(way.section)
        self.set_looping(way.looping)
        self.set_backwards(way.backwards)

    def go_to(self, index: int) -> None:
        """Show a step; beyond the ends, the nearest."""
        self.following = False
        self._move(index)

    def forward(self) -> None:
        """Show the next step."""
        self.pause()
        self._along(self._beside(forward=True))

    def back(self) -> None:
        """Show the step before."""
        self.pause()
        self._along(self._beside(forward=False))

    def first(self) -> None:
        """Show the first step."""
        self.pause()
        self._along(0)

    def last(self) -> None:
        """Show the last step so far."""
        self.pause()
        self._along((self.count if self.lead is None else self.lead.count) - 1)

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
        """Play, or pause; where playing would end at once, play from the other end."""
        if self._playing:
            self.pause()
        elif self.count:
            self.following = False
            span = self._span()
            first, last = (span.end, span.start) if self._backwards else (span.start, span.end)
            waiting = self._played.running and not self._backwards and self._section is None
            place = self._place
            if place not in span or (place == last and not waiting):
                self._along(first)
            self._playing = True
            self._pace.rest()
            self.playing_changed.emit()

    def pause(self) -> None:
        """Stop playing."""
        if self._playing:
            self._playing = False
            self.playing_changed.emit()

    def tick(self, now: float) -> float:
        """Show the step that is due while playing; stop at the end of a run that is over.

        Parameters
        ----------
        now : float
            Seconds, of a clock that never goes back. Steps that should have been shown since the
            last call, and could not be, are passed over.

        Returns
        -------
        float
            Seconds until the next step is due.
        """
        rate = (None if self.lead is None else self.lead.rate) or self.rate
        if self._playing and (steps := self._pace.due(now, rate)):
            self._play(steps)
        return self._pace.wait(now, rate)

    def set_speed(self, speed: float) -> None:
        """Play at a multiple of the normal speed, one of :data:`transport.SPEEDS`."""
        if speed != self._speed:
            self._speed = speed
            self._pace.rest()
            self.speed_changed.emit()

    def faster(self) -> None:
        """Choose the next higher speed."""
        self.set_speed(transport.faster(self._speed))

    def slower(self) -> None:
        """Choose the next lower speed."""
        self.set_speed(transport.slower(self._speed))

    def set_looping(self, looping: bool) -> None:
        """Choose whether playing begins again at its end."""
        if looping != self._looping:
            self._looping = looping
            self.way_changed.emit()

    def set_backwards(self, backwards: bool) -> None:
        """Choose whether playing goes towards the first step."""
        if backwards != self._backwards:
            self._backwards = backwards
            self.way_changed.emit()

    def set_section(self, section: Section | None) -> None:
        """Play a part of the recording, over and over; None plays all of it, once."""
        if section is not None and self.count:
            last = self.count - 1
            section = Section(min(section.start, last), min(section.end, last))
        if section != self._section and (section is None or self.count):
            self._section = section
            self.section_changed.emit()
            self.set_looping(section is not None)

    def start_section(self, step: int) -> None:
        """Let the section begin at a step."""
        end = self.count - 1 if self._section is None else self._section.end
        self.set_section(transport.section_between(step, max(end, step)))

    def end_section(self, step: int) -> None:
        """Let the section end at a step."""
        start = 0 if self._section is None else self._section.start
        self.set_section(transport.section_between(min(start, step), step))

    def start_here(self) -> None:
        """Let the section begin at the step on display."""
        self.start_section(self._position)

    def end_here(self) -> None:
        """Let the section end at the step on display."""
        self.end_section(self._position)

    def follow(self) -> None:
        """Show the step recorded last, if new steps are being followed."""
        if self.following:
            self._move(self.count - 1)

    def reset(self, position: int) -> None:
        """Stand at a step of another recording, before views are told of it."""
        self._position = max(0, min(position, self.count - 1))
        if self._section is not None and self._section.end >= self.count:
            self._section = None
            self._looping = False
            self.section_changed.emit()
            self.way_changed.emit()

    @property
    def _place(self) -> int:
        return self._position if self.lead is None else self.lead.position

    def _beside(self, *, forward: bool) -> int:
        if self.lead is not None:
            return self.lead.beside(forward=forward)
        return self._position + (1 if forward else -1)

    def _span(self) -> Section:
        if self.lead is not None:
            return self.lead.span(self._section)
        return self._section or Section(0, self.count - 1)

    def _along(self, place: int) -> None:
        """Show a step, or a moment of what leads."""
        if self.lead is None:
            self.go_to(place)
        elif self.lead.count:
            self.following = False
            self.lead.move(max(0, min(place, self.lead.count - 1)))

    def _play(self, steps: int) -> None:
        growing = self._played.running and not self._backwards and self._section is None
        position, ended = transport.move(
            self._place,
            steps,
            self._span(),
            looping=self._looping and not growing,
            backwards=self._backwards,
        )
        self._along(position)
        if ended and not growing:
            self.pause()

    def _move(self, index: int) -> None:
        index = max(0, min(index, self.count - 1))
        if index != self._position:
            self._position = index
            self.position_changed.emit()

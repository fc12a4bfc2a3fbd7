"""Moves through the steps of a run, by hand or by playing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from psygnal import Signal, SignalInstance

from ccl_viewer.recording import Step
from ccl_viewer.render.pace import SHORT_RUN, new_caption_length, seconds_per_step
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.run_display import RunDisplay

if TYPE_CHECKING:
    from ccl_viewer.window.core.moments import Moments

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""The speeds to choose from, as multiples of the normal one."""

_FIRST_SECONDS: Final = 0.8
"""Seconds until playing moves for the first time, however long the sentence is."""

_MAX_BEHIND: Final = 0.5
"""Longest delay in seconds that playing catches up on after the machine was busy."""


class Playback(Model):
    """The step on display, and how steps follow each other.

    It moves the display's step, or the moments of a comparison (:attr:`lead`).

    `speed` is a multiple of the normal one, from :data:`SPEEDS`. The steps of the `section` are
    played; None means all, and so does a comparison. With `looping`, playing starts again at the
    end.
    """

    position_changed = Signal()
    count_changed = Signal()
    playing_changed = Signal()
    speed_changed = Signal()
    section_changed = Signal()
    looping_changed = Signal()

    def __init__(self, display: RunDisplay) -> None:
        super().__init__()
        self.lead: Moments | None = None
        self._display = display
        self.playing = False
        self.speed = 1.0
        self.section: range | None = None
        self.looping = False
        self._since: float | None = None
        self._begins = False  # whether the user has just started playing
        self._wait = 0.0  # extra seconds for the first step
        display.changed.connect(self._on_display_changed)

    @property
    def position(self) -> int:
        """The step on display, from 0, or the moment where a comparison leads."""
        return self._display.index if self.lead is None else self.lead.position

    @property
    def count(self) -> int:
        return self._display.count if self.lead is None else self.lead.count

    @property
    def at_start(self) -> bool:
        return self.position <= 0

    @property
    def at_end(self) -> bool:
        """Whether the last step or moment is on display."""
        return self.position >= self.count - 1

    @property
    def seconds_per_step(self) -> float:
        """Seconds that the current step stays, at the chosen speed."""
        seconds = None if self.lead is None else self.lead.seconds_per_moment
        if seconds is None:
            recording, characters = self._display.recording, 0
            if recording is not None and self.count <= SHORT_RUN:
                characters = new_caption_length(recording.steps, self._display.index)
            seconds = seconds_per_step(self.count, characters)
        return seconds / self.speed

    def set_lead(self, lead: Moments | None) -> None:
        """Move along the moments of a comparison as it is now; None: along the run's steps."""
        if lead is not self.lead:
            self.lead, self._since = lead, None
        self._announce(self.position_changed, self.count_changed)

    def go_to(self, position: int) -> None:
        """Show a step, or a moment; an index beyond the ends means the first or last."""
        if self.lead is None:
            self._display.go_to(position)
        else:
            self.lead.go_to(position)

    def forward(self) -> None:
        self.pause()
        self.go_to(self._beside(forward=True))

    def back(self) -> None:
        self.pause()
        self.go_to(self._beside(forward=False))

    def go_to_first(self) -> None:
        self.pause()
        self.go_to(0)

    def go_to_last(self) -> None:
        self.pause()
        self.go_to(self.count - 1)

    def go_to_next_group(self) -> None:
        """Show the first step of the next iteration or level, or the last step."""
        self.pause()
        later = (start for start in self._group_starts() if start > self._display.index)
        self._display.go_to(next(later, self._display.count))

    def go_to_previous_group(self) -> None:
        """Show the first step of this iteration or level, or of the one before if already there."""
        self.pause()
        before = (start for start in self._group_starts() if start < self._display.index)
        self._display.go_to(max(before, default=0))

    def toggle(self) -> None:
        """Play, or pause; at the end, play from the start."""
        if self.playing:
            self.pause()
        elif self.count:
            span = self._span()
            if self.position not in span or (self.position == span[-1] and not self._waits):
                self.go_to(span.start)
            self._since, self._begins = None, True
            self._set(self.playing_changed, True)

    def play_after(self, seconds: float) -> None:
        """Play, with some extra seconds for the current step."""
        self.pause()
        self.toggle()
        self._begins = False
        self._wait = seconds if self.playing else 0.0

    def pause(self) -> None:
        self._wait, self._begins = 0.0, False
        self._set(self.playing_changed, False)

    def tick(self, now: float) -> float:
        """Show the step that is due, and return the seconds until the next one.

        `now` is a monotonic clock in seconds. Overdue steps are skipped.
        """
        seconds = self.seconds_per_step
        if self._since is None or not self.playing:
            wait = self._wait + (min(seconds, _FIRST_SECONDS) if self._begins else seconds)
            self._since = now + wait - seconds
            self._wait, self._begins = 0.0, False
            return wait
        if now < self._since:
            return self._since + seconds - now
        self._since = max(self._since, now - _MAX_BEHIND - seconds)
        steps = int((now - self._since) / seconds + 1e-6)
        self._since += steps * seconds
        if steps:
            self._play(steps)
            seconds = self.seconds_per_step
        return max(self._since + seconds - now, 0.0)

    def set_speed(self, speed: float) -> None:
        """Set the speed to one of :data:`SPEEDS`."""
        if self._set(self.speed_changed, speed):
            self._since = None

    def faster(self) -> None:
        self.set_speed(min((speed for speed in SPEEDS if speed > self.speed), default=SPEEDS[-1]))

    def slower(self) -> None:
        self.set_speed(max((speed for speed in SPEEDS if speed < self.speed), default=SPEEDS[0]))

    def reset_speed(self) -> None:
        self.set_speed(1.0)

    def set_looping(self, looping: bool) -> None:
        self._set(self.looping_changed, looping)

    def set_section(self, section: range | None) -> None:
        """Play a part of the run repeatedly; None plays all of it once."""
        count = self._display.count
        if section is not None:
            section = range(min(section.start, count - 1), min(section.stop, count))
        if section != self.section and (section is None or count):
            with self.transaction():
                self._set(self.section_changed, section)
                self._set(self.looping_changed, section is not None)

    def clear_section(self) -> None:
        self.set_section(None)

    @property
    def _waits(self) -> bool:
        """Whether playing waits at the end for steps still being recorded."""
        return self._display.growing and self.section is None

    def _on_display_changed(self, changed: frozenset[SignalInstance]) -> None:
        display, section = self._display, self.section
        with self.transaction():
            another = display.recording_changed in changed
            if another and section and section.stop > display.count:
                self.set_section(None)
            if another or display.count_changed in changed:
                self._announce(self.count_changed)
            if another or display.index_changed in changed:
                self._announce(self.position_changed)

    def _span(self) -> range:
        return self.section if self.section and self.lead is None else range(self.count)

    def _group_starts(self) -> list[int]:
        recording = self._display.recording
        return [] if recording is None else group_starts(recording.steps)

    def _beside(self, *, forward: bool) -> int:
        if self.lead is not None:
            return self.lead.nearest_change(forward=forward)
        return self.position + (1 if forward else -1)

    def _play(self, steps: int) -> None:
        waits = self._waits
        looping = self.looping and not waits
        position, at_end = position_after(self.position, steps, self._span(), looping=looping)
        self.go_to(position)
        if at_end and not waits:
            self.pause()


def position_after(position: int, steps: int, span: range, *, looping: bool) -> tuple[int, bool]:
    """Return the position after one or more steps, and whether it is the end.

    From outside the span, the first move is to the span's start.
    """
    if not span:
        return position, True
    if position not in span:
        position, steps = span.start, steps - 1
    if looping:
        return span.start + (position + steps - span.start) % len(span), False
    reached = min(position + steps, span[-1])
    return reached, reached == span[-1]


def group_starts(steps: Sequence[Step]) -> list[int]:
    """Return the first step of each iteration or level."""
    names = [(step.iteration, step.level) for step in steps]
    return [index for index in range(len(names)) if not index or names[index] != names[index - 1]]

"""Shows scenes of a lesson instead of the user's own things, which come back as they were."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, TypeAlias

from ccl_viewer.grids import Grid
from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.recording import Recording
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.tools import Tools
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.lessons.user_state import UserState
from ccl_viewer.session.runs.display import Display
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.showing.look import Layers, Look
from ccl_viewer.session.state import Cell, MessageKind, RunSettings

Begin: TypeAlias = Callable[[RunSettings, str, GridEditor | None], object]
"""Goes on with settings, the name of a source, and a grid with its history."""

_NOT_TAKEN: Final = "The lesson's grid was not taken: placing what floats over yours was stopped."


@dataclass(frozen=True, eq=False)
class SessionParts:
    """The parts of a session that a scene takes over.

    Parameters
    ----------
    drawing : Drawing
        The grid.
    tools : Tools
        What draws on it.
    look : Look
        Layers and pin.
    display : Display
        The run.
    jobs : Jobs
        The work.
    """

    drawing: Drawing
    tools: Tools
    look: Look
    display: Display
    jobs: Jobs


@dataclass(frozen=True, eq=False)
class Presentation:
    """What is shown instead of the user's own things.

    Parameters
    ----------
    shown : DisplayedRun
        The run; its grid may be drawn on.
    step : int
        The step on display, from 0.
    settings : RunSettings
        How another run on the grid is done.
    source : str
        What it is called.
    layers : Layers
        What is drawn.
    pin : tuple of int or None
        The cell whose component is pinned.
    """

    shown: DisplayedRun
    step: int
    settings: RunSettings
    source: str
    layers: Layers
    pin: Cell | None


@dataclass(frozen=True, eq=False)
class _Keeping:
    """A grid is to take the place of the user's own, once what floats over that is placed."""

    over: GridEditor | None
    otherwise: Callable[[], object]


class ScenePresenter:
    """Puts away, presents, and puts back.

    Parameters
    ----------
    parts : SessionParts
        What scenes take over.
    state : callable
        Returns the settings, and the name of the grid's source.
    begin : callable
        Goes on with other settings, another source and another grid.
    run : callable
        Runs again what was running.
    whole : callable
        Returns the context in which a change is made that is told of once, as a whole.
    """

    def __init__(
        self,
        parts: SessionParts,
        state: Callable[[], tuple[RunSettings, str]],
        begin: Begin,
        run: Callable[[], object],
        whole: Callable[[], AbstractContextManager[object]],
    ) -> None:
        self._whole = whole
        self._parts = parts
        self._state = state
        self._begin = begin
        self._run = run
        self._revision = -1
        self._keeping: _Keeping | None = None
        parts.jobs.busy_changed.connect(self._advanced)

    @property
    def recording(self) -> Recording | None:
        """The run on display."""
        shown = self._parts.display.shown
        return None if shown is None else shown.recording

    @property
    def position(self) -> int:
        """The step on display."""
        return self._parts.display.playback.position

    @property
    def whole(self) -> bool:
        """Whether there is a run on display that is not being recorded still."""
        return self.recording is not None and not self._parts.display.growing

    @property
    def drawn_on(self) -> bool:
        """Whether the grid was drawn on since it was presented."""
        return self._parts.drawing.revision != self._revision

    def put_away(self) -> UserState:
        """Stop the work in progress, and return all that is to come back later."""
        parts = self._parts
        running = parts.display.running
        editor = parts.drawing.put_away()
        parts.jobs.clear()
        parts.jobs.dismiss()
        settings, source = self._state()
        return UserState(
            editor,
            source,
            settings,
            parts.display.stand_still(),
            parts.look.layers,
            parts.look.pin_of,
            parts.tools.selection.held,
            running,
        )

    def present(self, presentation: Presentation) -> None:
        """Show something else; what is on display already only moves to its step."""
        with self._whole():
            self._present(presentation)
        self._parts.jobs.busy_changed.emit()

    def _present(self, presentation: Presentation) -> None:
        parts = self._parts
        playback = parts.display.playback
        playback.pause()
        same = self.recording is presentation.shown.recording and not self.drawn_on
        if not same or self._state()[0] != presentation.settings:
            parts.jobs.clear()
            editor = GridEditor(
                presentation.shown.recording.image, multivalued=presentation.settings.multivalued
            )
            self._begin(presentation.settings, presentation.source, editor)
            parts.display.put(presentation.shown, presentation.step)
            self._revision = parts.drawing.revision
        playback.set_section(None)
        playback.set_backwards(False)
        playback.go_to(presentation.step)
        parts.look.show_all(presentation.layers)
        self._pin(presentation.pin, component=True)

    def go_to(self, step: int) -> None:
        """Show a step of the run on display."""
        playback = self._parts.display.playback
        playback.pause()
        playback.go_to(step)

    def settle(self, then: Callable[[], object]) -> None:
        """Place what floats over the grid on display, and go on once that is done."""
        self._parts.tools.selection.place(then)

    def copy(self) -> Grid | None:
        """Return the grid as it is now."""
        grid = self._parts.drawing.grid
        return None if grid is None else grid.copy()

    def draw(self, grid: Grid) -> None:
        """Let the grid on display be as it was drawn, as an edit."""
        self._parts.drawing.put(grid, "Draw")

    def keep(self, grid: Grid, otherwise: Callable[[], object]) -> None:
        """Let a grid take the place of the user's own, with what floats placed, as an edit.

        If the placing is stopped, or overtaken by other work, that work is waited for. Unless it
        brings another grid, or a lesson, `otherwise` is called then, and it is said why.

        Parameters
        ----------
        grid : ndarray of uint8, shape (height, width)
            The grid.
        otherwise : callable
            Shows the grid where it was before.
        """

        def take() -> None:
            self.forget()
            self._parts.drawing.put(grid, "Take the lesson's grid")

        self._keeping = _Keeping(self._parts.drawing.editor, otherwise)
        self.settle(take)

    def forget(self) -> None:
        """Let a grid that waits to take the place of the user's own go, as when all is closed."""
        self._keeping = None

    def put_back(self, own: UserState) -> None:
        """Show the user's own things as they were."""
        parts = self._parts
        parts.jobs.clear()
        parts.jobs.dismiss()
        with self._whole():
            self._begin(own.settings, own.source, own.editor)
            parts.tools.selection.hold(own.selection)
            parts.display.bring_back(own.display)
            parts.look.show_all(own.layers)
            pin = own.pin
            cell = None if pin is None else pin.cell
            self._pin(cell, component=pin is not None and pin.component)
        parts.jobs.busy_changed.emit()
        if own.running:
            self._run()

    def _advanced(self) -> None:
        """Take note that work began or ended: perhaps what a grid waited for came to nothing."""
        keeping, jobs = self._keeping, self._parts.jobs
        if keeping is None:
            return
        if self._parts.drawing.editor is not keeping.over:
            self.forget()
        elif jobs.job is None:
            self.forget()
            failure = jobs.message
            keeping.otherwise()
            if failure is not None and failure.kind is MessageKind.ERROR:
                jobs.say(failure.kind, f"{failure.text} {_NOT_TAKEN}", failure.details)
            else:
                jobs.say(MessageKind.INFO, _NOT_TAKEN)

    def _pin(self, cell: Cell | None, *, component: bool) -> None:
        self._parts.look.pin(None)
        if cell is not None:
            self._parts.look.pin(cell, component=component)

"""The state of one window and everything that may be done to it; views subscribe to its signals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Unpack

from ccl_viewer.grids import Grid
from ccl_viewer.grids.editing import GridEditor
from ccl_viewer.grids.thresholds import Threshold
from ccl_viewer.session.comparison.comparison import Comparison
from ccl_viewer.session.editing.drawing import Drawing
from ccl_viewer.session.editing.edits import Edits
from ccl_viewer.session.editing.settling import Settling
from ccl_viewer.session.editing.tools import Surroundings, Tools
from ccl_viewer.session.facts.condition import Report, kept_sentence, report_of
from ccl_viewer.session.facts.insight import Insight
from ccl_viewer.session.facts.measuring import Measuring
from ccl_viewer.session.files.autosave import Autosave
from ccl_viewer.session.files.importing import Importing
from ccl_viewer.session.files.keeping import Keeping
from ccl_viewer.session.files.opening import Opening
from ccl_viewer.session.files.output import Output
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.jobs.working import Working
from ccl_viewer.session.lessons.asking import Quiz
from ccl_viewer.session.lessons.lesson import LessonPlayer
from ccl_viewer.session.lessons.predict import Predictor
from ccl_viewer.session.lessons.presenter import ScenePresenter, SessionParts
from ccl_viewer.session.runs.display import Display
from ccl_viewer.session.runs.live import Live
from ccl_viewer.session.runs.runs import Runs
from ccl_viewer.session.runs.settings import SettingsChanges, StandIn, changed_settings
from ccl_viewer.session.showing.inspect import describe_run
from ccl_viewer.session.showing.look import Look
from ccl_viewer.session.showing.pointing import Pointing
from ccl_viewer.session.showing.showing import Showing
from ccl_viewer.session.showing.step_labels import StepLabels
from ccl_viewer.session.signals import Signal, held, signals_of
from ccl_viewer.session.state import AUTOMATIC_CELLS, MessageKind, RunSettings, RunStatus


class Session(Showing, Working):
    """Grid, settings, run and position of one window.

    All methods are for one thread, that of the window; long work goes to the runner. When a job
    is overtaken by another, or cancelled, nothing of it is taken over.

    Parameters
    ----------
    runner : Runner
        Runs long work.
    aside : Runner or None
        Runs what is found out about a run beside other work.
    differ : Runner or None
        Finds where runs that are compared differ; None for the first.

    Attributes
    ----------
    grid_changed, settings_changed : Signal
        Cells, or the whole grid, changed; how the next run is done changed.
    recording_changed, steps_changed : Signal
        Another run is on display; the one on display has more steps.
    playback, stand_in : Playback, StandIn
        Which step is on display, and playing; which algorithm gave way to one for several values.
    look, pointing, step_labels : Look, Pointing, StepLabels
        What is shown of a step; which cells a text points at; labels of the step on display.
    drawing, tools, edits, live : Drawing, Tools, Edits, Live
        The grid with its history; what the mouse does to it; what menus do; live mode.
    settling, keeping : Settling, Keeping
        Places what floats over the grid; knows what would be lost.
    importing, output, autosave : Importing, Output, Autosave
        Pictures that become grids; what is written; what is kept against a crash.
    insight, measuring : Insight, Measuring
        What is counted of the run on display; its times with their spread.
    lesson, predictor : LessonPlayer, Predictor
        Who asks questions.
    comparison : Comparison
        The runs beside the session's own.
    """

    def __init__(
        self, runner: Runner, aside: Runner | None = None, differ: Runner | None = None
    ) -> None:
        self._settings, self.stand_in, self._source = RunSettings(), StandIn(), ""
        self._shape: tuple[int, ...] = ()
        self.grid_changed = Signal()
        self.settings_changed = Signal()
        self.look = Look()
        self.pointing = Pointing()
        self._display = Display(lambda: self._runs.state)
        self.playback = self._display.playback
        self.recording_changed = self._display.recording_changed
        self.steps_changed = self._display.steps_changed
        super().__init__(Jobs(runner, self._abandon, self._kept, self._facts))
        self._make_hand()
        self._make_files(aside or runner)
        self.insight = Insight(aside)
        self.measuring = Measuring(self._jobs, lambda: self.recording, self.settling)
        self.step_labels = StepLabels(self._display, differ)
        self._make_questions(aside)
        self._connect()
        self.comparison = Comparison(self, runner, differ or runner, self.measuring)

    def _make_hand(self) -> None:
        """Make what draws, and the runs that follow."""
        jobs, warn = self._jobs, partial(self.say, MessageKind.WARNING)
        self.drawing = Drawing(self._edited, self._touched, partial(jobs.start, writing=True), warn)
        pin = partial(self.look.pin, component=True)
        self.tools = Tools(self.drawing, Surroundings(lambda: self._settings.connectivity, pin))
        self.edits = Edits(self.drawing, self.tools)
        self.settling = Settling(self.tools.selection, jobs)
        self._runs = Runs(self.drawing, jobs, self._display, lambda: self._settings, self._recorded)
        self.live = Live(self._runs)

    def _make_files(self, aside: Runner) -> None:
        """Make what opens and what saves."""
        jobs, selection = self._jobs, self.tools.selection
        self.keeping = Keeping(self.drawing, selection, lambda: self.lesson.own, lambda: self.stale)
        self.output = Output(jobs, lambda: self.grid, lambda: self.recording, self.keeping.saving)
        self._opening = Opening(
            jobs,
            self._display,
            lambda: self._settings,
            leave=lambda: self.lesson.close(),  # noqa: PLW0108  (it comes later)
            begin=self._begin_with,
            run=self.run,
            note_file=lambda recording, source: self.output.note_file(recording, Path(source)),
        )
        self.importing = Importing(jobs, self._opening.take)
        self.autosave = Autosave(self.keeping, aside, jobs, self._opening.bring_back)

    def _make_questions(self, aside: Runner | None) -> None:
        """Make what teaches and asks."""
        display, jobs = self._display, self._jobs
        parts = SessionParts(self.drawing, self.tools, self.look, display, jobs)
        presenter = ScenePresenter(
            parts, lambda: (self._settings, self._source), self._begin_with, self.run, self._whole
        )
        self.lesson = LessonPlayer(presenter, jobs, self.pointing, aside)
        self.predictor = Predictor(display, self.pointing, self.lesson)

    def _connect(self) -> None:
        """Let the parts hear of each other; who is told first stands first."""
        self.recording_changed.connect(self._look)
        self.playback.position_changed.connect(self.insight.step_shown)
        for signal in (self.grid_changed, self.recording_changed, self.playback.position_changed):
            signal.connect(self.lesson.follow)
            signal.connect(self.predictor.follow)
        self.busy_changed.connect(self.lesson.advanced)
        self.busy_changed.connect(self.live.advanced)

    # What it holds

    @property
    def grid(self) -> Grid | None:
        """The grid, ``uint8`` of shape (height, width); None before the first is opened."""
        return self.drawing.grid

    @property
    def source(self) -> str:
        """Where the grid came from, for the user."""
        return self._source

    @property
    def title(self) -> str:
        """A short name of the grid: of the file that it was saved to last, or of its source."""
        return self.keeping.title(self._source)

    @property
    def settings(self) -> RunSettings:
        """How the next run is to be done."""
        return self._settings

    @property
    def _looked(self) -> Display:
        return self._display

    @property
    def _numbers(self) -> str:
        return self.look.layers.numbers

    @property
    def stale(self) -> bool:
        """Whether grid or settings were changed after the run on display."""
        return self._display.stale

    @property
    def running(self) -> bool:
        """Whether a run is in progress."""
        return self._display.running

    @property
    def verdict(self) -> RunStatus:
        """What there is to say of the run on display."""
        return describe_run(self.recording, busy=self._display.growing)

    @property
    def report(self) -> Report:
        """What state the run on display is in, and what can be done about it."""
        return report_of(self.grid, self.recording, stale=self.stale, growing=self._display.growing)

    @property
    def quiz(self) -> Quiz:
        """Who asks questions now: the lesson that is open, else predict mode."""
        return self.lesson if self.lesson.is_open else self.predictor

    # What may be done to it

    def open(
        self,
        spec: str,
        *,
        step: int | None = None,
        threshold: Threshold = "otsu",
        invert: bool = False,
        large: bool = False,
    ) -> None:
        """Open a picture, grid, pattern or recording, and run it.

        Parameters
        ----------
        spec : str
            A file name, or ``pattern:NAME?key=value``.
        step : int or None
            Step to show in the end, from 0 or from -1 backwards; None for the last of a run, the
            first of a recording.
        threshold : float, "otsu" or None
            How grey values are divided, as for :func:`ccl_viewer.grids.load_image`.
        invert : bool
            Exchange foreground and background.
        large : bool
            Read a picture even if it takes gigabytes of memory; otherwise it is refused.
        """
        self._opening.open(spec, step, threshold, invert=invert, large=large)

    def configure(self, **changes: Unpack[SettingsChanges]) -> None:
        """Change how the next run is done.

        A connectivity that the algorithm does not have becomes the one its paper uses. When values
        are no longer told apart, all that is not 0 becomes 1, which can be undone; of a large grid
        that takes a while, and settings change with the cells.

        While something is being opened, only settings change, and it begins with them. If it comes
        to nothing, values are told apart as the grid on display asks for.

        Parameters
        ----------
        **changes
            A :class:`~ccl_viewer.session.runs.settings.SettingsChanges`: what is to be otherwise.

        Raises
        ------
        InputError
            If there is no such algorithm, it does not take a parameter, or it cannot tell values
            apart.
        """
        new = changed_settings(self._settings, **changes)
        if new == self._settings:
            return
        opening = self._opening.under_way
        if not opening and self.grid is not None and self.drawing.multivalued != new.multivalued:
            self.drawing.tell_values_apart(new.multivalued, lambda: self._together(changes))
        else:
            self._use(new)
            if not opening:  # which will be run as set now
                self._touched()

    def run(self, *, keep_position: bool = False) -> None:
        """Record a run on the grid as it is now, with what floats over it placed.

        Parameters
        ----------
        keep_position : bool
            Stay at the step on display and show the new run once it is whole, as after an edit;
            otherwise show each step as it is recorded.
        """
        self.tools.selection.place(lambda: self._runs.run(keep_position=keep_position))

    def cancel(self) -> None:
        """Stop the work in progress."""
        self.live.forget()
        self._jobs.cancel()

    def save(self, path: Path, then: Callable[[], object] = lambda: None) -> None:
        """Write the run to a ``.cclrec`` file, or the grid to one of another suffix; then go on."""
        self.settling.first(f"Saving {path.name}", lambda: self.output.save(path, then))

    def close(self) -> None:
        """Stop all work and forget the views."""
        self.playback.pause()
        self.live.forget()
        self.lesson.shut()
        self._jobs.clear()
        self.insight.close()
        self.comparison.close()
        self.step_labels.close()
        self.autosave.stop()
        self.busy_changed.emit()
        parts = (self.look, self.insight, self.measuring, self.importing, self.live, self.lesson)
        others = self.pointing, self.predictor, self.step_labels, self.playback, self.tools
        signals = signals_of(self, *parts, *others, self.tools.selection, self.keeping)
        for signal in (*signals, *self.comparison.signals):
            signal.clear()

    def poll(self) -> None:
        """Take note of what the work in progress has reported and recorded so far."""
        if self.busy:
            self.busy_changed.emit()
            self._display.grow()

    def _touched(self) -> None:
        """Grid or settings changed: run again if that is quick, else wait to be asked."""
        if self.grid is None:
            return
        self.tools.fit()
        if self.live.touched():
            return
        if self.grid.size <= AUTOMATIC_CELLS:
            self._runs.run(keep_position=self.recording is not None)
            return
        if self.running:
            self.cancel()
        self.recording_changed.emit()

    def _edited(self) -> None:
        """Cells were drawn or erased: the run on display is of another grid."""
        with self._whole():
            self._go_with_values()  # as after undo
            if self.grid is not None and self.grid.shape != self._shape:
                if self.running:
                    self._jobs.clear()
                    self.busy_changed.emit()
                self._display.put(None)
                self._fit()
            self.grid_changed.emit()
        self.live.edited()

    def _abandon(self) -> None:
        """Work came to nothing: what was to be opened with other settings, as well."""
        self._display.abandon()
        if self.grid is not None:
            self._go_with_values()

    def _go_with_values(self) -> None:
        """Tell values apart if the grid does."""
        if self.drawing.multivalued != self._settings.multivalued:
            self._use(self.stand_in.telling_apart(self._settings, on=self.drawing.multivalued))

    def _use(self, settings: RunSettings) -> None:
        self.stand_in.note(self._settings, settings)
        self._settings = settings
        self.settings_changed.emit()

    def _begin_with(self, settings: RunSettings, source: str, editor: GridEditor | None) -> None:
        """Go on with settings and a grid that has its history, or none, without a run."""
        with self._whole():
            self._display.put(None)
            self._source = source
            self.tools.forget()
            self.drawing.bring_back(editor)
            if settings != self._settings:
                self._settings = settings
                self.settings_changed.emit()
            self._fit()
            self.grid_changed.emit()

    @contextmanager
    def _together(self, changes: SettingsChanges) -> Iterator[None]:
        """Change settings with the cells that an edit changes."""
        with self._whole():
            self._use(changed_settings(self._settings, **changes))
            yield

    def _whole(self) -> AbstractContextManager[None]:
        """Hold all signals until a change is whole."""
        return held(signals_of(self, self.look, self.playback, self.tools, self.tools.selection))

    def _fit(self) -> None:
        """Keep what is selected and pointed at inside the grid."""
        grid = self.grid
        self._shape = () if grid is None else grid.shape
        if grid is not None:
            self.tools.fit()
            self.look.fit((grid.shape[0], grid.shape[1]))

    def _look(self) -> None:
        """Let the run on display be looked into, once it has ended, and in live mode is seen."""
        if self.live.on:
            self.insight.step_shown()
        self.insight.look_at(None if self._display.growing else self.recording)

    def _recorded(self) -> None:
        self._display.end()
        self.live.finished()
        self._opening.arrive()

    def _kept(self) -> str:
        return kept_sentence(self.grid, self.recording)

    def _facts(self) -> Mapping[str, object]:
        return {"Grid": f"{self._source} {self._shape}", "Settings": self._settings}

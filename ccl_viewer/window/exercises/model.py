"""The exercise that is open: its task and hints, the student's kernel, and how it was judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from psygnal import Signal

from ccl_viewer import exercises
from ccl_viewer.algorithms.copies import Copy, copies_folder, save_copy
from ccl_viewer.errors import CancelledError, CCLViewerError
from ccl_viewer.exercises import Exercise, GoalResult, Judgement
from ccl_viewer.exercises.catalogue import parse_grid
from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.storage.files import is_file
from ccl_viewer.support.units import counted
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.tasks import BackgroundTask
from ccl_viewer.window.core.view_state import Mode

if TYPE_CHECKING:
    from ccl_viewer.window.core.copies import CopyEditor
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.files import Files
    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.run_settings import RunSettings
    from ccl_viewer.window.core.runs import RunController
    from ccl_viewer.window.core.tasks import TaskQueue
    from ccl_viewer.window.core.view_state import ViewState

_GROUP: Final = "exercise"


class ExercisePlayer(Model):
    """Opens an exercise beside the editor of its kernel, and judges the text in the editor.

    The student's kernel is a copy named after the exercise, so it is still there the next time. If
    it is renamed while the exercise is open, it is judged under its new name.
    """

    exercise_changed = Signal()
    hints_changed = Signal()  # how many are shown
    running_changed = Signal()
    progress_changed = Signal()
    results_changed = Signal()

    def __init__(
        self,
        *,
        tasks: TaskQueue,
        messages: Messages,
        document: Document,
        runs: RunController,
        view: ViewState,
        files: Files,
        copies: CopyEditor,
    ) -> None:
        super().__init__()
        self._tasks = tasks
        self._messages = messages
        self._document = document
        self._runs = runs
        self._view = view
        self._files = files
        self._copies = copies
        self.exercise: Exercise | None = None
        self._kernel: Copy | None = None  # the student's, while the exercise is open
        self.hints = 0
        self.results: tuple[GoalResult, ...] = ()
        self.judgement: Judgement | None = None
        self.summary = ""
        self._before: RunSettings | None = None  # run settings before the exercise
        copies.copy_changed.connect(self._follow_name)

    @property
    def is_open(self) -> bool:
        return self.exercise is not None

    @property
    def task(self) -> BackgroundTask | None:
        """The judging in progress."""
        return self._tasks.task_of(_GROUP)

    @property
    def running(self) -> bool:
        return self.task is not None

    @property
    def shown_hints(self) -> tuple[str, ...]:
        return () if self.exercise is None else self.exercise.hints[: self.hints]

    @property
    def advice(self) -> str:
        """What to do with a kernel that is as it was handed out; empty once it is judged."""
        chosen, judged = self.exercise, bool(self.results or self.summary)
        if chosen is None or judged or self.running or not self._untouched(chosen):
            return ""
        count = len(chosen.gaps)
        gaps, them = counted(count, "gap"), "it" if count == 1 else "them"
        return f"The kernel in the Source panel has {gaps}. Fill {them}, then press Judge."

    @property
    def has_more_hints(self) -> bool:
        return self.exercise is not None and self.hints < len(self.exercise.hints)

    def open(self, name: str) -> None:
        """Open an exercise: its first grid, and the student's kernel in the editor."""
        with self._messages.catch_errors("Open the exercise"):
            chosen = exercises.load_exercise(name)
            copy = self._own_copy(chosen)
            self._files.announce_replacing()
            self._stop()
            if self.exercise is None:
                self._before = self._runs.settings
            grid = chosen.grids[0]
            with self._runs.without_runs():
                self._document.load_grid(parse_grid(grid), grid if is_pattern(grid) else "")
                self._runs.replace_settings(
                    self._runs.settings.with_changes(
                        algorithm=copy.key,
                        connectivity=chosen.connectivity,
                        parameters=chosen.parameters,
                        device="emulator",
                    )
                )
            self._view.set_mode(Mode.EXPLORE)
            self._copies.open(copy, compare_bytes=False)
            self.exercise, self._kernel, self.hints = chosen, copy, 0
            self._forget()
            self._announce(self.exercise_changed, self.hints_changed, self.results_changed)
            if not self._untouched(chosen):  # a run with gaps would only fail
                self._runs.run()

    def close_exercise(self) -> None:
        """Close the exercise, and restore the previous algorithm; the student's kernel stays."""
        if self._kernel is not None:
            own, before, runs = self._kernel, self._before, self._runs
            self._stop()
            self.exercise = self._kernel = self._before = None
            self._forget()
            self._announce(self.exercise_changed, self.results_changed)
            if self._copies.copy == own:
                self._copies.leave()
            if before is not None and runs.settings.algorithm == own.key:
                runs.replace_settings(before.with_multivalued(self._document.multivalued))
                runs.run()

    def show_hint(self) -> None:
        """Show one more hint."""
        if self.has_more_hints:
            self._set(self.hints_changed, self.hints + 1)

    def start_over(self) -> None:
        """Restore the original kernel of the exercise; the editor can undo this."""
        if self.exercise is not None:
            with self._messages.catch_errors("Start over"):
                self._open_kernel(self.exercise)
                self._stop()
                self._copies.replace_text(exercises.student_source(self.exercise))
                self._forget()
                self._announce(self.running_changed, self.results_changed)

    def judge(self) -> None:
        """Judge the text in the editor, and show its run."""
        chosen = self.exercise
        if chosen is None:
            return
        with self._messages.catch_errors("Judge the exercise"):
            self._open_kernel(chosen)
            # Otherwise the errors of the last run would stand beside the judgement.
            self._copies.run(self._copies.typed)
            copy = self._copies.copy
            if copy is None or not self._copies.saved:
                return
            self._forget()

            found: list[GoalResult] = []

            def work(task: BackgroundTask) -> Judgement:
                def tell(result: GoalResult) -> None:
                    found.append(result)
                    task.report(result.goal.title, at_once=True)

                return exercises.judge(
                    chosen, copy, on_result=tell, cancel=task.token, progress=task.report
                )

            def progressed() -> None:
                with self.transaction():
                    self._announce(self.progress_changed)
                    self._set(self.results_changed, tuple(found))

            self._tasks.start(
                f"Judging {chosen.title}", work, self._done, self._failed, group=_GROUP,
                progressed=progressed,
            )  # fmt: skip
            self._announce(self.running_changed, self.results_changed)

    def cancel(self) -> None:
        """Stop judging."""
        self._tasks.cancel(_GROUP)

    def open_failure(self) -> None:
        """Show the smallest grid on which the labels are wrong, at the step where it happens."""
        failure = None if self.judgement is None else self.judgement.counterexample
        if failure is None:
            return
        with self._runs.without_runs():
            self._document.replace(failure.grid, "Open a grid that fails", source="", work=False)
            self._runs.replace_settings(self._runs.settings.with_schedule(failure.schedule))
            self._runs.show_recording(ShownRun.prepare(failure.recording), index=failure.step)

    def _own_copy(self, chosen: Exercise) -> Copy:
        """Return the student's kernel; the first time, a copy of the exercise's kernel."""
        name = _copy_name(chosen)
        copy = Copy(name, chosen.algorithm, chosen.module, copies_folder() / f"{name}.cu")
        if not is_file(copy.path):
            save_copy(copy, exercises.student_source(chosen))
        return copy

    def _open_kernel(self, chosen: Exercise) -> None:
        """Open the student's kernel in the editor, unless it is; hand it out if it was deleted."""
        if self._kernel is None or not is_file(self._kernel.path):
            self._kernel = self._own_copy(chosen)
        if self._copies.copy != self._kernel:
            self._copies.open(self._kernel, compare_bytes=False)

    def _follow_name(self) -> None:
        if self._kernel is not None and self._copies.renamed_from == self._kernel:
            self._kernel = self._copies.copy

    def _untouched(self, chosen: Exercise) -> bool:
        return self._copies.text == exercises.student_source(chosen)

    def _done(self, judgement: Judgement) -> None:
        self.judgement, self.results = judgement, judgement.results
        if judgement.error is not None:
            self.summary = str(judgement.error)
        elif judgement.passed:
            self.summary = "All goals are reached."
        else:
            reached = sum(result.passed for result in judgement.results)
            self.summary = f"{reached} of {len(judgement.results)} goals reached."
        self._announce(self.running_changed, self.results_changed)

    def _failed(self, error: CCLViewerError) -> None:
        self.summary = "Stopped." if isinstance(error, CancelledError) else str(error)
        self._announce(self.running_changed, self.results_changed)

    def _stop(self) -> None:
        self._tasks.abandon(_GROUP)

    def _forget(self) -> None:
        self.results, self.judgement, self.summary = (), None, ""


def _copy_name(chosen: Exercise) -> str:
    return "exercise_" + chosen.key.replace("-", "_")

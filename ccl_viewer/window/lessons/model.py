"""Plays a lesson: the scene on display, its question, and the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from psygnal import Signal

from ccl_viewer.lessons import Lesson, PreparedScene, lesson_names, prepare_scene, read_lesson
from ccl_viewer.lessons.hidden_answers import HiddenInformation, find_hidden_information
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.lessons.reading import read_lesson_file
from ccl_viewer.recording.alignment import Sync
from ccl_viewer.render.pace import READ_CHARACTERS
from ccl_viewer.render.step_view import Marks
from ccl_viewer.window.core.questions import AskedQuestion, QuestionOutcome, QuestionSource
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.run_settings import RunSettings
from ccl_viewer.window.core.tasks import FRONT, BackgroundTask, ignore
from ccl_viewer.window.core.view_state import Pin

if TYPE_CHECKING:
    from ccl_viewer.window.core.analysis import RunAnalysis
    from ccl_viewer.window.core.messages import Messages
    from ccl_viewer.window.core.tasks import TaskQueue
    from ccl_viewer.window.core.user_algorithms import UserAlgorithms
    from ccl_viewer.window.core.workspace import Workspace

_LONGEST_PLAYED: Final = 30  # steps up to which "Next" plays, instead of jumping
_MAX_READING: Final = 6.0  # seconds for a caption, before steps are played
_AHEAD: Final = "next scene"


@dataclass(frozen=True)
class SceneSummary:
    """A scene in the list; `asked` is None before it was shown, or without a question."""

    title: str
    seen: bool
    asks: bool
    asked: AskedQuestion | None

    @property
    def outcome(self) -> QuestionOutcome:
        return QuestionOutcome.PENDING if self.asked is None else self.asked.outcome


@dataclass(frozen=True, eq=False)
class _ReadyScene:
    """A scene with its finished run, texts, colours and components."""

    played: PreparedScene
    runs: tuple[ShownRun, ...]
    """Those that are compared; the first is the scene's own."""

    @property
    def settings(self) -> tuple[RunSettings, ...]:
        """How each of the runs is made."""
        return tuple(
            RunSettings(device="emulator", schedule=scene.schedule).of_recording(run.recording)
            for scene, run in zip(self.played.scene.run_scenes, self.runs, strict=True)
        )


@dataclass(eq=False)
class _OpenLesson:
    """A lesson while it is open."""

    lesson: Lesson
    name: str
    index: int = 0
    ready: dict[int, _ReadyScene] = field(default_factory=dict)
    questions: dict[int, AskedQuestion] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)

    def with_lesson(self, again: Lesson) -> _OpenLesson:
        """Return the lesson as it was read again; answers to the same questions stay."""
        both = zip(again.scenes, self.lesson.scenes, strict=False)
        same = {index for index, (one, other) in enumerate(both) if one.question == other.question}
        questions = {index: one for index, one in self.questions.items() if index in same}
        seen_scenes = {index for index in self.seen if index < len(again.scenes)}
        return _OpenLesson(again, self.name, questions=questions, seen=seen_scenes)

    def prepare(self, index: int, task: BackgroundTask) -> _ReadyScene:
        played = prepare_scene(self.lesson, index, task.token, task.report)
        runs = (ShownRun.prepare(recording, task.check) for recording in played.recordings)
        return _ReadyScene(played, tuple(runs))


class LessonPlayer(QuestionSource):
    """Shows a lesson, scene by scene, in place of the user's own grid and run.

    The user's grid and run are set aside when the first scene is ready, and restored when the
    lesson is closed. The user can draw on scenes: they are copies.

    `plays` says whether "Next" plays the steps to the next scene of the same run, `bookmarks` at
    which scene each lesson was left.
    """

    lesson_changed = Signal()  # another one, or none
    scene_changed = Signal()
    off_scene_changed = Signal()  # another step or grid than the scene's is shown, or no longer
    notes_changed = Signal()  # of the presenter, shown with a lesson

    def __init__(
        self,
        workspace: Workspace,
        analysis: RunAnalysis,
        user_algorithms: UserAlgorithms,
        tasks: TaskQueue,
        messages: Messages,
    ) -> None:
        super().__init__()
        self.bookmarks: dict[str, int] = {}
        self.notes = False
        self.plays = True
        self._workspace, self._analysis = workspace, analysis
        self._user_algorithms = user_algorithms
        self._tasks, self._messages = tasks, messages
        self._open_lesson: _OpenLesson | None = None
        self._awaited: BackgroundTask | None = None  # the preparing of the scene asked for
        self._put_back: Callable[[], None] | None = None  # the user's own things
        self._revision = -1
        self._target: int | None = None
        self._away = (False, False)
        for model in (workspace.document, workspace.display, workspace.playback):
            model.changed.connect(self._on_shown_changed)

    # State

    @property
    def is_open(self) -> bool:
        return self._open_lesson is not None

    @property
    def lesson(self) -> Lesson | None:
        return self._open_lesson.lesson if self._open_lesson is not None else None

    @property
    def index(self) -> int:
        return self._open_lesson.index if self._open_lesson is not None else 0

    @property
    def scene(self) -> PreparedScene | None:
        """The scene shown, with its texts."""
        ready = self._ready
        return None if ready is None else ready.played

    @property
    def scenes(self) -> tuple[SceneSummary, ...]:
        course = self._open_lesson
        if course is None:
            return ()
        summaries = []
        for index, scene in enumerate(course.lesson.scenes):
            asks, was_seen = scene.question is not None, index in course.seen
            summaries.append(SceneSummary(scene.title, was_seen, asks, course.questions.get(index)))
        return tuple(summaries)

    @property
    def question(self) -> AskedQuestion | None:
        """The question of the scene shown; None while its steps are still played."""
        course = self._open_lesson
        if course is None or self._target is not None:
            return None
        return course.questions.get(course.index)

    @property
    def can_go_on(self) -> bool:
        return self.lesson is not None and self.index + 1 < len(self.lesson.scenes)

    @property
    def can_go_back(self) -> bool:
        return self.index > 0

    @property
    def finished(self) -> bool:
        """Whether the last scene is shown, and its question, if any, is closed."""
        open_question = self.question is not None and self.question.pending
        return self.is_open and not self.can_go_on and not open_question and not self.arriving

    @property
    def next_lesson(self) -> str | None:
        """Key of the lesson that comes after this one; None if there is none."""
        keys = lesson_names()
        if self.lesson is None or self.lesson.key not in keys[:-1]:
            return None
        return keys[keys.index(self.lesson.key) + 1]

    @property
    def resume_index(self) -> int | None:
        """Index of the scene at which the lesson was left, while its first one is shown."""
        course = self._open_lesson
        if course is None or course.index:
            return None
        index = self.bookmarks.get(course.name, 0)
        return index if 0 < index < len(course.lesson.scenes) else None

    @property
    def score(self) -> tuple[int, int]:
        """How many questions were answered right, and how many answered."""
        questions = () if self._open_lesson is None else self._open_lesson.questions.values()
        answered = [question.outcome for question in questions if question.tries]
        return answered.count(QuestionOutcome.RIGHT), len(answered)

    @property
    def arriving(self) -> bool:
        """Whether the steps that lead to the scene's are being played."""
        return self._target is not None

    @property
    def altered(self) -> bool:
        """Whether the user changed the scene's grid or run."""
        ready, workspace = self._ready, self._workspace
        if ready is None:
            return False
        drawn_on = workspace.document.revision != self._revision
        return drawn_on or workspace.display.recording is not ready.played.recording

    @property
    def off_scene(self) -> bool:
        """Whether another step than the scene's, or an altered scene, is shown."""
        ready = self._ready
        if ready is None or self.arriving:
            return False
        return self.altered or self._workspace.display.index != ready.played.step

    # Commands

    def open(self, name: str) -> None:
        """Open a lesson at its first scene; it is named by its key or the path of its file.

        The user is asked before its user algorithms run. If it has a fault, a message
        says so, and everything stays as it is.
        """

        def open_it() -> None:
            with self._messages.catch_errors("Opening the lesson"):
                full_name = name if name in lesson_names() else str(Path(name).resolve())
                self._stage(_OpenLesson(read_lesson(name), full_name), 0)

        with self._messages.catch_errors("Opening the lesson"):
            self._user_algorithms.call_when_allowed(read_lesson(name).code, open_it)

    def next(self) -> None:
        """Show the scene that follows; steps of the same run that lead there are played."""
        self.go_to(self.index + 1, play=self.plays)

    def back(self) -> None:
        self.go_to(self.index - 1)

    def go_to(self, index: int, *, play: bool = False) -> None:
        """Show a scene, by its index from 0; perhaps play the steps of the same run up to it."""
        course = self._open_lesson
        if course is not None and 0 <= index < len(course.lesson.scenes):
            self._stage(course, index, play=play)

    def reload(self) -> None:
        """Read the lesson's file again if it has changed; the scene stays, and answers to it.

        If the file has a fault, a message says so, and the lesson stays as it was.
        """
        course = self._open_lesson
        if course is None or course.lesson.path is None:
            return
        path = course.lesson.path

        def show(again: Lesson) -> None:
            self._messages.dismiss()
            other = course.with_lesson(again)
            self._stage(other, min(course.index, len(again.scenes) - 1))

        with self._messages.catch_errors("Reading the lesson again"):
            again = read_lesson_file(path)
            if again != course.lesson:
                allowed = self._user_algorithms.call_when_allowed
                allowed(again.code, lambda: show(read_lesson_file(path)))

    def resume(self) -> None:
        """Show the scene at which the lesson was left."""
        if self.resume_index is not None:
            self.go_to(self.resume_index)

    def replay(self) -> None:
        """Play the steps of the scene's run, from the first to the scene's."""
        ready = self._ready
        if ready is not None and ready.played.step > 0:
            self.reset()
            self._workspace.playback.go_to(0)
            self._play_to(ready.played)

    def reset(self) -> None:
        """Show the scene as it was at first; answers stay."""
        if self._open_lesson is not None:
            self._present(self._open_lesson, self._open_lesson.index)

    def set_notes_shown(self, on: bool) -> None:
        self._set(self.notes_changed, on)

    def close_lesson(self) -> None:
        """Restore what was shown before the lesson; a scene that is being prepared is not shown."""
        if self._awaited is not None and self._awaited is self._tasks.task_of(FRONT):
            self._tasks.abandon(FRONT)
        put_back, self._put_back = self._put_back, None
        if put_back is not None:
            with self.transaction():
                self._open_lesson = self._target = None
                self._tasks.abandon(_AHEAD)
                self._messages.dismiss()
                put_back()
                self._show_marks()
                self._announce(
                    self.lesson_changed,
                    self.scene_changed,
                    self.question_changed,
                    self.off_scene_changed,
                )

    def keep_grid(self) -> None:
        """Close the lesson, and go on with the scene's grid as it was drawn, as an edit."""
        document = self._workspace.document
        if self.is_open and document.grid is not None:
            document.selection.place()
            grid, multivalued = document.grid.copy(), document.multivalued
            self.close_lesson()
            document.replace(grid, title="Keep the lesson's grid", multivalued=multivalued)

    def close(self) -> None:
        """Close the lesson and disconnect all followers."""
        self.close_lesson()
        super().close()

    # Questions

    def show_answer(self) -> None:
        """Show the answer, if none was given, and the step that it is about."""
        question = self.question
        if question is None:
            return
        question.show_answer()
        if question.answer_step is not None:
            if self.altered:
                self.reset()
            self._workspace.playback.pause()
            self._workspace.display.go_to(question.answer_step)

    # Scenes

    @property
    def _ready(self) -> _ReadyScene | None:
        course = self._open_lesson
        return None if course is None else course.ready.get(course.index)

    def _stage(self, course: _OpenLesson, index: int, *, play: bool = False) -> None:
        """Show a scene, once its run is made."""
        if index in course.ready:
            self._present(course, index, play=play)
            return

        def done(ready: _ReadyScene) -> None:
            course.ready[index] = ready
            self._present(course, index, play=play)

        title = f"Preparing {course.lesson.scenes[index].title}"
        self._tasks.abandon(_AHEAD)
        self._awaited = self._tasks.start(title, partial(course.prepare, index), done)

    def _present(self, course: _OpenLesson, index: int, *, play: bool = False) -> None:
        ready = course.ready[index]
        another = course is not self._open_lesson
        with self.transaction():
            if self._put_back is None:
                self._messages.dismiss()
                self._put_back = self._workspace.set_aside()
            self._open_lesson = course
            course.index = index
            course.seen.add(index)
            self._note_bookmark(course)
            self._ask(course, ready.played)
            self._target = None
            self._show(ready, play=play)
            self._show_marks()
            self._away = self.altered, self.off_scene
            self._announce(self.scene_changed, self.question_changed, self.off_scene_changed)
            if another:
                self._announce(self.lesson_changed)
        self._prepare(course, index + 1)

    def _show(self, ready: _ReadyScene, *, play: bool) -> None:
        """Show grid, run, step and layers of a scene; a run that is shown already stays."""
        workspace, step = self._workspace, ready.played.step
        workspace.playback.pause()
        workspace.playback.clear_section()
        same = self._is_shown(ready)
        if not same:
            image = ready.played.recording.image
            settings, *others = ready.settings
            workspace.runs.abandon_run()
            workspace.comparison.set_open(False)
            with workspace.runs.without_runs():
                title = "" if self.lesson is None else self.lesson.title
                workspace.document.load_grid(image, title, multivalued=settings.multivalued)
                workspace.runs.replace_settings(settings)
                workspace.display.show(
                    replace(ready.runs[0], of=workspace.runs.run_inputs), index=step
                )
            self._revision = workspace.document.revision
            if others:
                workspace.comparison.set_rival_settings(others)
                workspace.comparison.set_options(sync=Sync.STEP, difference=False, table=False)
                workspace.comparison.set_open(True, ready.runs[1:])
            workspace.view.fit()
        workspace.view.show_layers(**vars(ready.played.scene.layers))
        pinned = ready.played.scene.pin
        workspace.view.set_pin(None if pinned is None else Pin(pinned, component=True))
        if play and same and 0 < step - workspace.display.index <= _LONGEST_PLAYED:
            self._play_to(ready.played)
        elif ready.played.scene.compare and ready.played.scene.step == -1:
            workspace.playback.go_to_last()
        else:
            workspace.display.go_to(step)

    def _is_shown(self, ready: _ReadyScene) -> bool:
        workspace = self._workspace
        return (
            workspace.display.recording is ready.played.recording
            and workspace.document.revision == self._revision
            and tuple(pane.settings for pane in workspace.comparison.panes) == ready.settings
        )

    def _play_to(self, played: PreparedScene) -> None:
        """After a time to read, play from the step shown to the scene's step."""
        comparing = bool(played.scene.compare)  # compared runs end at different steps
        self._target = None if comparing else played.step
        playback = self._workspace.playback
        playback.set_looping(False)
        playback.play_after(min(len(to_plain_text(played.caption)) / READ_CHARACTERS, _MAX_READING))
        self._announce(self.question_changed, self.off_scene_changed)

    def _prepare(self, course: _OpenLesson, index: int) -> None:
        """Make the run of a scene in advance."""
        if index >= len(course.lesson.scenes) or index in course.ready:
            return
        # A fault is shown when the scene is asked for.
        work, keep = partial(course.prepare, index), partial(course.ready.setdefault, index)
        self._tasks.start("Preparing", work, keep, ignore, group=_AHEAD)

    def _ask(self, course: _OpenLesson, played: PreparedScene) -> None:
        question, answer = played.scene.question, played.answer
        if question is None or answer is None or course.index in course.questions:
            return
        words, choices = played.prompt, played.choices
        open_question = AskedQuestion(question, words, answer, played.step, choices=choices)
        course.questions[course.index] = open_question
        open_question.changed.connect(self._on_question_changed)

    # Bookmarks

    def restore_bookmarks(self, values: object) -> None:
        """Restore saved bookmarks; damaged ones are left out."""
        if isinstance(values, Mapping):
            self.bookmarks = {
                str(name): index
                for name, index in values.items()
                if type(index) is int and index > 0
            }

    def _note_bookmark(self, course: _OpenLesson) -> None:
        """Save the place; a finished lesson starts from the beginning."""
        if course.index + 1 == len(course.lesson.scenes):
            self.bookmarks.pop(course.name, None)
        elif course.index:  # every lesson opens with its first scene
            self.bookmarks[course.name] = course.index

    # Following

    def _on_question_changed(self) -> None:
        self._show_marks()
        self._announce(self.question_changed)

    def _on_shown_changed(self) -> None:
        """Check whether the scene was left or reached."""
        if not self.is_open:
            return
        reached = self._reach_target()
        state = self.altered, self.off_scene
        if reached or state != self._away:
            self._away = state
            self._show_marks()
            self._announce(self.off_scene_changed, self.question_changed)

    def _reach_target(self) -> bool:
        """Stop at the step of the scene, or when the user moves elsewhere."""
        target, playback, display = self._target, self._workspace.playback, self._workspace.display
        if target is None or (playback.playing and display.index < target):
            return False
        self._target = None
        if playback.playing:
            playback.pause()
            display.go_to(target)
        return True

    @property
    def _hidden_answers(self) -> frozenset[HiddenInformation]:
        """What is hidden: what would answer an open question of the same run, or confuse."""
        course = self._open_lesson
        if course is None:
            return frozenset()
        hidden: set[HiddenInformation] = {HiddenInformation.TIMES}
        if not course.lesson.scenes[course.index].picture_shows_trees:
            hidden.add(HiddenInformation.TREES)
        for index, information in find_hidden_information(course.lesson, course.index).items():
            question = course.questions.get(index)
            if question is None or question.pending:
                hidden.update(information)
        return frozenset(hidden)

    def _show_marks(self) -> None:
        """Mark what the scene highlights, and the question's cells, unless it was altered."""
        workspace, ready, question = self._workspace, self._ready, self.question
        self._analysis.set_hidden_answers(self._hidden_answers)
        if ready is None or self.altered or self.arriving:
            workspace.view.set_marks(Marks())
            return
        marks = Marks() if question is None else question.marks
        scene = ready.played.scene
        workspace.view.set_marks(
            replace(marks, highlight=scene.highlight, follow=scene.follow),
            question.toggle_cell if question is not None and question.wants_click else None,
        )

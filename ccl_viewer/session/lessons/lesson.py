"""Plays a lesson: which scene is shown, what it asks, and how that was answered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ccl_viewer.errors import CCLViewerError
from ccl_viewer.grids import Grid
from ccl_viewer.lessons import Lesson, PlayedScene, Scene, lesson, names
from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.jobs.jobs import Jobs
from ccl_viewer.session.jobs.latest import Latest
from ccl_viewer.session.lessons.asking import Asking, QuestionOutcome
from ccl_viewer.session.lessons.bookmarks import Bookmarks
from ccl_viewer.session.lessons.presenter import ScenePresenter
from ccl_viewer.session.lessons.scenes import Chapter, Ready, StagingWork, presentation_of
from ccl_viewer.session.lessons.user_state import UserState
from ccl_viewer.session.showing.pointing import Marks, Pointing
from ccl_viewer.session.signals import Signal
from ccl_viewer.session.state import Cell, MessageKind


@dataclass(eq=False)
class _OpenLesson:
    """One lesson while it is open."""

    lesson: Lesson
    name: str
    index: int = 0
    own: UserState | None = None
    ready: dict[int, Ready] = field(default_factory=dict)
    askings: dict[int, Asking] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)


class LessonPlayer:
    """Shows a lesson, scene by scene, in place of the user's own things.

    What the user had on display is put away when the first scene is ready, and comes back as it
    was when the lesson is closed. Scenes may be drawn on, as on a blackboard: they are copies.

    Attributes
    ----------
    opening : Signal
        A lesson is to be opened: its first scene is made ready from now on.
    beginning : Signal
        The first scene is ready: what is on display is about to be put away.
    changed : Signal
        Another scene, an answer, or the scene on display was changed.
    bookmarks : Bookmarks
        Where lessons were left.

    Parameters
    ----------
    presenter : ScenePresenter
        Where it is shown.
    jobs : Jobs
        Where scenes are made ready.
    pointing : Pointing
        Marks cells.
    aside : Runner or None
        Makes the next scene ready ahead; None for no such thing.
    """

    def __init__(
        self, presenter: ScenePresenter, jobs: Jobs, pointing: Pointing, aside: Runner | None
    ) -> None:
        self.opening, self.beginning, self.changed = Signal(), Signal(), Signal()
        self.bookmarks = Bookmarks()
        self._presenter = presenter
        self._jobs = jobs
        self._pointing = pointing
        self._ahead = None if aside is None else Latest(aside)
        self._course: _OpenLesson | None = None
        self._job: Job | None = None
        self._presenting = False
        self._state: tuple[bool, ...] = ()

    # Where it stands

    @property
    def is_open(self) -> bool:
        """Whether a scene is on display."""
        return self._course is not None and self._course.own is not None

    @property
    def own(self) -> UserState | None:
        """What belongs to the user, and was put away; None without a lesson."""
        return None if self._course is None else self._course.own

    @property
    def lesson(self) -> Lesson | None:
        """The lesson."""
        return self._course.lesson if self._course is not None and self.is_open else None

    @property
    def index(self) -> int:
        """Index of the scene on display; 0 without one."""
        return 0 if self._course is None else self._course.index

    @property
    def scene(self) -> Scene | None:
        """The scene on display."""
        return None if self.played is None else self.played.scene

    @property
    def played(self) -> PlayedScene | None:
        """The scene on display, with its texts."""
        ready = self._ready
        return None if ready is None else ready.played

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """All scenes."""
        course = self._course
        if course is None:
            return ()
        return tuple(
            Chapter(
                scene.title,
                index in course.seen,
                scene.question is not None,
                course.askings[index].outcome if index in course.askings else None,
            )
            for index, scene in enumerate(course.lesson.scenes)
        )

    @property
    def asking(self) -> Asking | None:
        """The question of the scene on display."""
        return None if self._course is None else self._course.askings.get(self._course.index)

    @property
    def can_go_on(self) -> bool:
        """Whether a scene follows."""
        chosen = self.lesson
        return chosen is not None and self.index + 1 < len(chosen.scenes)

    @property
    def can_go_back(self) -> bool:
        """Whether a scene comes before."""
        return self.is_open and self.index > 0

    @property
    def following(self) -> str | None:
        """Key of the lesson that is taught after this one; None if there is none."""
        chosen, keys = self.lesson, names()
        if chosen is None or chosen.key not in keys[:-1]:
            return None
        return keys[keys.index(chosen.key) + 1]

    @property
    def left_at(self) -> int | None:
        """Index of the scene at which the lesson was left, while its first is on display."""
        course = self._course
        if course is None or not self.is_open or course.index:
            return None
        index = self.bookmarks.of(course.name)
        return index if 0 < index < len(course.lesson.scenes) else None

    @property
    def score(self) -> tuple[int, int]:
        """Questions answered rightly, and questions answered."""
        outcomes = [chapter.outcome for chapter in self.chapters]
        right = outcomes.count(QuestionOutcome.RIGHT)
        return right, right + outcomes.count(QuestionOutcome.WRONG)

    @property
    def altered(self) -> bool:
        """Whether grid or run are not those of the scene any more."""
        ready = self._ready
        if ready is None or not self.is_open:
            return False
        return self._presenter.drawn_on or self._presenter.recording is not ready.shown.recording

    @property
    def away(self) -> bool:
        """Whether another step than the scene's, or an altered scene, is on display."""
        ready = self._ready
        if ready is None or not self.is_open:
            return False
        return self.altered or self._presenter.position != ready.played.step

    # What may be done

    def open(self, name: str) -> None:
        """Open a lesson at its first scene.

        Parameters
        ----------
        name : str
            A key of :data:`ccl_viewer.lessons.LESSONS`, or the path of a ``.toml`` file. If it
            has a fault, that is said, and all stays as it is.
        """
        try:
            chosen = lesson(name)
        except CCLViewerError as error:
            self._jobs.say(MessageKind.ERROR, str(error))
            return
        own = None if self._course is None else self._course.own
        self._drop_ahead()
        self.opening.emit()
        known = name if name in names() else str(Path(name).resolve())
        self._stage(_OpenLesson(chosen, known, own=own), 0)

    def next(self) -> None:
        """Show the scene that follows."""
        if self.can_go_on:
            self.go_to(self.index + 1)

    def back(self) -> None:
        """Show the scene before."""
        if self.can_go_back:
            self.go_to(self.index - 1)

    def go_to(self, index: int) -> None:
        """Show a scene, by its index from 0."""
        course = self._course
        if course is None or not self.is_open or not 0 <= index < len(course.lesson.scenes):
            return
        self._stage(course, index)

    def resume(self) -> None:
        """Show the scene at which the lesson was left."""
        if self.left_at is not None:
            self.go_to(self.left_at)

    def reset(self) -> None:
        """Show the scene as it was at first; answers stay."""
        if self._course is not None and self.is_open:
            self._present(self._course, self._course.index)

    def close(self) -> None:
        """Put everything back that was on display before the lesson."""
        course, self._course = self._course, None
        self._drop_ahead()
        self._job = None
        self._pointing.show(Marks())
        if course is not None and course.own is not None:
            self._presenter.put_back(course.own)
            self.changed.emit()

    def take_along(self) -> None:
        """Close the lesson, and let the scene's grid as it is now take the place of the own one.

        What floats over either is placed first.
        """
        if self.is_open:
            self._presenter.settle(self._take_along)

    def shut(self) -> None:
        """Stop what is made ready ahead, and come back no more, as when the window closes."""
        self._presenter.forget()
        self._drop_ahead()

    # Questions

    def check(self) -> None:
        """Judge the answer, if one was given."""
        if self.asking is not None and self.asking.answered:
            self.asking.check()

    def skip(self) -> None:
        """Leave the question without an answer."""
        if self.asking is not None:
            self.asking.skip()

    def explain(self) -> None:
        """Tell the answer, if none was given, and show the step that it is about."""
        asking = self.asking
        if asking is None:
            return
        asking.tell()
        if asking.next_step is not None:
            if self.altered:
                self.reset()
            self._presenter.go_to(asking.next_step)

    # Following what happens

    def follow(self) -> None:
        """Take note that the grid, the run or the step on display is another."""
        if not self.is_open or self._presenting:
            return
        state = self.altered, self.away
        if state != self._state:
            self._state = state
            self._point()
            self.changed.emit()

    def advanced(self) -> None:
        """Take note that work began or ended: perhaps a scene could not be made ready."""
        if self._job is not None and self._job is not self._jobs.job:
            self._job = None
            if self._course is not None and self._course.own is None:
                self._course = None

    @property
    def _ready(self) -> Ready | None:
        course = self._course
        return None if course is None or course.own is None else course.ready.get(course.index)

    def _take_along(self) -> None:
        course, grid = self._course, self._presenter.copy() if self.is_open else None
        if course is not None and grid is not None:
            self.close()
            self._presenter.keep(grid, partial(self._come_back, course, grid))

    def _come_back(self, course: _OpenLesson, grid: Grid) -> None:
        """Show a scene again as it was drawn, as its grid could not be taken along."""
        course.own = None
        self._present(course, course.index)
        self._presenter.draw(grid)

    def _stage(self, course: _OpenLesson, index: int) -> None:
        if index in course.ready:
            self._present(course, index)
            return
        work = StagingWork(course.lesson, index)

        def done() -> None:
            if work.ready is not None:
                course.ready[index] = work.ready
                self._present(course, index)

        if self._course is None:
            self._course = course
        self._jobs.start(f"Preparing {course.lesson.scenes[index].title}", work, done)
        self._job = self._jobs.job

    def _present(self, course: _OpenLesson, index: int) -> None:
        self._job = None
        self._presenting = True
        if course.own is None:
            self.beginning.emit()
            course.own = self._presenter.put_away()
        self._course = course
        course.index = index
        course.seen.add(index)
        self.bookmarks.note(course.name, index, len(course.lesson.scenes))
        self._ask(course, index)
        self._presenter.present(presentation_of(course.lesson, course.ready[index]))
        self._presenting = False
        self._state = False, False
        self._point()
        self.changed.emit()
        self._look_ahead(course, index + 1)

    def _ask(self, course: _OpenLesson, index: int) -> None:
        played = course.ready[index].played
        question = played.scene.question
        if question is None or played.answer is None or index in course.askings:
            return
        asking = Asking(question, played.prompt, played.answer, played.recording, played.step)
        course.askings[index] = asking
        asking.changed.connect(self._answered)

    def _answered(self) -> None:
        self._point()
        self.changed.emit()

    def _point(self) -> None:
        """Mark what the scene leads to and asks about, unless it was altered."""
        ready, asking = self._ready, self.asking
        if ready is None or self.altered:
            self._pointing.show(Marks())
            return
        marks = Marks() if asking is None else asking.marks
        picks = asking is not None and asking.pending and asking.wants_cells
        scene = ready.played.scene
        self._pointing.show(
            replace(marks, highlight=scene.highlight, follow=scene.follow),
            self._pick if picks else None,
        )

    def _pick(self, cell: Cell) -> None:
        if self.asking is not None:
            self.asking.choose(cell)

    def _look_ahead(self, course: _OpenLesson, index: int) -> None:
        """Make a scene ready before it is asked for."""
        if self._ahead is None or index >= len(course.lesson.scenes) or index in course.ready:
            return
        work = StagingWork(course.lesson, index)

        def done() -> None:
            if work.ready is not None:
                course.ready[index] = work.ready

        # A fault is said when the scene is asked for.
        self._ahead.start("Preparing", work, done, failed=lambda _error: None)

    def _drop_ahead(self) -> None:
        if self._ahead is not None:
            self._ahead.stop()

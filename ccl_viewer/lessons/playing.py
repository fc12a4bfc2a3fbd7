"""A scene with its run, and with its texts with all figures filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ccl_viewer.diagnostics.phases import PhaseView
from ccl_viewer.diagnostics.phases.diagrams import Diagram
from ccl_viewer.errors import CancelledError, CCLViewerError
from ccl_viewer.execution.device import Progress
from ccl_viewer.lessons.checking import fault_of_scene
from ccl_viewer.lessons.code import SceneCode, find_code
from ccl_viewer.lessons.comparing import ComparisonTable, fastest_table, make_table
from ccl_viewer.lessons.model import Answer, Lesson, Scene
from ccl_viewer.lessons.questions import answer, prompt
from ccl_viewer.lessons.reading import lesson_error, read_lesson_text
from ccl_viewer.lessons.scene_runs import (
    check_allowed,
    compute_diagram,
    find_run_and_step,
    record_scene,
    view_phase,
)
from ccl_viewer.lessons.templates import RunStep, fill
from ccl_viewer.recording import Recording
from ccl_viewer.support.cancellation import CancelToken


@dataclass(frozen=True, eq=False)
class PreparedScene:
    """A scene, ready to be shown.

    Parameters
    ----------
    scene : Scene
        The scene.
    recording : Recording
        Its run.
    step : int
        The step on display, from 0.
    caption, more, notes : str
        Its texts in Markdown, with the figures of the recording.
    prompt : str
        The question in words; empty if there is none.
    answer : Answer or None
        The right answer.
    choices : tuple of str
        The answers to choose from, if the question has some.
    phase : PhaseView or None
        The phase to show.
    diagram : Diagram or None
        A diagram of the launch.
    code : SceneCode or None
        The source lines to show beside it.
    recordings : tuple of Recording
        The compared runs; otherwise only the run.
    table : ComparisonTable or None
        The comparison in numbers.
    """

    scene: Scene
    recording: Recording
    step: int
    caption: str
    notes: str
    more: str = ""
    prompt: str = ""
    answer: Answer | None = None
    choices: tuple[str, ...] = ()
    phase: PhaseView | None = None
    diagram: Diagram | None = None
    code: SceneCode | None = None
    recordings: tuple[Recording, ...] = ()
    table: ComparisonTable | None = None


def prepare_scene(
    lesson: Lesson,
    index: int,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> PreparedScene:
    """Record the run of a scene, and fill in its texts.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    index : int
        Index of the scene, from 0.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.

    Raises
    ------
    InputError
        If the scene cannot be shown: a setting, the step, a cell or a figure does not exist. If the
        lesson was read from a file, the message names the line.
    KernelBuildError, KernelFaultError
        If the run fails for a reason outside the file.
    CancelledError
        If the work was cancelled.
    NotAllowedError
        If it would run code that the user has not allowed.
    """
    check_allowed(lesson)
    try:
        return _play_run(lesson, index, cancel, progress)
    except CancelledError:
        raise
    except CCLViewerError as error:
        if lesson.path is not None:
            fault = fault_of_scene(
                read_lesson_text(lesson.path), lesson.key, index, cancel, lesson.path.parent
            )
            if fault is not None:
                raise lesson_error(fault, lesson.path) from error
        raise


def _play_run(
    lesson: Lesson, index: int, cancel: CancelToken | None, progress: Progress | None
) -> PreparedScene:
    scene = lesson.scenes[index]
    recording = record_scene(scene, cancel, progress)
    step = recording.step(scene.step).index

    def elsewhere(name: str) -> RunStep:
        return find_run_and_step(lesson, scene, name, cancel, progress)

    def filled(text: str) -> str:
        return fill(text, (recording, step), elsewhere)

    question, inside, shown = scene.question, scene.phase, scene.diagram
    recordings = tuple(record_scene(run, cancel, progress) for run in scene.run_scenes)
    return PreparedScene(
        scene,
        recording,
        step,
        caption=filled(scene.caption),
        notes=filled(scene.notes),
        more=filled(scene.more),
        prompt="" if question is None else filled(prompt(question)),
        answer=None if question is None else answer(question, recording, step, filled),
        choices=() if question is None else tuple(map(filled, question.choices)),
        phase=None if inside is None else view_phase(inside, recording, step, cancel),
        diagram=None if shown is None else compute_diagram(shown, recording, step, cancel),
        code=None if scene.lines is None else find_code(scene.lines, recording, step),
        recordings=recordings,
        table=_table(scene, recordings),
    )


def _table(scene: Scene, recordings: Sequence[Recording]) -> ComparisonTable | None:
    if scene.fastest:
        return fastest_table(scene.fastest)
    return make_table(scene, recordings) if scene.compare else None

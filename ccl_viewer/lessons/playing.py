"""A scene as it is shown: its run, and its texts with all figures filled in."""

from __future__ import annotations

from dataclasses import dataclass

from ccl_viewer.cancellation import CancelToken
from ccl_viewer.devices.base import Progress
from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.lessons.checking import fault_of_scene
from ccl_viewer.lessons.model import Answer, Lesson, Scene
from ccl_viewer.lessons.questions import answer, prompt
from ccl_viewer.lessons.reading import text_of, told
from ccl_viewer.lessons.staging import stage, stage_phase
from ccl_viewer.lessons.wording import Stand, fill
from ccl_viewer.phases import PhaseView
from ccl_viewer.recording import Recording


@dataclass(frozen=True, eq=False)
class PlayedScene:
    """A scene, ready to be shown.

    Parameters
    ----------
    scene : Scene
        The scene.
    recording : Recording
        Its run.
    step : int
        The step on display, from 0.
    caption, notes : str
        Its texts in Markdown, with the figures of the recording.
    prompt : str
        The question in words; empty if there is none.
    answer : Answer or None
        The right answer.
    phase : PhaseView or None
        What is shown of the inside of the launch.
    """

    scene: Scene
    recording: Recording
    step: int
    caption: str
    notes: str
    prompt: str = ""
    answer: Answer | None = None
    phase: PhaseView | None = None


def play(
    lesson: Lesson,
    index: int,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> PlayedScene:
    """Run what a scene of a lesson shows, and fill its texts.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    index : int
        Of the scene, from 0.
    cancel, progress : optional
        Stop the work, or be told what takes long.

    Raises
    ------
    InputError
        If the scene cannot be shown: a setting, the step, a cell or a figure is not there. Of a
        lesson that was read from a file, the message names the line.
    KernelBuildError, KernelFaultError
        If the run fails for a reason that does not lie in the file.
    CancelledError
        If the work was cancelled.
    """
    try:
        return _played(lesson, index, cancel, progress)
    except CancelledError:
        raise
    except CCLViewerError as error:
        if lesson.path is not None:
            fault = fault_of_scene(text_of(lesson.path), lesson.key, index, cancel)
            if fault is not None:
                raise told(fault, lesson.path) from error
        raise


def _played(
    lesson: Lesson, index: int, cancel: CancelToken | None, progress: Progress | None
) -> PlayedScene:
    scene = lesson.scenes[index]
    recording = stage(scene, cancel, progress)
    step = recording.step(scene.step).index

    def elsewhere(number: int) -> Stand:
        if not 1 <= number <= len(lesson.scenes):
            raise InputError(f"There is no scene {number}: there are {len(lesson.scenes)}.")
        other = lesson.scenes[number - 1]
        return stage(other, cancel, progress), other.step

    here = recording, step
    question, inside = scene.question, scene.phase
    return PlayedScene(
        scene,
        recording,
        step,
        caption=fill(scene.caption, here, elsewhere),
        notes=fill(scene.notes, here, elsewhere),
        prompt="" if question is None else fill(prompt(question), here, elsewhere),
        answer=None if question is None else answer(question, recording, step),
        phase=None if inside is None else stage_phase(inside, recording, step, cancel),
    )

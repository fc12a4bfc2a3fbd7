"""Scenes of a lesson on their way to the window: made ready, and listed as chapters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ccl_viewer.lessons import Lesson, PlayedScene, Scene, play
from ccl_viewer.session.jobs.job import Job
from ccl_viewer.session.lessons.asking import QuestionOutcome
from ccl_viewer.session.lessons.presenter import Presentation
from ccl_viewer.session.showing.displayed_run import DisplayedRun
from ccl_viewer.session.showing.look import CellColours, Layers
from ccl_viewer.session.state import RunSettings


@dataclass(frozen=True)
class Chapter:
    """A scene in the list of chapters.

    Parameters
    ----------
    title : str
        What it is called.
    seen : bool
        Whether it was shown.
    asks : bool
        Whether it asks a question.
    outcome : QuestionOutcome or None
        What became of the question; None until the scene was shown, or if it asks nothing.
    """

    title: str
    seen: bool
    asks: bool
    outcome: QuestionOutcome | None


@dataclass(frozen=True, eq=False)
class Ready:
    """A scene whose run is made, with its texts, colours and components.

    Parameters
    ----------
    played : PlayedScene
        The scene with its run.
    shown : DisplayedRun
        The run as it is displayed.
    """

    played: PlayedScene
    shown: DisplayedRun


@dataclass(eq=False)
class StagingWork:
    """Makes a scene ready.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    index : int
        Of the scene, from 0.
    """

    lesson: Lesson
    index: int
    ready: Ready | None = None

    def perform(self, job: Job, /) -> None:
        """Run what it shows, and fill its texts."""
        played = play(self.lesson, self.index, job.cancel, job.report)
        self.ready = Ready(played, DisplayedRun.whole(played.recording, job))


def presentation_of(lesson: Lesson, ready: Ready) -> Presentation:
    """Return what is put on display for a scene."""
    scene = ready.played.scene
    return Presentation(
        ready.shown,
        ready.played.step,
        RunSettings(
            scene.algorithm,
            scene.connectivity,
            "emulator",
            scene.schedule,
            dict(scene.parameters),
            scene.multivalued,
        ),
        lesson.title,
        _layers(scene),
        scene.pin,
    )


def _layers(scene: Scene) -> Layers:
    shown: dict[str, Any] = dict(scene.show)
    if "colours" in shown:
        shown["colours"] = CellColours(shown["colours"])
    return replace(Layers(), **shown)

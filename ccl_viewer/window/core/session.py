"""The models that the features of one window share, and how they follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from typing import Any

from ccl_viewer.window.core.analysis import RunAnalysis
from ccl_viewer.window.core.comparison import Comparison
from ccl_viewer.window.core.copies import CopyEditor
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.files import Files
from ccl_viewer.window.core.imports import Imports
from ccl_viewer.window.core.labels import LabelCache
from ccl_viewer.window.core.launch_phases import LaunchPhases
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.core.model import Model
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.questions import AskedQuestion, QuestionSource
from ccl_viewer.window.core.run_display import RunDisplay
from ccl_viewer.window.core.runs import RunController
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.core.tasks import Post, TaskQueue
from ccl_viewer.window.core.tools import Tools
from ccl_viewer.window.core.user_algorithms import UserAlgorithms
from ccl_viewer.window.core.view_state import ViewState
from ccl_viewer.window.core.workspace import Workspace


class Session:
    """Holds the models of one window.

    It remembers things in the user's settings file, or in other settings. Its tasks run on a
    private pool, or on another executor.
    """

    def __init__(
        self, post: Post, settings: Settings | None = None, executor: Executor | None = None
    ) -> None:
        self.messages = Messages()
        self.tasks = TaskQueue(post, executor, self.messages.show_error)
        self.settings = Settings() if settings is None else settings
        self.document = Document(self.tasks)
        self.display = RunDisplay()
        self.runs = RunController(self.tasks, self.document, self.display, self.messages)
        self.playback = Playback(self.display)
        self.view = ViewState()
        self.tools = Tools(self.document, self.runs, self.view)
        self.labels = LabelCache(self.tasks)
        self.phases = LaunchPhases(self.tasks, self.display, self.view, self.labels)
        self.analysis = RunAnalysis(self.tasks, self.display)
        self.imports = Imports(self.tasks, self.messages, self.runs)
        self.files = Files(
            tasks=self.tasks,
            messages=self.messages,
            settings=self.settings,
            document=self.document,
            display=self.display,
            runs=self.runs,
            imports=self.imports,
        )
        self.comparison = Comparison(
            tasks=self.tasks,
            document=self.document,
            display=self.display,
            runs=self.runs,
            playback=self.playback,
            analysis=self.analysis,
        )
        self.workspace = Workspace(
            self.document, self.runs, self.display, self.playback, self.comparison, self.view
        )
        self.copies = CopyEditor(
            tasks=self.tasks, messages=self.messages, display=self.display, runs=self.runs
        )
        self.user_algorithms = UserAlgorithms(
            tasks=self.tasks,
            messages=self.messages,
            runs=self.runs,
            choose=lambda key: self.configure(algorithm=key),
        )
        self.quizzes: list[QuestionSource] = []
        self.messages.facts = self._facts
        document, view = self.document, self.view
        document.source_changed.connect(lambda: view.set_mode_for_origin(document.source))
        document.shape_changed.connect(lambda: view.set_shape(document.shape or (0, 0)))

    @property
    def models(self) -> tuple[Model, ...]:
        """All models that change the display or the available commands; the newest first."""
        attributes = reversed(vars(self).values())
        return tuple(value for value in attributes if isinstance(value, Model))

    @property
    def question(self) -> AskedQuestion | None:
        """The question on display: a lesson's, or predict mode's."""
        return next((quiz.question for quiz in self.quizzes if quiz.question is not None), None)

    def configure(self, **changes: Any) -> None:
        """Change settings of the run in the active pane, or say why they cannot change."""
        with self.messages.catch_errors("Changing the settings"):
            self.comparison.configure(**changes)

    def close(self) -> None:
        self.playback.pause()
        for model in self.models:
            model.close()

    def _facts(self) -> Mapping[str, object]:
        shape = self.document.shape
        return {"Grid": f"{self.document.source} {shape}", "Settings": self.runs.settings}

"""The models of one window, and how they follow each other."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor

from ccl_viewer.session.analysis import RunAnalysis
from ccl_viewer.session.checker import Checker
from ccl_viewer.session.comparison import Comparison
from ccl_viewer.session.components import Components
from ccl_viewer.session.copies import CopyEditor
from ccl_viewer.session.display import RunDisplay
from ccl_viewer.session.document import Document
from ccl_viewer.session.exercise_player import ExercisePlayer
from ccl_viewer.session.files import FileController
from ccl_viewer.session.imports import ImportModel
from ccl_viewer.session.labels import LabelCache
from ccl_viewer.session.launch_phases import LaunchPhases
from ccl_viewer.session.lesson_player import LessonPlayer
from ccl_viewer.session.memory import Memory
from ccl_viewer.session.messages import Messages
from ccl_viewer.session.model import Model
from ccl_viewer.session.playback import Playback
from ccl_viewer.session.predictor import Predictor
from ccl_viewer.session.runs import RunController
from ccl_viewer.session.settings import Settings
from ccl_viewer.session.tasks import Post, TaskQueue
from ccl_viewer.session.tools import ToolController
from ccl_viewer.session.view_state import ViewState


class Session:
    """Holds the models of one window.

    What it remembers is in the user's own file, or in other settings. Its tasks run on a pool of
    its own, or on another executor.
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
        self.tools = ToolController(self.document, self.runs, self.view)
        self.labels = LabelCache(self.tasks)
        self.phases = LaunchPhases(self.tasks, self.display, self.view, self.labels)
        self.analysis = RunAnalysis(self.tasks, self.display)
        self.memory = Memory(self.analysis)
        self.components = Components(self.tasks, self.analysis, self.view)
        self.imports = ImportModel(self.tasks, self.messages, self.runs)
        self.files = FileController(self)
        self.comparison = Comparison(self)
        self.checker = Checker(self)
        self.copies = CopyEditor(self)
        self.lessons = LessonPlayer(self)
        self.exercises = ExercisePlayer(self)
        self.predictor = Predictor(self)
        self.messages.facts = self._facts
        document, view = self.document, self.view
        document.watch("source", lambda: view.set_mode_for_origin(document.source))
        document.watch("shape", lambda: view.set_shape(document.shape or (0, 0)))

    @property
    def models(self) -> tuple[Model, ...]:
        """All models that can change what is shown and what can be done; the newest first."""
        made = reversed(vars(self).values())
        return tuple(value for value in made if isinstance(value, Model))

    def close(self) -> None:
        self.playback.pause()
        for model in self.models:
            model.close()

    def _facts(self) -> Mapping[str, object]:
        shape = self.document.shape
        return {"Grid": f"{self.document.source} {shape}", "Settings": self.runs.settings}

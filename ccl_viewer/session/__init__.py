"""What the window shows, without Qt: grid, run, position, speed, layers, undo."""

from ccl_viewer.session.jobs.job import Job, Runner
from ccl_viewer.session.lessons.asking import Asking, QuestionOutcome, Quiz
from ccl_viewer.session.playback.transport import SPEEDS
from ccl_viewer.session.session import Session
from ccl_viewer.session.showing.look import CellColours, Layers, Look, Numbers, Pin
from ccl_viewer.session.showing.pointing import Marks, Pointing
from ccl_viewer.session.state import (
    AUTOMATIC_CELLS,
    Cell,
    Message,
    MessageKind,
    RunSettings,
    RunStatus,
    Standing,
)

__all__ = [
    "AUTOMATIC_CELLS",
    "SPEEDS",
    "Asking",
    "Cell",
    "CellColours",
    "Job",
    "Layers",
    "Look",
    "Marks",
    "Message",
    "MessageKind",
    "Numbers",
    "Pin",
    "Pointing",
    "QuestionOutcome",
    "Quiz",
    "RunSettings",
    "RunStatus",
    "Runner",
    "Session",
    "Standing",
]

"""What the window shows, without Qt: grid, run, position, speed, layers, undo."""

from ccl_viewer.session.asking import Asking, QuestionOutcome, Quiz
from ccl_viewer.session.job import Job, Runner
from ccl_viewer.session.look import CellColours, Layers, Look, Numbers, Pin
from ccl_viewer.session.pointing import Marks, Pointing
from ccl_viewer.session.session import Session
from ccl_viewer.session.state import (
    AUTOMATIC_CELLS,
    Cell,
    Message,
    MessageKind,
    RunSettings,
    RunStatus,
    Standing,
)
from ccl_viewer.session.transport import SPEEDS

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

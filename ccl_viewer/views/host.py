"""What the window offers to its actions and panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.canvas.canvas import Canvas
    from ccl_viewer.views.canvas_panel import CanvasPanel
    from ccl_viewer.views.dialogs.questions import Questions
    from ccl_viewer.views.docks.docks import Docks
    from ccl_viewer.views.docks.projector import Projector
    from ccl_viewer.views.exporting.opening import Exports
    from ccl_viewer.views.files.dialogs import FileDialogs
    from ccl_viewer.views.files.intake import Intake
    from ccl_viewer.views.files.unsaved import Unsaved
    from ccl_viewer.views.lessons.docks import LessonDocks
    from ccl_viewer.views.looks.appearance import Appearance
    from ccl_viewer.views.process.turns import Act


class Host(Protocol):
    """The window, as its actions and panels know it."""

    @property
    def session(self) -> Session:
        """What is on display."""

    @property
    def canvas(self) -> Canvas:
        """The grid."""

    @property
    def canvas_panel(self) -> CanvasPanel:
        """The grid with the strip above it."""

    @property
    def docks(self) -> Docks:
        """The panels around the canvas."""

    @property
    def appearance(self) -> Appearance:
        """Theme and sizes."""

    @property
    def dialogs(self) -> FileDialogs:
        """Asks for names of files."""

    @property
    def exports(self) -> Exports:
        """Asks how a run is exported."""

    @property
    def questions(self) -> Questions:
        """Asks for anything else."""

    @property
    def projector(self) -> Projector:
        """The view for a projector."""

    @property
    def lesson_docks(self) -> LessonDocks:
        """Lessons and predict mode."""

    @property
    def unsaved(self) -> Unsaved:
        """Asks about a drawing before it is lost."""

    @property
    def intake(self) -> Intake:
        """Brings grids in."""

    def preparations(self) -> list[Act]:
        """Return what is drawn ahead, in turns of its own, before the window is painted at once."""

    def go_round(self, way: int) -> None:
        """Give the focus to the next of the window's parts, or with -1 to the one before."""

    def close(self) -> bool:
        """Close the window."""

"""What the window offers to its actions and panels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.appearance import Appearance
    from ccl_viewer.views.canvas import Canvas
    from ccl_viewer.views.canvas_panel import CanvasPanel
    from ccl_viewer.views.docks import Docks
    from ccl_viewer.views.export_dialog_opening import Exports
    from ccl_viewer.views.file_dialogs import FileDialogs
    from ccl_viewer.views.intake import Intake
    from ccl_viewer.views.lesson_docks import LessonDocks
    from ccl_viewer.views.projector import Projector
    from ccl_viewer.views.questions import Questions
    from ccl_viewer.views.unsaved import Unsaved


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

    def go_round(self, way: int) -> None:
        """Give the focus to the next of the window's parts, or with -1 to the one before."""

    def close(self) -> bool:
        """Close the window."""

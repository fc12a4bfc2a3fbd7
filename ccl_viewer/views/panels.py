"""The panels of the side panel: one row a panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ccl_viewer.session.session import Session


@dataclass(frozen=True)
class Panel:
    """A panel: a tab of the side panel.

    Attributes
    ----------
    key : str
        Name in the settings.
    title : str
        Text of the tab.
    icon : str
        Stem of a file in ``assets/icons``.
    make : callable
        Makes the widget, given the session and the parent; called when the panel is first shown.
    shortcut : str
        Key that shows it, or hides it if it is shown.
    tip : str
        What it shows, in a sentence.
    """

    key: str
    title: str
    icon: str
    make: Callable[[Session, QWidget], QWidget]
    shortcut: str = ""
    tip: str = ""


def _make_steps(session: Session, parent: QWidget) -> QWidget:
    from ccl_viewer.views.steps import QtSteps

    return QtSteps(session, parent)


def _make_source(session: Session, parent: QWidget) -> QWidget:
    from ccl_viewer.views.source import QtSource

    return QtSource(session, parent)


def _make_plots(session: Session, parent: QWidget) -> QWidget:
    from ccl_viewer.views.plots import QtPlots

    return QtPlots(session, parent)


def _make_tree(session: Session, parent: QWidget) -> QWidget:
    from ccl_viewer.views.tree import QtTree

    return QtTree(session, parent)


PANELS: tuple[Panel, ...] = (
    Panel("steps", "Steps", "table", _make_steps, "Ctrl+1", "All steps of the run"),
    Panel("source", "Source", "kernel", _make_source, "Ctrl+2", "The kernel of the step"),
    Panel("plots", "Plots", "measure", _make_plots, "Ctrl+3", "Figures of the run as curves"),
    Panel("tree", "Tree", "structure", _make_tree, "Ctrl+4", "The trees that the labels make"),
)

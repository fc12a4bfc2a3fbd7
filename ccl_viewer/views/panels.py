"""The panels around the canvas, one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ccl_viewer.views.plots.panel import Plots
from ccl_viewer.views.source.pane import SourcePane
from ccl_viewer.views.steps.steps_panel import StepsPanel
from ccl_viewer.views.tree.view import TreeView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from ccl_viewer.views.host import Host


@dataclass(frozen=True)
class Panel:
    """One panel.

    A panel may have methods ``set_theme(theme)``, which is called whenever the theme changes, and
    ``memories()``, which returns what it remembers.

    Parameters
    ----------
    name : str
        Name in code, and in the settings file.
    title : str
        What it is called.
    key : str
        Shows and hides it.
    make : callable
        Makes its content.
    row : int
        Place in the column at the right, from the top; panels of one row lie behind each other.
    height : int
        Share of the column that its row takes.
    """

    name: str
    title: str
    key: str
    make: Callable[[Host], QWidget]
    row: int
    height: int


PANELS: tuple[Panel, ...] = (
    Panel("steps", "Steps", "Ctrl+1", lambda host: StepsPanel(host.session), 0, 250),
    Panel("source", "Source", "Ctrl+2", lambda host: SourcePane(host.session), 1, 400),
    Panel("plots", "Plots", "Ctrl+3", lambda host: Plots(host.session, host.intake.side), 1, 400),
    Panel("tree", "Tree", "Ctrl+4", lambda host: TreeView(host.session), 1, 400),
)
"""All panels; the first of a row is the one in front."""

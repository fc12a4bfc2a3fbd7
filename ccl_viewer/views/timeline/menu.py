"""The menu of the timeline: what can be done with the step under the mouse."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.session.playback.playback import Playback

ACTIONS = (
    "go_to",
    "section_start",
    "section_end",
    "section_clear",
    "loop",
    "go_first_wrong",
    "go_settled",
    "go_converged",
)
"""Those of the window's actions that it offers."""


def timeline_menu(
    step: int, playback: Playback, actions: dict[str, QAction], parent: QWidget
) -> QMenu:
    """Return a menu, which is gone once it is closed.

    Parameters
    ----------
    step : int
        The step that it is about, from 0.
    playback : Playback
        Moves to it, and plays from or up to it.
    actions : dict of str to QAction
        Those named in :data:`ACTIONS`.
    parent : QWidget
        Parent.
    """
    menu = QMenu(parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def go() -> None:
        playback.pause()
        playback.go_to(step)

    here = step == playback.position
    if not here:
        menu.addAction(f"&Show step {step + 1:,}").triggered.connect(go)
    menu.addAction(actions["go_to"])
    menu.addSeparator()
    if here:
        menu.addActions([actions["section_start"], actions["section_end"]])
    else:
        start = menu.addAction(f"Section s&tarts at step {step + 1:,}")
        start.triggered.connect(lambda: playback.start_section(step))
        end = menu.addAction(f"Section &ends at step {step + 1:,}")
        end.triggered.connect(lambda: playback.end_section(step))
    menu.addActions([actions["section_clear"], actions["loop"]])
    menu.addSeparator()
    menu.addActions([actions[name] for name in ACTIONS[-3:]])
    return menu

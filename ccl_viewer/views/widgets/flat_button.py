"""Buttons without a frame, which show an icon and can be reached by Tab."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

_SIDE = 18


def action_button(action: QAction, side: int = _SIDE) -> QToolButton:
    """Return a button of an action.

    Parameters
    ----------
    action : QAction
        What it does; its tooltip names the button.
    side : int
        Of the icon, in pixels.
    """
    button = _flat_button(side)
    button.setDefaultAction(action)
    button.setAccessibleName(action.toolTip())
    return button


def icon_button(tip: str, name: str = "", side: int = _SIDE) -> QToolButton:
    """Return a button that is given its icon and what it does by its owner.

    Parameters
    ----------
    tip : str
        The tooltip, with the key in parentheses at its end if there is one.
    name : str
        Its name for assistive technology; empty for the tooltip without the key.
    side : int
        Of the icon, in pixels.
    """
    button = _flat_button(side)
    button.setToolTip(tip)
    button.setAccessibleName(name or tip.partition(" (")[0])
    return button


def _flat_button(side: int) -> QToolButton:
    button = QToolButton()
    button.setProperty("flat", "true")
    button.setIconSize(QSize(side, side))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button

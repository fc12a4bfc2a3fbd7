"""Rows, columns and containers of widgets."""

from __future__ import annotations

from typing import TypeAlias, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.window.widgets.labels import name_widget

Part: TypeAlias = QWidget | QLayout | tuple[QWidget | QLayout, int] | int
"""An item of a row or column: a widget or layout, perhaps with its share of free room, or a gap."""


_Box = TypeVar("_Box", bound=QBoxLayout)


_Margins: TypeAlias = tuple[int, int, int, int]


def hbox(*parts: Part, margins: _Margins = (0, 0, 0, 0), spacing: int = -1) -> QHBoxLayout:
    return _filled(QHBoxLayout(), parts, margins, spacing)


def vbox(*parts: Part, margins: _Margins = (0, 0, 0, 0), spacing: int = -1) -> QVBoxLayout:
    return _filled(QVBoxLayout(), parts, margins, spacing)


def _filled(box: _Box, parts: tuple[Part, ...], margins: _Margins, spacing: int) -> _Box:
    box.setContentsMargins(*margins)
    if spacing >= 0:
        box.setSpacing(spacing)
    for part in parts:
        content, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(content, int):
            box.addStretch(content)
        elif isinstance(content, QWidget):
            box.addWidget(content, stretch)
        else:
            box.addLayout(content, stretch)
    return box


def make_container(layout: QLayout) -> QWidget:
    """Return a widget with a layout."""
    widget = QWidget()
    widget.setLayout(layout)
    return widget


def make_scroll_area(widget: QWidget, name: str, *, down: bool = False) -> QScrollArea:
    """Return a scroll area for a widget, perhaps only `down`; screen readers say `name`."""
    area = name_widget(QScrollArea(), name)
    area.setWidget(widget)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    if down:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return area

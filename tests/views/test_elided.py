"""Texts that are longer than their place."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from ccl_viewer.views.widgets.elided import ElidedLabel, whole_parts


@pytest.mark.parametrize(
    ("room", "shown"), [(40, "one, two, three"), (9, "one, two"), (7, "one"), (1, "one")]
)
def test_parts_are_shown_whole_or_not_at_all(room: int, shown: str) -> None:
    assert whole_parts("one, two, three", ", ", lambda text: len(text) <= room) == shown


def test_a_text_that_is_cut_is_whole_in_the_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText("a text that is far longer than its place")
    help_wanted = QHelpEvent(QEvent.Type.ToolTip, QPoint(), QPoint())
    label.resize(800, 20)
    QApplication.sendEvent(label, help_wanted)
    assert QToolTip.text() != label.text()
    label.resize(60, 20)
    QApplication.sendEvent(label, help_wanted)
    assert QToolTip.text() == label.text()
    QToolTip.hideText()


def test_what_is_shorter_stands_in_for_a_text_without_room(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText("Playne-Hawick, direct")
    label.set_shorter(("Playne-Hawick",))
    width = label.fontMetrics().horizontalAdvance
    for room, shown in ((800, label.text()), (width("Playne-Hawick") + 2, "Playne-Hawick")):
        label.resize(room, 20)
        assert label.shown == shown
    label.resize(width("Playne-Haw"), 20)
    assert label.shown.startswith("Playne")
    assert label.shown.endswith("\N{HORIZONTAL ELLIPSIS}")

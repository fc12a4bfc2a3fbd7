"""Boxes of a bar, for a number and for a choice, that are as wide as they need and no wider."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.views.widgets.painting_guard import guarded

_BOX_FRAME = 34
_POPUP_FRAME = 16


class NumberBox(QSpinBox):
    """A field for a number, as wide as usual numbers need; longer ones can be scrolled to."""

    def sizeHint(self) -> QSize:
        """Return a size with room for a few digits."""
        hint = super().sizeHint()
        room = self.fontMetrics().horizontalAdvance("0000") + _BOX_FRAME
        return QSize(min(hint.width(), room), hint.height())

    def minimumSizeHint(self) -> QSize:
        """Return the same."""
        return self.sizeHint()


class ChoiceBox(QComboBox):
    """A box whose text ends in an ellipsis where there is no room for all of it.

    Attributes
    ----------
    least_letters : int or None
        As many letters have room at least; None for as many as the box would like to have.
    """

    def __init__(self) -> None:
        super().__init__()
        self.least_letters: int | None = None

    def sizeHint(self) -> QSize:
        """Return a size with room for the whole text."""
        hint = super().sizeHint()
        text = self.fontMetrics().horizontalAdvance(self.currentText())
        return QSize(max(hint.width(), self._frame() + text), hint.height())

    def minimumSizeHint(self) -> QSize:
        """Return a size with room for as many letters as the text has at least.

        Qt's own stays what it was when another number of letters, or another font, is set.
        """
        hint = super().sizeHint()
        if self.least_letters is None:
            return hint
        letters = self.least_letters * self.fontMetrics().horizontalAdvance("X")
        return QSize(self._frame() + letters, hint.height())

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the box, with as much of the text as there is room for."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, Qt.TextElideMode.ElideRight, room.width() - 2
        )
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def showPopup(self) -> None:
        """Show the choices, all in full."""
        bar = self.view().verticalScrollBar().sizeHint().width()
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + bar + _POPUP_FRAME)
        super().showPopup()

    def _frame(self) -> int:
        """Return the width of all but the text."""
        letters = self.minimumContentsLength() * self.fontMetrics().horizontalAdvance("X")
        return super().sizeHint().width() - letters


def choice_box(name: str, letters: int, least: int) -> QComboBox:
    """Return a box for a choice.

    Parameters
    ----------
    name : str
        What is chosen, for who cannot see it.
    letters, least : int
        As many letters have room, and where there is little of it.
    """
    combo = ChoiceBox()
    combo.least_letters = least
    combo.setMinimumContentsLength(letters)
    combo.setAccessibleName(name)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    combo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return combo


def titled(title: str, *widgets: QWidget) -> QVBoxLayout:
    """Return widgets side by side below a title, which leads to the first."""
    label = QLabel(title)
    label.setProperty("role", "caption")
    label.setBuddy(widgets[0])
    row = QHBoxLayout()
    row.setSpacing(6)
    for widget in widgets:
        row.addWidget(widget)
    column = QVBoxLayout()
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(3)
    column.addWidget(label)
    column.addLayout(row)
    return column

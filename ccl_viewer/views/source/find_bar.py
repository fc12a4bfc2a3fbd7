"""A bar that looks for a phrase in a text: count, next, previous."""

from __future__ import annotations

from typing import TypeGuard

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QLineEdit, QWidget
from shiboken6 import isValid

from ccl_viewer.session.facts.source_code import find_all
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.source.text import SourceText
from ccl_viewer.views.widgets.flat_button import icon_button
from ccl_viewer.views.widgets.tab_order import lies_behind


class FindBar(QFrame):
    """Looks for a phrase as it is typed; Enter goes on, Shift+Enter back, Esc closes.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text: SourceText | None = None
        self._places: tuple[int, ...] = ()
        self._current = -1
        self._before: QWidget | None = None
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find in this file")
        self.field.setAccessibleName("Find in the source")
        self.field.setClearButtonEnabled(True)
        self.field.setMinimumWidth(90)
        self.count = QLabel()
        self.count.setProperty("role", "dim")
        self.count.setAccessibleName("Places found")
        self.previous = icon_button("Previous (Shift+Enter, Shift+F3)", side=16)
        self.next = icon_button("Next (Enter, F3)", side=16)
        self.close_button = icon_button("Close (Esc)", side=16)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 2, 2, 2)
        layout.setSpacing(4)
        layout.addWidget(self.field, 1)
        for widget in (self.count, self.previous, self.next, self.close_button):
            layout.addWidget(widget)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._look)
        self.previous.clicked.connect(self.go_back)
        self.next.clicked.connect(self.go_on)
        self.close_button.clicked.connect(self.dismiss)
        self.hide()

    @property
    def places(self) -> tuple[int, ...]:
        """Where the phrase begins in the text, each time, in characters."""
        return self._places

    @property
    def current(self) -> int:
        """Which of the places is selected, from 0; -1 for none."""
        return self._current

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        for button, name in (
            (self.previous, "arrow-up"),
            (self.next, "arrow-down"),
            (self.close_button, "close"),
        ):
            button.setIcon(icon(name, theme.text, theme.dim))

    def search(self, text: SourceText) -> None:
        """Look in a text from now on."""
        self._text = text

    def look_again(self) -> None:
        """Look once more, as when the text has changed."""
        if self.isVisible():
            self._look()

    def open(self) -> None:
        """Show the bar and enter it, with the phrase that is selected in the text."""
        focused = QApplication.focusWidget() or self.window().focusWidget()
        if focused is None or not self.isAncestorOf(focused):
            self._before = focused
        selected = "" if self._text is None else self._text.textCursor().selectedText()
        self.show()
        one_line = "\N{PARAGRAPH SEPARATOR}" not in selected
        if selected and one_line and selected.lower() != self.field.text().lower():
            self.field.setText(selected)
        self.activateWindow()  # the panel may be one
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._look()

    def dismiss(self) -> None:
        """Hide the bar, and give the focus back; in the text, the phrase stays selected."""
        self.hide()
        if self._text is not None:
            self._text.show_found((), 0, -1)
        before, self._before = self._before, None
        back = before if _can_be_seen(before) else self._text
        if back is not None:
            back.activateWindow()
            back.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.closed.emit()

    def go_on(self) -> None:
        """Go to the next place, and from the last to the first."""
        self._step(1)

    def go_back(self) -> None:
        """Go to the place before, and from the first to the last."""
        self._step(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go on, back, or close."""
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.dismiss()
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._step(-1 if back else 1)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim Esc for the bar while its field is typed into; Qt calls this."""
        if (
            event.type() is QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().eventFilter(watched, event)

    def _look(self) -> None:
        if self._text is None:
            return
        wanted = self.field.text()
        self._places = find_all(self._text.toPlainText(), wanted)
        start = self._text.textCursor().selectionStart()
        after = [index for index, place in enumerate(self._places) if place >= start]
        self._show(after[0] if after else 0 if self._places else -1)

    def _step(self, by: int) -> None:
        if self._places and self.isVisible():
            self._show((self._current + by) % len(self._places))

    def _show(self, current: int) -> None:
        self._current = current
        count = len(self._places)
        if self._text is not None:
            self._text.show_found(self._places, len(self.field.text()), current)
        if not self.field.text():
            self.count.clear()
        else:
            self.count.setText(f"{current + 1} of {count}" if count else "Not found")
        for button in (self.previous, self.next):
            button.setEnabled(count > 0)


def _can_be_seen(widget: QWidget | None) -> TypeGuard[QWidget]:
    """Return whether a widget that may have been deleted can be seen."""
    return widget is not None and isValid(widget) and widget.isVisible() and not lies_behind(widget)

"""The editor of a copy of a kernel: its text, compiler messages, and the result of its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QInputDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSpinBox,
    QTextEdit,
    QToolTip,
    QWidget,
)

from ccl_viewer.devices.source import find_kernel_lines
from ccl_viewer.errors import Diagnostic
from ccl_viewer.exercises.model import GAP
from ccl_viewer.window.core.run_display import StatusKind
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.widgets.buttons import make_icon_button, make_popup_menu, make_text_button
from ccl_viewer.window.widgets.fields import make_number_box, show_value
from ccl_viewer.window.widgets.file_dialogs import Button, ask_and_save, make_question_box
from ccl_viewer.window.widgets.keys import claim_keys
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, vbox
from ccl_viewer.window.widgets.source_text import FindBar, SourceText
from ccl_viewer.window.widgets.style import set_role, theme

_ROLES: Final = {StatusKind.OK: "ok", StatusKind.ERROR: "failed", StatusKind.WARNING: "warning"}
_PAUSE: Final = 400  # milliseconds after the last key until the text is stored and coloured
_LINES_LISTED: Final = 4
_LONGEST: Final = 600  # seconds


class EditableSourceText(SourceText):
    """The text of a copy, with compiler messages underlined."""

    run_asked = Signal()
    save_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._diagnostics: tuple[Diagnostic, ...] = ()
        self.setReadOnly(False)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextEditorInteraction)
        self.setAccessibleName("Copy of a kernel")
        self.setPlaceholderText("")

    def recolour(self) -> None:
        """Colour the text as it is now."""
        with QSignalBlocker(self):
            self._highlighter.prepare(self.toPlainText(), ())
            self._highlighter.rehighlight()

    def show_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        """Underline the places of compiler messages, and mark their lines."""
        self._diagnostics = tuple(each for each in diagnostics if each.line > 0)
        self.notes = {each.line - 1: each.severity for each in reversed(self._diagnostics)}
        self._underline()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run with Ctrl+Enter, save with Ctrl+S; Tab indents, and new lines keep indentation."""
        if _is_run(event):
            self.run_asked.emit()
        elif event.matches(QKeySequence.StandardKey.Save):
            self.save_asked.emit()
        elif event.key() == Qt.Key.Key_Tab:
            self.insertPlainText("    ")
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            line = self.textCursor().block().text()
            self.insertPlainText("\n" + line[: len(line) - len(line.lstrip())])
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Claim the key for saving, with which the window saves the grid."""
        return claim_keys(event, QKeySequence.StandardKey.Save) or super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Show the compiler's messages for the line under the mouse."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            line = self.cursorForPosition(event.pos()).blockNumber() + 1
            texts = [each.text for each in self._diagnostics if each.line == line]
            QToolTip.showText(event.globalPos(), "\n".join(texts), self)
            return True
        return super().viewportEvent(event)

    def _underline(self) -> None:
        waves, document = [], self.document()
        for each in self._diagnostics:
            block = document.findBlockByNumber(each.line - 1)
            start = min(max(each.column - 1, 0), max(block.length() - 2, 0))
            wave = QTextEdit.ExtraSelection()
            wave.cursor = QTextCursor(block)
            wave.cursor.setPosition(block.position() + start)
            end = QTextCursor.MoveOperation.EndOfBlock
            wave.cursor.movePosition(end, QTextCursor.MoveMode.KeepAnchor)
            wave.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            wave.format.setUnderlineColor(theme().color(each.severity))
            waves.append(wave)
        self.setExtraSelections(waves)
        self._repaint()


class QtCopyEditor(QWidget):
    """Shows and edits the open copy of a kernel."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._model = session, session.copies
        self._name = ""
        self.title = ElidedLabel("", "title")
        self.text = EditableSourceText()
        self.text.set_wrapped(session.settings.value("source/wrapped") is not False)
        self.find_bar = FindBar(self.text)
        self.messages = name_widget(QListWidget(), "Compiler messages")
        self.messages.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.result: QLabel = make_label("", wrap=True)
        self.run_button = make_text_button("Run", self.run, "Save and run the copy (Ctrl+Enter)")
        self.save_button = make_text_button("Save", self.save, "Save the copy (Ctrl+S)")
        tip = "How long the kernels of a copy may run before they are stopped"
        self.seconds = make_number_box(QSpinBox(), "Time limit", 1, _LONGEST, " s", tip)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE)
        self._lay_out()
        self._connect()
        self.refresh()

    def refresh(self) -> None:
        """Show the open copy and the result of its run."""
        copy, model = self._model.copy, self._model
        if copy is None:
            self._name = ""
            return
        if copy.name != self._name:
            renamed = bool(self._name) and self.text.toPlainText() == model.text
            self._name = copy.name
            with QSignalBlocker(self.text):
                self.text.show_source(model.text)
            self.text.show_diagnostics(())
            if not renamed:
                self._go_to_kernel()
        self._show_title()
        show_value(self.seconds, round(self._session.runs.settings.seconds))

    def _go_to_kernel(self) -> None:
        """Go to the first gap of an exercise, or else to the kernel of the step on display."""
        gap = GAP.search(self._model.text)
        if gap is not None:
            self.text.go_to_line(self._model.text.count("\n", 0, gap.start()))
            return
        step = self._session.analysis.step
        lines = None if step is None else find_kernel_lines(self._model.text, step.kernel)
        self.text.go_to_line(0 if lines is None else lines[0])

    def show_line(self, file: str, line: int) -> bool:
        """Go to a line, from 1, of the copy, and mark it; return False if it is not in it."""
        if not self._is_own(file):
            return False
        self.text.mark(range(0), line - 1, "accent")
        self.text.go_to_line(line - 1)
        return True

    def run(self) -> None:
        """Save and run the copy."""
        self._pause.stop()
        self._model.run(self.text.toPlainText())

    def save(self) -> None:
        self._pause.stop()
        self._model.save(self.text.toPlainText())

    def leave(self) -> None:
        """Return to the source of the step."""
        self._keep()
        self._model.leave()

    def make_menu(self) -> QMenu:
        """Return the menu with more commands for the copy."""
        menu = make_popup_menu(self)
        menu.addAction("Find\tCtrl+F", self.find_bar.open)
        menu.addAction("Rename…", self._ask_for_name)
        menu.addAction("Export as .cu…", self._export)
        menu.addAction("Delete…", self._ask_to_delete)
        return menu

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep unsaved text: the window may be about to close."""
        self._keep()
        super().hideEvent(event)

    def _lay_out(self) -> None:
        more = make_icon_button("more", "Rename, export or delete the copy")
        more.clicked.connect(
            lambda: self.make_menu().popup(more.mapToGlobal(more.rect().bottomLeft()))
        )
        back = make_icon_button("back", "Back to the source of the step", self.leave)
        top = hbox((self.title, 1), more, back, spacing=2)
        limit = make_label("Stop after", "dim")
        limit.setBuddy(self.seconds)
        buttons = hbox(self.run_button, self.save_button, 1, limit, self.seconds, spacing=6)
        parts = top, self.find_bar, (self.text, 1), self.messages, self.result, buttons
        self.setLayout(vbox(*parts, margins=(9, 9, 9, 9), spacing=3))
        self.messages.hide()

    def _connect(self) -> None:
        self._model.copy_changed.connect(self.refresh)
        self._model.typed_changed.connect(self._show_typed)
        self._model.result_changed.connect(self._show_result)
        self.text.textChanged.connect(self._on_typed)
        self.text.run_asked.connect(self.run)
        self.text.save_asked.connect(self.save)
        self._pause.timeout.connect(self._keep)
        self.messages.itemActivated.connect(self._go_to_message)
        self.messages.itemClicked.connect(self._go_to_message)
        self.seconds.valueChanged.connect(self._set_seconds)

    def _show_result(self) -> None:
        model = self._model
        self.result.setText(model.result.text)
        set_role(self.result, _ROLES.get(model.result.kind, "dim"))
        self.text.show_diagnostics([each for each in model.diagnostics if self._is_own(each.file)])
        self.messages.clear()
        for each in model.diagnostics:
            location = str(each.line) if self._is_own(each.file) else f"{each.file}:{each.line}"
            item = QListWidgetItem(f"{location}: {each.severity}: {each.text}", self.messages)
            item.setToolTip(item.text())
        rows = min(len(model.diagnostics), _LINES_LISTED)
        self.messages.setFixedHeight(max(self.messages.sizeHintForRow(0), 0) * rows + 8)
        self.messages.setVisible(rows > 0)
        errors = [each for each in model.diagnostics if each.severity == "error"]
        if errors and model.result.kind is StatusKind.ERROR and self.isVisible():
            self._session.messages.dismiss()  # they are shown here
            own_errors = [each for each in errors if self._is_own(each.file)]
            if own_errors and self._is_saved():  # and so the user is not typing
                self.text.go_to_line(own_errors[0].line - 1, own_errors[0].column - 1)
        fault = self._session.display.fault
        failed = fault is not None and fault.line and self._is_own(fault.file)
        self.text.mark(range(0), fault.line - 1 if fault and fault.line and failed else None)

    def _is_own(self, file: str) -> bool:
        return file.rpartition("/")[2] == f"{self._name}.cu"

    def _show_title(self) -> None:
        changed = "" if self._is_saved() else ", not saved"
        self.title.setText(f"{self._name}.cu{changed}")
        self.save_button.setEnabled(bool(changed))

    def _is_saved(self) -> bool:
        return self._model.saved and self.text.toPlainText() == self._model.text

    def _on_typed(self) -> None:
        self._model.set_typed(self.text.toPlainText())
        self._show_title()
        self._pause.start()

    def _show_typed(self) -> None:
        """Replace the text by one that was not typed here; undo brings the old one back."""
        if self.text.toPlainText() != self._model.typed:
            cursor = QTextCursor(self.text.document())
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(self._model.typed)
            self._go_to_kernel()
            self.text.setFocus()  # so that Ctrl+Z undoes this, and no edit of the grid

    def _keep(self) -> None:
        self._pause.stop()
        if self._model.copy is not None and self._model.copy.name == self._name:
            self._model.keep_unsaved(self.text.toPlainText())
            self.text.recolour()

    def _go_to_message(self) -> None:
        each = self._model.diagnostics[self.messages.currentRow()]
        if self._is_own(each.file):
            self.text.go_to_line(each.line - 1, each.column - 1)
            self.text.setFocus()

    def _set_seconds(self, seconds: int) -> None:
        runs = self._session.runs
        runs.replace_settings(runs.settings.with_changes(seconds=float(seconds)))

    def _ask_for_name(self) -> None:
        dialog = QInputDialog(self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Rename the copy")
        dialog.setLabelText("Name: letters, digits and underscores")
        dialog.setTextValue(self._name)
        dialog.textValueSelected.connect(self._rename)
        dialog.open()

    def _rename(self, name: str) -> None:
        self._keep()
        if name != self._name:
            self._model.rename(name)

    def _export(self) -> None:
        text = self.text.toPlainText()
        name = f"{self._name}.cu"
        write = self._model.export
        kinds = "CUDA source (*.cu)"
        ask_and_save(
            self,
            self._session.messages,
            "Export the copy",
            name,
            kinds,
            lambda path: write(path, text),
        )

    def _ask_to_delete(self) -> None:
        names = {Button.Cancel: "Cancel", Button.Discard: "&Delete"}
        box = make_question_box(self, f"Delete {self._name}.cu? This cannot be undone.", names)
        box.finished.connect(self._deleted)
        box.open()

    def _deleted(self, answer: int) -> None:
        if answer == Button.Discard.value:
            self._model.delete()


def _is_run(event: QKeyEvent) -> bool:
    enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
    return enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)

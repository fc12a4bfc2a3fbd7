"""The panel of the source: the files that run, at the kernel of the step on display."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QStackedLayout, QTabBar, QWidget

from ccl_viewer.window.core.copies import can_copy
from ccl_viewer.window.core.kernel_source import (
    KernelModule,
    NamedValue,
    SourcePosition,
    arguments_of,
    call_of,
    cell_values,
    launch_sentence,
    load_kernel_module,
    macros_of,
    paper_of,
)
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.widgets.buttons import (
    add_switch,
    make_icon_button,
    make_popup_menu,
    make_text_button,
)
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container, vbox
from ccl_viewer.window.widgets.panel import Panel
from ccl_viewer.window.widgets.source_text import LEAD, FindBar, SourceText
from ccl_viewer.window.widgets.style import icon, scaled

if TYPE_CHECKING:
    from ccl_viewer.window.source.copy_editor import QtCopyEditor

_EDIT: Final = "Edit a copy"
_ROOMY: Final = 260  # pixels of width at normal text size
_GAP: Final = "    "
_LINES_PRINTED: Final = 5
_NOTHING: Final = KernelModule("", {"": ""})


class QtSource(Panel):
    """Shows the source of the step's kernel, its includes, and the launch."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session.playback, parent)
        self._session = session
        self._analysis = session.analysis
        self._module, self._file, self._kernel = _NOTHING, "", ""
        self._own = _NOTHING  # the module of the step; another may be on display
        self._fault: SourcePosition | None = None
        self._chosen: SourcePosition | None = (
            None  # chosen in another panel, until the step changes
        )
        self._wrapped = session.settings.value("source/wrapped") is not False
        # Kernels of an algorithm begin alike.
        self.kernel = ElidedLabel("No kernel yet", "title", Qt.TextElideMode.ElideLeft)
        self.launch, self.paper = ElidedLabel(), ElidedLabel("", "dim")
        self.arguments = make_label("", wrap=True)
        self.values = ElidedLabel("", "dim")
        self.home = make_icon_button("kernel", "Back to the kernel", self.show_kernel)
        self.find_button = make_icon_button("find", "Find (Ctrl+F)")
        self.copy = make_icon_button("copy", "Copy the whole kernel", self.copy_kernel_to_clipboard)
        self.tabs = name_widget(QTabBar(drawBase=False, expanding=False), "Source files")
        self.text = SourceText()
        self.text.set_wrapped(self._wrapped)
        self.find_bar = FindBar(self.text)
        self.edit_button = make_text_button(_EDIT, self.edit_copy)
        name_widget(self.edit_button, _EDIT, "Edit a copy of the kernel, and run it")
        self.editor: QtCopyEditor | None = None
        self.printed = name_widget(QPlainTextEdit(readOnly=True), "Output of printf")
        self._lay_out()
        self._connect()
        self._show_editor()

    @property
    def file(self) -> str:
        """Name of the file on display; empty without one."""
        return self._file

    def refresh(self) -> None:
        step, recording = self._analysis.step, self._analysis.recording
        self._show_printed(() if recording is None else recording.printed)
        for part in (self.launch, self.arguments, self.values, self.paper):
            part.setVisible(step is not None)
        if step is None or recording is None:
            self._kernel, self._own = "", _NOTHING
            self.edit_button.setEnabled(False)
            self.kernel.setText("No kernel yet")
            self._show_module(_NOTHING)
            return
        self.kernel.setText(step.kernel)
        self.kernel.setToolTip(call_of(step))
        self.edit_button.setEnabled(can_copy(recording))
        self.launch.setText(launch_sentence(step))
        facts = (*arguments_of(step), *macros_of(step))
        self.arguments.setText(_GAP.join(map(_unbroken, facts)))
        tips = (f"{fact.detail} {fact.name} = {fact.value}" for fact in facts)
        self.arguments.setToolTip("\n".join(tips))
        self.arguments.setVisible(bool(facts))
        self.paper.setText(paper_of(recording, step))
        self._show_values()
        module = load_kernel_module(step.module, step.macros)
        fault = self._fault_in(module)
        if (module, step.kernel, fault) != (self._own, self._kernel, self._fault):
            self._own, self._kernel, self._fault = module, step.kernel, fault
            self.show_kernel()

    def _show_printed(self, lines: tuple[str, ...]) -> None:
        """Show what the run's kernels printed, below the source or the edited copy."""
        text = "\n".join(lines)
        if text != self.printed.toPlainText():
            self.printed.setPlainText(text)
        rows = min(len(lines), _LINES_PRINTED) + 1
        self.printed.setFixedHeight(rows * self.printed.fontMetrics().lineSpacing())
        self.printed.setVisible(bool(lines))

    def show_kernel(self) -> None:
        """Show and mark the lines of the step's kernel, or the line of a fault."""
        self._chosen = None
        self._show_module(self._own)
        location = self._module.lines_of(self._kernel)
        if self._fault is not None:
            self._show_file(self._fault.file)
            self.text.go_to_line(max(self._fault.line - LEAD, 0))
        elif location is not None:
            self._show_file(location[0])
            self.text.go_to_line(location[1])

    def show_definition(self, name: str) -> None:
        """Go to the definition of a name in the files."""
        position = self._module.definitions[name]
        self._show_file(position.file)
        self.text.go_to_line(position.line)

    def show_line(self, file: str, line: int) -> None:
        """Go to a line, from 1, of a file of the run's kernels, and mark it.

        If a copy is being edited, go to the line of the copy.
        """
        self.refresh()
        if self.editor is not None and self._session.copies.copy is not None:
            if self.editor.show_line(file, line):
                return
            self.editor.leave()
        for module in self._modules():
            path = module.file_named(file)
            if path is not None:
                self._show_module(module)
                self._chosen = SourcePosition(path, line - 1)
                self._show_file(path)
                self.text.go_to_line(line - 1)
                return

    def _modules(self) -> Iterator[KernelModule]:
        """Yield the kernel modules of the run, the step's first."""
        yield self._own
        recording = self._analysis.recording
        steps = () if recording is None else recording.steps
        for module, macros in dict.fromkeys((step.module, step.macros) for step in steps):
            yield load_kernel_module(module, macros)

    def copy_kernel_to_clipboard(self) -> None:
        """Copy the step's whole kernel to the clipboard, with the comment above it."""
        self.refresh()  # the panel may have been hidden since another step
        text = self._module.kernel_text(self._kernel)
        if text:
            QGuiApplication.clipboard().setText(text)

    def edit_copy(self) -> None:
        """Open a copy of the step's kernel; if there are copies already, ask which."""
        step, recording = self._analysis.step, self._analysis.recording
        if step is None or recording is None or not can_copy(recording):
            return
        model, key, module = self._session.copies, recording.algorithm, step.module
        copies = [copy for copy in model.copies if (copy.algorithm, copy.module) == (key, module)]
        if not copies:
            model.edit(key, module)
            return
        menu = make_popup_menu(self)
        for copy in copies:
            menu.addAction(f"Open {copy.name}.cu", partial(model.open, copy))
        menu.addAction(f"New copy of {module}.cu", partial(model.edit, key, module))
        menu.popup(self.edit_button.mapToGlobal(self.edit_button.rect().bottomLeft()))

    def open_find_bar(self) -> None:
        """Show the find bar of the source, or of the edited copy."""
        editing = self.editor is not None and self._session.copies.copy is not None
        (self.editor.find_bar if self.editor and editing else self.find_bar).open()

    def _show_editor(self) -> None:
        """Show the edited copy instead of the source, or the source again."""
        editing = self._session.copies.copy is not None
        if editing and self.editor is None:
            from ccl_viewer.window.source.copy_editor import QtCopyEditor

            self.editor = QtCopyEditor(self._session)
            self._pages.addWidget(self.editor)
        self._pages.setCurrentIndex(1 if editing else 0)
        if editing and self.editor is not None:
            self.editor.text.setFocus()

    def set_wrapped(self, on: bool) -> None:
        self._wrapped = on
        self.text.set_wrapped(on)
        self._session.settings.set_value("source/wrapped", on)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_line()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._fit_line()

    def _fit_line(self) -> None:
        """Hide buttons if the kernel's name needs the room; the menu Edit has all of them."""
        roomy = self.width() >= scaled(_ROOMY)
        self.edit_button.setText(_EDIT if roomy else "")
        self.edit_button.setIcon(QIcon() if roomy else icon("pencil"))
        for button in (self.home, self.copy):
            button.setVisible(roomy)

    def _connect(self) -> None:
        watch(
            self._follow,
            self._analysis.display_changed,
            self._analysis.recording_changed,
            self._analysis.index_changed,
        )
        watch(self._follow, self._session.phases.shown_changed, self._session.phases.lane_changed)
        self._session.copies.copy_changed.connect(self._show_editor)
        watch(
            self._on_pointed,
            self._session.view.hover_changed,
            self._session.view.cursor_changed,
            self._session.view.pin_changed,
        )
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.text.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.text.customContextMenuRequested.connect(
            lambda at: self.make_menu(at).popup(self.text.mapToGlobal(at))
        )
        self.find_button.clicked.connect(self.find_bar.open)

    def _on_pointed(self) -> None:
        if self.isVisible():
            self._show_values()

    def _show_values(self) -> None:
        """Show the arrays' values for the cell under the mouse."""
        step, recording = self._analysis.step, self._analysis.recording
        cell = self._session.view.inspected
        if step is None or recording is None:
            return
        height, width = recording.image.shape
        if cell is None or not (cell[0] < width and cell[1] < height):
            self.values.setText("Point at a cell for its values")
            return
        labels = self._session.labels.make_label_lookup(recording, step.index)
        label = int(labels(cell[1] * width + cell[0]))
        facts = cell_values(recording, step, label, cell)
        prefix = f"At ({cell[0]}, {cell[1]}):"
        self.values.setText(f"{prefix} {_GAP.join(f'{f.name} {f.value}' for f in facts)}")

    def _fault_in(self, module: KernelModule) -> SourcePosition | None:
        """Return the line of the chosen lane, or of the fault, if any."""
        location, display = self._session.phases.location, self._analysis.display
        if location is not None:
            file = module.file_named(location.file)
            return None if file is None else SourcePosition(file, location.line - 1)
        fault = display.fault
        if fault is None or not fault.line or display.index != display.count - 1:
            return None
        file = module.file_named(fault.file)
        return None if file is None else SourcePosition(file, fault.line - 1)

    def _show_module(self, module: KernelModule) -> None:
        """Show a module: the same file as before if it has it, else its first."""
        if tuple(module.files) != tuple(self._module.files):
            self._file = ""
            with QSignalBlocker(self.tabs):
                while self.tabs.count():
                    self.tabs.removeTab(0)
                for name in module.files:
                    self.tabs.setTabToolTip(self.tabs.addTab(name.rpartition("/")[2]), name)
        self.tabs.setVisible(bool(module.name))
        changed = module is not self._module
        self._module = module
        if changed:
            self._show_file(self._file or module.main, again=True)

    def _show_file(self, file: str, *, again: bool = False) -> None:
        """Show a file, with the step's kernel marked if it is in it."""
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(list(self._module.files).index(file))
        if file != self._file or again:
            self._file = file
            self.text.show_source(self._module.files[file], self._module.skipped.get(file, ()))
        location = self._module.lines_of(self._kernel)
        lines = (
            range(location[1], location[2] + 1) if location and location[0] == file else range(0)
        )
        single, role = self._chosen, "accent"
        if single is None:
            single = self._fault
            role = "error" if self._session.phases.location is None else "warning"
        line = single.line if single is not None and single.file == file else None
        self.text.mark(lines, line, role)

    def _on_tab_changed(self, index: int) -> None:
        if 0 <= index < len(self._module.files):
            self._show_file(list(self._module.files)[index])
            if self.text.single is not None:
                self.text.go_to_line(self.text.single)
            elif self.text.marked:
                self.text.go_to_line(self.text.marked[0])

    def make_menu(self, at: QPoint) -> QMenu:
        """Return the context menu for a place in the text."""
        menu, word = make_popup_menu(self), self.text.cursorForPosition(at)
        word.select(QTextCursor.SelectionType.WordUnderCursor)
        name = word.selectedText()
        if name in self._module.definitions:
            menu.addAction(f"Go to the definition of {name}", partial(self.show_definition, name))
        copy = menu.addAction("Copy\tCtrl+C", self.text.copy)
        copy.setEnabled(self.text.textCursor().hasSelection())
        menu.addAction("Copy the whole kernel", self.copy_kernel_to_clipboard)
        menu.addAction("Select all\tCtrl+A", self.text.selectAll)
        menu.addSeparator()
        menu.addAction("Find\tCtrl+F", self.find_bar.open)
        menu.addAction("Back to the kernel", self.show_kernel)
        menu.addSeparator()
        add_switch(menu, "Wrap long lines", self._wrapped, self.set_wrapped)
        menu.addAction("Larger text\tCtrl+Wheel", self.text.zoomIn)
        menu.addAction("Smaller text", self.text.zoomOut)
        menu.addAction("Normal text size", self.text.use_type)
        return menu

    def _lay_out(self) -> None:
        tools = self.edit_button, self.home, self.find_button, self.copy
        top = hbox((self.kernel, 1), *tools, spacing=2)
        facts = (self.launch, self.arguments, self.values, self.paper)
        parts = top, *facts, self.find_bar, self.tabs, (self.text, 1)
        self._pages = QStackedLayout()
        printed = vbox(self.printed, margins=(9, 0, 9, 0))
        self.setLayout(vbox((self._pages, 1), printed, margins=(0, 0, 0, 0)))
        self._pages.addWidget(make_container(vbox(*parts, margins=(9, 9, 9, 9), spacing=1)))


def _unbroken(fact: NamedValue) -> str:
    """Return name and value with non-breaking spaces."""
    return f"{fact.name} {fact.value}".replace(" ", "\N{NO-BREAK SPACE}")

"""The kernel's source: the very files that run, at the kernel of the step on display."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence, QResizeEvent, QShortcut, QShowEvent
from PySide6.QtWidgets import QMenu, QTabBar, QVBoxLayout, QWidget

from ccl_viewer.devices.source import kernel_lines
from ccl_viewer.session import Session
from ccl_viewer.session.facts.source_code import Link, Place, Program, program_of
from ccl_viewer.settings_text import read_number
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.memory.parts import Memory, switch_memory
from ccl_viewer.views.source.find_bar import FindBar
from ccl_viewer.views.source.header import SourceHeader
from ccl_viewer.views.source.text import SIZES, SourceText
from ccl_viewer.views.widgets.late import Late

_WHILE_PLAYING = 100
"""Milliseconds between two kernels while steps follow each other: nobody reads faster."""

_NOTHING = Program("", {"": ""})


class SourcePane(QWidget):
    """Shows the source of the step's kernel, what it includes, and how it was launched.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._program = _NOTHING
        self._file = ""
        self._kernel = ""
        self._shown: tuple[Program, str] | None = None
        self._scale = 1.0
        self._wrapped = False
        self._missed = False
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._keep_up)
        self.header = SourceHeader()
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Source files")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.hide()
        self.text = SourceText(self._link_at)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self.header)
        layout.addWidget(self.tabs)
        layout.addWidget(self.text, 1)
        self._find_bar = Late[FindBar](self._make_find_bar, partial(layout.insertWidget, 1))
        self._connect()
        self._add_shortcuts()
        self.refresh()

    @property
    def find_bar(self) -> FindBar:
        """What looks for a phrase in the source."""
        return self._find_bar.get()

    @property
    def file(self) -> str:
        """Name of the file on display; empty without one."""
        return self._file

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        for part in (self.header, self.text):
            part.set_theme(theme)
        self.header.show_room(self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave most of the height to the source."""
        super().resizeEvent(event)
        self.header.show_room(event.size().height())

    def refresh(self) -> None:
        """Show the kernel of the step on display."""
        step, recording = self._session.step, self._session.recording
        if step is None or recording is None:
            self._kernel = ""
            self.header.clear()
            self._show_program(_NOTHING)
            return
        self.header.show_step(step, recording)
        self._show_values()
        program = program_of(step.module, step.macros)
        if program is not self._program or step.kernel != self._kernel:
            self._kernel = step.kernel
            self._show_program(program)
            self.show_kernel()

    def show_kernel(self) -> None:
        """Show and mark the lines of the step's kernel."""
        place = self._program.definitions.get(self._kernel)
        if place is not None:
            self._show_file(place.file)
            self.text.go_to_mark()
        self.text.takes_escape = False

    def back_to_kernel(self) -> None:
        """Show the step's kernel, wherever links led to, also where nobody saw the pane lately."""
        self.refresh()
        self.show_kernel()

    def follow(self, link: Link) -> None:
        """Go to where a name is defined."""
        self._show_file(link.target.file)
        self.text.go_to_line(link.target.line)
        self.text.takes_escape = True

    def copy_kernel(self) -> None:
        """Put the step's whole kernel on the clipboard, with the comment above it."""
        self.refresh()  # nobody may have seen the pane since another step
        place = self._program.definitions.get(self._kernel)
        lines = None if place is None else self._kernel_lines(place)
        if place is not None and lines is not None:
            text = self._program.files[place.file].split("\n")[lines[0] : lines[1] + 1]
            QGuiApplication.clipboard().setText("\n".join(text) + "\n")

    def begin_find(self) -> None:
        """Look for a phrase that is typed, in the file on display."""
        self.find_bar.open()

    def set_wrapped(self, on: bool) -> None:
        """Break long lines at the right edge, or let them run on."""
        self._wrapped = on
        self.text.set_wrapped(on)

    def set_scale(self, scale: float) -> None:
        """Use a multiple of the usual size of type."""
        self._scale = min(max(scale, SIZES[0]), SIZES[1])
        self.text.set_scale(self._scale)

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered: the size of type, and whether lines are broken."""
        yield Memory(
            "source/scale",
            lambda: f"{self._scale:.3f}",
            lambda text: self.set_scale(read_number(text)),
        )
        yield switch_memory("source/wrapped", lambda: self._wrapped, self.set_wrapped)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while the pane was hidden."""
        super().showEvent(event)
        if self._missed:
            self._keep_up()

    def _keep_up(self) -> None:
        """Show the step on display, unless nobody sees it: new source takes a while to colour."""
        self._missed = not self.isVisible()
        if not self._missed:
            self.refresh()

    def _connect(self) -> None:
        session = self._session
        session.recording_changed.connect(self._follow)
        session.playback.position_changed.connect(self._follow)
        session.playback.playing_changed.connect(self._follow)
        session.look.hover_changed.connect(self._show_values)
        session.look.pin_changed.connect(self._show_values)
        session.step_labels.arrived.connect(self._show_values)
        self.tabs.currentChanged.connect(self._turned)
        self.text.followed.connect(self.follow)
        self.text.left.connect(self.show_kernel)
        self.text.resized.connect(self.set_scale)
        self.text.menu_wanted.connect(self._fill_menu)
        self.header.home_button.clicked.connect(self.show_kernel)
        self.header.find_button.clicked.connect(self.begin_find)
        self.header.copy_button.clicked.connect(self.copy_kernel)

    def _add_shortcuts(self) -> None:
        """Add keys with which a search goes on, wherever in the window the focus is."""
        for keys, act in (("F3", self._find_next), ("Shift+F3", self._find_previous)):
            QShortcut(QKeySequence(keys), self).activated.connect(act)

    def _make_find_bar(self) -> FindBar:
        bar = FindBar()
        bar.search(self.text)
        return bar

    def _find_next(self) -> None:
        if self._find_bar.there is not None:
            self._find_bar.there.go_on()

    def _find_previous(self) -> None:
        if self._find_bar.there is not None:
            self._find_bar.there.go_back()

    def _follow(self) -> None:
        """Follow the step after its frame, or, while steps follow each other, now and then."""
        if not self._session.playback.playing:
            self._soon.start(0)
        elif not self._soon.isActive():
            self._soon.start(_WHILE_PLAYING)

    def _show_values(self) -> None:
        session, cell = self._session, self._session.look.inspected
        step, recording = session.step, session.recording
        if step is None or recording is None or not self.isVisible():
            return
        labels = session.step_labels
        # Where others decode, or are about to, the label follows once it is there.
        known = cell is not None and not (labels.coming or labels.unseen)
        label = session.inspect(cell).label if cell is not None and known else None
        self.header.show_values(recording, step, label, cell)

    def _show_program(self, program: Program) -> None:
        if program is self._program:
            return
        if tuple(program.files) != tuple(self._program.files):
            self._file = ""
            with QSignalBlocker(self.tabs):
                while self.tabs.count():
                    self.tabs.removeTab(0)
                for name in program.files:
                    self.tabs.setTabToolTip(self.tabs.addTab(name.rpartition("/")[2]), name)
        self.tabs.setVisible(bool(program.module))
        self._program = program
        self._show_file(self._file or program.main)

    def _show_file(self, file: str) -> None:
        """Show a file, with the step's kernel marked if it is in there."""
        with QSignalBlocker(self.tabs):
            self.tabs.setCurrentIndex(list(self._program.files).index(file))
        shown = self._program, file
        if shown != self._shown:
            self._file, self._shown = file, shown
            self.text.setAccessibleName(f"Kernel source, {file}" if file else "Kernel source")
            self.text.show_source(self._program.files[file], self._program.skipped.get(file, ()))
            if self._find_bar.there is not None:
                self._find_bar.there.look_again()
        place = self._program.definitions.get(self._kernel)
        if place is not None and place.file == file:
            self.text.mark(self._kernel_lines(place), place.line)

    def _kernel_lines(self, place: Place) -> tuple[int, int] | None:
        return kernel_lines(self._program.files[place.file], self._kernel)

    def _turned(self, index: int) -> None:
        if 0 <= index < len(self._program.files):
            self._show_file(list(self._program.files)[index])
            if self.text.marked is not None:
                self.text.go_to_mark()
            self.text.takes_escape = self.text.marked is None

    def _link_at(self, line: int, column: int) -> Link | None:
        return self._program.link_at(self._file, line, column)

    def _fill_menu(self, menu: QMenu) -> None:
        copy = menu.addAction("Copy\tCtrl+C", self.text.copy)
        copy.setEnabled(self.text.textCursor().hasSelection())
        menu.addAction("Copy the whole kernel\tCtrl+Shift+C", self.copy_kernel)
        menu.addAction("Select all\tCtrl+A", self.text.selectAll)
        menu.addSeparator()
        menu.addAction("Find\tCtrl+F", self.begin_find)
        key = "Esc" if self.text.takes_escape else "Ctrl+Alt+K"
        menu.addAction(f"Back to the kernel\t{key}", self.show_kernel)
        menu.addSeparator()
        wrap = menu.addAction("Wrap long lines")
        wrap.setCheckable(True)
        wrap.setChecked(self._wrapped)
        wrap.toggled.connect(self.set_wrapped)
        menu.addAction("Larger type\tCtrl+Wheel", lambda: self.set_scale(self._scale * 1.1))
        menu.addAction("Smaller type", lambda: self.set_scale(self._scale / 1.1))
        menu.addAction("Usual type", lambda: self.set_scale(1.0))

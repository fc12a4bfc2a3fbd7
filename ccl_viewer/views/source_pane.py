"""The kernel's source: the very files that run, at the kernel of the step on display."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QTabWidget, QVBoxLayout, QWidget

from ccl_viewer.session import Cell, Session
from ccl_viewer.session.source_code import Link, Program, kernel_lines, program_of
from ccl_viewer.views.find_bar import FindBar
from ccl_viewer.views.settings import read_switch, read_text
from ccl_viewer.views.source_header import SourceHeader
from ccl_viewer.views.source_text import SourceText
from ccl_viewer.views.theme import DARK, Theme

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
        self._theme = DARK
        self._program = _NOTHING
        self._kernel = ""
        self._away = False
        self._scale = 1.0
        self._wrapped = False
        self.header = SourceHeader()
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Source files")
        self.find_bar = FindBar()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.header)
        layout.addWidget(self.find_bar)
        layout.addWidget(self.tabs, 1)
        self._build_tabs(_NOTHING)
        self._connect()
        self.refresh()

    @property
    def text(self) -> SourceText:
        """The file on display."""
        text = self.tabs.currentWidget()
        if not isinstance(text, SourceText):
            raise TypeError("a tab holds no source")
        return text

    @property
    def away(self) -> bool:
        """Whether something else than the step's kernel was gone to."""
        return self._away

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.header.set_theme(theme)
        self.find_bar.set_theme(theme)
        for text in self._texts():
            text.set_theme(theme)

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
        if (program, step.kernel) != (self._program, self._kernel):
            self._kernel = step.kernel
            self._show_program(program)
            self.show_kernel()

    def show_kernel(self) -> None:
        """Show and mark the lines of the step's kernel."""
        place = self._program.definitions.get(self._kernel)
        if place is not None:
            self._turn_to(place.file)
            self.text.mark(kernel_lines(self._program.files[place.file], self._kernel))
        self._set_away(away=False)

    def follow(self, link: Link) -> None:
        """Go to where a name is defined."""
        self._turn_to(link.target.file)
        self.text.go_to_line(link.target.line)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)
        self._set_away(away=True)

    def copy_kernel(self) -> None:
        """Put the whole kernel on the clipboard, with the comment above it."""
        place = self._program.definitions.get(self._kernel)
        lines = place and kernel_lines(self._program.files[place.file], self._kernel)
        if place and lines:
            text = self._program.files[place.file].split("\n")[lines[0] : lines[1] + 1]
            QGuiApplication.clipboard().setText("\n".join(text) + "\n")

    def set_wrapped(self, on: bool) -> None:
        """Break long lines at the right edge, or let them run on."""
        self._wrapped = on
        for text in self._texts():
            text.set_wrapped(on)

    def set_scale(self, scale: float) -> None:
        """Use a multiple of the usual size of type."""
        self._scale = scale
        for text in self._texts():
            text.set_scale(scale)

    def remember(self, settings: QSettings) -> None:
        """Write down how source is shown."""
        settings.setValue("source/scale", f"{self._scale:.3f}")
        settings.setValue("source/wrapped", str(self._wrapped).lower())

    def recall(self, settings: QSettings) -> None:
        """Show source as it was shown last."""
        try:
            self.set_scale(float(read_text(settings, "source/scale", "1")))
        except ValueError:
            settings.remove("source/scale")
        self.set_wrapped(read_switch(settings, "source/wrapped", otherwise=False))

    def _connect(self) -> None:
        session = self._session
        session.recording_changed.connect(self.refresh)
        session.playback.position_changed.connect(self.refresh)
        session.hover_changed.connect(self._show_values)
        self.tabs.currentChanged.connect(self._tab_changed)
        self.header.home_button.clicked.connect(self.show_kernel)
        self.header.find_button.clicked.connect(self.find_bar.open)
        self.header.copy_button.clicked.connect(self.copy_kernel)
        for keys, act in (
            (QKeySequence.StandardKey.Find, self.find_bar.open),
            ("Ctrl+Shift+C", self.copy_kernel),
            ("F3", lambda: self.find_bar.step(1)),
            ("Shift+F3", lambda: self.find_bar.step(-1)),
            ("Ctrl+Shift+PgDown", lambda: self._turn_by(1)),
            ("Ctrl+Shift+PgUp", lambda: self._turn_by(-1)),
        ):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(act)

    def _cell(self) -> Cell | None:
        return self._session.hover

    def _show_values(self) -> None:
        session, cell = self._session, self._cell()
        step, recording, labels = session.step, session.recording, session.labels
        if step is None or recording is None or labels is None or not self.isVisible():
            return
        if cell is not None and not (cell[0] < labels.shape[1] and cell[1] < labels.shape[0]):
            cell = None
        self.header.show_values(recording, step, labels, cell)

    def _show_program(self, program: Program) -> None:
        if program is self._program:
            return
        if tuple(program.files) != tuple(self._program.files):
            self._build_tabs(program)
        self._program = program
        for name, text in zip(program.files, self._texts(), strict=True):
            text.show_source(program.files[name], program.skipped.get(name, ()))
        self.find_bar.search(self.text)

    def _build_tabs(self, program: Program) -> None:
        self.find_bar.forget()
        while self.tabs.count():
            old = self.tabs.widget(0)
            self.tabs.removeTab(0)
            if old is not None:
                old.deleteLater()
        for name in program.files:
            text = SourceText(name, partial(self._link_at, name))
            text.set_theme(self._theme)
            text.set_scale(self._scale)
            text.set_wrapped(self._wrapped)
            text.followed.connect(self.follow)
            text.left.connect(self.show_kernel)
            text.resized.connect(self.set_scale)
            text.menu_wanted.connect(self._fill_menu)
            self.tabs.addTab(text, name.rpartition("/")[2])
            self.tabs.setTabToolTip(self.tabs.count() - 1, name)
        self.tabs.tabBar().setVisible(bool(program.module))

    def _link_at(self, file: str, line: int, column: int) -> Link | None:
        return self._program.link_at(file, line, column) if file in self._program.files else None

    def _texts(self) -> list[SourceText]:
        texts = (self.tabs.widget(index) for index in range(self.tabs.count()))
        return [text for text in texts if isinstance(text, SourceText)]

    def _index_of(self, file: str) -> int:
        return list(self._program.files).index(file)

    def _turn_to(self, file: str) -> None:
        self.tabs.setCurrentIndex(self._index_of(file))

    def _turn_by(self, by: int) -> None:
        self.tabs.setCurrentIndex((self.tabs.currentIndex() + by) % self.tabs.count())

    def _tab_changed(self) -> None:
        if self.tabs.count() == len(self._program.files):
            self.find_bar.search(self.text)
            self._set_away(away=True)

    def _set_away(self, *, away: bool) -> None:
        self._away = away
        for text in self._texts():
            text.takes_escape = away

    def _fill_menu(self, menu: QMenu, text: SourceText) -> None:
        copy = menu.addAction("Copy\tCtrl+C", text.copy)
        copy.setEnabled(text.textCursor().hasSelection())
        menu.addAction("Copy the whole kernel\tCtrl+Shift+C", self.copy_kernel)
        menu.addAction("Select all\tCtrl+A", text.selectAll)
        menu.addSeparator()
        menu.addAction("Find\tCtrl+F", self.find_bar.open)
        menu.addAction("Back to the kernel\tEsc", self.show_kernel)
        menu.addSeparator()
        wrap = menu.addAction("Wrap long lines")
        wrap.setCheckable(True)
        wrap.setChecked(self._wrapped)
        wrap.toggled.connect(self.set_wrapped)
        menu.addAction("Larger type\tCtrl+Wheel", lambda: self.set_scale(self._scale * 1.1))
        menu.addAction("Smaller type", lambda: self.set_scale(self._scale / 1.1))
        menu.addAction("Usual type", lambda: self.set_scale(1.0))

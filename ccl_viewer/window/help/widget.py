"""Help: the tour, the glossary, the keys, and About."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QFrame, QLabel, QLineEdit, QTextBrowser, QWidget

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.window.core.messages import versions
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.buttons import make_text_button
from ccl_viewer.window.widgets.dialogs import Dialog, make_dialog_buttons
from ccl_viewer.window.widgets.glossary import glossary
from ccl_viewer.window.widgets.keys import native_keys
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_scroll_area, vbox
from ccl_viewer.window.widgets.style import program_icon, scaled, theme

if TYPE_CHECKING:
    from ccl_viewer.window.core.document import Document
    from ccl_viewer.window.core.files import Files

_GAP: Final = 12
_WHAT: Final = "Shows how GPUs label connected components, kernel by kernel. Under the MIT License."
_MOUSE: Final = (
    ("Drag", "Pan; in draw mode, draw"),
    ("Wheel", "Zoom at the mouse"),
    ("Middle button", "Pan, in both modes"),
    ("Click", "Pin a cell"),
    ("Double click", "Pin a component"),
    ("Right click", "Menu of the cell; in draw mode, erase"),
    ("Ctrl + right click", "Menu of the cell, in both modes"),
    ("Shift + arrows", "Move the cell cursor on the canvas"),
    ("Enter, Shift+Enter", "Pin the component, or the cell, at the mouse or the cursor"),
    ("Tab, Shift+Tab", "Go through all controls"),
)


_Row = tuple[str, str, str]
"""Text on the left, its meaning, and further search words."""


class SearchDialog(Dialog):
    """Groups of rows, under a field that shows only rows with all its words."""

    def __init__(
        self,
        title: str,
        groups: Mapping[str, Sequence[_Row]],
        hint: str,
        parent: QWidget,
        note: str = "",
    ) -> None:
        super().__init__(title, parent)
        self._groups = groups
        self.field = name_widget(QLineEdit(placeholderText=hint, clearButtonEnabled=True), hint)
        self.field.textChanged.connect(self._show)
        self.text = name_widget(QTextBrowser(), "Rows")
        below = hbox((make_label(note, "dim"), 1), make_dialog_buttons(self))
        self.setLayout(vbox(self.field, (self.text, 1), below, margins=(11, 11, 11, 11)))
        self._show("")
        self.field.setFocus()
        self.resize_with_text(700, 600)

    def _show(self, sought: str) -> None:
        words = sought.casefold().split()
        shown = ""
        for title, rows in self._groups.items():
            matches = [
                f"<tr><td><b>{escape(left)}</b></td><td>{escape(text)}</td></tr>"
                for left, text, called in rows
                if all(word in f"{left} {text} {called} {title}".casefold() for word in words)
            ]
            if matches:
                head = f"<tr><td colspan=2><h3>{escape(title)}</h3></td></tr>" if title else ""
                shown += head + "".join(matches)
        table = f"<table cellpadding=4>{shown}</table>"
        self.text.setHtml(table if shown else "Nothing matches.")


def make_glossary_dialog(parent: QWidget) -> SearchDialog:
    rows = [(word, text, "") for word, text in glossary().items()]
    return SearchDialog("Glossary", {"": rows}, "Search: a word, or what it means", parent)


def make_keys_dialog(specs: Iterable[ActionSpec], parent: QWidget) -> SearchDialog:
    """Return a dialog with all keys, by menu, and the uses of the mouse."""
    groups: dict[str, list[_Row]] = {}
    for spec in specs:
        keys = spec.lesson_keys or spec.keys
        if keys:
            row = native_keys(keys), spec.tip or spec.title, spec.title
            groups.setdefault(spec.menu.split("/")[0], []).append(row)
    groups["Mouse"] = [(keys, text, "") for keys, text in _MOUSE]
    note = "Ctrl+Shift+P finds all actions, also those without a key."
    return SearchDialog("Keys", groups, "Search: a key, or what it does", parent, note)


class AboutDialog(Dialog):
    """The program's version, which can be copied, and the papers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("About CCL Viewer", parent)
        entries = {**versions(), "Qt": qVersion()}
        self.versions = _selectable("\n".join(f"{name} {value}" for name, value in entries.items()))
        self.versions.setProperty("role", "dim")
        papers = dict.fromkeys(algorithm.citation for algorithm in ALGORITHMS.values())
        self.papers = _selectable("\n\n".join(papers))
        self.papers.setContentsMargins(10, 8, 10, 8)
        sign = QLabel(pixmap=program_icon().pixmap(scaled(56), scaled(56)))
        words = vbox(make_label("CCL Viewer", "heading"), make_label(_WHAT, wrap=True))
        head = hbox(vbox(sign, 1), (words, 1), spacing=16)
        buttons = make_dialog_buttons(self)
        copy = buttons.addButton("&Copy versions", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        papers_area = make_scroll_area(self.papers, "Sources")
        heading = make_label("Sources", "heading")
        parts = head, self.versions, heading, (papers_area, 1), buttons
        self.setLayout(vbox(*parts, margins=(11, 11, 11, 11)))
        self.resize_with_text(640, 520)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.versions.text())


def _selectable(text: str) -> QLabel:
    label = make_label(text, wrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


CARDS: Final = (
    (
        "canvas",
        "The grid",
        "Each cell has the colour of the tree that its label points into. Cells that belong "
        "together end in one colour. The wheel zooms. In Explore, drag to pan and click a cell to "
        "pin it. In Draw, the left button draws and the right one erases. V switches.",
    ),
    (
        "transport",
        "Step by step",
        "A step is one launch of a kernel. Space plays, the arrow keys step, and the sentence says "
        "what the step did.",
    ),
    (
        "algorithm",
        "Another algorithm",
        "Choose one of the papers' algorithms, with 4 or 8 neighbours. Small grids are labelled "
        "again immediately.",
    ),
    (
        "settings",
        "Another order",
        "Device, schedule and parameters are in here. A random schedule finds races: threads that "
        "rely on an order that is not guaranteed.",
    ),
    (
        "side_panel",
        "Look closer",
        "All steps in a table, the kernel's source, curves, and the trees that labels make. F9 "
        "collapses the panel.",
    ),
    (
        "menu_bar",
        "More",
        "Lessons explain the papers scene by scene. Compare runs algorithms side by side. "
        "Ctrl+Shift+P finds every action; F1 shows all keys.",
    ),
)
"""The stops of the tour: the name of a widget, a title, and a text."""


class Tour(Dialog):
    """Explains the parts of the window one after another, and frames each."""

    def __init__(self, document: Document, files: Files, window: QWidget) -> None:
        super().__init__("Tour", window)
        self._document, self._files, self._window = document, files, window
        self._stops = [stop for stop in CARDS if window.findChild(QWidget, stop[0]) is not None]
        self._part: QWidget | None = None
        self.index = 0
        self.frame = QFrame(window)
        self.frame.setStyleSheet(f"background: transparent; border: 3px solid {theme().accent}")
        self.frame.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.title = make_label("", "heading")
        self.text = make_label("", wrap=True)
        self.count = make_label("", "dim")
        self.next = make_text_button("", self.go_on, primary=True)
        self.next.setDefault(True)
        line = hbox((self.count, 1), make_text_button("Skip", self.reject), self.next)
        self.setLayout(vbox(self.title, self.text, line, margins=(16, 12, 12, 12)))
        self.setFixedWidth(scaled(360))
        self.finished.connect(self.frame.deleteLater)

    def start(self) -> None:
        if self._document.grid is None:
            self._files.open("pattern:spiral", step=0)
        self.open()
        self._show_card()

    def go_on(self) -> None:
        self.index += 1
        if self.index < len(self._stops):
            self._show_card()
        else:
            self.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the explained part, which may be laid out only later."""
        if event.type() in {QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show}:
            self._place()
        return super().eventFilter(watched, event)

    def _show_card(self) -> None:
        name, title, text = self._stops[self.index]
        self.title.setText(title)
        self.text.setText(text)
        self.count.setText(f"{self.index + 1} of {len(self._stops)}")
        self.next.setText("Next" if self.index + 1 < len(self._stops) else "Done")
        if self._part is not None:
            self._part.removeEventFilter(self)
        self._part = self._window.findChild(QWidget, name)
        if self._part is not None:
            self._part.installEventFilter(self)
        self._place()

    def _place(self) -> None:
        """Frame the part, and put the card beside it."""
        part, window = self._part, self._window
        if part is None:
            return
        layout = self.layout()
        if layout is not None:
            self.setFixedHeight(layout.totalHeightForWidth(self.width()))
        shown = QRect(part.mapTo(window, QPoint(0, 0)), part.size()).intersected(window.rect())
        self.frame.setGeometry(shown)
        self.frame.show()
        self.frame.raise_()
        corner = window.mapToGlobal(QPoint(0, 0))
        room = QRect(corner, window.size()).intersected(window.screen().availableGeometry())
        self.move(_place_beside(shown.translated(corner), self.frameGeometry().size(), room))


def _place_beside(part: QRect, size: QSize, room: QRect) -> QPoint:
    """Return where a card covers least of a part: below, above, right or left, inside a room."""
    room = room.adjusted(_GAP, _GAP, -_GAP, -_GAP)
    corners = (
        QPoint(part.left(), part.bottom() + _GAP),
        QPoint(part.left(), part.top() - _GAP - size.height()),
        QPoint(part.right() + _GAP, part.top()),
        QPoint(part.left() - _GAP - size.width(), part.top()),
    )
    last = room.bottomRight() - QPoint(size.width(), size.height())

    def within(corner: QPoint) -> QPoint:
        x = max(min(corner.x(), last.x()), room.left())
        return QPoint(x, max(min(corner.y(), last.y()), room.top()))

    def costs(corner: QPoint) -> tuple[int, int]:
        position = within(corner)
        both = QRect(position, size).intersected(part)
        return both.width() * both.height(), (position - corner).manhattanLength()

    return within(min(corners, key=costs))

"""Help: the tour, the glossary, the keys, and what the program is."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, qVersion
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QLabel,
    QLineEdit,
    QTextBrowser,
    QWidget,
)

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.resources import assets_folder
from ccl_viewer.session.messages import versions
from ccl_viewer.views.action_spec import ActionSpec
from ccl_viewer.views.style import program_icon, scaled, theme
from ccl_viewer.views.widgets import (
    Dialog,
    dialog_buttons,
    hbox,
    labelled,
    native_keys,
    scrolled,
    text_button,
    vbox,
)

if TYPE_CHECKING:
    from ccl_viewer.views.main_window import MainWindow

_WHAT: Final = "Shows how GPUs label connected components, kernel by kernel. Under the MIT License."
_MOUSE: Final = (
    ("Drag", "Move the view; in draw mode, draw"),
    ("Wheel", "Zoom at the mouse"),
    ("Middle button", "Move the view, in both modes"),
    ("Click", "Pin a cell"),
    ("Double click", "Pin a component"),
    ("Right click", "Menu of the cell; in draw mode, erase"),
    ("Ctrl + right click", "Menu of the cell, in both modes"),
    ("Shift + arrows", "Move the cell cursor on the canvas"),
    ("Enter, Shift+Enter", "Pin the component, or the cell, at the mouse or the cursor"),
    ("Tab, Shift+Tab", "Go through all controls"),
)


@cache
def glossary() -> dict[str, str]:
    """Return the words that the window uses, with a sentence or two each, in order of the words."""
    with (assets_folder() / "glossary.toml").open("rb") as file:
        words: dict[str, str] = tomllib.load(file)
    return dict(sorted(words.items(), key=lambda entry: entry[0].casefold()))


def explain(word: str) -> str:
    """Return a word with its explanation, for a tooltip; empty if the glossary has it not."""
    text = glossary().get(word, "")
    return f"{word.capitalize()}: {text}" if text else ""


class GlossaryDialog(Dialog):
    """The glossary, in which one can search."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Glossary", parent)
        rows = [(word, text, "") for word, text in glossary().items()]
        self.table = _SearchedRows({"": rows}, "Search: a word, or what it means", 1)
        self.setLayout(vbox((self.table, 1), dialog_buttons(self)))
        self.resize_with_text(640, 560)


class KeysDialog(Dialog):
    """All keys, by menu, and what the mouse does; one can search."""

    def __init__(self, specs: Iterable[ActionSpec], parent: QWidget | None = None) -> None:
        super().__init__("Keys", parent)
        groups: dict[str, list[_Row]] = {}
        for spec in specs:
            if spec.keys:
                menu = spec.menu.split("/")[0]
                text = spec.tip or spec.title
                groups.setdefault(menu, []).append((native_keys(spec.keys), text, spec.title))
        groups["Mouse"] = [(keys, text, "") for keys, text in _MOUSE]
        self.table = _SearchedRows(groups, "Search: a key, or what it does", 2)
        palette = labelled("Ctrl+Shift+P finds everything that has no key.", "dim")
        self.setLayout(vbox((self.table, 1), palette, dialog_buttons(self)))
        self.resize_with_text(920, 640)


class AboutDialog(Dialog):
    """The program's version, which can be copied, and the papers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("About CCL Viewer", parent)
        known = {**versions(), "Qt": qVersion()}
        self.versions = _selectable("\n".join(f"{name} {value}" for name, value in known.items()))
        self.versions.setProperty("role", "dim")
        papers = dict.fromkeys(row.citation for row in ALGORITHMS.values())
        self.papers = _selectable("\n\n".join(papers))
        self.papers.setContentsMargins(10, 8, 10, 8)
        sign = QLabel(pixmap=program_icon().pixmap(scaled(56), scaled(56)))
        words = vbox(labelled("CCL Viewer", "heading"), labelled(_WHAT, wrap=True))
        head = hbox(vbox(sign, 1), (words, 1), spacing=16)
        buttons = dialog_buttons(self)
        copy = buttons.addButton("&Copy versions", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        papers_area = scrolled(self.papers, "Papers")
        heading = labelled("Papers", "heading")
        self.setLayout(vbox(head, self.versions, heading, (papers_area, 1), buttons))
        self.resize_with_text(640, 520)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.versions.text())


_Row = tuple[str, str, str]
"""What stands at the left, what it means, and what else it is called."""


class _SearchedRows(QWidget):
    """Groups of rows in columns, under a field that leaves the rows that have all words."""

    def __init__(self, groups: dict[str, list[_Row]], hint: str, columns: int) -> None:
        super().__init__()
        self._groups, self._columns = groups, columns
        self.field = QLineEdit(placeholderText=hint, clearButtonEnabled=True)
        self.field.setAccessibleName(hint)
        self.field.textChanged.connect(self._show)
        self.text = QTextBrowser()
        self.text.setAccessibleName("Rows")
        self.setLayout(vbox(self.field, (self.text, 1), margins=(0, 0, 0, 0)))
        self._show("")

    def _show(self, sought: str) -> None:
        words = sought.casefold().split()
        columns: list[list[str]] = [[] for _ in range(self._columns)]
        for title, rows in sorted(self._groups.items(), key=lambda group: -len(group[1])):
            found = [
                f"<tr><td><b>{escape(left)}</b></td><td>{escape(text)}</td></tr>"
                for left, text, called in rows
                if all(word in f"{left} {text} {called} {title}".casefold() for word in words)
            ]
            if found:
                head = f"<tr><td colspan=2><h3>{escape(title)}</h3></td></tr>" if title else ""
                min(columns, key=lambda column: sum(map(len, column))).append(head + "".join(found))
        cells = "".join(
            f"<td><table cellpadding=4>{''.join(column)}</table></td>" for column in columns
        )
        found_any = any(columns)
        self.text.setHtml(
            f"<table><tr>{cells}</tr></table>" if found_any else "Nothing has these words."
        )


def _selectable(text: str) -> QLabel:
    label = labelled(text, wrap=True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


@dataclass(frozen=True)
class Card:
    """A stop of the tour: what it says, and the part of the window that it points at."""

    part: Callable[[MainWindow], QWidget]
    title: str
    text: str


CARDS: Final = (
    Card(
        lambda window: window.canvas,
        "The grid",
        "Each cell has the colour of the tree that its label points into. Cells that belong "
        "together end in one colour. Drag to move, wheel to zoom, click a cell to pin it.",
    ),
    Card(
        lambda window: window.transport,
        "Step by step",
        "A step is one launch of a kernel. Space plays, the arrow keys step, and the sentence says "
        "what the step did.",
    ),
    Card(
        lambda window: window.settings_bar.algorithm,
        "Another algorithm",
        "Choose one of the papers' algorithms, with 4 or 8 neighbours. Small grids are labelled "
        "again at once.",
    ),
    Card(
        lambda window: window.settings_bar.more,
        "Another order",
        "Device, schedule and parameters are in here. A random schedule finds races: threads that "
        "rely on an order that nobody promised.",
    ),
    Card(
        lambda window: window.side_panel,
        "Look closer",
        "All steps in a table, the kernel's source, curves, and the trees that labels make. F9 "
        "collapses the panel.",
    ),
    Card(
        lambda window: window.menuBar(),
        "More",
        "Lessons explain the papers scene by scene. Compare runs algorithms side by side. "
        "Ctrl+Shift+P finds every action; F1 shows all keys.",
    ),
)


class Tour(QWidget):
    """Dims the window but for one part after the other, and says what each is for."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Tour")
        self._window = window
        self._focused = window.focusWidget()
        self.index = 0
        self.card = QFrame(self)
        self.card.setProperty("role", "card")
        self.title = labelled("", "heading")
        self.text = labelled("", wrap=True)
        self.count = labelled("", "dim")
        self.skip = text_button("Skip", self.close)
        self.next = text_button("Next", self.go_on, primary=True)
        line = hbox((self.count, 1), self.skip, self.next)
        self.card.setLayout(vbox(self.title, self.text, line, margins=(16, 12, 12, 12)))
        window.installEventFilter(self)

    def start(self) -> None:
        if self._window.session.document.grid is None:
            self._window.session.files.open("pattern:spiral", step=0)
        if self._window.is_projected:
            self._window.project(on=False)
        self.setGeometry(self._window.rect())
        self.show()
        self.raise_()
        self._show_card()

    def go_on(self) -> None:
        self.index += 1
        if self.index < len(CARDS):
            self._show_card()
        else:
            self.close()

    def go_back(self) -> None:
        self.index = max(self.index - 1, 0)
        self._show_card()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Escape:
            self.close()
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Right, Qt.Key.Key_Space}:
            self.go_on()
        elif key is Qt.Key.Key_Left:
            self.go_back()

    def event(self, event: QEvent) -> bool:
        """Keep keys from becoming shortcuts of the window."""
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() is QEvent.Type.Close and self._focused is not None:
            self._focused.setFocus()
        return super().event(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() is QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
            self._place_card()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        hole = self._hole()
        with QPainter(self) as painter:
            painter.setClipRegion(QRegion(self.rect()) - QRegion(hole))
            painter.fillRect(self.rect(), QColor(0, 0, 0, 150))
            painter.setClipping(False)
            painter.setPen(QPen(theme().color("accent"), 2))
            painter.drawRect(hole.adjusted(1, 1, -1, -1))

    def _show_card(self) -> None:
        card = CARDS[self.index]
        self.title.setText(card.title)
        self.text.setText(card.text)
        self.count.setText(f"{self.index + 1} of {len(CARDS)}")
        self.next.setText("Next" if self.index + 1 < len(CARDS) else "Done")
        self._place_card()
        self.setFocus()
        self.update()

    def _hole(self) -> QRect:
        part = CARDS[min(self.index, len(CARDS) - 1)].part(self._window)
        corner = part.mapTo(self._window, QPoint(0, 0))
        return QRect(corner, part.size()).intersected(self.rect())

    def _place_card(self) -> None:
        """Put the card beside the part: below, above, left of it, or into its middle."""
        width = scaled(360)
        self.card.setFixedWidth(width)
        self.card.adjustSize()
        height = self.card.height()
        hole, gap = self._hole(), 12
        x = min(max(hole.center().x() - width // 2, gap), self.width() - width - gap)
        if hole.bottom() + gap + height < self.height():
            y = hole.bottom() + gap
        elif hole.top() - gap - height > 0:
            y = hole.top() - gap - height
        elif hole.left() - gap - width > 0:
            x, y = hole.left() - gap - width, max(hole.center().y() - height // 2, gap)
        else:
            y = hole.bottom() - height - gap
        self.card.move(x, y)

"""Above the source: which kernel, how it was launched, what it was given, and the paper."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.recording import Recording, Step
from ccl_viewer.session import Cell
from ccl_viewer.session.facts.launch_facts import (
    Fact,
    arguments_of,
    call_of,
    citation_of,
    launch_sentence,
    macros_of,
    values_at,
)
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.text import DASH
from ccl_viewer.views.looks.theme import DARK, Theme, fixed_font
from ccl_viewer.views.widgets.elided import ElidedLabel, whole_parts
from ccl_viewer.views.widgets.flat_button import icon_button

_GAP = "&nbsp;&nbsp; "
_LINES = 13
"""Lines of text for which there must be room in a pane that says all of a launch."""


class SourceHeader(QFrame):
    """Says in a few lines what the launch on display is.

    Parameters
    ----------
    parent : QWidget or None
        Parent.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = DARK
        self._roomy = True
        self._facts: tuple[tuple[Fact, ...], tuple[Fact, ...]] = ((), ())
        self._at: tuple[Cell, tuple[Fact, ...]] | None = None
        self._kept: tuple[str, int] | None = None
        self.kernel = _line("Kernel", "title")
        self.launch = ElidedLabel(separator="; ")
        self.launch.setAccessibleName("Launch")
        self.arguments = _line("Arguments and macros", "")
        self.values = _line("Values at the cell", "")
        self.citation = ElidedLabel()
        self.citation.setAccessibleName("Paper")
        self.citation.setProperty("role", "dim")
        self.arguments.setTextFormat(Qt.TextFormat.RichText)
        self.values.setTextFormat(Qt.TextFormat.RichText)
        self.home_button = icon_button("Back to the kernel (Ctrl+Alt+K)", side=16)
        self.find_button = icon_button("Find (Ctrl+F)", side=16)
        self.copy_button = icon_button("Copy the whole kernel (Ctrl+Shift+C)", side=16)
        self._lay_out()
        self._size_type()
        self.clear()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme, and its size of text."""
        self._theme = theme
        self._size_type()
        for button, name in (
            (self.home_button, "kernel"),
            (self.find_button, "find"),
            (self.copy_button, "copy"),
        ):
            button.setIcon(icon(name, theme.text, theme.dim))
        self._write()

    def clear(self) -> None:
        """Say that there is no kernel yet."""
        self.kernel.setText("No kernel yet")
        self._facts, self._at = ((), ()), None
        for label in (self.launch, self.arguments, self.values, self.citation):
            label.clear()
            label.hide()

    def show_step(self, step: Step, recording: Recording) -> None:
        """Say what a launch is."""
        self._facts = arguments_of(step), macros_of(step)
        self.kernel.setText(step.kernel)
        self.kernel.setToolTip(f"{call_of(step)}\n{step.paper}".strip())
        self.launch.setText(launch_sentence(step))
        self.launch.setToolTip(f"{call_of(step)}\n{self.launch.text()}")
        citation = citation_of(recording.algorithm)
        self.citation.setText(f" {DASH} ".join(filter(None, (step.paper, citation))))
        self.citation.setToolTip(self.citation.text())
        self._show_lines()
        self._write()
        self._keep_room(recording.algorithm)

    def show_values(
        self, recording: Recording, step: Step, label: int | None, cell: Cell | None
    ) -> None:
        """Say what the arrays hold for a cell, which has this label; None for no cell."""
        self._at = None
        if cell is not None and label is not None:
            self._at = cell, values_at(recording, step, label, cell)
        self._write_values()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell as many values as there is room for now."""
        super().resizeEvent(event)
        self._write_values()

    def show_room(self, height: int) -> None:
        """Say less in a pane of a height that would leave too little of it to the source."""
        roomy = height >= _LINES * self.fontMetrics().height()
        if roomy != self._roomy:
            self._roomy = roomy
            self._show_lines()

    def _show_lines(self) -> None:
        room = self._roomy
        self.launch.setVisible(room and bool(self.launch.text()))
        self.citation.setVisible(room and bool(self.citation.text()))
        self.values.setVisible(room and bool(self.launch.text()))

    def _size_type(self) -> None:
        points = QApplication.font().pointSizeF()
        for label, share in ((self.kernel, 1.05), (self.arguments, 0.92), (self.values, 0.92)):
            font = fixed_font(points * share)
            font.setBold(label is self.kernel)
            label.setFont(font)

    def _write(self) -> None:
        given, macros = self._facts
        self.arguments.setText(self._listed((*given, *macros)))
        self.arguments.setVisible(bool(given or macros))
        self.arguments.setToolTip(_table(given, macros))
        self._write_values()

    def _keep_room(self, algorithm: str) -> None:
        """Let the arguments keep the room of the longest so far, so that the text stays in place.

        Were it to move with every kernel, it would be laid out and drawn anew with every step.
        """
        width = self.arguments.width()
        if self._kept != (algorithm, width):
            self._kept = algorithm, width
            self.arguments.setMinimumHeight(0)
        needed = self.arguments.heightForWidth(width)
        if needed > self.arguments.minimumHeight():
            self.arguments.setMinimumHeight(needed)

    def _write_values(self) -> None:
        # The line keeps its place while the mouse moves over the grid and off it.
        self._show_lines()
        if self._at is None:
            text = f"<span style='color:{self._theme.dim}'>Point at a cell for its values</span>"
            self.values.setToolTip("")
        else:
            (x, y), facts = self._at
            place = f"at ({x}, {y})"
            shown = self._fitting(place, facts)
            text = _GAP.join(
                (
                    f"<span style='color:{self._theme.dim}'>{_whole(place)}</span>",
                    self._listed(shown),
                    *(() if len(shown) == len(facts) else ("…",)),
                )
            )
            self.values.setToolTip("\n".join((place, *map(_plain, facts))))
        self.values.setText(text)

    def _fitting(self, place: str, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """Return the first facts, as many as one line has room for after a place."""
        metrics, room, gap = self.values.fontMetrics(), self.values.width(), " " * 3
        whole = gap.join((place, *map(_plain, facts)))

        def fits(text: str) -> bool:
            more = "" if text == whole else f"{gap}…"
            return metrics.horizontalAdvance(text + more) <= room

        return facts[: len(whole_parts(whole, gap, fits).split(gap)) - 1]

    def _listed(self, facts: Iterable[Fact]) -> str:
        """Return names and values, each pair on one line."""
        name, value = self._theme.dim, self._theme.text
        return _GAP.join(
            f"<span style='color:{name}'>{_whole(fact.name)}</span>&nbsp;"
            f"<span style='color:{value}'>{_whole(fact.value)}</span>"
            for fact in facts
        )

    def _lay_out(self) -> None:
        for label in (self.kernel, self.values):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.arguments.setWordWrap(True)
        self.arguments.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        top = QHBoxLayout()
        top.setSpacing(2)
        top.addWidget(self.kernel, 1)
        for button in (self.home_button, self.find_button, self.copy_button):
            top.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 0, 0, 2)
        layout.setSpacing(1)
        layout.addLayout(top)
        for label in (self.launch, self.arguments, self.values, self.citation):
            layout.addWidget(label)


def _line(name: str, role: str) -> QLabel:
    label = QLabel()
    label.setAccessibleName(name)
    label.setProperty("role", role)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _plain(fact: Fact) -> str:
    return f"{fact.name} {fact.value}"


def _whole(text: str) -> str:
    """Return text that lines are not broken in."""
    return escape(text).replace(" ", "&nbsp;").replace("-", "&#8209;")


def _table(given: tuple[Fact, ...], macros: tuple[Fact, ...]) -> str:
    facts = (*given, *(Fact(macro.name, macro.value, "macro") for macro in macros))
    return "\n".join(f"{fact.detail} {fact.name} = {fact.value}" for fact in facts)

"""The centre of the window: one canvas, or up to four panes with controls and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QMouseEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QMenu, QToolButton, QWidget

from ccl_viewer.lessons.hidden_answers import HiddenInformation
from ccl_viewer.recording.alignment import Sync
from ccl_viewer.window.core.analysis import HIDDEN_TEXT
from ccl_viewer.window.core.comparison import MAX_PANES, Comparison
from ccl_viewer.window.core.comparison_table import (
    COLUMNS,
    ResultRow,
    headline_of,
    notes_of,
    table_of,
)
from ccl_viewer.window.core.comparison_texts import make_heading, make_rows, write_clock, write_note
from ccl_viewer.window.core.model import watch
from ccl_viewer.window.core.panes import Pane, PaneHeading, choose_columns
from ccl_viewer.window.core.run_display import StatusKind
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_action_button, make_icon_button, make_text_button
from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
from ccl_viewer.window.widgets.fields import ChoiceBox
from ccl_viewer.window.widgets.glossary import explain
from ccl_viewer.window.widgets.labels import ElidedLabel, make_label
from ccl_viewer.window.widgets.layouts import hbox, make_scroll_area, vbox
from ccl_viewer.window.widgets.timeline import stage_icon

if TYPE_CHECKING:
    from ccl_viewer.window.core.analysis import RunAnalysis
    from ccl_viewer.window.core.session import Session
    from ccl_viewer.window.core.tools import Tools

_GAP: Final = 4
_MAX_OF_HEIGHT: Final = 0.44  # largest share of the height for the table of results
# Pixels at normal text size
_READABLE: Final = 220  # of a pane's width
_LEAST_HEIGHT: Final = 180  # of its canvas, and the line of the results
_LEAST_TABLE: Final = 60
_SMALLEST_CANVAS: Final = QSize(120, 80)
_SYNCS: Final = {
    Sync.STEP: ("By step", "All advance by one launch"),
    Sync.ITERATION: ("By iteration", "All advance by one iteration or level"),
    Sync.SHARE: ("By share", "All begin and end together"),
    Sync.TIME: ("Race by time", "Each advances as fast as its kernels did, slowed down"),
    Sync.BYTES: ("Race by bytes", "All move the same number of bytes, by the emulator's count"),
}


class QtComparison(QWidget):
    """The canvas of the session's run, with panes, controls and results of a comparison."""

    def __init__(self, session: Session, canvas: QtCanvas, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self._comparison = session.comparison
        self._usual_minimum = canvas.minimumSize()
        self.bar = QtComparisonBar(self._comparison, actions)
        self.results = QtResults(session.comparison, session.analysis, session.tools)
        self.panes: list[QtPane] = [QtPane(session.comparison, session.comparison.panes[0], canvas)]
        self._room = QWidget(self)
        self._grid = QGridLayout(self._room)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self._laid: tuple[object, ...] = ()
        # Not within a resize event, because the layout is busy then.
        self._lay_out_soon = QTimer(self, singleShot=True, interval=0)
        self._lay_out_soon.timeout.connect(self._lay_out)
        parts = (self.bar, (self._room, 1), self.results)
        self.setLayout(vbox(*parts, spacing=0))
        self._room.installEventFilter(self)
        comparison, display, analysis = session.comparison, session.display, session.analysis
        watch(self._show_panes, comparison.open_changed, comparison.panes_changed)
        watch(
            self._show_differences,
            comparison.open_changed,
            comparison.panes_changed,
            comparison.moment_changed,
            comparison.difference_changed,
        )
        comparison.changed.connect(self._refresh_headers)
        watch(
            self._on_run_changed,
            display.recording_changed,
            display.count_changed,
            display.stale_changed,
            analysis.recording_changed,
            analysis.count_changed,
            analysis.stale_changed,
            analysis.hidden_answers_changed,
        )
        session.tools.busy_changed.connect(self._lay_out_later)
        self._show_panes()

    def is_crowded(self, more: int) -> bool:
        """Return whether panes would be too narrow to read even with `more` pixels of width."""
        width = self._room.width() + more
        return self._comparison.open and width < self._columns(width) * style.scaled(_READABLE)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._room and event.type() is QEvent.Type.Resize:
            self._lay_out_soon.start()
        return super().eventFilter(watched, event)

    def _on_run_changed(self) -> None:
        if self._comparison.open:
            self._lay_out_soon.start()
            self._refresh_headers()

    def _show_panes(self) -> None:
        wanted = self._comparison.panes
        for widget in self.panes[1:]:
            if widget.pane not in wanted:
                self.panes.remove(widget)
                self._grid.removeWidget(widget)
                widget.hide()
                widget.canvas.disconnect_models()
                widget.deleteLater()
        for pane in wanted[len(self.panes) :]:
            canvas = QtCanvas(self._session, pane.display)
            canvas.menu_actions = self.panes[0].canvas.menu_actions
            self.panes.append(QtPane(self._comparison, pane, canvas))
        self.bar.setVisible(self._comparison.open)
        self.results.setVisible(self._comparison.open)
        self._lay_out()

    def _lay_out_later(self) -> None:
        self._lay_out_soon.start()

    def _lay_out(self) -> None:
        """Arrange the panes in columns so that cells are largest.

        During a stroke everything stays in place, so that nothing moves under the pen.
        """
        if self._session.tools.busy and self._laid:
            return
        is_open = self._comparison.open
        columns = self._columns(self._room.width()) if is_open else 1
        taken = (part.sizeHint().height() for part in (self.bar, self.panes[0].header))
        rest = self.height() - sum(taken)
        most = min(rest - style.scaled(_LEAST_HEIGHT), round(self.height() * _MAX_OF_HEIGHT))
        self.results.fit_height(max(most, style.scaled(_LEAST_TABLE)))
        laid = (is_open, columns, *self.panes)
        if laid == self._laid:
            return
        self._laid = laid
        for place in range(MAX_PANES):
            self._grid.setColumnStretch(place, int(place < columns))
            self._grid.setRowStretch(place, int(place * columns < len(self.panes)))
        for place, widget in enumerate(self.panes):
            self._grid.addWidget(widget, place // columns, place % columns)
            widget.header.setVisible(is_open)
            widget.canvas.setMinimumSize(_SMALLEST_CANVAS if is_open else self._usual_minimum)
            widget.show()

    def _columns(self, width: int) -> int:
        shape = self._session.document.shape or (1, 1)
        room = (width, self._room.height())
        header = self.panes[0].header.sizeHint().height()
        return choose_columns(len(self.panes), shape, room, header, _GAP)

    def _refresh_headers(self) -> None:
        comparison = self._comparison
        if not comparison.open:
            return
        hidden = self._session.analysis.hidden_answers
        for widget in self.panes:
            active = len(self.panes) > 1 and widget.pane is comparison.active_pane
            heading = make_heading(
                comparison,
                widget.pane,
                hide_course=HiddenInformation.COURSE in hidden,
                hide_times=HiddenInformation.TIMES in hidden,
            )
            widget.header.show_heading(heading, active=active)

    def _show_differences(self) -> None:
        explains = self.panes[0]
        for widget in reversed(self.panes):
            hatched = (
                self._comparison.difference_mask(widget.pane) if self._comparison.open else None
            )
            widget.canvas.set_difference(hatched)
            explains = explains if hatched is None else widget
        for widget in self.panes:  # one legend is enough: on the canvas with all marks
            widget.canvas.set_legend_shown(widget is explains)


class QtPane(QWidget):
    """A compared run: its canvas, with a header above."""

    def __init__(self, comparison: Comparison, pane: Pane, canvas: QtCanvas) -> None:
        super().__init__()
        self.pane = pane
        self.canvas = canvas
        self._comparison = comparison
        own = pane is comparison.panes[0]
        if not own:
            canvas.setAccessibleName(f"Canvas of {pane.title}")
        self.header = QtPaneHeader(None if own else self._make_menu())
        self.setLayout(vbox(self.header, (canvas, 1), spacing=2))
        self.header.hide()
        canvas.installEventFilter(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._activate()
        event.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Activate this pane when its canvas is clicked; the canvas gets the click, too."""
        if event.type() is QEvent.Type.MouseButtonPress:
            self._activate()
        return super().eventFilter(watched, event)

    def _activate(self) -> None:
        if self._comparison.open and self.pane in self._comparison.panes:
            self._comparison.set_active(self._comparison.panes.index(self.pane))

    def _make_menu(self) -> QMenu:
        menu, comparison, pane = QMenu(self), self._comparison, self.pane
        menu.addAction("Run &again", lambda: comparison.rerun(pane))
        menu.addAction("&Remove", lambda: comparison.remove(pane))
        return menu


class QtPaneHeader(QFrame):
    """The header of a pane: its algorithm, its step, and whether the run has finished.

    The menu has the commands for the pane; the session's run has none.
    """

    def __init__(self, menu: QMenu | None) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.title = ElidedLabel("", "title")
        self.finished = make_label("", "ok")
        self.stage = QLabel()
        self.place = ElidedLabel("", "dim")
        self.spent = ElidedLabel("", "dim")  # on a separate line, for four panes side by side
        button = make_icon_button("more", "Pane menu")
        button.setProperty("bare", "true")
        first = hbox((self.title, 1), self.finished, button, spacing=6)
        second = hbox(self.stage, (self.place, 1), spacing=6)
        self.setLayout(vbox(first, second, self.spent, margins=(6, 2, 4, 2), spacing=1))
        if menu is not None:
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            button.setMenu(menu)
        else:  # keeps its space, so that all headers and pictures have the same height
            policy = button.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            button.setSizePolicy(policy)
            button.hide()

    def show_heading(self, heading: PaneHeading, *, active: bool) -> None:
        style.set_role(self, "true" if active else "false", "active")
        self.title.setText(heading.title)
        more = f"Click to show it in the panels\n{explain('pane')}"
        self.title.setToolTip(f"{heading.title}\n{heading.details}\n{more}")
        self.stage.setVisible(heading.stage is not None)
        if heading.stage is not None:
            size = self.fontMetrics().ascent()
            self.stage.setPixmap(stage_icon(heading.stage, size).pixmap(size, size))
            self.stage.setToolTip(f"{heading.stage}\n{explain('stage')}")
        state = heading.state or ("finished" if heading.finished else "")
        dot = " \N{MIDDLE DOT} "
        self.place.setText(dot.join(filter(None, (heading.place, state))))
        self.spent.setText(dot.join(filter(None, (heading.spent, heading.difference))))
        sign = "\N{BALLOT X}" if heading.failed else "\N{CHECK MARK}"
        self.finished.setText(sign if heading.finished else "")
        style.set_role(self.place, "failed" if heading.failed else "dim")
        style.set_role(self.finished, "failed" if heading.failed else "ok")
        words = (heading.title, self.place.text(), self.spent.text())
        self.setAccessibleName(", ".join(filter(None, words)))


class QtComparisonBar(QFrame):
    """One line above the panes: how they are aligned, and commands."""

    def __init__(self, comparison: Comparison, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._comparison = comparison
        self.setProperty("role", "bar")
        self.setAccessibleName("Comparison")
        names = {sync: name for sync, (name, _) in _SYNCS.items()}
        self.sync = ChoiceBox("How the runs are aligned", names, narrow=True)
        self.sync.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.sync.set_tips(tip for _, tip in _SYNCS.values())
        self.clock = make_label("")
        self.note = ElidedLabel("", "dim")
        self.add = make_action_button(actions["compare_add"], text=True)
        self.reset = make_action_button(actions["compare_reset"], text=True)
        parts = (self.add, self.reset, self.sync, self.clock, (self.note, 1))
        shown = ("compare_difference", "compare_close")
        buttons = [make_action_button(actions[name]) for name in shown]
        self.setLayout(hbox(*parts, *buttons, margins=(8, 3, 8, 3), spacing=6))
        self.sync.chosen.connect(lambda sync: comparison.set_options(sync=sync))
        watch(
            self.refresh,
            comparison.open_changed,
            comparison.panes_changed,
            comparison.options_changed,
            comparison.moment_changed,
        )
        self.refresh()

    def refresh(self) -> None:
        comparison = self._comparison
        self.sync.show_value(comparison.options.sync)
        emulated = any(run.emulated for run in comparison.aligned_recordings)
        race = "Race by emulator time" if emulated else _SYNCS[Sync.TIME][0]
        self.sync.setItemText([*_SYNCS].index(Sync.TIME), race)
        self.sync.setToolTip(_SYNCS[comparison.options.sync][1])
        self.add.setHidden(comparison.full)
        self.note.setText(write_note(comparison))
        clock = write_clock(comparison)
        self.clock.setText(clock)
        self.clock.setVisible(bool(clock))


class QtResults(QWidget):
    """The results of all runs in a line, and in a table that can be unfolded."""

    def __init__(self, comparison: Comparison, analysis: RunAnalysis, tools: Tools) -> None:
        super().__init__()
        self._comparison, self._analysis, self._tools = comparison, analysis, tools
        self.toggle = QToolButton()
        self.toggle.setText("Results")
        self.toggle.setCheckable(True)
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.toggle.setProperty("flat", "true")
        self.toggle.setProperty("low", "true")
        self.toggle.setToolTip("Show or hide the table of results")
        self.toggle.clicked.connect(lambda on: self._comparison.set_options(table=on))
        self.headline = ElidedLabel()
        self.table = QLabel(textFormat=Qt.TextFormat.RichText)
        self.table.setAccessibleName("Results of the runs")
        self.table.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.table.setMargin(6)
        self.area = make_scroll_area(self.table, "Results of the runs")
        self._most = 0
        tip = "Run all again on the emulator, and count memory accesses"
        self.count = make_text_button("Count", comparison.run_counted, tip)
        line = hbox(self.toggle, (self.headline, 1), self.count, margins=(4, 2, 8, 2))
        self.setLayout(vbox(line, self.area, spacing=2))
        watch(
            self.refresh,
            comparison.open_changed,
            comparison.panes_changed,
            comparison.options_changed,
        )
        analysis.hidden_answers_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        comparison = self._comparison
        if not comparison.open:
            return
        hidden = HiddenInformation.TABLES in self._analysis.hidden_answers
        shown = comparison.options.table and not hidden
        rows = make_rows(comparison)
        self.toggle.setChecked(comparison.options.table)
        self.toggle.setEnabled(not hidden)
        self.toggle.setIcon(style.icon("arrow-down" if shown else "arrow-right"))
        self.headline.setText(HIDDEN_TEXT if hidden else headline_of(rows))
        self.area.setVisible(shown)
        self.count.setVisible(shown and comparison.can_count)
        self.table.setText("" if hidden else _results_html(rows))
        meanings = [f"{title}: {meaning}" for title, meaning in COLUMNS.items()]
        verdicts = [
            f"{row.name}, {row.device}: {row.verdict.text}" for row in rows if not row.awaits
        ]
        self.table.setToolTip("\n".join([*meanings, "", *(() if hidden else verdicts)]))
        self.fit_height(self._most)

    def fit_height(self, most: int) -> None:
        """Set the table's height to the height of its text, up to `most` pixels."""
        self._most = most
        if self._tools.busy:
            return
        bar = self.area.horizontalScrollBar().sizeHint().height()
        self.area.setFixedHeight(min(self.table.sizeHint().height() + bar, most))

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh()


def _results_html(rows: Sequence[ResultRow]) -> str:
    """Return the table of results, with notes on its numbers below.

    Rows of runs that are being run again are grey.
    """
    theme = style.theme()
    colours = {StatusKind.OK: theme.ok, StatusKind.ERROR: theme.error}
    sides = ["left", "left", *["right"] * (len(COLUMNS) - 2)]
    titles = zip(sides, COLUMNS, strict=True)
    head = "".join(f"<th align={side}>{escape(title)}</th>" for side, title in titles)
    body = ""
    for row, texts in zip(rows, table_of(rows), strict=True):
        name, verdict, *numbers = map(escape, texts)
        whole = f" style='color: {theme.faint}'" if row.awaits else ""
        colour = theme.faint if row.awaits else colours.get(row.verdict.kind, theme.warning)
        cells = "".join(f"<td align=right{whole}>{number}</td>" for number in numbers)
        body += f"<tr><td{whole}>{name}</td><td style='color: {colour}'>{verdict}</td>{cells}</tr>"
    notes = f"<p style='color: {theme.dim}'>{escape(notes_of(rows))}</p>"
    return f"<table cellpadding=3 width='100%'><tr>{head}</tr>{body}</table>{notes}"

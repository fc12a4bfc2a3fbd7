"""The panel of plots, which loads what it needs when it is first looked at."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.errors import CCLViewerError, InputError, cut
from ccl_viewer.session import Job, MessageKind, Runner, Session
from ccl_viewer.session.lessons.asking import WITHHELD, hides_tables
from ccl_viewer.session.plots.figures import write_table
from ccl_viewer.session.plots.plots import PLOTS, Plot, PlotFigures
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.memory.parts import Memory, switch_memory
from ccl_viewer.views.plots.saving import Saving
from ccl_viewer.views.widgets.lazy_refresh import LazyRefresh
from ccl_viewer.views.widgets.save_name import ask_for_name

if TYPE_CHECKING:
    from ccl_viewer.views.plots.deck import PlotDeck

_FILTERS = "PNG picture (*.png);;SVG picture (*.svg);;Figures as CSV (*.csv)"
_LOADING = "The plots are being loaded."
_NO_RUN = "Run an algorithm to see its times and counts."
_NO_TIMES = "No times were taken in this run."
_COUNTING = "The components are being counted."


class Plots(QWidget):
    """Shows one of three plots of the run on display.

    Parameters
    ----------
    session : Session
        What is on display.
    runner : Runner
        Loads and counts away from the window's thread.
    parent : QWidget or None
        Parent.

    Attributes
    ----------
    deck : PlotDeck or None
        The plots; None until they were first looked at.
    figures : PlotFigures
        What they show.
    """

    def __init__(self, session: Session, runner: Runner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._theme = DARK
        self.deck: PlotDeck | None = None
        self._loading = False
        self._closed = False
        self.figures = PlotFigures(session, runner)
        self._saving = Saving(runner, session.say)
        self.choice = QButtonGroup(self)
        self.buttons: dict[Plot, QToolButton] = {}
        self.logarithmic = QCheckBox("Log scale")
        self.logarithmic.setChecked(True)
        self.logarithmic.setToolTip(
            "Ten times as many is always as much higher: few show beside many, and 0 has a place"
        )
        self.save_button = QToolButton()
        self.hint = QLabel(_LOADING)
        self._lay_out()
        self._lazy = LazyRefresh(self, self._show)
        self._move_soon = QTimer(self, singleShot=True, interval=0)
        self._move_soon.timeout.connect(self._move)
        self._connect()

    @property
    def plot(self) -> Plot:
        """The plot on display."""
        return PLOTS[self.choice.checkedId()]

    def show_plot(self, plot: Plot) -> None:
        """Show another plot."""
        self.buttons[plot].setChecked(True)
        self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.save_button.setIcon(icon("save", theme.text, theme.dim))
        self._refresh()

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered: the plot on display, and its axis."""
        yield Memory(
            "plots/shown", lambda: self.plot.value, lambda text: self.show_plot(Plot(text))
        )
        yield switch_memory(
            "plots/logarithmic", self.logarithmic.isChecked, self.logarithmic.setChecked
        )

    def save(self, path: Path) -> None:
        """Write the plot on display as a picture, or its figures as CSV, by the suffix."""
        if self.deck is None or not self._has_plot():
            self._session.say(MessageKind.INFO, "There is no plot to save yet: run an algorithm.")
            return
        suffix = path.suffix.lower()
        if suffix == ".png":
            self._saving.save(self.deck.picture(self.plot), path)
            return
        try:
            if suffix == ".csv":
                write_table(path, self.figures.table(self.plot))
            elif suffix == ".svg":
                self.deck.write_svg(self.plot, path)
            else:
                raise InputError(f"{cut(path)} is no picture of a plot: name it .png or .svg.")
        except CCLViewerError as error:
            self._session.say(MessageKind.ERROR, str(error))
        else:
            self._session.say(MessageKind.INFO, f"Saved {cut(path)}.")

    def ask_and_save(self, suffix: str) -> None:
        """Ask for a name and save the plot on display."""
        chosen, _ = ask_for_name(self, "Save plot", f"{self.plot.value}{suffix}", _FILTERS)
        if chosen:
            self.save(Path(chosen))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to save the plot."""
        self._menu().popup(event.globalPos())

    def let_go(self) -> None:
        """Let go of the plots, for good: the window is being closed."""
        self._closed = True
        self._saving.finish()
        self._drop()

    def changeEvent(self, event: QEvent) -> None:
        """Draw anew in another size of type."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.ApplicationFontChange:
            self._refresh()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(8, 2, 0, 0)
        top.setSpacing(0)
        for index, plot in enumerate(PLOTS):
            button = self.buttons[plot] = QToolButton()
            button.setText(plot.title)
            button.setToolTip(plot.help)
            button.setCheckable(True)
            sides = {0: "left", len(PLOTS) - 1: "right"}
            button.setProperty("segment", sides.get(index, "middle"))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self.choice.addButton(button, index)
            top.addWidget(button)
        self.buttons[PLOTS[0]].setChecked(True)
        top.addStretch(1)
        top.addWidget(self.logarithmic)
        top.addSpacing(6)
        self.save_button.setProperty("flat", "true")
        self.save_button.setToolTip("Save the plot as a picture, or its figures as CSV")
        self.save_button.setAccessibleName("Save the plot")
        self.save_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        top.addWidget(self.save_button)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setWordWrap(True)
        self.hint.setProperty("role", "dim")
        self._stack = QStackedLayout()
        self._stack.addWidget(self.hint)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addLayout(top)
        layout.addLayout(self._stack, 1)

    def _connect(self) -> None:
        session = self._session
        self.choice.idClicked.connect(lambda _index: self._refresh())
        self.logarithmic.toggled.connect(lambda _on: self._refresh())
        self.save_button.clicked.connect(
            lambda: self._menu().popup(
                self.save_button.mapToGlobal(QPoint(0, self.save_button.height()))
            )
        )
        self.figures.changed.connect(self._refresh)
        session.playback.position_changed.connect(self._move_soon.start)
        session.lesson.changed.connect(self._refresh)
        session.predictor.changed.connect(self._refresh)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, suffix in (
            ("Save as &PNG picture…", ".png"),
            ("Save as &SVG picture…", ".svg"),
            ("Save the figures as &CSV…", ".csv"),
        ):
            action = menu.addAction(text)
            action.triggered.connect(lambda _on=False, suffix=suffix: self.ask_and_save(suffix))
            action.setEnabled(self._has_plot())
        return menu

    def _load(self) -> None:
        """Import pyqtgraph on another thread: it takes longer than the window may stand still."""
        if self.deck is None and not self._loading and not self._closed:
            self._loading = True
            self._runner.start(
                Job(
                    "Loading the plots",
                    lambda _job: _import(),
                    done=self._loaded,
                    failed=lambda error: self.hint.setText(str(error)),
                )
            )

    def _loaded(self) -> None:
        from ccl_viewer.views.plots.deck import PlotDeck

        self._loading = False
        self.deck = PlotDeck(self._session.playback.go_to)
        self._refresh()

    def _drop(self) -> None:
        """Take the plots away; pyqtgraph would keep them."""
        if self.deck is not None:
            for view in self.deck.views:
                self._stack.removeWidget(view)
            self.deck.close()
            self.deck = None

    def _has_plot(self) -> bool:
        return self.deck is not None and self._reason() == ""

    def _reason(self) -> str:
        """Return why there is no plot; nothing if there is one."""
        if self.deck is None:
            return _LOADING
        if self._session.recording is None:
            return _NO_RUN
        if hides_tables(self._session.quiz):
            return WITHHELD
        if self.plot is Plot.TIME and not self.figures.times:
            return _NO_TIMES
        if self.plot is Plot.SIZES and self.figures.sizes is None:
            return _COUNTING
        return ""

    def _refresh(self) -> None:
        self._lazy.follow()

    def _show(self) -> None:
        """Show the plot that was chosen, or why there is none."""
        self.logarithmic.setVisible(self.plot is not Plot.TIME)
        self._load()
        self.figures.want(self.plot)
        reason = self._reason()
        if reason or self.deck is None:
            self.hint.setText(reason)
            self._stack.setCurrentWidget(self.hint)
            return
        view = self.deck.view(self.plot)
        if self._stack.indexOf(view) < 0:
            self._stack.addWidget(view)
            self.setTabOrder(self.save_button, view)
        self.deck.draw(
            self.plot, self.figures, self._theme, logarithmic=self.logarithmic.isChecked()
        )
        self._stack.setCurrentWidget(view)

    def _move(self) -> None:
        if self.deck is not None:
            self.deck.move_to(self._session.playback.position)


def _import() -> None:
    importlib.import_module("ccl_viewer.views.plots.deck")

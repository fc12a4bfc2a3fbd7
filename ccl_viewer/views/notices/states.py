"""What the window shows of unusual states: a page where there is no grid, a banner over a run."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import Session
from ccl_viewer.session.facts.condition import Condition, Remedy, Report
from ccl_viewer.session.lessons.asking import hides_count
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.restyle import restyle
from ccl_viewer.views.looks.theme import DARK, Theme, text_on

_PATIENCE = 400
"""Milliseconds after which an outdated run is said to be one: most are replaced sooner."""

_CONCEALED = "Its components are not the right ones; how many there are is the question."

_HINT = "Begin with one of these, or drop a picture, a grid or a recording here."
_ICON = 20
_MIDDLE = Qt.AlignmentFlag.AlignHCenter


class EmptyPage(QWidget):
    """Lies over the canvas while there is no grid, and says what can be done.

    Parameters
    ----------
    actions : tuple of QAction
        What can be done, as large buttons.
    parent : QWidget
        The canvas.
    """

    def __init__(self, actions: tuple[QAction, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("No grid yet")
        heading = QLabel("Nothing to label yet")
        heading.setProperty("role", "heading")
        heading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint = hint = QLabel(_HINT)
        hint.setProperty("role", "dim")
        hint.setWordWrap(True)
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._added: list[QWidget] = []
        self._row = row = QHBoxLayout()
        row.setSpacing(12)
        row.addStretch(1)
        self.buttons = [_large_button(action) for action in actions]
        for button in self.buttons:
            row.addWidget(button)
        row.addStretch(1)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(14)
        self._column.addStretch(2)
        self._column.addWidget(heading)
        self._column.addWidget(hint)
        self._column.addLayout(row)
        self._column.addStretch(3)

    def set_low(self, low: bool) -> None:
        """Leave out all but the buttons in a window that is low for its text."""
        for part in (self.hint, *self._added):
            part.setHidden(low)

    def add_choice(self, button: QWidget) -> None:
        """Show another large button, after the others."""
        self._row.insertWidget(self._row.count() - 1, button)

    def add(self, widget: QWidget) -> None:
        """Show something else that can be done, below the buttons."""
        self._added.append(widget)
        self._column.insertWidget(self._column.count() - 1, widget, 0, _MIDDLE)


class StateBanner(QFrame):
    """Says above the canvas that the run on display is wrong, outdated or not finished.

    Parameters
    ----------
    session : Session
        Whose run.
    run : QAction
        Runs again.
    """

    def __init__(self, session: Session, run: QAction) -> None:
        super().__init__()
        self._session = session
        self._run = run
        self._theme = DARK
        self._report = Report(Condition.EMPTY)
        self._concealed = False
        self.setAccessibleName("State of the run")
        self.symbol = QLabel()
        self.title = QLabel()
        self.title.setProperty("role", "title")
        self.text = QLabel()
        self.text.setWordWrap(True)
        self.text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.remedy = QPushButton(Remedy.RUN)
        self.remedy.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.remedy.clicked.connect(self._help)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        layout.setSpacing(10)
        layout.addWidget(self.symbol)
        layout.addWidget(self.title)
        layout.addWidget(self.text, 1)
        layout.addWidget(self.remedy)
        self._timer = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._timer.timeout.connect(self._show_report)
        self.hide()
        for signal in (
            session.grid_changed,
            session.recording_changed,
            session.busy_changed,
            session.lesson.changed,
            session.predictor.changed,
        ):
            signal.connect(self.refresh)

    @property
    def condition(self) -> Condition:
        """The state that the banner shows."""
        return self._report.condition

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._show_report()

    def set_low(self, low: bool) -> None:
        """Take one line in a window that is low for its text; the rest is in the tooltip."""
        self.text.setHidden(low)

    def refresh(self) -> None:
        """Show the state of the run on display; what may pass at once, after a while."""
        report = self._session.report
        concealed = hides_count(self._session.quiz)
        if (report, concealed) == (self._report, self._concealed) and not self._timer.isActive():
            return
        self._report, self._concealed = report, concealed
        if report.condition is not Condition.STALE:
            self._timer.stop()
            self._show_report()
        elif not self._timer.isActive():
            self._timer.start()

    def _show_report(self) -> None:
        report, loud = self._report, self._report.condition is Condition.WRONG
        if not report.title or (report.condition is Condition.STALE and self._session.busy):
            self.hide()
            return
        theme = self._theme
        color = text_on(theme.error) if loud else theme.warning
        name = "error" if loud else "warning"
        self.symbol.setPixmap(icon(name, color).pixmap(_ICON, _ICON))
        self.title.setText(report.title)
        self.text.setText(_CONCEALED if loud and self._concealed else report.text)
        self.setToolTip(self.text.text())
        keys = " (F5)" if report.remedy is Remedy.RUN else ""
        self.remedy.setText(f"{report.remedy}{keys}")
        self.remedy.setVisible(bool(report.remedy))
        restyle(self, "message", "wrong" if loud else "warning", self.title, self.text)
        self.show()

    def _help(self) -> None:
        if self._report.remedy is Remedy.RUN:
            self._run.trigger()
        elif self._report.cell is not None:
            self._session.playback.last()
            self._session.look.pin(self._report.cell)


def _large_button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
    button.setIconSize(QSize(32, 32))
    button.setMinimumSize(QSize(132, 84))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button

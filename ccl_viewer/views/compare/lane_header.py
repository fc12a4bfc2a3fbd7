"""What stands above a lane of a comparison: who runs, where it is, how long it took so far."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.plan import Stage
from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.session.comparison.heading import Heading
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.restyle import restyle
from ccl_viewer.views.looks.stage_marks import mark_size, stage_icon
from ccl_viewer.views.looks.text import DOT
from ccl_viewer.views.looks.theme import DARK, Theme, text_on
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.painting_guard import guarded

_BAR = 4
_PARTS = ", "
_BELOW, _BETWEEN = 2, 10
_ROOMY = 34
"""Letters for which a header needs room to write the stage out."""
_ROOMY_FOR_TIMED = 44
"""Letters for which it needs room to say which time it shows."""
_IN_ONE_LINE = 34
"""Letters for which it needs room to say all in one line."""


class LaneHeader(QFrame):
    """Two lines, or one where height is scarce, and a bar.

    Parameters
    ----------
    menu : QMenu or None
        What can be done with the lane; None for the session's own run.
    parent : QWidget or None
        Parent.
    """

    def __init__(self, menu: QMenu | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = Heading("")
        self.title = ElidedLabel()
        self.title.setProperty("role", "title")
        self.title.setProperty("current", "false")
        self.chip = QLabel()
        self.chip.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.place = ElidedLabel(separator=_PARTS)
        self.place.setProperty("role", "dim")
        self.time = QLabel()
        self.differing = QLabel()
        self.bar = _Bar()
        self.more = QToolButton()
        self._staged: tuple[Stage, bool, int] | None = None
        self._column = QVBoxLayout(self)
        self._rows = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._lines = QHBoxLayout(), QHBoxLayout()
        self._top = QHBoxLayout()
        self._lay_out(menu)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.more.setIcon(icon("more", theme.text, theme.dim))
        self.bar.set_theme(theme)
        self._show_fitting()

    def show_current(self, *, on: bool) -> None:
        """Mark the lane that is meant by what is done with one."""
        restyle(self.title, "current", "true" if on else "false")

    @property
    def least_width(self) -> int:
        """The width that it needs to say all in one line."""
        return self.fontMetrics().horizontalAdvance("n") * _IN_ONE_LINE

    @property
    def heights(self) -> tuple[int, int]:
        """Its height with two lines, and with one."""
        lines = [line.sizeHint().height() for line in self._lines]
        words, margins = self.title.sizeHint().height(), self._column.contentsMargins()
        button = self.more.sizeHint().height()
        bare = margins.top() + margins.bottom() + self._column.spacing() + _BAR
        return bare + max(words, button) + _BELOW + lines[1], bare + max(words, button, lines[1])

    @property
    def low(self) -> bool:
        """Whether all stands in one line."""
        return self._rows.direction() is QBoxLayout.Direction.LeftToRight

    def set_low(self, low: bool) -> None:
        """Say all in one line, or in two."""
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._rows.setDirection(across if low else down)
        self._rows.setSpacing(_BETWEEN if low else _BELOW)
        into, other = (self._top, self._lines[0]) if low else (self._lines[0], self._top)
        other.removeWidget(self.more)
        into.addWidget(self.more)
        self._show_fitting()

    def show_heading(self, heading: Heading) -> None:
        """Show where the lane is now."""
        if heading == self.heading:
            return
        self.heading = heading
        self.title.setText(heading.title)
        self.title.set_shorter(heading.shorter)
        self.title.setToolTip(f"{heading.title}\n{heading.details}".strip())
        self._show_stage()
        self._show_state()
        self._show_time()
        self._show_differing()
        self._place_differing()
        self.bar.show_fraction(heading.fraction, ended=heading.ended)
        words = (
            heading.title,
            heading.details,
            heading.state,
            str(heading.stage or ""),
            heading.place,
            heading.time,
            heading.timed,
            heading.differing,
        )
        self.setAccessibleName(", ".join(word for word in words if word))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Write the stage out where there is room, or else show its shape alone."""
        super().resizeEvent(event)
        self._show_fitting()

    def _show_fitting(self) -> None:
        self._show_stage()
        self._show_time()
        self._show_differing()
        self._place_differing()

    def _has_room(self, letters: int) -> bool:
        room = self.width() // 2 if self.low else self.width()
        return room >= self.fontMetrics().horizontalAdvance("n") * letters

    def _show_differing(self) -> None:
        full = self.heading.differing
        text = full if self._has_room(_ROOMY) else _shortened(full)
        self.differing.setText(text)
        meaning = "Cells that are in another component now"
        self.differing.setToolTip(meaning if text == full else f"{full}: {meaning.lower()}")
        self.differing.setVisible(bool(full))

    def _place_differing(self) -> None:
        """Count cells beside the name, or below where that gives the name its room."""
        first, second = self._lines
        spacing, around = first.spacing(), self._column.contentsMargins()
        width = self.width() - around.left() - around.right()
        own = self.title.sizeHint().width() + self.differing.sizeHint().width() + spacing
        button = min(self.more.sizeHint().width(), self.more.maximumWidth()) + spacing
        cut = own + button > width
        least = self._places[-1] if self._places else self.place.text().split(_PARTS)[0]
        place = self.place.fontMetrics().horizontalAdvance(least)
        beside = (part for part in (self.chip, self.time, self.differing) if not part.isHidden())
        below = place + sum(part.sizeHint().width() + spacing for part in beside) <= width
        into, other = (second, first) if cut and below and not self.low else (first, second)
        if into.indexOf(self.differing) < 0:
            other.removeWidget(self.differing)
            into.insertWidget(2 if into is second else 1, self.differing)

    def _show_time(self) -> None:
        time, timed = self.heading.time, self.heading.timed
        full = timed and self._has_room(_ROOMY_FOR_TIMED)
        self.time.setText(f"{time}{DOT}{timed}" if full else time)
        self.time.setToolTip("Time of the launches so far" + (f": {timed}" if timed else ""))

    def _show_stage(self) -> None:
        stage = self.heading.stage
        self.chip.setVisible(stage is not None)
        roomy = self._has_room(_ROOMY)
        size = mark_size(self.fontMetrics())
        if stage is None or self._staged == (stage, roomy, size):
            return
        self._staged = stage, roomy, size
        color = STAGE_COLORS[stage]
        self.chip.setToolTip(str(stage))
        if roomy:
            self.chip.setText(str(stage))
            self.chip.setStyleSheet(
                f"background: {color}; color: {text_on(color)}; border-radius: 7px;"
                "padding: 0 7px; font-weight: 600;"
            )
        else:
            self.chip.setStyleSheet("")
            self.chip.setPixmap(stage_icon(stage, size).pixmap(size, size))

    def _show_state(self) -> None:
        heading = self.heading
        text = heading.state or heading.place
        if heading.state and heading.place:
            text = f"{heading.place}{DOT}{heading.state}"
        self.place.setText(text)
        self.place.set_shorter(self._places)
        self.place.setToolTip(heading.state or heading.place)
        restyle(self.place, "role", "failed" if heading.failed else "dim")

    @property
    def _places(self) -> tuple[str, ...]:
        """Where the lane is in fewer words; how much is left, the bar says, too."""
        place, so_far = (
            text.split(_PARTS)[0] for text in (self.heading.place, self.heading.place_so_far)
        )
        return () if self.heading.state else (place, so_far)

    def _lay_out(self, menu: QMenu | None) -> None:
        self.more.setToolTip("What can be done with this lane")
        self.more.setAccessibleName("Lane menu")
        self.more.setProperty("flat", "true")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.more.setIconSize(QSize(16, 16))
        self.more.setProperty("low", "true")
        if menu is None:
            # The lines of all lanes are level, and its width is left to the name.
            kept = self.more.sizePolicy()
            kept.setRetainSizeWhenHidden(True)
            self.more.setSizePolicy(kept)
            self.more.setFixedWidth(0)
            self.more.hide()
        else:
            self.more.setMenu(menu)
        first, second = self._lines
        for row in self._lines:
            row.setSpacing(6)
            self._rows.addLayout(row, 1)
        first.addWidget(self.title, 1)
        first.addWidget(self.differing)
        second.addWidget(self.chip)
        second.addWidget(self.place, 1)
        second.addWidget(self.time)
        self._rows.setSpacing(_BELOW)
        first.addWidget(self.more)
        self._top.setSpacing(4)
        self._top.addLayout(self._rows, 1)
        layout = self._column
        layout.setContentsMargins(6, 2, 6, 3)
        layout.setSpacing(2)
        layout.addLayout(self._top)
        layout.addWidget(self.bar)


def _shortened(count: str) -> str:
    """Return a count with its thousands as k and its millions as M."""
    groups = count.split(",")
    units = ("", "\N{NO-BREAK SPACE}k", "\N{NO-BREAK SPACE}M", "\N{NO-BREAK SPACE}G")
    return groups[0] + units[len(groups) - 1]


class _Bar(QWidget):
    """How much of a run lies behind it; of another colour once that is all."""

    def __init__(self) -> None:
        super().__init__()
        self._fraction = 0.0
        self._ended = False
        self._theme = DARK
        self.setFixedHeight(_BAR)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.update()

    def show_fraction(self, fraction: float, *, ended: bool) -> None:
        """Show a share from 0 to 1."""
        self._fraction, self._ended = fraction, ended
        self.update()

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        radius = self.height() / 2
        whole = QRectF(0, 0, self.width(), self.height())
        painter.setBrush(QColor(self._theme.border))
        painter.drawRoundedRect(whole, radius, radius)
        painter.setBrush(QColor(self._theme.ok if self._ended else self._theme.accent))
        done = QRectF(QPointF(0, 0), QPointF(self.width() * self._fraction, self.height()))
        painter.drawRoundedRect(done, radius, radius)
        painter.end()

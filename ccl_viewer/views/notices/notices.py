"""Over the top of the canvas: work in progress with its Cancel, and messages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.session import MessageKind, Session
from ccl_viewer.views.looks.icons import icon
from ccl_viewer.views.looks.restyle import restyle
from ccl_viewer.views.looks.text_size import scaled
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.notices.passing import Passing
from ccl_viewer.views.notices.place import place_of
from ccl_viewer.views.notices.text import NoticeText
from ccl_viewer.views.widgets.elided import ElidedLabel
from ccl_viewer.views.widgets.flat_button import icon_button

_PATIENCE = 150
"""Milliseconds for which work shows nothing, so that quick work does not flicker."""

_FINE = 1000
_WIDEST = 760
"""Pixels at the usual size of text."""

_SPARE = 8
_LEAST = 300
"""Pixels, at the usual size of text, of width beside the key: with fewer they lie below it."""

_GAP = 14
"""Pixels between the notices and the top of what they lie over."""


class BusyNotice(QFrame):
    """Shows the work in progress.

    Parameters
    ----------
    session : Session
        Whose work.

    Attributes
    ----------
    still : bool
        Whether nothing may move by itself.
    """

    appeared = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.still = False
        self.setProperty("message", "busy")
        self.setAccessibleName("Work in progress")
        self.title = ElidedLabel()
        self.title.setProperty("role", "title")
        # Names of files may be long: the button to cancel has its place all the same.
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.detail = ElidedLabel()
        self.detail.setProperty("role", "dim")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(72)
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Stop (Esc)")
        self.cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.cancel.clicked.connect(session.cancel)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 7, 8, 7)
        layout.setSpacing(12)
        layout.addWidget(self.title)
        layout.addWidget(self.detail, 1)
        layout.addWidget(self.bar)
        layout.addWidget(self.cancel)
        self._timer = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._timer.timeout.connect(self._appear)
        self.hide()
        session.busy_changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show the work in progress, or nothing."""
        job = self._session.job
        if job is None:
            self._timer.stop()
            self.hide()
            return
        self.title.setText(job.title)
        self.detail.setText(job.detail)
        self.cancel.setEnabled(not job.cancel.cancelled)
        # A bar without an end moves to and fro.
        self.bar.setHidden(job.fraction is None and self.still)
        if job.fraction is None:
            self.bar.setRange(0, 0)
        else:
            self.bar.setRange(0, _FINE)
            self.bar.setValue(round(job.fraction * _FINE))
        if self.isHidden() and not self._timer.isActive():
            self._timer.start()

    def _appear(self) -> None:
        self.show()
        self.appeared.emit()


class MessageNotice(QFrame):
    """Shows the session's message.

    Parameters
    ----------
    session : Session
        Whose message.
    """

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._theme = DARK
        self.setAccessibleName("Message")
        self.symbol = QLabel()
        self.text = NoticeText()
        self.copy = QPushButton("Copy details")
        self.copy.setToolTip("Copy what someone who is to help needs to know")
        self.copy.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.copy.clicked.connect(self._copy)
        self.dismiss = icon_button("Dismiss (Esc)", "Dismiss the message", side=16)
        self.dismiss.setProperty("low", "true")
        self.dismiss.clicked.connect(session.dismiss)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 7, 8, 7)
        layout.setSpacing(10)
        layout.addWidget(self.symbol, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.text, 1, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.dismiss, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()
        session.message_changed.connect(self.refresh)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self.dismiss.setIcon(icon("close", theme.dim))
        self.refresh()

    def refresh(self) -> None:
        """Show the message, or nothing."""
        message = self._session.message
        if message is not None:
            color = {
                MessageKind.ERROR: self._theme.error,
                MessageKind.WARNING: self._theme.warning,
                MessageKind.INFO: self._theme.accent,
            }[message.kind]
            self.symbol.setPixmap(icon(message.kind, color).pixmap(20, 20))
            self.symbol.setMinimumHeight(self.dismiss.sizeHint().height())  # beside the first line
            self.text.show_text(message.text)
            self.copy.setVisible(bool(message.details))
            self.copy.setText("Copy details")
            restyle(self, "message", str(message.kind))
        self.setVisible(message is not None)

    @property
    def whole_width(self) -> int:
        """The width at which the message takes one line."""
        words = self.text.fontMetrics().horizontalAdvance(self.text.text()) + _SPARE
        return self.sizeHint().width() - self.text.sizeHint().width() + words

    def _copy(self) -> None:
        message = self._session.message
        if message is not None:
            QApplication.clipboard().setText(message.details)
            self.copy.setText("Copied")


class Notices(QWidget):
    """Both notices, one under the other.

    Parameters
    ----------
    session : Session
        What they show.
    parent : QWidget
        The widget over which they lie.
    below : QWidget
        The widget in it whose top they keep to.
    key : callable
        Returns where in the parent the key stands; an empty rectangle if there is none.
    """

    def __init__(
        self, session: Session, parent: QWidget, below: QWidget, key: Callable[[], QRect]
    ) -> None:
        super().__init__(parent)
        self._canvas = parent
        self._below = below
        self._key = key
        self._kept_clear = QRect()
        # Marks become others while the canvas is painted, when nothing may be moved.
        self.place_soon = QTimer(self, singleShot=True, interval=0)
        self.place_soon.timeout.connect(self.place)
        self.busy = BusyNotice(session)
        self.message = MessageNotice(session)
        self._passing = Passing(session, self.message)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.busy)
        layout.addWidget(self.message)
        session.busy_changed.connect(self.place)
        session.message_changed.connect(self.place)
        self.busy.appeared.connect(self.place)

    def place(self) -> None:
        """Lie over the top of the parent, as high as needed and as there is room for."""
        if self.busy.isHidden() and self.message.isHidden():
            self._kept_clear = QRect()
            self.hide()
        else:
            self._appear()

    def _appear(self) -> None:
        parent, layout = self._canvas, self.layout()
        top = self._below.mapTo(parent, QPoint(0, 0)).y() + _GAP
        wanted = min(scaled(_WIDEST), self._wanted_width())
        place = place_of(parent.width(), top, wanted, scaled(_LEAST), self._largest_key())
        width, top = place.width, place.top
        self.setFixedWidth(width)
        self.show()
        if layout is not None:
            layout.invalidate()
            height = layout.heightForWidth(width)
            needed = height if height > 0 else self.sizeHint().height()
            self.setFixedHeight(min(needed, max(parent.height() - top, self._least())))
        self.move(place.left, top)
        self.raise_()

    def _largest_key(self) -> QRect:
        """Return where the key has stood since they appeared: they do not move with each step."""
        key = self._key()
        stays = self._kept_clear.topRight() == key.topRight()
        if not key.isEmpty():
            self._kept_clear = self._kept_clear.united(key) if stays else key
        return self._kept_clear

    def _wanted_width(self) -> int:
        """Return the width of all in one line, so that no more cells are covered than needed."""
        return scaled(_WIDEST) if self.busy.isVisibleTo(self) else self.message.whole_width

    def _least(self) -> int:
        """Return the height without which a notice would say nothing."""
        return self.minimumSizeHint().height()

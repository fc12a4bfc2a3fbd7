"""The timeline: every step in the colour of its stage, what is left to do, and the section."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QSlider, QToolTip, QWidget

from ccl_viewer.counted import counted
from ccl_viewer.session import Session
from ccl_viewer.session.facts.course import Course, counted_again, course_of
from ccl_viewer.session.lessons.asking import WITHHELD, hides_count, hides_course, hides_tables
from ccl_viewer.session.playback.transport import Section, section_between
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.timeline.geometry import curves_in_words
from ccl_viewer.views.timeline.painting import (
    BARE_RULER,
    Look,
    paint_flags,
    paint_ground,
    paint_position,
    paint_section,
    paint_values,
)
from ccl_viewer.views.widgets.painting_guard import guarded, paint_ahead

_GRIP = 6
_NOTCH = 120
_HELP = "Drag to any step; drag over the numbers to play a part again and again"


class Timeline(QSlider):
    """Chooses the step on display, and the section that is played.

    Parameters
    ----------
    session : Session
        What is on display.
    parent : QWidget or None
        Parent.
    """

    menu_wanted = Signal(QPoint, int)
    """Where on the screen, and of which step."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._session = session
        self._theme = DARK
        self._course = Course()
        self._ground: QPixmap | None = None
        self._ground_key: tuple[object, ...] = ()
        self._hovered: int | None = None
        self._anchor: int | None = None
        self._turned = 0
        self._low = False
        self._given = 0
        self._laid_out_bare = False
        self.setAccessibleName("Timeline")
        self.setAccessibleDescription(_HELP)
        self.setMouseTracking(True)
        self.setTracking(True)
        self.valueChanged.connect(self._moved)
        session.recording_changed.connect(self._load)
        session.steps_changed.connect(self._load)
        session.insight.changed.connect(self._count_again)
        session.playback.position_changed.connect(self.refresh)
        session.playback.section_changed.connect(self.update)
        session.lesson.changed.connect(self.update)
        session.predictor.changed.connect(self.update)
        self._load()

    @property
    def course(self) -> Course:
        """What it shows."""
        return self._course

    @property
    def bare(self) -> bool:
        """Whether its ruler names nothing, nor will, so that the line is free for others."""
        recording = self._session.recording
        return recording is not None and recording.complete and not self._course.divided

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self._theme = theme
        self._forget()

    def set_low(self, low: bool) -> None:
        """Leave the curves little height in a window that is low for its text."""
        self._low = low
        self._ask_for_room()

    def take_height(self, given: int) -> None:
        """Have so many pixels more for the curves, which others leave; none in a low window."""
        if given != self._given:
            self._given = given
            self._ask_for_room()

    def refresh(self) -> None:
        """Show where the run on display stands."""
        playback = self._session.playback
        self.setEnabled(playback.count > 0)
        blocked = self.blockSignals(True)
        if self.maximum() != max(playback.count - 1, 0):
            self.setRange(0, max(playback.count - 1, 0))
        if self.value() != playback.position:
            self.setValue(playback.position)
        self.blockSignals(blocked)
        self.update()

    def sizeHint(self) -> QSize:
        """Return a size at which the curves can be read."""
        least = self.minimumSizeHint()
        return least if self._low else QSize(300, 3 * self._line() + 52 + self._given)

    def minimumSizeHint(self) -> QSize:
        """Return the least size: the ruler, the steps, and a little between; at best, names."""
        line = self._line()
        if not self._low:
            return QSize(200, 3 * line + 36 + self._given)
        return QSize(200, line + (14 + BARE_RULER if self.bare else line + 18))

    def x_of(self, step: int) -> float:
        """Return where the middle of a step is, in pixels."""
        return self._look().track(len(self._course)).centre_of(step)

    # Qt's events

    def event(self, event: QEvent) -> bool:
        """Show what the step under the mouse did."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            step = self._step_at(event.pos().x())
            left = round(self._look().track(len(self._course)).left_of(step))
            here = QRect(left, 0, max(round(self.x_of(step) - left) * 2, 1), self.height())
            text, legend = self.describe(step), self._look().rows().legend.toRect()
            if len(self._course) and legend.contains(event.pos()):
                text, here = curves_in_words(self._told), legend
            QToolTip.showText(event.globalPos(), text, self, here)
            return True
        if event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._forget()
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse, or begin a section on the ruler."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if event.position().y() < self._look().rows().ruler.bottom():
            self._anchor = self._far_end(event.position().x())
        if self._anchor is None:
            self._go(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse, or draw the section, while the button is down."""
        step = self._step_at(event.position().x())
        if step != self._hovered:
            self._hovered = step if len(self._course) else None
            self.update()
        self._show_grip(event.position())
        if not event.buttons() & Qt.MouseButton.LeftButton:
            return
        if self._anchor is None:
            self._go(event.position().x())
        elif step != self._anchor or self._session.playback.section is not None:
            self._session.playback.set_section(section_between(self._anchor, step))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the section; a click on the ruler, where there is none, goes to the step."""
        if event.button() == Qt.MouseButton.LeftButton and self._anchor is not None:
            if self._session.playback.section is None:
                self._go(event.position().x())
            self._anchor = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take the section away, on the ruler."""
        if event.position().y() < self._look().rows().ruler.bottom():
            self._session.playback.set_section(None)
        else:
            self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Point at no step any more."""
        self._hovered = None
        self.update()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Go a step back or forward for each notch."""
        turned = event.angleDelta().y() or -event.angleDelta().x()
        self._turned += turned
        steps = int(self._turned / _NOTCH)
        self._turned -= steps * _NOTCH
        if steps:
            self._moved(self._session.playback.position - steps)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the step under the mouse, or of the one on display."""
        if not len(self._course):
            return
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            self.menu_wanted.emit(event.globalPos(), self._step_at(event.pos().x()))
        else:
            position = self._session.playback.position
            where = QPoint(round(self.x_of(position)), self.height() // 2)
            self.menu_wanted.emit(self.mapToGlobal(where), position)

    def get_ready(self) -> None:
        """Draw now what stays as it is from step to step, for a window that is painted later."""
        if self.isVisible():
            paint_ahead(lambda: not self._drawn_ground().isNull())

    @guarded
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the steps, the section, and where the window stands."""
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._drawn_ground())
        if len(self._course):
            look, section = self._look(), self._session.playback.section
            course = self._told
            if section is not None:
                paint_section(painter, section, course, look)
            position = min(self._session.playback.position, len(course) - 1)
            question = self._open_question()
            paint_flags(painter, course, look, until=position if question else None)
            if question:
                self._conceal(painter, position + 1, question)
            if not hides_count(self._session.quiz):
                paint_values(painter, position, course, look)
            paint_position(painter, position, course, look, self._hovered)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 5, 5)
        painter.end()

    @property
    def _told(self) -> Course:
        """What may be seen of the course."""
        concealed = hides_course(self._session.quiz)
        return self._course.without_outlook() if concealed else self._course

    def _open_question(self) -> str:
        """Return what somebody is asked that could be read from the steps to come, in short."""
        quiz = self._session.quiz
        if hides_course(quiz):
            return "How much follows?"
        return "How many are there?" if hides_count(quiz) else ""

    def _conceal(self, painter: QPainter, step: int, question: str) -> None:
        """Cover what follows while somebody is asked what can be read from it."""
        look = self._look()
        left, legend = round(look.track(len(self._course)).left_of(step)) + 1, look.rows().legend
        covered = self.rect().adjusted(left, 0, 0, -round(legend.height()))  # it tells no counts
        painter.fillRect(covered, QColor(self._theme.raised))
        painter.setPen(QColor(self._theme.dim))
        painter.drawText(covered, Qt.AlignmentFlag.AlignCenter, question)

    def describe(self, step: int) -> str:
        """Return what a step did, in a few lines."""
        recording, insight = self._session.recording, self._session.insight
        if recording is None or step >= len(recording):
            return _HELP
        quiz, follows = self._session.quiz, step > self._session.playback.position
        if hides_count(quiz) or (follows and hides_tables(quiz)):
            return WITHHELD
        found = recording.step(step)
        place = [f"Step {step + 1:,}", str(found.stage)]
        if found.iteration is not None:
            place.append(f"iteration {found.iteration:,}")
        if found.level is not None:
            place.append(f"level {found.level}")
        counts = [f"{counted(found.changed, 'cell')} changed", counted(found.roots, "root")]
        wrong = insight.wrong_at(step)
        if wrong is not None and not hides_course(quiz):
            counts.append(f"{counted(wrong, 'cell')} with a wrong root")
        lines, course = [", ".join(place), found.kernel, ", ".join(counts)], self._told
        for at, sentence in (
            (
                course.settled,
                "Roots right: from here on, every cell leads to its final root.",
            ),
            (course.converged, "Converged: after this step, no label changes any more."),
            (course.first_wrong, "First wrong: a label names a cell of another component."),
        ):
            if step == at:
                lines.append(sentence)
        apart = course.left_apart
        if apart is not None and step == apart.step:
            lines.append(f"Left apart: {apart.sentence}")
        if insight.limits:
            lines.append(insight.limits)
        return "\n".join(lines)

    # Its own

    def _load(self) -> None:
        session = self._session
        self._course = course_of(session.recording, session.playback.count, session.insight)
        # Not what it was before: a run that was watched is complete before its course is here.
        if self.bare != self._laid_out_bare:
            self._ask_for_room()
        self._forget()
        self.refresh()

    def _ask_for_room(self) -> None:
        self._laid_out_bare = self.bare
        self.updateGeometry()

    def _count_again(self) -> None:
        """Take over what was found out; stages and groups stay as they are."""
        if len(self._course):
            self._course = counted_again(self._course, self._session.insight)
        self._forget()

    def _forget(self) -> None:
        self._ground = None
        self.update()

    def _line(self) -> int:
        return self.fontMetrics().height()

    def _look(self) -> Look:
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 0.9)
        return Look(self._theme, font, self.width(), self.height(), named=not self.bare)

    def _step_at(self, x: float) -> int:
        return self._look().track(len(self._course)).step_at(x)

    def _go(self, x: float) -> None:
        self.setValue(self._step_at(x))

    def _moved(self, value: int) -> None:
        self._session.playback.pause()
        self._session.playback.go_to(value)

    def _edge_at(self, x: float) -> Section | None:
        """Return the section, if the mouse is over one of its ends."""
        section = self._session.playback.section
        if section is None:
            return None
        ends = self._look().track(len(self._course)).extent(section)
        return section if min(abs(x - end) for end in ends) <= _GRIP else None

    def _far_end(self, x: float) -> int:
        """Return where a section drawn from here is held: at its other end, if taken by one."""
        section = self._edge_at(x)
        if section is None:
            self._session.playback.set_section(None)
            return self._step_at(x)
        left, right = self._look().track(len(self._course)).extent(section)
        return section.end if abs(x - left) < abs(x - right) else section.start

    def _show_grip(self, at: QPointF) -> None:
        on_ruler = at.y() < self._look().rows().ruler.bottom()
        over = on_ruler and self._edge_at(at.x()) is not None
        shape = Qt.CursorShape.SizeHorCursor if over else Qt.CursorShape.ArrowCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)

    def _drawn_ground(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        key = (self.size().toTuple(), ratio, hides_course(self._session.quiz))
        if self._ground is None or key != self._ground_key:
            self._ground_key = key
            self._ground = QPixmap(self.size() * ratio)
            self._ground.setDevicePixelRatio(ratio)
            self._ground.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._ground)
            paint_ground(painter, self._told, self._look())
            painter.end()
        return self._ground

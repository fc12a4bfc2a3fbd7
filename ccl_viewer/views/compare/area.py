"""The middle of the window: the canvas alone, or with lanes beside it, all of which go together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QVBoxLayout, QWidget

from ccl_viewer.session import Session
from ccl_viewer.session.comparison.heading import heading_of
from ccl_viewer.session.comparison.lane import Lane
from ccl_viewer.session.lessons.asking import hides_course
from ccl_viewer.views.canvas.canvas import Canvas
from ccl_viewer.views.canvas.key import KeyEntry
from ccl_viewer.views.compare.lane_header import LaneHeader
from ccl_viewer.views.compare.places import Frame, Places, places_of
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.process.turns import Turns, paint_again
from ccl_viewer.views.widgets.late import Late, bring_back, put_away

_GAP = 6
_BELOW_HEADER = 2
_SMALL = QSize(110, 80)
"""Size below which a canvas among others is of no use."""


class LaneCell(QWidget):
    """A canvas and the header above it.

    Parameters
    ----------
    lane : Lane or None
        What it shows; None is the session's own run.
    canvas : Canvas
        Where.
    menu : QMenu or None
        What can be done with the lane.
    parent : QWidget or None
        Parent.
    """

    def __init__(
        self,
        lane: Lane | None,
        canvas: Canvas,
        menu: QMenu | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.lane = lane
        self.canvas = canvas
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_BELOW_HEADER)
        layout.addWidget(canvas, 1)
        self._header = Late(lambda: LaneHeader(menu), lambda header: layout.insertWidget(0, header))

    @property
    def header(self) -> LaneHeader:
        """Who runs, where it is, and how long it took; nobody needs it of a run alone."""
        return self._header.get()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme."""
        self.canvas.set_theme(theme)

    def show_header(self, *, on: bool) -> None:
        """Show the header, or put it away."""
        self._header.show(on=on)


class CompareArea(QWidget):
    """Lays lanes out by the room there is, and links zoom and pan.

    Parameters
    ----------
    session : Session
        Whose comparison it is.
    canvas : Canvas
        The session's own, which is always there.
    make_menu : callable
        Makes the menu of a lane.
    parent : QWidget or None
        Parent.
    """

    grown = Signal()
    told = Signal()
    """Other marks than before are in sight."""

    def __init__(
        self,
        session: Session,
        canvas: Canvas,
        make_menu: Callable[[Lane], QMenu],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._comparison = session.comparison
        self._make_menu = make_menu
        self._linking = False
        self._painting = Turns(self)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._lay_out)
        self._laid: tuple[object, ...] = ()
        self._lanes: tuple[Lane, ...] = ()
        self._usual = canvas.minimumSize()
        self.cells = [LaneCell(None, canvas, parent=self)]
        self._used = self.cells[0]
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self._grid.addWidget(self.cells[0], 0, 0)
        self._link(canvas)
        for signal in (
            self._comparison.changed,
            session.grid_changed,
            session.recording_changed,
        ):
            signal.connect(self.refresh)
        session.look.layers_changed.connect(self._lay_out)
        for signal in (session.lesson.changed, session.predictor.changed):
            signal.connect(self._show_headings)
        for signal in (self._comparison.moved, session.playback.position_changed):
            signal.connect(self._show_headings)
        self._comparison.differing.changed.connect(self._show_differences)

    @property
    def shown(self) -> list[LaneCell]:
        """The lanes that take part, the session's own first."""
        lanes = self._comparison.lanes
        return [cell for cell in self.cells if cell.lane is None or cell.lane in lanes]

    @property
    def key(self) -> tuple[KeyEntry, ...]:
        """What the marks mean that are in sight on any lane."""
        entries = {entry: None for cell in self.shown for entry in cell.canvas.key}
        return tuple(sorted(entries, key=lambda entry: entry.sign.value))

    @property
    def current(self) -> LaneCell:
        """The cell whose canvas has the focus, or had it last."""
        return self._used if self._used in self.shown else self.cells[0]

    def refresh(self) -> None:
        """Show the lanes that there are."""
        lanes, known = tuple(self._comparison.lanes), [cell.lane for cell in self.cells]
        if lanes != self._lanes:
            # Canvases come and go in one turn of the event loop, and all are painted in others.
            self._lanes = lanes
            self.setUpdatesEnabled(False)
            self._grow([lane for lane in lanes if lane not in known])
            self._painting.begin((*self.preparations(), partial(paint_again, self)))
        self._lay_out()
        self._show_headings()
        self._show_differences()

    def preparations(self) -> list[Callable[[], bool]]:
        """Return what lets each canvas find out what it will paint, in turns of its own."""
        return [cell.canvas.get_ready for cell in self.cells]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the lanes out anew where there is more room in another direction."""
        super().resizeEvent(event)
        self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        """Lay the lanes out anew with headers of another size of text."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._soon.start()  # the look of all the window has this turn of the event loop

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take note of which canvas is used."""
        if event.type() is QEvent.Type.FocusIn:
            self._used = next(cell for cell in self.cells if cell.canvas is watched)
            self._show_current()
        return super().eventFilter(watched, event)

    def _show_current(self) -> None:
        """Tell which lane is meant by what is done with one."""
        if self._comparison.open:
            shown = self.shown
            for cell in shown:
                cell.header.show_current(on=len(shown) > 1 and cell is self.current)

    def _grow(self, lanes: list[Lane]) -> None:
        """Make the canvases of lanes that take part for the first time."""
        if not lanes:
            return
        for lane in lanes:
            canvas = _LaneCanvas(lane)
            canvas.setMinimumSize(_SMALL)
            self.cells.append(LaneCell(lane, canvas, self._make_menu(lane)))
            self._link(canvas)
        slots = None, *self._comparison.slots
        self.cells.sort(key=lambda cell: slots.index(cell.lane))
        self.grown.emit()

    def _link(self, canvas: Canvas) -> None:
        canvas.zoomed.connect(lambda _scale: self._look_like(canvas))
        canvas.told.connect(self.told)
        canvas.installEventFilter(self)

    def _look_like(self, canvas: Canvas) -> None:
        if self._linking or not self._comparison.open:
            return
        self._linking = True
        for cell in self.shown:
            if cell.canvas is not canvas and not (canvas.fitted and cell.canvas.fitted):
                cell.canvas.look_like(canvas)
        self._linking = False

    def _lay_out(self) -> None:
        shown, compares = self.shown, self._comparison.open
        for cell in shown:
            if cell.parent() is None:
                bring_back(cell, partial(cell.setParent, self))
            cell.canvas.explain_marks(on=not compares)
        heights = self._header_heights(shown) if compares else (0, 0)
        places = self._places(shown, heights) if compares else Places(1)
        laid = (places, heights, *shown, compares)
        if laid == self._laid:
            return
        self._laid = laid
        self._put(shown, places.columns)
        for cell in shown:
            cell.show_header(on=compares)
            if compares:
                cell.header.set_low(places.low)
                cell.header.setFixedHeight(heights[places.low])
        self.cells[0].canvas.setMinimumSize(_SMALL if compares else self._usual)
        for cell in shown[1:]:
            cell.show()
            cell.canvas.look_like(self.cells[0].canvas)
        self._show_current()
        self.told.emit()

    def _places(self, shown: list[LaneCell], heights: tuple[int, int]) -> Places:
        tall, low = (height + _BELOW_HEADER for height in heights)
        frame = Frame(_GAP, tall, low, self.cells[0].header.least_width)
        fits = [fit for cell in shown if (fit := cell.canvas.fit_in()) is not None]

        def scale_of(width: float, height: float) -> float:
            return min((fit(width, height).scale for fit in fits), default=1.0)

        return places_of(len(shown), self.width(), self.height(), scale_of, frame)

    def _header_heights(self, shown: list[LaneCell]) -> tuple[int, int]:
        """Return the heights of the highest header, with two lines and with one."""
        tall, low = zip(*(cell.header.heights for cell in shown), strict=True)
        return max(tall), max(low)

    def _put(self, shown: list[LaneCell], columns: int) -> None:
        """Lay lanes into columns, of which those that are empty take no room."""
        for cell in self.cells:
            self._grid.removeWidget(cell)
            if cell not in shown:
                put_away(cell)
        for place in range(max(self._grid.columnCount(), self._grid.rowCount())):
            self._grid.setColumnStretch(place, int(place < columns))
            self._grid.setRowStretch(place, int(place * columns < len(shown)))
        for place, cell in enumerate(shown):
            self._grid.addWidget(cell, place // columns, place % columns)
            self._grid.setColumnStretch(place % columns, 1)
            self._grid.setRowStretch(place // columns, 1)

    def _show_headings(self) -> None:
        if self._comparison.open:
            concealed = hides_course(self._session.quiz)
            for cell in self.shown:
                heading = heading_of(self._comparison, self._session, cell.lane)
                cell.header.show_heading(heading.without_end() if concealed else heading)

    def _show_differences(self) -> None:
        for cell in self.cells:
            cell.canvas.mark(self._comparison.mask(cell.lane))
        self._show_headings()


class _LaneCanvas(Canvas):
    """A canvas that is called after its lane."""

    def __init__(self, lane: Lane) -> None:
        super().__init__(lane)
        self._lane = lane

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say whose canvas this is."""
        self.setAccessibleName(f"Canvas of {self._lane.title}")
        super().focusInEvent(event)

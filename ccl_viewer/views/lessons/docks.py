"""The docks of lesson and predict mode, and how a lesson arranges the window while it is open."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QByteArray, QSize, Qt
from PySide6.QtWidgets import QDockWidget, QFileDialog, QMainWindow, QTabBar, QWidget

from ccl_viewer.views.canvas.geometry import Viewpoint
from ccl_viewer.views.docks.drags import end_drags
from ccl_viewer.views.docks.title import DockTitle
from ccl_viewer.views.host import Host
from ccl_viewer.views.lessons.notes import NotesWindow
from ccl_viewer.views.lessons.panel import LessonPanel
from ccl_viewer.views.lessons.predict_panel import PredictPanel
from ccl_viewer.views.memory.parts import Memory, switch_memory
from ccl_viewer.views.process.turns import Act, Turns, let_lie, paint_again
from ccl_viewer.views.widgets.late import Late

_WIDTH = 440
_HEIGHT = 270
_SHARE_ON_PROJECTOR = 0.36


class LessonDocks:
    """Dock of the lesson, presenter's notes, and predict mode.

    While a lesson is open, its panel has the place of the others, which can be shown beside it.

    Parameters
    ----------
    window : QMainWindow
        The window.
    host : Host
        The same window, as parts know it.
    settings : QWidget
        Chooses algorithm, schedule and the like; it makes room for the scenes of a lesson.
    """

    def __init__(self, window: QMainWindow, host: Host, settings: QWidget) -> None:
        self._window = window
        self._host = host
        self._settings = settings
        self._player = host.session.lesson
        self._layout: QByteArray | None = None
        self._entering = False
        self._begun_on_projector = False
        self._compared: bool | None = None
        self._viewpoint: Viewpoint | None = None
        self._wants_notes = False
        self._wants_settings = False
        self._turns = Turns(window)
        self._actions = {action.objectName(): action for action in window.actions()}
        self.dock = _dock("Lesson", window)
        self.predict_dock = _dock("Predict", window)
        self._panel = Late[LessonPanel](self._make_panel, partial(_fill, self.dock))
        self._predict = Late[PredictPanel](self._make_predict, partial(_fill, self.predict_dock))
        self._notes = Late(self._make_notes)
        self._player.opening.connect(self._panel.get)
        self._player.beginning.connect(self._enter_in_turns)
        self._player.changed.connect(self._follow)
        host.session.predictor.changed.connect(self._show_predict)
        host.projector.changed.connect(self._projected)
        self._divided: dict[str, QSize] = {}

    @property
    def panel(self) -> LessonPanel:
        """What is in the dock of the lesson."""
        return self._panel.get()

    @property
    def predict(self) -> PredictPanel:
        """What is in the dock of predict mode."""
        return self._predict.get()

    @property
    def notes(self) -> NotesWindow:
        """The presenter's notes."""
        return self._notes.get()

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """The panels that are in the window now."""
        return tuple(late.there for late in (self._panel, self._predict) if late.there is not None)

    @property
    def notes_shown(self) -> bool:
        """Whether the presenter's notes are shown with a lesson."""
        return self._wants_notes

    @property
    def settings_shown(self) -> bool:
        """Whether algorithm, schedule and the like can be chosen while a lesson is open."""
        return self._wants_settings

    @property
    def settled(self) -> bool:
        """Whether the window is arranged for what is open."""
        return self._turns.done

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered."""
        yield switch_memory(
            "lesson/notes", lambda: self._wants_notes, lambda on: self.show_notes(on=on)
        )
        bookmarks = self._player.bookmarks
        yield Memory("lesson/left", bookmarks.to_text, bookmarks.take)

    def settle(self) -> None:
        """Hide the lesson's place after a layout was put back, if no lesson is open."""
        if not self._player.is_open:
            self.dock.hide()
        self.predict_dock.hide()
        self._show_predict()

    def show_notes(self, *, on: bool) -> None:
        """Show the presenter's notes in a window of their own, or hide them."""
        self._wants_notes = on
        self._show_notes()
        self._player.changed.emit()

    def show_settings(self, *, on: bool) -> None:
        """Show what chooses algorithm, schedule and the like above a lesson, or hide it."""
        self._wants_settings = on
        self._settings.setHidden(self._player.is_open and not on)
        self._player.changed.emit()

    def open_file(self) -> None:
        """Ask for a lesson's file, and open it."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open lesson", "", "Lessons (*.toml);;All files (*)"
        )
        if name:
            self._player.open(name)

    def answer(self) -> None:
        """Judge the answer; where no number was typed yet, go to its field."""
        quiz = self._host.session.quiz
        asking = quiz.asking
        if asking is None:
            return
        if asking.answered:
            quiz.check()
        else:
            panel = self.panel if self._player.is_open else self.predict
            panel.question.begin_to_answer()

    def close(self) -> None:
        """Put all back, as when the window closes."""
        self._host.session.predictor.switch(on=False)
        self._player.close()
        self._turns.finish()
        self._show_notes()

    def _follow(self) -> None:
        lesson = self._player.lesson
        if lesson is not None:
            if self._entering:
                self._make_room()
            self.dock.setWindowTitle(lesson.title)
            self._show_notes()
        elif self._entering or self._layout is not None:
            self._leave_in_turns()

    def _enter_in_turns(self) -> None:
        """Give the lesson its place after its first scene; the window is painted when all is done.

        This begins before the scene is shown, so that it is painted even if that should fail.
        """
        self._turns.finish()
        self._note_viewpoint()
        self._entering = True
        self._turns.begin((self._enter, self._widen, let_lie, *self._painting()))
        self._hold_still()

    def _leave_in_turns(self) -> None:
        """Take the lesson's place away after its grid; the window is painted when all is done."""
        self._turns.begin((self._leave, *self._painting(), self._panel.put_away))
        if not self._hold_still():  # there is no layout to be put back yet
            self._turns.finish()

    def _hold_still(self) -> bool:
        """Let nothing be painted for now; return whether there is anything to be seen in turns."""
        seen = self._window.isVisible() and not self._host.projector.shown
        if seen:
            self._window.setUpdatesEnabled(False)
        return seen

    def _painting(self) -> tuple[Act, ...]:
        return (*self._host.preparations(), self._paint)

    def _paint(self) -> None:
        if self._host.appearance.settled:  # else it is painted with the look that is to come
            paint_again(self._window)

    def _make_room(self) -> None:
        """Do at once what keys may come to, while the window is arranged in the turns after."""
        comparison = self._host.session.comparison
        if self._compared is None:
            self._compared = comparison.open
            comparison.show(on=False)
        self._host.canvas.setFocus()
        if self._window.updatesEnabled():
            self._turns.finish()

    def _show_predict(self) -> None:
        """Ask in front of the steps, which tell how the run goes on."""
        active = self._host.session.predictor.active
        if active == self.predict_dock.isHidden():
            end_drags(self._window)
            if active:
                self._predict.get()
                self._divided = self._host.docks.division
            self.predict_dock.setVisible(active)
            if not active:
                self._predict.put_away()
                self._host.docks.divide(self._divided)
            steps = self._host.docks["steps"]
            if active and not steps.isHidden() and not steps.isFloating():
                self._window.tabifyDockWidget(steps, self.predict_dock)
            if active:
                self.predict_dock.raise_()
                height, upright = _HEIGHT, Qt.Orientation.Vertical
                self._window.resizeDocks([self.predict_dock], [height], upright)

    def _show_notes(self) -> None:
        """Show the notes of the scene on display with a lesson, if they are wanted."""
        if self._wants_notes and self._player.is_open:
            self.notes.refresh()
            self.notes.show()
        elif self._notes.there is not None:
            self.notes.hide()

    def _make_panel(self) -> LessonPanel:
        panel = LessonPanel(self._host.session, self._actions)
        panel.question.answered.connect(self._focus_canvas)
        return panel

    def _make_predict(self) -> PredictPanel:
        panel = PredictPanel(self._host.session, self._actions)
        panel.question.answered.connect(self._focus_canvas)
        return panel

    def _make_notes(self) -> NotesWindow:
        notes = NotesWindow(self._player, self._window)
        notes.closed.connect(lambda: self.show_notes(on=False))
        return notes

    def _focus_canvas(self) -> None:
        self._host.canvas.setFocus()

    def _note_viewpoint(self) -> None:
        canvas = self._host.canvas
        self._viewpoint = None if canvas.fitted else canvas.view

    def _look_back(self) -> None:
        """Show the user's grid where it lay, if that was chosen by hand."""
        viewpoint, self._viewpoint = self._viewpoint, None
        if viewpoint is not None:
            self._host.canvas.look_at(viewpoint)

    def _enter(self) -> None:
        """Put the panels away, unless no lesson came to be shown."""
        self._entering = False
        if not self._player.is_open:
            return
        docks = self._host.docks
        _hide_left_over_tabs(self._window)
        if self._layout is None:
            self._begun_on_projector = self._host.projector.shown
            self._layout = docks.state()
        docks.hide()
        self.predict_dock.hide()
        self._settings.setVisible(self._wants_settings)

    def _widen(self) -> None:
        if not self._player.is_open:
            return
        self._panel.get()
        self.dock.show()
        width = _WIDTH
        if self._host.projector.shown:
            width = round(self._window.width() * _SHARE_ON_PROJECTOR)
        self._window.resizeDocks([self.dock], [width], Qt.Orientation.Horizontal)

    def _leave(self) -> None:
        self._entering = False
        self._show_notes()
        self.dock.hide()
        self._settings.show()
        self._wants_settings = False
        if self._compared is not None:
            compared, self._compared = self._compared, None
            self._host.session.comparison.show(on=compared)
        if self._host.projector.shown:
            if self._begun_on_projector:
                self._layout = None
                self._look_back()
            return
        layout, self._layout = self._layout, None
        if layout is not None:
            self._host.docks.put_back(layout)
        self.settle()
        self._look_back()
        self._host.canvas.setFocus()

    def _projected(self) -> None:
        """Keep the lesson in sight on the projector, and the layout for afterwards."""
        self._turns.finish()
        if self._player.is_open:
            if not self._host.projector.shown and self._begun_on_projector:
                self._layout = None
                self._enter()
            self._widen()
        elif not self._host.projector.shown:
            if self._layout is not None:
                self._leave()
            self.settle()


def _dock(title: str, window: QMainWindow) -> QDockWidget:
    """Return a hidden dock without content, which only its lesson or its mode closes."""
    dock = QDockWidget(title, window)
    dock.setObjectName(title.lower())
    dock.setFeatures(
        QDockWidget.DockWidgetFeature.DockWidgetMovable
        | QDockWidget.DockWidgetFeature.DockWidgetFloatable
    )
    DockTitle(dock)
    window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    dock.hide()
    return dock


def _fill(dock: QDockWidget, panel: QWidget) -> None:
    dock.setWidget(panel)
    panel.show()


def _hide_left_over_tabs(window: QMainWindow) -> None:
    """Hide bars of tabs that Qt left behind when it gathered docks; the docks lay over them."""
    docks = {dock.windowTitle(): dock for dock in window.findChildren(QDockWidget)}
    direct = Qt.FindChildOption.FindDirectChildrenOnly
    for bar in window.findChildren(QTabBar, options=direct):
        titles = {bar.tabText(index) for index in range(bar.count())}
        first = next((docks[title] for title in titles if title in docks), None)
        if first is None:
            continue
        others = {dock.windowTitle() for dock in window.tabifiedDockWidgets(first)}
        if others | {first.windowTitle()} != titles:
            bar.hide()

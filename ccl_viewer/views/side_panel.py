"""The side panel: one panel at a time behind tabs, which stay when it is collapsed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.views.panels import PANELS, Panel
from ccl_viewer.views.style import icon, scaled
from ccl_viewer.views.widgets import fit_icon, icon_button

if TYPE_CHECKING:
    from ccl_viewer.session.session import Session

_LEAST: Final = 280  # pixels
_GUIDE: Final = 340  # pixels at the usual size of text
_USUAL_SHARE: Final = 0.22  # of the window's width
_MOST_SHARE: Final = 0.36  # at large text
_MOST_AT_FIRST: Final = 520


class PanelSplitter(QSplitter):
    """Divides the window; says when it got another size.

    Attributes
    ----------
    resized : Signal
        Emitted after its parts were laid out.
    """

    resized = Signal()

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setChildrenCollapsible(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say so once the parts are laid out."""
        super().resizeEvent(event)
        self.resized.emit()


class QtSidePanel(QWidget):
    """Shows one of the panels; makes each when it is first shown.

    It lies at the end of a splitter, which gives it its width.

    Attributes
    ----------
    changed : Signal
        Another panel is shown, or it was collapsed or expanded.
    """

    changed = Signal()

    def __init__(self, session: Session, splitter: PanelSplitter) -> None:
        super().__init__(splitter)
        self._session, self._splitter = session, splitter
        self._width = 0
        self._collapsed = False
        self._made: dict[str, QWidget] = {}
        self.setAccessibleName("Side panel")
        self.tabs = QTabBar()
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setUsesScrollButtons(True)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.stack = QStackedWidget()
        self.collapse_button = icon_button("last", "Collapse the side panel (F9)")
        self.collapse_button.clicked.connect(self.toggle)
        self._edge = QWidget()
        self._edge_buttons = QButtonGroup(self)
        self._lay_out()
        for panel in PANELS:
            self.tabs.setTabToolTip(self.tabs.addTab(panel.title), panel.tip)
        self.tabs.currentChanged.connect(self._show_tab)
        self._edge_buttons.idClicked.connect(self._expand_to)
        splitter.splitterMoved.connect(self._on_splitter_moved)
        splitter.resized.connect(self.fit)
        self._set_collapsed(False)

    @property
    def current(self) -> str:
        """Key of the panel in front."""
        return PANELS[self.tabs.currentIndex()].key

    @property
    def collapsed(self) -> bool:
        """Whether only the edge of buttons is shown."""
        return self._collapsed

    @property
    def expanded_width(self) -> int:
        """Width in pixels when it is not collapsed; 0 for the usual one."""
        return self._width

    def is_shown(self, key: str) -> bool:
        """Return whether a panel is the one that is seen."""
        return not self._collapsed and self.current == key

    def widget(self, key: str) -> QWidget:
        """Return the widget of a panel, which is made if it was not yet."""
        if key not in self._made:
            made = PANELS[_number(key)].make(self._session, self.stack)
            self.stack.addWidget(made)
            self._made[key] = made
        return self._made[key]

    def show_panel(self, key: str, *, focus: bool = False) -> None:
        """Bring a panel forward."""
        self.widget(key)
        self.tabs.setCurrentIndex(_number(key))
        self._set_collapsed(False)
        if focus:
            self.widget(key).setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.changed.emit()

    def toggle_panel(self, key: str) -> None:
        """Bring a panel forward and give it the focus, or collapse it if it is in front."""
        if self.is_shown(key):
            self.collapse()
        else:
            self.show_panel(key, focus=True)

    def toggle(self) -> None:
        """Collapse to the edge of buttons, or expand again."""
        if self._collapsed:
            self.show_panel(self.current)
        else:
            self.collapse()

    def collapse(self) -> None:
        """Show the edge of buttons alone."""
        self._set_collapsed(True)
        self.changed.emit()

    def restore(self, key: str, width: int, *, collapsed: bool) -> None:
        """Be as it was when the window was closed last."""
        self._width = width if width >= _LEAST else 0
        if any(panel.key == key for panel in PANELS):
            self.tabs.setCurrentIndex(_number(key))
        self._set_collapsed(collapsed)

    def fit(self) -> None:
        """Take its width again, after the window got another one."""
        if self._collapsed:
            least = self.minimumSizeHint().width()
        else:
            window = self._splitter.width()
            wanted = max(round(window * _USUAL_SHARE), scaled(_LEAST))
            usual = max(min(wanted, _MOST_AT_FIRST, round(window * _MOST_SHARE)), _LEAST)
            least = min(self._width or usual, max(window // 2, _LEAST))
        between = self._splitter.widget(1)
        guide = 0 if between is None or between.isHidden() else _GUIDE
        rest = self._splitter.width() - least - scaled(guide)
        self._splitter.setSizes([max(rest, 1), scaled(guide), least])

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(4, 0, 4, 0)
        top.addWidget(self.tabs, 1)
        top.addWidget(self.collapse_button)
        self._body = QWidget()
        body = QVBoxLayout(self._body)
        body.setContentsMargins(0, 0, 0, 0)
        body.setSpacing(0)
        body.addLayout(top)
        body.addWidget(self.stack, 1)
        edge = QVBoxLayout(self._edge)
        edge.setContentsMargins(2, 2, 2, 2)
        edge.setSpacing(2)
        expand = icon_button("first", "Expand the side panel (F9)")
        expand.clicked.connect(self.toggle)
        edge.addWidget(expand)
        for number, panel in enumerate(PANELS):
            button = _edge_button(panel)
            self._edge_buttons.addButton(button, number)
            edge.addWidget(button)
        edge.addStretch(1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._body, 1)
        layout.addWidget(self._edge)

    def _show_tab(self, _number: int) -> None:
        if not self._collapsed:
            self.stack.setCurrentWidget(self.widget(self.current))
        self.changed.emit()

    def _expand_to(self, number: int) -> None:
        self.show_panel(PANELS[number].key)

    def _set_collapsed(self, collapsed: bool) -> None:
        self._collapsed = collapsed
        self._body.setHidden(collapsed)
        self._edge.setVisible(collapsed)
        self.setMinimumWidth(0 if collapsed else _LEAST)
        self.setMaximumWidth(self._edge.sizeHint().width() if collapsed else (1 << 24) - 1)
        if not collapsed and self.isVisible():
            self.stack.setCurrentWidget(self.widget(self.current))
        self.fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Make the panel in front when it is first seen."""
        super().showEvent(event)
        if not self._collapsed:
            self.stack.setCurrentWidget(self.widget(self.current))

    def _on_splitter_moved(self, _position: int, _index: int) -> None:
        if not self._collapsed:
            self._width = self.width()


def _number(key: str) -> int:
    return next(number for number, panel in enumerate(PANELS) if panel.key == key)


def _edge_button(panel: Panel) -> QToolButton:
    button = QToolButton()
    button.setIcon(icon(panel.icon))
    button.setText(panel.title)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
    button.setProperty("flat", "true")
    button.setToolTip(panel.tip)
    button.setMinimumSize(QSize(scaled(60), scaled(44)))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    fit_icon(button)
    return button


class QtGuide(QStackedWidget):
    """The column for a lesson, or for predict mode; it is there while one of them is open.

    Meanwhile the side panel is collapsed, unless the user expands it.

    Attributes
    ----------
    answered : Signal
        A field that had the focus went away: the focus has to go elsewhere.
    """

    answered = Signal()

    def __init__(
        self, session: Session, actions: Mapping[str, QAction], side_panel: QtSidePanel
    ) -> None:
        super().__init__()
        self._session, self._actions, self._side_panel = session, actions, side_panel
        self._lesson: QWidget | None = None
        self._predict: QWidget | None = None
        self._collapsed_it = False
        self.setMinimumWidth(_LEAST)
        self.hide()
        session.lessons.changed.connect(self._on_model_changed)
        session.predictor.changed.connect(self._on_model_changed)

    def refresh(self) -> None:
        """Show the lesson or the predict mode that is open, or nothing."""
        wanted = self._wanted()
        if wanted is not None:
            self.setCurrentWidget(wanted)
        if (wanted is not None) == self.isHidden():
            self.setHidden(wanted is None)
            self._make_room()

    def _on_model_changed(self, _fields: frozenset[str]) -> None:
        self.refresh()

    def _wanted(self) -> QWidget | None:
        if self._session.lessons.is_open:
            if self._lesson is None:
                from ccl_viewer.views.lesson import QtLesson

                lesson = QtLesson(self._session, self._actions)
                lesson.answered.connect(self.answered)
                self._lesson = lesson
                self.addWidget(lesson)
            return self._lesson
        if self._session.predictor.active:
            if self._predict is None:
                from ccl_viewer.views.lesson import QtPredictor

                predictor = QtPredictor(self._session)
                predictor.answered.connect(self.answered)
                self._predict = predictor
                self.addWidget(predictor)
            return self._predict
        return None

    def _make_room(self) -> None:
        if not self.isHidden():
            self._collapsed_it = not self._side_panel.collapsed
            self._side_panel.collapse()
        elif self._collapsed_it and self._side_panel.collapsed:
            self._side_panel.toggle()
        self._side_panel.fit()

"""The side panel: one panel at a time behind tabs; and the column for a lesson beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QMenu,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QToolBar,
    QToolButton,
    QWidget,
)

from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.buttons import make_icon_button
from ccl_viewer.window.widgets.feature import GuideSpec, PanelSpec
from ccl_viewer.window.widgets.layouts import hbox, make_container, vbox
from ccl_viewer.window.widgets.style import scaled

if TYPE_CHECKING:
    from ccl_viewer.window.core.comparison import Comparison

_MIN: Final = 280  # pixels
_STEPS: Final = 352  # pixels at normal text size; the steps' roots are readable
_GUIDE: Final = 330  # pixels at normal text size
_DEFAULT_SHARE: Final = 0.275  # of the window's width
_PANES_SHARE: Final = 0.22  # beside the panes of a comparison
_MAX_SHARE: Final = 0.36  # at large text
_MAX_AT_FIRST: Final = 560
# Widths in pixels for the rest, in order of preference; with 788, the transport has one row.
_CENTRES: Final = (788, 540)


def panel_actions(
    panels: Sequence[PanelSpec], side_panel: Callable[[], QtSidePanel]
) -> tuple[ActionSpec, ...]:
    """Return a row for each panel, and the row that collapses the side panel."""

    def row(number: int, panel: PanelSpec) -> ActionSpec:
        return ActionSpec(
            f"panel_{panel.key}",
            panel.menu_text or f"&{panel.title}",
            "View/&Panels",
            lambda: side_panel().toggle_panel(panel.key),
            keys=(f"Ctrl+{number}",),
            icon=panel.icon,
            checked=lambda: side_panel().is_shown(panel.key),
            tip=panel.tip,
            group=4,
        )

    def toggle() -> None:
        side_panel().toggle()

    collapse = ActionSpec(
        "side_panel",
        "Si&de panel",
        "View/&Panels",
        toggle,
        keys=("F9",),
        icon="panels",
        checked=lambda: not side_panel().collapsed,
        group=4,
        tip="Collapse the side panel to its edge, or expand it",
    )
    return (*(row(number, panel) for number, panel in enumerate(panels, 1)), collapse)


class PanelSplitter(QSplitter):
    """Divides the window; its signal `resized` follows the layout of its parts."""

    resized = Signal()

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal, childrenCollapsible=False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Announce it once the parts are laid out."""
        super().resizeEvent(event)
        self.resized.emit()


class QtSidePanel(QWidget):
    """Shows one of the panels, at the end of a splitter, which sets its width.

    Its signal `changed` announces another panel, collapsing or expanding.
    """

    changed = Signal()

    def __init__(
        self,
        comparison: Comparison,
        splitter: PanelSplitter,
        panels: Sequence[PanelSpec],
        actions: Mapping[str, QAction],
    ) -> None:
        super().__init__(splitter)
        self.setObjectName("side_panel")
        self._comparison, self._splitter = comparison, splitter
        self._panels = {panel.key: panel for panel in panels}
        self._keys = list(self._panels)
        self.used_width: Callable[[], int] = int  # pixels that the rest of the window needs, or 0
        self.expanded_width = 0  # in pixels, when it is not collapsed; 0 for the default
        self.collapsed = False
        self._gave_way_to: set[object] = set()
        self._comes_back = False
        self._made: dict[str, QWidget] = {}
        self.setAccessibleName("Side panel")
        self.tabs = QTabBar(expanding=False, drawBase=False)
        self.stack = QStackedWidget()
        self.collapse_button = make_icon_button("last", "Collapse the side panel (F9)", self.toggle)
        self.others = make_icon_button("more", "Panels whose tabs have no room here")
        self.others.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.others.setMenu(QMenu(self.others))
        for button in (self.collapse_button, self.others):
            button.setFixedWidth(scaled(22))
        self._edge = QToolBar("Panels", orientation=Qt.Orientation.Vertical)
        self._lay_out(actions)
        for number, panel in enumerate(panels):
            self.tabs.addTab(panel.title)
            self.tabs.setTabToolTip(number, f"{panel.title}: {panel.tip}")
            self.tabs.setAccessibleTabName(number, panel.title)
        self.tabs.currentChanged.connect(self._show_tab)
        splitter.splitterMoved.connect(self._on_splitter_moved)
        splitter.resized.connect(self.fit)
        self._set_collapsed(False)

    @property
    def current(self) -> str:
        return self._keys[self.tabs.currentIndex()]

    @property
    def collapsed_by_hand(self) -> bool:
        """Whether the user collapsed it, as opposed to a part that needs its room."""
        return self.collapsed and not self._comes_back

    @property
    def wanted_width(self) -> int:
        """Width in pixels when it is not collapsed, in the present window.

        Unless the user chose it, it is a share of the window, and what the grid leaves free.
        """
        window = self._splitter.width()
        width = max(round(window * _DEFAULT_SHARE), scaled(_MIN))
        if self._comparison.open:
            width = max(round(window * _PANES_SHARE), min(width, scaled(_STEPS)))
        usual = max(min(width, _MAX_AT_FIRST, round(window * _MAX_SHARE)), _MIN)
        free = window - self._splitter.handleWidth() - self.used_width()
        if self.used_width() and free > usual:
            centre = next((c for c in map(scaled, _CENTRES) if c < window - usual), window)
            usual = max(min(free, scaled(_MAX_AT_FIRST), window - centre), usual)
        return min(self.expanded_width or usual, max(window // 2, _MIN))

    def is_shown(self, key: str) -> bool:
        return not self.collapsed and self.current == key

    def widget(self, key: str) -> QWidget:
        """Return the widget of a panel; make it if necessary."""
        if key not in self._made:
            widget = self._panels[key].make(self.stack)
            self.stack.addWidget(widget)
            self._made[key] = widget
        return self._made[key]

    def show_panel(self, key: str, *, focus: bool = False) -> None:
        self.widget(key)
        # The stack would move the focus from the previous panel to the first button of this one.
        left = QApplication.focusWidget()
        focus = focus or (left is not None and self.stack.isAncestorOf(left))
        self.tabs.setCurrentIndex(self._keys.index(key))
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
        if self.collapsed:
            self.show_panel(self.current)
        else:
            self.collapse()

    def collapse(self) -> None:
        """Show only the edge of buttons."""
        self._set_collapsed(True)
        self.changed.emit()

    def collapse_for(self, to: object, on: bool) -> None:
        """Collapse while another part needs the room, unless the user expands it."""
        if on == (to in self._gave_way_to):
            return
        back = False
        if on:
            self._gave_way_to.add(to)
            self._comes_back = self._comes_back or not self.collapsed
        else:
            self._gave_way_to.discard(to)
            back = self._comes_back and not self._gave_way_to
            self._comes_back = self._comes_back and not back
        self._set_collapsed(on or (self.collapsed and not back))
        self.changed.emit()

    def restore(self, key: str, width: int, *, collapsed: bool) -> None:
        self.expanded_width = width if width >= _MIN else 0
        if key in self._panels:
            self.tabs.setCurrentIndex(self._keys.index(key))
        self._set_collapsed(collapsed)

    def fit(self) -> None:
        """Restore its width after the window was resized."""
        if self.collapsed:
            self.setFixedWidth(self._edge.sizeHint().width())
            least = 0 if self.isHidden() else self.width()
        else:
            least = self.wanted_width
        guide = self._guide
        guided = 0 if guide is None else max(scaled(_GUIDE), guide.minimumSizeHint().width())
        rest = self._splitter.width() - least - guided
        self._splitter.setSizes([max(rest, 1), guided, least])

    @property
    def _guide(self) -> QWidget | None:
        """The column for a lesson, while it exists."""
        between = self._splitter.widget(1)
        return None if between is None or between.isHidden() else between

    def _lay_out(self, actions: Mapping[str, QAction]) -> None:
        top = hbox((self.tabs, 1), self.others, self.collapse_button, spacing=0)
        self._body = make_container(vbox(top, (self.stack, 1), spacing=0))
        self._edge.addWidget(make_icon_button("first", "Expand the side panel (F9)", self.toggle))
        self._actions = [actions[f"panel_{key}"] for key in self._panels]
        self._edge.addActions(self._actions)
        for button in self._edge.findChildren(QToolButton):
            button.setProperty("flat", "true")
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setLayout(hbox((self._body, 1), self._edge, spacing=0))

    def _fit_tabs(self) -> None:
        """Show the tabs that fit, and the one in front; a menu has the rest."""
        widths = [self.tabs.tabSizeHint(number).width() for number in range(len(self._keys))]
        room = self.width() - self.collapse_button.width()
        hidden: set[int] = set()
        for number in reversed(range(len(self._keys))):
            menu_width = self.others.width() if hidden else 0
            if sum(widths) - sum(widths[each] for each in hidden) <= room - menu_width:
                break
            hidden |= {number} - {self.tabs.currentIndex()}
        self.others.menu().clear()
        for number, action in enumerate(self._actions):
            if self.tabs.isTabVisible(number) is (number in hidden):  # else Qt forgets to lay out
                self.tabs.setTabVisible(number, number not in hidden)
            if number in hidden:
                self.others.menu().addAction(action)
        self.others.setVisible(bool(hidden))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_tabs()

    def _show_tab(self, _tab_index: int) -> None:
        self._fit_tabs()
        if not self.collapsed:
            self.stack.setCurrentWidget(self.widget(self.current))
        self.changed.emit()

    def _set_collapsed(self, collapsed: bool) -> None:
        self.collapsed = collapsed
        self._body.setHidden(collapsed)
        self._edge.setVisible(collapsed)
        self.setHidden(collapsed and self._guide is not None)  # a lesson needs the room
        self.setMinimumWidth(0 if collapsed else _MIN)
        self.setMaximumWidth((1 << 24) - 1)
        if not collapsed and self.isVisible():
            self.stack.setCurrentWidget(self.widget(self.current))
        self.fit()

    def event(self, event: QEvent) -> bool:
        """Give the edge of buttons the width of its icons, when that changes."""
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest and self.collapsed:
            self.fit()
        return done

    def showEvent(self, event: QShowEvent) -> None:
        """Make the panel in front when it is first shown."""
        super().showEvent(event)
        if not self.collapsed:
            self.stack.setCurrentWidget(self.widget(self.current))

    def _on_splitter_moved(self, _position: int, _index: int) -> None:
        if not self.collapsed:
            self.expanded_width = self.width()


class QtGuideColumn(QStackedWidget):
    """The column beside the canvas for a lesson, an exercise or predict mode.

    The first open guide is shown. If it needs the room, the side panel is collapsed, unless the
    user expands it.
    """

    def __init__(self, guides: Sequence[GuideSpec], side_panel: QtSidePanel) -> None:
        super().__init__()
        self._guides, self._side_panel = guides, side_panel
        self._least = 0
        for guide in guides:
            self.addWidget(guide.make())
            guide.model.changed.connect(self.refresh)
        self.hide()

    def refresh(self) -> None:
        opened = next((n for n, guide in enumerate(self._guides) if guide.is_open()), None)
        if opened is not None:
            self.setCurrentIndex(opened)
        comes_or_goes = (opened is not None) == self.isHidden()
        if comes_or_goes:
            self.setVisible(opened is not None)
        self._side_panel.collapse_for(self, opened is not None and self._guides[opened].needs_room)
        if comes_or_goes or self.minimumSizeHint().width() != self._least:
            self._side_panel.fit()
        self._least = self.minimumSizeHint().width()

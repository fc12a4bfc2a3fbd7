"""Full screen: only canvas, sentence and transport, in large type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QMainWindow, QWidget

from ccl_viewer.window.core.appearance import Appearance
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.widgets.action_spec import ActionSpec

LARGER: Final = 1.6
"""Text scale in full screen, as for a projector."""

_PROJECTOR: Final = (1280, 720)
_LARGER_IN_LESSONS: Final = 1.1  # on that screen, so that all scenes fit without scrolling
_LARGEST: Final = 2.0  # text scale on that screen at which everything fits


def choose_full_screen_scale(screen: tuple[int, int], *, lesson: bool) -> float:
    """Return the text scale in full screen, where a lesson must fit, too.

    `screen` has width and height in pixels.
    """
    if not lesson:
        return LARGER
    return min(max(_LARGER_IN_LESSONS * _room_of(screen), 1.0), LARGER)


def _room_of(screen: tuple[int, int]) -> float:
    """Return how many times as large as a projector's a screen is."""
    return min(size / usual for size, usual in zip(screen, _PROJECTOR, strict=True))


class FullScreen:
    """Hides parts of a window, shows a line instead, and enlarges the text.

    `changed` is called after each change.
    """

    def __init__(
        self,
        window: QMainWindow,
        appearance: Appearance,
        document: Document,
        *,
        hides: Sequence[QWidget],
        line: QWidget | None,
        changed: Callable[[], object],
    ) -> None:
        self._window, self._appearance, self._document = window, appearance, document
        self._hides, self._line, self._changed = hides, line, changed
        self._before: tuple[Qt.WindowState, QRect, list[QWidget]] | None = None
        document.user_grid_aside_changed.connect(self._set_text_size)

    @property
    def on(self) -> bool:
        return self._before is not None

    def enter(self) -> None:
        if self.on:
            return
        window, hidden = self._window, [part for part in self._hides if not part.isHidden()]
        self._before = window.windowState(), window.geometry(), hidden
        for part in hidden:
            part.hide()
        self._show_line()
        self._set_text_size()
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
        self._changed()

    def leave(self) -> None:
        """Restore the window."""
        if self._before is None:
            return
        window, (state, geometry, hidden) = self._window, self._before
        self._before = None
        self._show_line()
        self._set_text_size()
        window.setWindowState(state)
        if not state & Qt.WindowState.WindowMaximized:
            window.setGeometry(geometry)  # restoreGeometry would fit it to the screen
        for part in hidden:
            part.show()
        self._changed()

    def toggle(self) -> None:
        if self.on:
            self.leave()
        else:
            self.enter()

    def _show_line(self) -> None:
        if self._line is not None:
            self._line.setVisible(self.on)

    def _set_text_size(self) -> None:
        if not self.on:
            self._appearance.set_full_screen_scale(None)
            return
        size = self._window.screen().size()
        screen = size.width(), size.height()
        scale = choose_full_screen_scale(screen, lesson=self._document.user_grid_aside)
        largest = max(scale, _LARGEST * _room_of(screen))
        self._appearance.set_full_screen_scale(scale, largest)


def full_screen_action(full_screen: Callable[[], FullScreen]) -> ActionSpec:
    return ActionSpec(
        "full_screen",
        "F&ull screen",
        "View",
        lambda: full_screen().toggle(),
        keys=("F11",),
        icon="fit",
        checked=lambda: full_screen().on,
        group=6,
        tip="Canvas, sentence and transport in large type, as for a projector",
    )

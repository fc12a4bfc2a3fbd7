"""How the window looks: its theme, the size of its text, and whether things move."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QApplication, QLayout, QWidget

from ccl_viewer.session.signals import Signal
from ccl_viewer.temporaries import temporary_folder
from ccl_viewer.views.looks import theme as themes
from ccl_viewer.views.looks.icons import draw_icons, write_colored
from ccl_viewer.views.looks.restyle import polish
from ccl_viewer.views.looks.stylesheet import WINDOW_STYLE, Symbols, make_style
from ccl_viewer.views.looks.system_motion import asks_for_less_motion
from ccl_viewer.views.looks.wardrobe import Wardrobe
from ccl_viewer.views.memory.parts import Memory
from ccl_viewer.views.process.turns import Act, Turns, let_lie, paint_again

TEXT_SIZES = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of text that can be chosen, in per cent of the system's."""

SYSTEM = "system"
"""The choice of theme that follows the system."""

_MOTIONS = {None: SYSTEM, True: "true", False: "false"}
"""How the choice of motion is remembered."""

_ANIMATIONS = (
    Qt.UIEffect.UI_AnimateMenu,
    Qt.UIEffect.UI_FadeMenu,
    Qt.UIEffect.UI_AnimateCombo,
    Qt.UIEffect.UI_AnimateTooltip,
    Qt.UIEffect.UI_FadeTooltip,
)
_BASE = "systemTextPoints"


class Appearance(QObject):
    """The look of a window: palette and font are those of the whole application.

    Attributes
    ----------
    changed : Signal
        The window has another look.
    about_to_grow : Signal
        Its text may get another size: all parts have the room still that they have had.

    Parameters
    ----------
    window : QWidget
        The window, whose dialogs look as it does.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__()
        self._window = window
        self._turns = Turns(self)
        self._wardrobe = Wardrobe(self)
        self._wardrobe.take(window)
        window.setStyleSheet(WINDOW_STYLE)
        self.changed = Signal()
        self.about_to_grow = Signal()
        self._choice = themes.DARK.name
        self._text_size = 100
        self._still: bool | None = None
        self._system_still = asks_for_less_motion(sys.platform, Path.home(), os.environ)
        self._enlarged = 1.0
        self._then: list[Callable[[], object]] = []
        self._preparations: Callable[[], Iterable[Act]] = tuple
        self._folder = temporary_folder()
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_changed)

    @property
    def choice(self) -> str:
        """The theme that was chosen: ``"dark"``, ``"light"`` or ``"system"``."""
        return self._choice

    @property
    def theme(self) -> themes.Theme:
        """The theme in use."""
        return themes.THEMES[_system_theme() if self._choice == SYSTEM else self._choice]

    @property
    def text_size(self) -> int:
        """The size of text that was chosen, one of :data:`TEXT_SIZES`."""
        return self._text_size

    @property
    def scale(self) -> float:
        """How many times as large as the system's text the window's is."""
        return self._text_size / 100 * self._enlarged

    @property
    def reduced_motion(self) -> bool:
        """Whether nothing moves or flashes by itself: as was chosen, or else as the system asks."""
        return self._system_still if self._still is None else self._still

    def set_theme(self, name: str) -> None:
        """Use a theme: ``"dark"``, ``"light"`` or ``"system"``; another name means dark."""
        self._choice = name if name in {*themes.THEMES, SYSTEM} else themes.DARK.name
        self.apply()

    def swap_theme(self) -> None:
        """Use the light theme instead of the dark one, or the other way round."""
        self.set_theme(themes.DARK.name if self.theme is themes.LIGHT else themes.LIGHT.name)

    def set_text_size(self, size: int) -> None:
        """Show text at a size, one of :data:`TEXT_SIZES`."""
        self._text_size = size
        self.apply()

    def larger(self) -> None:
        """Show text at the next larger size."""
        self.set_text_size(min((s for s in TEXT_SIZES if s > self.text_size), default=200))

    def smaller(self) -> None:
        """Show text at the next smaller size."""
        self.set_text_size(max((s for s in TEXT_SIZES if s < self.text_size), default=80))

    def enlarge(self, factor: float, then: Callable[[], object]) -> None:
        """Show all text larger than chosen, for a while.

        Parameters
        ----------
        factor : float
            How many times as large; 1.0 shows it as chosen.
        then : callable
            Lays the window out, once its parts know how much room they need. It is done whatever
            look is chosen meanwhile, in a turn of its own, before the window is painted.
        """
        self._enlarged = factor
        self._then.append(then)
        self.apply()

    def set_reduced_motion(self, on: bool) -> None:
        """Let nothing move or flash by itself."""
        self._still = on
        self._calm_down()
        self.changed.emit()

    def prepare(self, preparations: Callable[[], Iterable[Act]]) -> None:
        """Have things done in turns of their own before the window is painted with another look.

        Parameters
        ----------
        preparations : callable
            Returns them, when the change begins.
        """
        self._preparations = preparations

    def divide(self, *containers: QWidget) -> None:
        """Give each part of these the look in a turn of its own, not all of the window in one.

        Parameters
        ----------
        *containers : QWidget
            Parts of the window which themselves look like nothing, and have no tooltips.
        """
        self._wardrobe.take(*containers)

    @property
    def settled(self) -> bool:
        """Whether all of the window has the look that was chosen."""
        return self._turns.done

    def settle(self) -> None:
        """Give the window at once all that its look still lacks."""
        self._turns.finish()

    def apply(self) -> None:
        """Give the window this look; if it is shown, in many turns, and painted at the end.

        In a single turn, its thread was held up for a tenth of a second.
        """
        self._calm_down()
        application = the_application()
        self.about_to_grow.emit()
        if self._window.isVisible():
            self._window.setUpdatesEnabled(False)
            self._layout.setEnabled(False)
        _set_text_points(application, self.scale)
        application.setPalette(themes.make_palette(self.theme))
        polish(self._window)
        self._turns.begin((self._dress(), *self._show()))
        if not self._window.isVisible():
            self.settle()

    def _dress(self) -> Act:
        return self._wardrobe.put_on(make_style(self.theme, self._symbols(), self.scale))

    def _show(self) -> tuple[Act, ...]:
        return (
            self._hold_together,
            self.changed.emit,
            self._lay_out,
            let_lie,
            partial(draw_icons, self._window),
            *self._preparations(),
            partial(paint_again, self._window),
        )

    def _hold_together(self) -> None:
        # Laid out after each part, panels would give way to those that still have another size.
        if not self._layout.isEnabled():
            self._layout.setEnabled(True)
            self._layout.invalidate()
            self._layout.activate()

    @property
    def _layout(self) -> QLayout:
        layout = self._window.layout()
        if layout is None:
            raise RuntimeError("a window has a layout of its own")
        return layout

    def _lay_out(self) -> None:
        while self._then:
            self._then.pop(0)()

    def _calm_down(self) -> None:
        for effect in _ANIMATIONS:
            QApplication.setEffectEnabled(effect, not self.reduced_motion)

    def scale_icons(self, root: QWidget) -> None:
        """Let the icons of the buttons inside a widget be as large as the text beside them."""
        for button in root.findChildren(QAbstractButton):
            size = button.property("iconAtScale1")
            if not isinstance(size, QSize):
                size = button.iconSize()
                button.setProperty("iconAtScale1", size)
            button.setIconSize(size * self.scale)

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered; what is put back is seen at the next :meth:`apply`."""
        yield Memory("view/theme", lambda: self._choice, self._recall_theme)
        yield Memory("view/text-size", lambda: str(self.text_size), self._recall_text_size)
        yield Memory("view/reduced-motion", lambda: _MOTIONS[self._still], self._recall_motion)

    def close(self) -> None:
        """Remove the files that the style uses, and follow the system no longer."""
        QGuiApplication.styleHints().colorSchemeChanged.disconnect(self._system_changed)
        self._folder.cleanup()

    def _symbols(self) -> Symbols:
        folder, theme = Path(self._folder.name), self.theme
        return Symbols(
            write_colored("arrow-up", theme.dim, folder),
            write_colored("arrow-down", theme.dim, folder),
            write_colored("arrow-left", theme.text, folder),
            write_colored("arrow-right", theme.text, folder),
            write_colored("tick", theme.on_accent, folder),
            write_colored("tick", theme.text, folder),
        )

    def _system_changed(self) -> None:
        if self._choice == SYSTEM:
            self.apply()

    def _recall_theme(self, name: str) -> None:
        if name not in {*themes.THEMES, SYSTEM}:
            raise ValueError(f"there is no theme {name!r}")
        self._choice = name

    def _recall_text_size(self, text: str) -> None:
        if int(text) not in TEXT_SIZES:
            raise ValueError(f"{text} is not a size of text")
        self._text_size = int(text)

    def _recall_motion(self, text: str) -> None:
        choices = {name: still for still, name in _MOTIONS.items()}
        if text not in choices:
            raise ValueError(f"{text!r} is no choice of motion")
        self._still = choices[text]


def the_application() -> QApplication:
    """Return the application.

    Raises
    ------
    RuntimeError
        If there is none yet.
    """
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        raise RuntimeError("make the application before its windows")  # noqa: TRY004  (there is none)
    return application


def text_scale() -> float:
    """Return how many times as large as the system's text that of the windows is."""
    application = the_application()
    base = application.property(_BASE)
    return application.font().pointSizeF() / base if isinstance(base, float) else 1.0


def _system_theme() -> str:
    light = system_scheme() is Qt.ColorScheme.Light
    return themes.LIGHT.name if light else themes.DARK.name


def system_scheme() -> Qt.ColorScheme:
    """Return whether the system is dark or light; unknown where it does not say."""
    return QGuiApplication.styleHints().colorScheme()


def _set_text_points(application: QApplication, scale: float) -> None:
    """Size the application's font, from that with which it began."""
    font = application.font()
    base = application.property(_BASE)
    if not isinstance(base, float):
        base = font.pointSizeF()
        application.setProperty(_BASE, base)
    if font.pointSizeF() != base * scale:
        font.setPointSizeF(base * scale)
        application.setFont(font)

"""How the window looks: theme, size of text, motion; remembered in the settings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from psygnal import Signal

from ccl_viewer.window.core.model import Model

if TYPE_CHECKING:
    from ccl_viewer.window.core.settings import Settings

THEME_CHOICES: Final = ("system", "dark", "light")
TEXT_SIZES: Final = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of text that can be chosen, in per cent of the system's."""


class Appearance(Model):
    """The chosen look.

    The `choice` is one of :data:`THEME_CHOICES`, `text_size` one of :data:`TEXT_SIZES`. In full
    screen, text is `full_screen_scale` times as large, but not enlarged beyond `largest_scale`;
    otherwise the first is None. With `reduced_motion`, nothing moves or flashes automatically.
    """

    theme_changed = Signal()
    text_scale_changed = Signal()
    reduced_motion_changed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        choice = settings.text("view/theme")
        self.choice = choice if choice in THEME_CHOICES else "dark"
        size = settings.value("view/text-size")
        self.text_size = size if isinstance(size, int) and size in TEXT_SIZES else 100
        self.reduced_motion = settings.value("view/reduced-motion") is True
        self._system_theme = "dark"
        self.full_screen_scale: float | None = None
        self.largest_scale = math.inf

    @property
    def theme(self) -> str:
        """The theme in use: ``"dark"`` or ``"light"``."""
        return self._system_theme if self.choice == "system" else self.choice

    @property
    def text_scale(self) -> float:
        """Size of the window's text, as a multiple of the system's."""
        chosen = self.text_size / 100
        return max(chosen, min(chosen * (self.full_screen_scale or 1.0), self.largest_scale))

    def set_theme(self, choice: str) -> None:
        """Use a theme: ``"dark"``, ``"light"`` or ``"system"``; an unknown name means dark."""
        self.choice = choice if choice in THEME_CHOICES else "dark"
        self._settings.set_value("view/theme", self.choice)
        self._announce(self.theme_changed)

    def swap_theme(self) -> None:
        self.set_theme("light" if self.theme == "dark" else "dark")

    def set_system_theme(self, theme: str) -> None:
        if theme != self._system_theme:
            self._system_theme = theme
            if self.choice == "system":
                self._announce(self.theme_changed)

    def set_text_size(self, size: int) -> None:
        """Set the size of text to one of :data:`TEXT_SIZES`."""
        self.text_size = size
        self._settings.set_value("view/text-size", size)
        self._announce(self.text_scale_changed)

    def set_full_screen_scale(self, times: float | None, largest: float = math.inf) -> None:
        """Enlarge text in full screen, up to a largest scale; None uses the chosen size."""
        if (times, largest) != (self.full_screen_scale, self.largest_scale):
            self.full_screen_scale, self.largest_scale = times, largest
            self._announce(self.text_scale_changed)

    def set_reduced_motion(self, on: bool) -> None:
        self._settings.set_value("view/reduced-motion", on)
        self._set(self.reduced_motion_changed, on)

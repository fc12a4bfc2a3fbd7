"""How the window looks: theme, size of text, motion; remembered in the settings."""

from __future__ import annotations

import configparser
import ctypes
import os
import plistlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ccl_viewer.session.model import Model

if TYPE_CHECKING:
    from ccl_viewer.session.settings import Settings

THEME_CHOICES: Final = ("system", "dark", "light")
TEXT_SIZES: Final = (80, 90, 100, 110, 125, 150, 175, 200)
"""Sizes of text that can be chosen, in per cent of the system's."""

_PROJECTED: Final = 1.6  # how much larger text is on a projector

_LINUX: Final = (
    ("kdeglobals", "KDE", "AnimationDurationFactor"),
    ("gtk-4.0/settings.ini", "Settings", "gtk-enable-animations"),
    ("gtk-3.0/settings.ini", "Settings", "gtk-enable-animations"),
)
"""File below the folder of settings, section and key; nothing moves where the value is "no"."""


class Appearance(Model):
    """The look that was chosen; fields "theme", "text_scale", "reduced_motion".

    The `choice` is one of :data:`THEME_CHOICES`, `text_size` one of :data:`TEXT_SIZES`. Text is
    larger yet while it is `projected`.
    """

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        choice = settings.text("view/theme")
        self.choice = choice if choice in THEME_CHOICES else "dark"
        size = settings.value("view/text-size")
        self.text_size = size if isinstance(size, int) and size in TEXT_SIZES else 100
        motion = settings.value("view/reduced-motion")
        self._reduced = motion if isinstance(motion, bool) else None
        self._system_reduced = asks_for_less_motion(sys.platform, Path.home(), os.environ)
        self._system_theme = "dark"
        self.projected = False

    @property
    def theme(self) -> str:
        """The theme in use: ``"dark"`` or ``"light"``."""
        return self._system_theme if self.choice == "system" else self.choice

    @property
    def text_scale(self) -> float:
        """How many times as large as the system's text the window's is."""
        return self.text_size / 100 * (_PROJECTED if self.projected else 1.0)

    @property
    def reduced_motion(self) -> bool:
        """Whether nothing moves or flashes by itself: as chosen, or else as the system asks."""
        return self._system_reduced if self._reduced is None else self._reduced

    def set_theme(self, choice: str) -> None:
        """Use a theme: ``"dark"``, ``"light"`` or ``"system"``; another name means dark."""
        self.choice = choice if choice in THEME_CHOICES else "dark"
        self._settings.set_value("view/theme", self.choice)
        self._announce("theme")

    def swap_theme(self) -> None:
        self.set_theme("light" if self.theme == "dark" else "dark")

    def set_system_theme(self, theme: str) -> None:
        if theme != self._system_theme:
            self._system_theme = theme
            if self.choice == "system":
                self._announce("theme")

    def set_text_size(self, size: int) -> None:
        """Show text at a size, one of :data:`TEXT_SIZES`."""
        self.text_size = size
        self._settings.set_value("view/text-size", size)
        self._announce("text_scale")

    def larger(self) -> None:
        self.set_text_size(min((s for s in TEXT_SIZES if s > self.text_size), default=200))

    def smaller(self) -> None:
        self.set_text_size(max((s for s in TEXT_SIZES if s < self.text_size), default=80))

    def normal(self) -> None:
        self.set_text_size(100)

    def project(self, on: bool) -> None:
        """Enlarge text for a projector, or show it as chosen."""
        if on != self.projected:
            self.projected = on
            self._announce("text_scale")

    def set_reduced_motion(self, on: bool) -> None:
        self._reduced = on
        self._settings.set_value("view/reduced-motion", on)
        self._announce("reduced_motion")


def asks_for_less_motion(platform: str, home: Path, environment: Mapping[str, str]) -> bool:
    """Return whether the system asks for less motion; False where it cannot be known."""
    if platform == "win32":
        return _windows_is_still()
    if platform == "darwin":
        return _mac_is_still(home / "Library/Preferences/com.apple.universalaccess.plist")
    folder = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return any(_is_off(folder / name, section, key) for name, section, key in _LINUX)


def _windows_is_still() -> bool:
    libraries = getattr(ctypes, "windll", None)
    if libraries is None:
        return False
    moves = ctypes.c_int(1)
    client_area_animation = 0x1042
    known = libraries.user32.SystemParametersInfoW(client_area_animation, 0, ctypes.byref(moves), 0)
    return bool(known) and not moves.value


def _mac_is_still(path: Path) -> bool:
    try:
        return bool(plistlib.loads(path.read_bytes()).get("reduceMotion", False))
    except (OSError, ValueError, AttributeError, plistlib.InvalidFileException):
        return False


def _is_off(path: Path, section: str, key: str) -> bool:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read(path, encoding="utf-8")
        value = parser.get(section, key, fallback="").strip().lower()
    except (configparser.Error, UnicodeDecodeError, OSError):
        return False
    return value in {"0", "0.0", "false", "no", "off"}

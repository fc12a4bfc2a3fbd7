"""Whether the system asks for less motion; Qt 6.10 does not say."""

from __future__ import annotations

import configparser
import ctypes
import plistlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

_CLIENT_AREA_ANIMATION: Final = 0x1042
_MAC: Final = Path("Library/Preferences/com.apple.universalaccess.plist")
_LINUX: Final = (
    ("kdeglobals", "KDE", "AnimationDurationFactor"),
    ("gtk-4.0/settings.ini", "Settings", "gtk-enable-animations"),
    ("gtk-3.0/settings.ini", "Settings", "gtk-enable-animations"),
)
"""File below the folder of settings, section and key; nothing moves where it is none."""

_NONE: Final = {"0", "0.0", "false", "no", "off"}


def asks_for_less_motion(platform: str, home: Path, environment: Mapping[str, str]) -> bool:
    """Return whether the system asks for less motion; False where it cannot be known.

    Parameters
    ----------
    platform : str
        As :data:`sys.platform` names it.
    home : Path
        The user's folder.
    environment : mapping of str to str
        Where ``XDG_CONFIG_HOME`` may name the folder of settings.
    """
    if platform == "win32":
        return _windows_is_still()
    if platform == "darwin":
        return _mac_is_still(home / _MAC)
    folder = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    return any(_is_none(folder / name, section, key) for name, section, key in _LINUX)


def _windows_is_still() -> bool:
    libraries = getattr(ctypes, "windll", None)
    if libraries is None:
        return False
    moves = ctypes.c_int(1)
    told = ctypes.byref(moves)
    known = libraries.user32.SystemParametersInfoW(_CLIENT_AREA_ANIMATION, 0, told, 0)
    return bool(known) and not moves.value


def _mac_is_still(path: Path) -> bool:
    try:
        return bool(plistlib.loads(path.read_bytes()).get("reduceMotion", False))
    except (OSError, ValueError, AttributeError, plistlib.InvalidFileException):
        return False


def _is_none(path: Path, section: str, key: str) -> bool:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read(path, encoding="utf-8")
        return parser.get(section, key, fallback="").strip().lower() in _NONE
    except (configparser.Error, UnicodeDecodeError, OSError):
        return False

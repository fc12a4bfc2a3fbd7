"""What the window remembers from one time to the next, in an INI file."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_config_path
from PySide6.QtCore import QSettings

SETTINGS_VARIABLE = "CCL_VIEWER_SETTINGS"
"""Environment variable that names another settings file."""


def open_settings(path: Path | None = None) -> QSettings:
    """Return the settings.

    Parameters
    ----------
    path : Path or None
        The file; None for the one that the environment names, or the user's own.
    """
    if path is None:
        named = os.environ.get(SETTINGS_VARIABLE)
        path = Path(named) if named else user_config_path("ccl-viewer") / "window.ini"
    return QSettings(str(path), QSettings.Format.IniFormat)


def read_text(settings: QSettings, key: str, otherwise: str) -> str:
    """Return a remembered text."""
    value = settings.value(key, otherwise)
    return value if isinstance(value, str) else otherwise

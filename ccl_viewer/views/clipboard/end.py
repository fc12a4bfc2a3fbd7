"""What becomes of the clipboard when the program ends."""

from __future__ import annotations

from typing import Final

SHARED: Final = ("xcb", "wayland", "windows", "cocoa")
"""Platforms with a clipboard of all programs: they take over what was copied."""


def empty_own_clipboard() -> None:
    """Empty the clipboard, if it is this program's alone, before Python ends.

    Where there is no clipboard that programs share, as offscreen, Qt destroys what was copied after
    Python has ended; for data that was made in Python, that is too late, and the process crashes.
    """
    from PySide6.QtGui import QGuiApplication

    if QGuiApplication.instance() is None:
        return
    if not QGuiApplication.platformName().startswith(SHARED):
        QGuiApplication.clipboard().clear()

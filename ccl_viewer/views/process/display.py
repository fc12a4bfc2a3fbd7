"""Says whether a window can be shown, before Qt ends the program because it cannot."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from ccl_viewer.errors import CCLViewerError

_XCB_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
_INSTEAD = (
    "use ccl-viewer label, record or export, or ccl-viewer --screenshot OUT.png, none of which "
    "needs a display"
)


def require_display(platform: str, environment: Mapping[str, str]) -> None:
    """Raise if no window can be shown.

    Parameters
    ----------
    platform : str
        As :data:`sys.platform`; only Linux needs a look.
    environment : mapping
        The environment variables.

    Raises
    ------
    CCLViewerError
        If there is no display, or libraries for X11 are missing.
    """
    if not platform.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return
    if environment.get("WAYLAND_DISPLAY"):
        return
    if not environment.get("DISPLAY"):
        raise CCLViewerError(
            "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): start the program "
            "in a graphical session, install xvfb and run xvfb-run ccl-viewer, or "
            f"{_INSTEAD}."
        )
    missing = [package for library, package in _XCB_LIBRARIES.items() if not _loads(library)]
    if missing:
        raise CCLViewerError(
            f"The window needs system libraries that are missing: apt install "
            f"{' '.join(missing)} (names on Debian and Ubuntu); or {_INSTEAD}."
        )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True

"""Whether the system asks for less motion, as its own settings say."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest

pytest.importorskip("PySide6")

from ccl_viewer.views.looks.system_motion import asks_for_less_motion


@pytest.mark.parametrize(
    ("name", "text", "still"),
    [
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=1\n", False),
        ("kdeglobals", "no section\n%%%", False),
    ],
)
def test_desktops_of_linux_say_so_in_files(
    tmp_path: Path, name: str, text: str, still: bool
) -> None:
    for home, environment in (
        (tmp_path / "usual", {}),
        (tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "usual" / ".config")}),
    ):
        path = tmp_path / "usual" / ".config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        assert asks_for_less_motion("linux", home, environment) is still


def test_macos_says_so_in_a_property_list(tmp_path: Path) -> None:
    path = tmp_path / "Library/Preferences/com.apple.universalaccess.plist"
    assert not asks_for_less_motion("darwin", tmp_path, {})
    path.parent.mkdir(parents=True)
    for still in (True, False):
        path.write_bytes(plistlib.dumps({"reduceMotion": still}))
        assert asks_for_less_motion("darwin", tmp_path, {}) is still
    path.write_bytes(b"\xff broken")
    assert not asks_for_less_motion("darwin", tmp_path, {})


def test_where_nothing_is_said_things_may_move(tmp_path: Path) -> None:
    assert not asks_for_less_motion("linux", tmp_path, {})

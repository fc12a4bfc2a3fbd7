"""Menus and keys that the documentation names are the window's."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtGui import QKeySequence

from ccl_viewer.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in (
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *(ROOT / "docs" / name for name in ("start.md", "exercises.md", "own_algorithm.md")),
        *sorted((ROOT / "docs" / "guides").glob("*.md")),
    )
}
KEY = re.compile(r"\b(?:(?:Ctrl|Shift|Alt)\+)+\w+|\bF\d+\b")
TABLE_OF_KEYS = re.compile(r"^\| key \| (?:tool|what it does) \|\n.*\n((?:\|.*\n)+)", re.MULTILINE)
NO_KEYS = {"wheel", "middle", "button"}
OF_THE_EDITOR = {"Ctrl+Enter"}


def test_menus_exist(window: MainWindow) -> None:
    menus = {
        path.replace("&", "").rpartition("/")[2]: tuple(
            action.text().replace("&", "").rstrip("\N{HORIZONTAL ELLIPSIS}")
            for action in menu.actions()
            if action.text()
        )
        for path, menu in window.actions_by_name.menus.items()
    }
    wrong = [
        f"{page}: {menu} > {rest}"
        for page, text in PAGES.items()
        for menu, rest in re.findall(r"\b([A-Z]\w+) > (?=(.{,30}))", re.sub(r"\s+", " ", text))
        if not rest.startswith(menus[menu])
    ]
    assert not wrong, wrong


def test_keys_exist(window: MainWindow) -> None:
    keys = {key for spec in window.actions_by_name.specs.values() for key in spec.keys}
    known = {QKeySequence(key) for key in keys | OF_THE_EDITOR}
    wrong = []
    for page, text in PAGES.items():
        sentences = re.split(r"(?<=[.:])\s|\n\n", text)
        named = {key for line in sentences if "page" not in line for key in KEY.findall(line)}
        for rows in TABLE_OF_KEYS.findall(text):
            for cell in re.findall(r"^\|([^|]*)\|", rows.replace("Page ", "Pg"), re.MULTILINE):
                named |= set(re.findall(r"[^\s,`]+", cell)) - NO_KEYS
        wrong += [f"{page}: {key}" for key in named if QKeySequence(key) not in known]
    assert not wrong, wrong

"""Text from outside is shown as it is written: no part of the window takes it for HTML."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QPoint, Qt
from PySide6.QtGui import QAction, QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFileDialog,
    QLabel,
    QMessageBox,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot
from support.lessons import LESSON, write_lesson
from support.windows import MakeWindow, close_lesson, make_all_parts, wait_idle

import ccl_viewer as ccl
from ccl_viewer.session import MessageKind
from ccl_viewer.views.main_window import MainWindow

VIEWS = Path(__file__).resolve().parents[2] / "ccl_viewer" / "views"

OWN_MARKUP = {"p", "ul", "li", "b", "i", "code", "span", "style"}
"""What the window's own rich texts are made of."""

RICH = {
    "lessons/panel.py",
    "lessons/question.py",
    "lessons/notes.py",
    "source/header.py",
    "steps/explanation.py",
}
"""The modules that show rich text, which they build of escaped parts."""


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A picture that nobody is to open, alone in a folder."""
    folder = tmp_path / "watched"
    folder.mkdir()
    image = QImage(90, 400, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.red)
    assert image.save(str(folder / "x.png"))
    return folder / "x.png"


@pytest.fixture
def hostile(picture: Path) -> str:
    """What a file says of itself."""
    return f'<img src="{picture}">&amp;<link rel="stylesheet" href="{picture}"><b>x</b>'


@pytest.fixture
def reads(picture: Path) -> Iterator[Callable[[], int]]:
    """Returns how often a file of the picture's folder was read; never on other systems."""
    if sys.platform != "linux":
        yield lambda: 0
        return
    import fcntl

    seen: list[int] = []
    before = signal.signal(signal.SIGIO, lambda number, _frame: seen.append(number))
    folder = os.open(picture.parent, os.O_RDONLY)
    fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT)
    yield lambda: len(seen)
    os.close(folder)
    signal.signal(signal.SIGIO, before)


def write_recording(path: Path, text: str) -> None:
    """Write a recording whose sentences and arguments are all the same text."""
    ccl.record(np.eye(6, dtype=np.uint8), algorithm="shibata_fast").save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"])
    manifest["device_title"] = text
    manifest["ending"] |= {"fault": text, "correct": False}
    for step in manifest["steps"]:
        step |= {"caption": text, "paper": text}
        step["arguments"] = [[text, text, text]]
    members["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def all_tips() -> Iterator[str]:
    """Yield the tooltips of all widgets, actions and items that there are."""
    for widget in QApplication.allWidgets():
        yield widget.toolTip()
        yield from (action.toolTip() for action in widget.actions())
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            yield from tips_of(widget.model())


def tips_of(model: QAbstractItemModel) -> Iterator[str]:
    role = Qt.ItemDataRole.ToolTipRole
    for row in range(min(model.rowCount(), 3)):
        for column in range(model.columnCount()):
            yield str(model.index(row, column).data(role) or "")


def assert_plain() -> None:
    """Hold that whatever label there is shows plain text, or rich text of the window's own."""
    for label in QApplication.allWidgets():
        assert label.whatsThis() == ""
        if not isinstance(label, QLabel):
            continue
        label.ensurePolished()
        if label.textFormat() is Qt.TextFormat.RichText:
            tags = set(re.findall(r"</?([a-zA-Z]+)", label.text()))
            assert tags <= OWN_MARKUP, label.text()
        else:
            assert label.textFormat() is Qt.TextFormat.PlainText, label.text()


def show_tip(text: str, over: QWidget) -> QLabel:
    """Show a tooltip, and return the label in which it is."""
    QToolTip.showText(QPoint(5, 5), text, over)
    (tip,) = [
        widget
        for widget in QApplication.topLevelWidgets()
        if isinstance(widget, QLabel) and widget.isVisible() and widget.text() == text
    ]
    return tip


def test_nothing_in_a_recording_is_shown_as_html(
    make_window: MakeWindow,
    qtbot: QtBot,
    tmp_path: Path,
    hostile: str,
    reads: Callable[[], int],
) -> None:
    path = tmp_path / "<img src='watched"
    path.mkdir()
    write_recording(path / "x.png'>.cclrec", hostile)
    window = make_window(str(path / "x.png'>.cclrec"))
    assert window.session.recording is not None, window.session.message
    make_all_parts(window)
    for name in window.docks.panels:
        window.docks.show(name, on=True)
    window.session.look.pin((0, 0), component=True)
    window.session.say(MessageKind.WARNING, hostile)
    QApplication.processEvents()
    wait_idle(qtbot, window)
    window.grab()
    assert_plain()
    for tip in {tip for tip in all_tips() if "<" in tip}:
        assert show_tip(tip, window).height() < 300
    assert_plain()
    QToolTip.hideText()
    assert reads() == 0


def test_nothing_in_a_lesson_is_shown_as_html(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, hostile: str, reads: Callable[[], int]
) -> None:
    text = LESSON.replace("A small one", "TEXT").replace("See what a lesson is.", "TEXT")
    for plain in ("Before", "Count.", "Look.", "Guess.", "Wait for a *moment*."):
        text = text.replace(f'"{plain}"', '"TEXT"')
    text = text.replace("TEXT", hostile.replace('"', "'"))
    window.session.lesson.open(str(write_lesson(tmp_path, text=text)))
    wait_idle(qtbot, window)
    if not window.session.lesson.is_open:  # refused, in a sentence that may quote it
        assert window.session.message is not None
    for _ in range(3):
        QApplication.processEvents()
        window.grab()
        assert_plain()
        window.session.lesson.next()
        wait_idle(qtbot, window)
    close_lesson(window)
    assert reads() == 0


def test_messages_and_dialogs_of_qt_show_plain_text(
    window: MainWindow, hostile: str, reads: Callable[[], int]
) -> None:
    box = QMessageBox(QMessageBox.Icon.Warning, "Title", hostile, parent=window)
    box.setInformativeText(hostile)
    files = QFileDialog(window, "Title")
    files.setOption(QFileDialog.Option.DontUseNativeDialog)
    files.setLabelText(QFileDialog.DialogLabel.FileName, hostile)
    for dialog in (box, files):
        dialog.show()
        dialog.grab()
        assert_plain()
        dialog.close()
        dialog.deleteLater()
    assert reads() == 0


def test_tooltips_show_plain_text(
    window: MainWindow, hostile: str, reads: Callable[[], int]
) -> None:
    action = QAction(hostile, window)
    window.addAction(action)
    for text in (hostile, f"<table>{hostile}</table>", action.toolTip()):
        tip = show_tip(text, window)
        tip.grab()
        assert tip.textFormat() is Qt.TextFormat.PlainText
    QToolTip.hideText()
    window.removeAction(action)
    assert reads() == 0


def test_rich_text_is_shown_nowhere_else() -> None:
    rich = re.compile(
        r"\.(RichText|MarkdownText|setHtml|insertHtml|appendHtml|setMarkdown|setWhatsThis)\b"
        r"|\b(QTextBrowser|QStaticText|QWhatsThis|QGraphicsTextItem|QErrorMessage)\b"
    )
    found = (path for path in VIEWS.rglob("*.py") if rich.search(path.read_text("utf-8")))
    assert {path.relative_to(VIEWS).as_posix() for path in found} - {"looks/stylesheet.py"} == RICH

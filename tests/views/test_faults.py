"""What fails in a view is told, once, and leaves the window as it was: alive."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import NoReturn

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from support.windows import position, press

from ccl_viewer import views
from ccl_viewer.errors import InputError
from ccl_viewer.session import MessageKind
from ccl_viewer.session.signals import Signal
from ccl_viewer.views.main_window import MainWindow
from ccl_viewer.views.process.faults import Faults
from ccl_viewer.views.tree.canvas import TreeCanvas


def fail(*_arguments: object, **_options: object) -> NoReturn:
    raise ValueError("no such ink")


@pytest.fixture
def told(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window that tells of its faults, as the program's own does."""
    monkeypatch.setattr(sys, "excepthook", Faults(window.session.confess))
    return window


def message_of(window: MainWindow) -> str:
    """What the window says once the event loop has turned."""
    QApplication.processEvents()
    message = window.session.message
    return "" if message is None else message.text


def widgets_of(window: MainWindow) -> dict[str, QWidget]:
    tree = window.findChild(TreeCanvas)
    assert tree is not None
    return {"canvas": window.canvas, "timeline": window.step_panel.timeline, "tree": tree}


@pytest.mark.parametrize(
    ("widget", "part"),
    [
        ("canvas", "canvas.canvas.paint_preview"),
        ("canvas", "canvas.layers.paint_numbers"),
        ("timeline", "timeline.timeline.paint_position"),
        ("tree", "tree.canvas.TreeCanvas.hasFocus"),
    ],
)
def test_what_cannot_be_painted_is_plain_and_told_once(
    told: MainWindow,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    widget: str,
    part: str,
) -> None:
    painted = widgets_of(told)[widget]
    told.canvas.refresh()
    with monkeypatch.context() as broken:
        broken.setattr(f"ccl_viewer.views.{part}", fail)
        plain = painted.grab().toImage()
        assert "ValueError: no such ink" in message_of(told)
        message = told.session.message
        assert message is not None
        assert message.kind is MessageKind.ERROR
        assert "in fail" in message.details
        told.session.dismiss()
        painted.grab()
        assert message_of(told) == ""
    assert capsys.readouterr().err.count("Traceback") == 1
    ground = painted.palette().window().color()
    places = [(x, y) for x in range(0, plain.width(), 7) for y in range(0, plain.height(), 7)]
    assert all(plain.pixelColor(x, y) == ground for x, y in places)
    assert painted.grab().toImage() != plain


def test_what_fails_at_a_step_or_an_event_leaves_the_rest_going(told: MainWindow) -> None:
    told.session.playback.first()
    told.session.playback.position_changed.connect(fail)
    press(told.canvas, Qt.Key.Key_Right)
    assert position(told) == 1
    assert "ValueError" in message_of(told)
    told.session.dismiss()
    told.actions_table["forward"].triggered.connect(lambda: int("x"))
    press(told.canvas, Qt.Key.Key_Right)
    assert position(told) == 2
    assert "invalid literal" in message_of(told)


def test_an_error_of_the_program_is_told_in_its_own_words(told: MainWindow) -> None:
    def refuse() -> None:
        raise InputError("There is no such grid: choose another.")

    told.session.look.layers_changed.connect(refuse)
    told.session.look.show(lines=not told.session.look.layers.lines)
    assert message_of(told) == "There is no such grid: choose another."


def test_a_subscriber_that_fails_does_not_keep_others_from_being_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errors: list[BaseException] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: errors.append(error))
    heard: list[str] = []
    signal = Signal()
    signal.connect(fail)
    signal.connect(lambda: heard.append("told"))
    signal.emit()
    assert heard == ["told"]
    assert [str(error) for error in errors] == ["no such ink"]


def test_an_interrupt_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[object] = []
    monkeypatch.setattr(sys, "__excepthook__", lambda *about: ended.append(about[0]))
    told: list[BaseException] = []
    Faults(told.append)(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert ended == [KeyboardInterrupt]
    assert not told


def test_the_painting_of_every_widget_is_guarded() -> None:
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(views.__path__, f"{views.__name__}.")
    ]
    paints = {
        f"{module.__name__}.{name}": vars(kind)["paintEvent"]
        for module in modules
        for name, kind in vars(module).items()
        if isinstance(kind, type) and "paintEvent" in vars(kind) and issubclass(kind, QWidget)
        if kind.__module__ == module.__name__
    }
    assert len(paints) >= 14
    assert [name for name, paint in paints.items() if not hasattr(paint, "__wrapped__")] == []

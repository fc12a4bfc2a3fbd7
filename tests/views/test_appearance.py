"""Themes, sizes of text and reduced motion: chosen, seen, remembered."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from support.windows import PATIENCE, MakeWindow

from ccl_viewer.views.looks import appearance
from ccl_viewer.views.looks.appearance import TEXT_SIZES
from ccl_viewer.views.main_window import MainWindow


def strike(window: MainWindow, keys: str) -> None:
    QTest.keySequence(window.canvas, QKeySequence(keys))


def test_keys_make_text_larger_and_smaller_within_limits(window: MainWindow) -> None:
    usual = window.source_bar.run_button.font().pointSizeF()
    for expected in (*TEXT_SIZES[3:], TEXT_SIZES[-1]):
        strike(window, "Ctrl+Shift++")
        assert window.appearance.text_size == expected
    window.appearance.settle()
    assert window.source_bar.run_button.font().pointSizeF() == pytest.approx(2 * usual)
    for expected in (*reversed(TEXT_SIZES[:-1]), TEXT_SIZES[0]):
        strike(window, "Ctrl+Shift+-")
        assert window.appearance.text_size == expected
    strike(window, "Ctrl+Shift+0")
    window.appearance.settle()
    assert window.source_bar.run_button.font().pointSizeF() == pytest.approx(usual)


def test_icons_grow_with_text(window: MainWindow) -> None:
    button = window.step_panel.buttons["play"]
    usual = button.iconSize()
    window.appearance.set_text_size(200)
    window.appearance.settle()
    assert button.iconSize() == usual * 2
    window.appearance.set_text_size(100)
    window.appearance.settle()
    assert button.iconSize() == usual


@pytest.mark.parametrize("size", [80, 100, 150, 200])
def test_the_bar_shows_everything_at_every_size(
    window: MainWindow, qtbot: QtBot, size: int
) -> None:
    window.session.configure(algorithm_key="shibata_slow")
    window.appearance.set_text_size(size)
    bar = window.source_bar
    parts = (bar.open_button, bar.algorithm, bar.device, bar.schedule, bar.run_button)
    qtbot.waitUntil(
        lambda: all(
            bar.rect().contains(QRect(part.mapTo(bar, QPoint()), part.size())) for part in parts
        ),
        timeout=PATIENCE,
    )
    for part in parts:
        assert part.height() >= part.fontMetrics().height()


def test_the_theme_follows_the_system(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window.appearance.set_theme("system")
    hints = QGuiApplication.styleHints()
    for scheme, name in ((Qt.ColorScheme.Light, "light"), (Qt.ColorScheme.Dark, "dark")):
        monkeypatch.setattr(
            "ccl_viewer.views.looks.appearance.system_scheme", lambda scheme=scheme: scheme
        )
        hints.colorSchemeChanged.emit(scheme)
        assert window.theme.name == name
        window.appearance.settle()
        assert window.palette().window().color().name() == window.theme.window
    window.appearance.set_theme("light")
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert window.theme.name == "light"


def test_exactly_one_theme_is_ticked(window: MainWindow) -> None:
    names = ("theme_system", "theme_dark", "theme_light")
    for name in names:
        window.actions_table[name].trigger()
        assert [n for n in names if window.actions_table[n].isChecked()] == [name]


def test_reduced_motion_stops_what_moves_by_itself(window: MainWindow) -> None:
    strike(window, "Ctrl+Shift+M")
    assert window.appearance.reduced_motion
    assert not QApplication.isEffectEnabled(Qt.UIEffect.UI_AnimateCombo)
    busy = window.canvas_panel.notices.busy
    window.session.open("pattern:spiral?size=9")
    busy.refresh()
    assert busy.bar.isHidden()
    window.session.cancel()


def test_the_look_is_remembered(make_window: MakeWindow) -> None:
    first = make_window("pattern:shibata")
    first.appearance.set_theme("system")
    first.appearance.set_text_size(125)
    first.appearance.set_reduced_motion(True)
    first.close()
    second = make_window().appearance
    assert (second.choice, second.text_size, second.reduced_motion) == ("system", 125, True)
    second.set_text_size(100)


def test_motion_follows_the_system_until_it_is_chosen(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appearance, "asks_for_less_motion", lambda *_: True)
    first = make_window()
    assert first.appearance.reduced_motion
    assert first.actions_table["reduced_motion"].isChecked()
    first.close()
    monkeypatch.setattr(appearance, "asks_for_less_motion", lambda *_: False)
    second = make_window()
    assert not second.appearance.reduced_motion
    second.actions_table["reduced_motion"].trigger()
    second.close()
    assert make_window().appearance.reduced_motion


def test_the_handle_of_a_slider_is_a_whole_disc(window: MainWindow) -> None:
    slider = window.canvas_panel.layers.strength
    slider.resize(200, slider.sizeHint().height())
    image, disc = slider.grab().toImage(), window.theme.text
    widths = [
        sum(image.pixelColor(x, y).name() == disc for x in range(image.width()))
        for y in range(image.height())
    ]
    assert widths[0] == widths[-1] == 0, "nothing is cut off above or below"
    assert max(widths) == sum(map(bool, widths)) > 10, "as wide as high"

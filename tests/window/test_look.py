"""Themes, contrast, sizes of text, icons, motion, plain text; and the tour."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from support.qt_window import MakeWindow, model_of, part

from ccl_viewer.execution.plan import Stage, StageLevel
from ccl_viewer.render.themes import stage_colour
from ccl_viewer.window.app import wait_until_idle
from ccl_viewer.window.core.appearance import TEXT_SIZES, Appearance
from ccl_viewer.window.core.pattern_chooser import PatternChooser
from ccl_viewer.window.core.settings import Settings
from ccl_viewer.window.drawing.dialogs import ResizeDialog
from ccl_viewer.window.drawing.pattern_dialog import PatternDialog
from ccl_viewer.window.help.widget import CARDS, Tour
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.lessons.widget import QtLessonPlayer
from ccl_viewer.window.main_window import MainWindow
from ccl_viewer.window.messages.widget import QtStatusBar
from ccl_viewer.window.run_settings.widget import QtSettingsBar
from ccl_viewer.window.source.widget import QtSource
from ccl_viewer.window.steps.widget import QtSteps
from ccl_viewer.window.transport.widget import QtTransport
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.fields import FormLayout
from ccl_viewer.window.widgets.plots import QtPlots
from ccl_viewer.window.widgets.style import DARK, LIGHT, Theme, icon, text_on


def settings_bar_of(window: MainWindow) -> QtSettingsBar:
    return part(window, QtSettingsBar)


def transport_of(window: MainWindow) -> QtTransport:
    return part(window, QtTransport)


QT = Path(style.__file__).parents[1]


@pytest.fixture(autouse=True)
def _usual_look(qapp: QApplication) -> Iterator[None]:
    """Palette and font are the application's: a test that changes them leaves no trace."""
    yield
    style.apply(qapp, DARK)


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2."""

    def luminance(color: str) -> float:
        made = QColor(color)
        parts = (made.redF(), made.greenF(), made.blueF())
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_texts_can_be_read(theme: Theme) -> None:
    for ground in (theme.window, theme.surface, theme.raised):
        for ink in (theme.text, theme.dim, theme.accent, theme.ok, theme.warning, theme.error):
            assert contrast(ground, ink) >= 4.5, (ground, ink)
    levels = [stage_colour(StageLevel(stage, level)) for stage in Stage for level in range(1, 12)]
    for ground in (theme.ok, theme.warning, theme.error, *levels):
        assert contrast(ground, text_on(ground)) >= 4.5
    assert contrast(theme.accent, theme.on_accent) >= 4.5
    assert contrast(theme.selection, theme.text) >= 4.5


def test_themes_change_the_whole_application(window: MainWindow, qtbot: QtBot) -> None:
    for name, theme in (("theme_light", LIGHT), ("theme_dark", DARK)):
        window.actions_by_name[name].trigger()
        assert style.theme() is theme
        assert window.palette().window().color() == QColor(theme.window)
        pixel = window.grab().toImage().pixelColor(3, window.menuBar().height() // 2)
        assert pixel == QColor(theme.window)
        qtbot.waitUntil(window.actions_by_name[name].isChecked)
    window.actions_by_name["theme_system"].trigger()
    window.appearance.set_system_theme("light")
    assert style.theme() is LIGHT
    window.actions_by_name["swap_theme"].trigger()
    assert (style.theme(), window.appearance.choice) == (DARK, "dark")


def has_its_room(label: QLabel) -> bool:
    return label.width() >= label.sizeHint().width()


class StyleCounter(QObject):
    """Counts how often a widget is styled."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802  (Qt's name)
        self.count += event.type() is QEvent.Type.StyleChange
        return False


def test_another_look_styles_no_widget_for_each_of_its_parents(window: MainWindow) -> None:
    window.side_panel.show_panel("steps")
    steps = window.side_panel.widget("steps")
    assert isinstance(steps, QtSteps)
    deep = [StyleCounter(widget) for widget in (transport_of(window).place, steps.table)]
    for change in (
        window.appearance.swap_theme,
        lambda: window.appearance.set_text_size(125),
        lambda: window.appearance.set_full_screen_scale(1.6),
        lambda: window.appearance.set_full_screen_scale(None),
    ):
        for counter in deep:
            counter.count = 0
        change()
        assert all(1 <= counter.count <= 3 for counter in deep)


def test_looks_come_back_as_they_were(window: MainWindow, qtbot: QtBot) -> None:
    window.side_panel.show_panel("steps")
    qtbot.waitUntil(lambda: window.session.analysis.analysed)
    qtbot.waitUntil(window.canvas.legend.isVisible)
    wait_until_idle(window)  # columns of tables are measured after a frame
    before = window.grab().toImage()
    window.appearance.set_theme("light")
    window.appearance.set_text_size(150)
    window.full_screen.enter()
    QApplication.processEvents()
    assert window.grab().toImage() != before
    window.full_screen.leave()
    window.appearance.set_text_size(100)
    window.appearance.set_theme("dark")
    qtbot.waitUntil(lambda: window.grab().toImage() == before)


def test_selected_text_in_fields_looks_as_in_lists(window: MainWindow) -> None:
    for name in ("dark", "light"):
        window.appearance.set_theme(name)
        settings_bar_of(window).open_form()
        palette = settings_bar_of(window).form.seed.lineEdit().palette()
        assert palette.highlight().color() == style.theme().color("selection")
        assert palette.highlightedText().color() == style.theme().color("text")


def test_no_button_is_cut_at_any_size_of_text(window: MainWindow) -> None:
    before = window.font().pointSizeF()
    window.resize(1600, 900)
    for size in (80, 200):
        window.appearance.set_text_size(size)
        assert window.font().pointSizeF() == pytest.approx(before * size / 100)
        for button in window.findChildren(QPushButton) + window.findChildren(QToolButton):
            if button.isVisible() and button.text() and not button.property("low"):
                text = button.text().replace("&", "")
                assert button.height() >= button.fontMetrics().height(), text
        assert settings_bar_of(window).run_button.iconSize().width() == style.scaled(16)


@pytest.mark.parametrize("width", [940, 1280])
def test_place_iteration_and_time_stay_at_every_width_and_size_of_text(
    make_window: MakeWindow, qtbot: QtBot, width: int
) -> None:
    window = make_window("pattern:spiral")
    transport, session = transport_of(window), window.session
    qtbot.waitUntil(lambda: session.analysis.analysed)
    session.display.go_to(1)
    for size in (100, 200):
        window.appearance.set_text_size(size)
        window.resize(width, 720)
        assert "iteration 1" in transport.facts.text()
        for label in (transport.place, transport.facts):
            assert label.isVisible()
            qtbot.waitUntil(partial(has_room, label))
            corner = label.mapTo(transport, label.rect().bottomRight())
            assert transport.rect().contains(corner), (size, label.text())
        assert transport.scrubber.width() >= 120


def has_room(label: QLabel) -> bool:
    high = label.height() >= label.fontMetrics().height()
    return high and label.width() >= label.sizeHint().width()


def test_the_scrubber_gets_its_room_back_from_larger_text(window: MainWindow, qtbot: QtBot) -> None:
    transport = transport_of(window)
    parts = transport.scrubber, transport.place, transport.chip, transport.facts
    qtbot.waitUntil(lambda: window.session.analysis.analysed)
    transport.refresh()
    window.grab()  # which lays the window out
    usual = [part.width() for part in parts]
    window.resize(1920, 720)
    window.appearance.set_text_size(150)
    qtbot.waitUntil(lambda: transport.facts.width() > 1.3 * usual[-1])
    recording = window.session.display.recording
    assert recording is not None
    stages = {step.stage for step in recording.steps}
    longest = max(transport.chip.fontMetrics().horizontalAdvance(stage) for stage in stages)
    assert transport.chip.width() >= longest + transport.chip.padding
    window.resize(1280, 720)
    window.appearance.set_text_size(100)
    qtbot.waitUntil(lambda: [part.width() for part in parts] == usual)


def test_labels_of_forms_stand_beside_the_middle_of_their_fields(window: MainWindow) -> None:
    settings_bar_of(window).open_form()
    pattern = PatternDialog(PatternChooser(window.session.tasks), (64, 64), window)
    resize = ResizeDialog(window.session.document, window)
    for holder in (settings_bar_of(window).form, pattern, resize):
        holder.show()
        (form,) = holder.findChildren(FormLayout)
        labels = [one for one in holder.findChildren(QLabel) if one.buddy() and one.isVisible()]
        assert len(labels) > 1
        for label in labels:
            field = label.buddy()
            assert form.labelForField(field) is label
            assert abs(label.geometry().center().y() - field.geometry().center().y()) <= 1
        holder.close()


def test_source_has_the_size_of_text(window: MainWindow, qtbot: QtBot) -> None:
    window.side_panel.show_panel("source")
    model_of(window.session, LessonPlayer).open("runs-ballots-strips")
    qtbot.waitUntil(lambda: model_of(window.session, LessonPlayer).is_open)
    panel = window.side_panel.widget("source")
    (lesson,) = window.findChildren(QtLessonPlayer)
    assert isinstance(panel, QtSource)
    for size in (200, 100, 80):
        window.appearance.set_text_size(size)
        usual = QApplication.font().pointSizeF()
        for text in (panel.text, lesson.code):
            assert 0.8 < text.font().pointSizeF() / usual < 1
        assert lesson.code.height() >= 12 * lesson.code.fontMetrics().lineSpacing()


def test_plots_have_the_size_of_text(window: MainWindow) -> None:
    window.side_panel.show_panel("plots")
    panel = window.side_panel.widget("plots")
    assert isinstance(panel, QtPlots)
    assert panel.renderer is not None
    for size in (200, 100):
        window.appearance.set_text_size(size)
        usual = QApplication.font().pointSizeF()
        font = panel.renderer.item.getAxis("left").style["tickFont"]
        assert 0.8 < font.pointSizeF() / usual < 1


def test_the_menu_ticks_the_size_of_text(window: MainWindow) -> None:
    for size in (200, 100):
        window.actions_by_name[f"text_{size}"].trigger()
        window.actions_by_name.refresh()
        ticked = [size for size in TEXT_SIZES if window.actions_by_name[f"text_{size}"].isChecked()]
        assert ticked == [window.appearance.text_size] == [size]


def test_a_remembered_size_of_text_is_that_of_a_new_window(
    make_window: MakeWindow, qapp: QApplication
) -> None:
    style.apply(qapp, DARK)
    usual = qapp.font().pointSizeF()
    remembered = Settings()
    remembered.set_value("view/text-size", 150)
    remembered.save()
    window = make_window()
    shown = (
        window,
        window.menuBar(),
        settings_bar_of(window),
        transport_of(window),
        part(window, QtStatusBar),
    )
    assert {widget.font().pointSizeF() for widget in shown} == {usual * 1.5}


def test_reduced_motion_is_remembered(tmp_path: Path) -> None:
    settings = Settings(tmp_path / "settings.json")
    look = Appearance(settings)
    assert not look.reduced_motion
    look.set_reduced_motion(True)
    assert Appearance(settings).reduced_motion


def colors_of(pixmap: QPixmap) -> set[str]:
    """The colours of what is drawn, but for its soft edges."""
    image = pixmap.toImage()
    places = ((x, y) for x in range(image.width()) for y in range(image.height()))
    drawn = (image.pixelColor(x, y) for x, y in places)
    return {color.name() for color in drawn if color.alpha() == 255}


def test_icons_have_the_colour_of_the_theme_and_the_size_asked_for(qapp: QApplication) -> None:
    shown = icon("filled")
    for theme in (LIGHT, DARK):
        style.apply(qapp, theme)
        pixmap = shown.pixmap(33, 33)
        assert pixmap.size() == QSize(33, 33)
        assert colors_of(pixmap) == {theme.text}
    assert colors_of(icon("filled", "#123456").pixmap(40, 40)) == {"#123456"}
    faint = shown.pixmap(QSize(40, 40), QIcon.Mode.Disabled)
    assert faint.toImage().pixelColor(20, 20).alpha() < 255
    copy = QIcon(shown)
    copy.addPixmap(QPixmap(5, 5))  # for which Qt clones what draws the icon
    gc.collect()
    assert colors_of(copy.pixmap(40, 40)) == {DARK.text}


def test_an_icon_without_room_paints_nothing(qapp: QApplication, qtlog: Any) -> None:
    image = QImage(20, 20, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        icon("filled").paint(painter, QRect(3, 3, 0, 10))
    assert [record.message for record in qtlog.records] == []


def test_all_icons_that_are_named_are_there(window: MainWindow) -> None:
    for spec in window.actions_by_name.specs.values():
        if spec.icon:
            assert not window.actions_by_name[spec.name].icon().pixmap(16, 16).isNull()


def test_text_from_outside_is_plain(window: MainWindow) -> None:
    text = "<b>bold</b><img src='file:///x.png'>"
    label = QLabel(text, window)
    label.show()
    box = QMessageBox(window)
    box.setText(text)
    box.open()
    for shown in (label, *box.findChildren(QLabel)):
        shown.ensurePolished()
        assert shown.textFormat() is not Qt.TextFormat.AutoText
    box.done(0)


def test_rich_text_is_only_where_its_parts_are_escaped() -> None:
    rich = re.compile(r"RichText|setHtml|QTextBrowser|AutoText")
    found = {path.name for path in QT.rglob("*.py") if rich.search(path.read_text())}
    for name in found - {"style.py"}:
        text = next(QT.rglob(name)).read_text()
        assert "escape" in text or "markup" in text or "html" not in text, name


def test_the_tour_goes_through_the_window_and_can_be_left(
    make_window: MakeWindow, qtbot: QtBot
) -> None:
    window = make_window()
    window.actions_by_name["tour"].trigger()
    qtbot.waitUntil(window.canvas.isVisible)
    tour = window.findChild(Tour)
    assert tour is not None
    for number, (_, title, _) in enumerate(CARDS, 1):
        assert tour.title.text() == title
        assert tour.count.text() == f"{number} of {len(CARDS)}"
        assert window.rect().contains(tour.frame.geometry())
        card = tour.frameGeometry()
        assert window.geometry().contains(card)
        framed = tour.frame.geometry().translated(window.geometry().topLeft())
        both = framed.intersected(card)
        share = both.width() * both.height() / (framed.width() * framed.height())
        assert share < (0.1 if number == 1 else 0.001), title
        QTest.keyClick(tour, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)
    window.actions_by_name["tour"].trigger()
    again = window.findChild(Tour)
    assert again is not None
    QTest.keyClick(again, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)


@pytest.mark.parametrize("scale", [1.0, 1.15, 1.3, 1.6])
def test_play_is_round_at_every_text_size(window: MainWindow, qtbot: QtBot, scale: float) -> None:
    window.appearance.set_full_screen_scale(scale)
    button = transport_of(window).play
    accent = style.theme().color("accent")

    def colour(x: int, y: int) -> QColor:
        return window.grab().toImage().pixelColor(button.mapTo(window, QPoint(x, y)))

    qtbot.waitUntil(lambda: colour(button.width() // 2, 3) == accent)
    assert colour(3, 3) != accent

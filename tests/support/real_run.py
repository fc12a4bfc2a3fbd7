"""A scripted user draws, runs, steps, compares, takes a lesson, imports, exports, saves, closes."""

from __future__ import annotations

import sys

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from ccl_viewer.recording import Recording
from ccl_viewer.window.app import WindowOptions
from ccl_viewer.window.core.view_state import Mode
from ccl_viewer.window.export.widget import ExportDialog
from ccl_viewer.window.lessons.model import LessonPlayer
from ccl_viewer.window.opening.import_dialog import ImportDialog
from ccl_viewer.window.run_settings.widget import QtSettingsBar
from ccl_viewer.window.transport.widget import QtTransport
from ccl_viewer.window.widgets.fields import value_of
from support.qt_window import model_of, part
from support.real_window import Hands, Turn, at_once, folder_named, xdotool


def script_of(hands: Hands) -> list[Turn]:
    """Return the actions, and what to wait for after each."""
    window = hands.window
    session, canvas = window.session, window.canvas
    playback, display = session.playback, session.display
    settings, comparison, lessons = (
        session.runs,
        session.comparison,
        model_of(session, LessonPlayer),
    )
    scale: list[float] = []
    runs: list[Recording | None] = []

    def first_row() -> set[int]:
        assert display.recording is not None
        return set(display.recording.image[0].tolist())

    def run_again() -> None:
        runs.append(display.recording)
        hands.key("F5")

    def scrub() -> None:
        timeline = part(window, QtTransport).scrubber
        xs = [timeline.x_of(0), timeline.x_of(playback.count - 1)]
        places = [timeline.mapToGlobal(QPoint(round(x), timeline.height() // 2)) for x in xs]
        xdotool("mousemove", places[0].x(), places[0].y(), "mousedown", 1)
        xdotool("mousemove", places[1].x(), places[1].y(), "mouseup", 1)

    def importer() -> ImportDialog | None:
        dialog = hands.dialog("ImportDialog")
        return dialog if isinstance(dialog, ImportDialog) else None

    def importer_waits() -> bool:
        dialog = importer()
        return dialog is not None and all(b.isEnabled() for b in dialog.buttons.buttons())

    def without_icons() -> bool:
        # Desktops put icons on the buttons of dialogs by default.
        dialog = importer()
        return dialog is not None and all(b.icon().isNull() for b in dialog.buttons.buttons())

    def exporter() -> ExportDialog | None:
        dialog = hands.dialog("ExportDialog")
        return dialog if isinstance(dialog, ExportDialog) else None

    def name_export() -> None:
        dialog = exporter()
        assert dialog is not None
        hands.focus(dialog)
        dialog.fields["path"].setFocus()
        xdotool("key", "ctrl+a")
        xdotool("type", str(hands.folder / "run.cclrec"))

    def named() -> bool:
        dialog = exporter()
        return dialog is not None and value_of(dialog.fields["path"]) == str(
            hands.folder / "run.cclrec"
        )

    def button() -> QWidget:
        dialog = exporter()
        assert dialog is not None
        return next(
            button
            for button in dialog.buttons.buttons()
            if dialog.buttons.buttonRole(button) is QDialogButtonBox.ButtonRole.AcceptRole
        )

    def is_exported() -> bool:
        written = (hands.folder / "run.cclrec").exists()
        return written and exporter() is None and hands.idle

    return [
        (at_once, lambda: window.isVisible() and hands.idle),
        (hands.focus, window.isActiveWindow),
        (lambda: hands.key("Home"), lambda: playback.position == 0),
        (lambda: hands.key("Right"), lambda: playback.position == 1),
        (lambda: hands.key("period"), lambda: playback.position == 2),
        (lambda: hands.move((1, 1)), lambda: session.view.hover == (1, 1)),
        (lambda: hands.key("v"), lambda: session.view.mode is Mode.DRAW),
        (lambda: hands.stroke((0, 0), (9, 0)), lambda: hands.idle and first_row() == {1}),
        (lambda: hands.key("ctrl+z"), lambda: hands.idle and first_row() == {0}),
        (lambda: scale.append(canvas.placement.logical_cell_size), at_once),
        (lambda: xdotool("click", 4), lambda: canvas.placement.logical_cell_size > scale[0]),
        (lambda: hands.key("ctrl+r"), lambda: canvas.placement.logical_cell_size <= scale[0]),
        (
            lambda: hands.click(part(window, QtSettingsBar).connectivity.button(4)),
            lambda: hands.idle and settings.settings.connectivity == 4,
        ),
        (
            lambda: hands.click(part(window, QtTransport).buttons["first"]),
            lambda: playback.position == 0,
        ),
        (lambda: hands.key("bracketright"), lambda: playback.speed == 2.0),
        (
            lambda: hands.click(part(window, QtTransport).buttons["play"]),
            lambda: playback.at_end and not playback.playing,
        ),
        (run_again, lambda: hands.idle and display.recording is not runs[0]),
        # Scrub: press at the first step, drag to the last.
        (scrub, lambda: playback.at_end),
        # The projector, and back.
        (lambda: hands.key("F11"), lambda: window.full_screen.on and window.isFullScreen()),
        (lambda: hands.key("Home"), lambda: playback.position == 0),
        (lambda: hands.key("Escape"), window.menuBar().isVisible),
        # Another algorithm, chosen with keys.
        (
            part(window, QtSettingsBar).algorithm.setFocus,
            part(window, QtSettingsBar).algorithm.hasFocus,
        ),
        (lambda: hands.key("Down"), lambda: settings.settings.algorithm != "shibata_fast"),
        (
            at_once,
            lambda: (
                hands.idle
                and display.recording is not None
                and display.recording.algorithm == settings.settings.algorithm
            ),
        ),
        (canvas.setFocus, canvas.hasFocus),
        # A picture, imported through the dialogs.
        (lambda: hands.key("ctrl+o"), lambda: hands.dialog("QFileDialog")),
        (lambda: hands.type_name("picture.png"), importer_waits),
        (lambda: hands.focus(importer()), without_icons),
        (
            lambda: hands.key("Return"),
            lambda: hands.idle and session.document.shape == (12, 20),
        ),
        # Another run beside it, and away again.
        (window.actions_by_name["compare"].trigger, lambda: comparison.open),
        (at_once, lambda: hands.idle and len(comparison.aligned_recordings) > 1),
        (lambda: hands.key_here("Home"), lambda: playback.position == 0),
        (window.actions_by_name["compare"].trigger, lambda: not comparison.open),
        # The run, exported through the dialog.
        (lambda: hands.key("ctrl+e"), lambda: exporter() is not None),
        (name_export, lambda: named() and button().isEnabled()),
        (lambda: hands.click(button()), is_exported),
        # A lesson, and two of its scenes; then the user's grid returns.
        (lambda: lessons.open("what-is-a-component"), lambda: lessons.is_open and hands.idle),
        (lambda: hands.key_here("ctrl+Right"), lambda: lessons.index == 1 and hands.idle),
        (lessons.close_lesson, lambda: session.document.shape == (12, 20)),
        (lambda: hands.key_here("ctrl+q"), lambda: not window.isVisible()),
    ]


if __name__ == "__main__":
    options = WindowOptions(source="pattern:shibata", algorithm="shibata_fast", size=(1100, 700))
    hands = Hands(folder_named(), options)
    sys.exit(hands.play(script_of(hands)))

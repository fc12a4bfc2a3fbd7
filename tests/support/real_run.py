"""A person draws, runs, steps, scrubs, switches, undoes, imports, saves and closes."""

from __future__ import annotations

import sys

from PySide6.QtCore import QPoint

from ccl_viewer.recording import Recording
from ccl_viewer.views.importing.dialog import ImportDialog
from ccl_viewer.views.options import WindowOptions
from support.real_window import Hands, Turn, at_once, folder_named, xdotool


def script_of(hands: Hands) -> list[Turn]:
    """Return what is done, and what is waited for after each."""
    window = hands.window
    session, canvas = window.session, window.canvas
    playback = session.playback
    scale: list[float] = []
    runs: list[Recording | None] = []

    def first_row() -> set[int]:
        assert session.recording is not None
        return set(session.recording.image[0].tolist())

    def run_again() -> None:
        runs.append(session.recording)
        hands.key("F5")

    def scrub() -> None:
        timeline = window.step_panel.timeline
        xs = [timeline.x_of(0), timeline.x_of(playback.count - 1)]
        places = [timeline.mapToGlobal(QPoint(round(x), timeline.height() // 2)) for x in xs]
        xdotool("mousemove", places[0].x(), places[0].y(), "mousedown", 1)
        xdotool("mousemove", places[1].x(), places[1].y(), "mouseup", 1)

    def importer() -> ImportDialog | None:
        dialog = hands.dialog("ImportDialog")
        return dialog if isinstance(dialog, ImportDialog) else None

    def importer_waits() -> bool:
        dialog = importer()
        return dialog is not None and dialog.accept_button.isEnabled()

    def without_icons() -> bool:
        # Desktops put icons on the buttons of dialogs, unless told not to.
        dialog = importer()
        return dialog is not None and all(b.icon().isNull() for b in dialog.buttons.buttons())

    return [
        (at_once, lambda: window.isVisible() and hands.idle),
        (hands.focus, window.isActiveWindow),
        (lambda: hands.key("Home"), lambda: playback.position == 0),
        (lambda: hands.key("Right"), lambda: playback.position == 1),
        (lambda: hands.key("period"), lambda: playback.position == 2),
        (lambda: hands.move((1, 1)), lambda: session.look.hover == (1, 1)),
        (lambda: hands.stroke((0, 0), (9, 0)), lambda: hands.idle and first_row() == {1}),
        (lambda: hands.key("ctrl+z"), lambda: hands.idle and first_row() == {0}),
        (lambda: scale.append(canvas.view.scale), at_once),
        (lambda: xdotool("click", 4), lambda: canvas.view.scale > scale[0]),
        (lambda: hands.key("ctrl+r"), lambda: canvas.fitted and canvas.view.scale <= scale[0]),
        (
            lambda: hands.click(window.source_bar.connectivity.group.button(4)),
            lambda: hands.idle and session.settings.connectivity == 4,
        ),
        (lambda: hands.click(window.step_panel.buttons["first"]), lambda: playback.position == 0),
        (lambda: hands.key("bracketright"), lambda: playback.speed == 2.0),
        (
            lambda: hands.click(window.step_panel.buttons["play"]),
            lambda: playback.at_end and not playback.playing,
        ),
        (run_again, lambda: hands.idle and session.recording is not runs[0]),
        # Scrub: press at the first step, drag to the last.
        (scrub, lambda: playback.at_end),
        # The projector, and back.
        (lambda: hands.key("F11"), lambda: window.projector.shown and window.isFullScreen()),
        (lambda: hands.key("Home"), lambda: playback.position == 0),
        (lambda: hands.key("Escape"), window.menus.bar.isVisible),
        # Another algorithm, chosen with keys.
        (window.source_bar.algorithm.setFocus, window.source_bar.algorithm.hasFocus),
        (lambda: hands.key("Down"), lambda: session.settings.algorithm != "shibata_fast"),
        (
            at_once,
            lambda: (
                hands.idle
                and session.recording is not None
                and session.recording.algorithm == session.settings.algorithm
            ),
        ),
        (canvas.setFocus, canvas.hasFocus),
        # A picture, imported through the dialogs.
        (lambda: hands.key("ctrl+shift+o"), lambda: hands.dialog("QFileDialog")),
        (lambda: hands.type_name("picture.png"), importer_waits),
        (lambda: hands.focus(importer()), without_icons),
        (
            lambda: hands.key("Return"),
            lambda: hands.idle and session.grid is not None and session.grid.shape == (12, 20),
        ),
        # The run, saved through the dialog.
        (lambda: hands.key_here("ctrl+s"), lambda: hands.dialog("QFileDialog")),
        (
            lambda: hands.type_name("run.cclrec"),
            lambda: hands.idle and (hands.folder / "run.cclrec").exists(),
        ),
        (lambda: hands.key_here("ctrl+q"), lambda: not window.isVisible()),
    ]


if __name__ == "__main__":
    options = WindowOptions(source="pattern:shibata", algorithm="shibata_fast", size=(1100, 700))
    hands = Hands(folder_named(), options)
    sys.exit(hands.play(script_of(hands)))

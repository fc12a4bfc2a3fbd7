"""A person erases, takes from other programs and gives to them, moves panels, and comes back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from threading import Thread

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

from ccl_viewer.views.docks.title import DockTitle
from ccl_viewer.views.options import WindowOptions
from support.other_program import PLACE
from support.real_window import Hands, Turn, at_once, folder_named

_LEFT = Qt.DockWidgetArea.LeftDockWidgetArea


def script_of(hands: Hands, told: list[str]) -> list[Turn]:
    """Return what is done, and what is waited for after each.

    Parameters
    ----------
    hands : Hands
        The person.
    told : list of str
        What the other program says.
    """

    def row(number: int) -> list[int]:
        grid = hands.window.session.grid
        assert grid is not None
        cells: list[int] = grid[number].tolist()
        return cells

    def shape() -> tuple[int, ...] | None:
        grid = hands.window.session.grid
        return None if grid is None else grid.shape

    def steps_area() -> Qt.DockWidgetArea:
        return hands.window.dockWidgetArea(hands.window.docks["steps"])

    def drag_file() -> None:
        there = hands.window.canvas.mapToGlobal(QPoint(60, 60))
        hands.drag(QPoint(PLACE[0] + 30, PLACE[1] + 30), there)

    def drag_panel(x: int) -> None:
        title = hands.window.docks["steps"].mapToGlobal(QPoint(90, 12))
        hands.drag(title, hands.window.mapToGlobal(QPoint(x, 350)))

    def drag_away() -> None:
        drag_panel(300)

    def drag_left() -> None:
        drag_panel(6)

    def floats() -> bool:
        return hands.window.docks["steps"].isFloating()

    def float_button() -> QWidget:
        title = hands.window.docks["source"].titleBarWidget()
        assert isinstance(title, DockTitle)
        return title.float_button

    def menu() -> QMenu | None:
        shown = hands.dialog("QMenu")
        return shown if isinstance(shown, QMenu) else None

    def question() -> bool:
        return hands.window.unsaved.box is not None

    def answer(key: str) -> None:
        hands.focus(hands.window.unsaved.box)
        hands.key(key)

    def close() -> None:
        hands.key_here("ctrl+q")

    return [
        (at_once, lambda: hands.window.isVisible() and hands.idle),
        (hands.focus, hands.window.isActiveWindow),
        (lambda: hands.stroke((0, 0), (9, 0)), lambda: hands.idle and row(0) == [1] * 10),
        (lambda: hands.stroke((0, 0), (4, 0), 3), lambda: hands.idle and row(0)[:5] == [0] * 5),
        # What was drawn is asked about; then it is given up for a file of another program.
        (close, question),
        (lambda: answer("Escape"), lambda: not question()),
        (drag_file, hands.dragged(drag_file, question)),
        (lambda: answer("alt+d"), lambda: hands.idle and shape() == (2, 3)),
        # Its picture is pasted, and the grid is given to it.
        (lambda: hands.key_here("ctrl+shift+v"), lambda: shape() == (5, 7)),
        (lambda: hands.key("ctrl+alt+c"), lambda: "took ......." in told),
        # The menu key.
        (lambda: hands.key("Menu"), lambda: menu() is not None),
        (lambda: hands.key("Escape"), lambda: menu() is None),
        # A panel is dragged to the other side, another floats; both are there the next time.
        (drag_away, hands.dragged(drag_away, floats)),
        (drag_left, hands.dragged(drag_left, lambda: not floats() and steps_area() == _LEFT)),
        (
            lambda: hands.click(float_button()),
            hands.window.docks["source"].isFloating,
        ),
        (close, lambda: not hands.window.isVisible()),
        (hands.open, lambda: hands.window.isVisible() and hands.idle),
        (at_once, lambda: steps_area() == _LEFT and hands.window.docks["source"].isFloating()),
        (close, lambda: not hands.window.isVisible()),
    ]


def listen(output: Iterable[str], told: list[str]) -> None:
    """Take down what another program says."""
    for line in output:  # not all at once, which would be at the end
        told += [line.strip()]


if __name__ == "__main__":
    folder = folder_named()
    (folder / "dropped.txt").write_text("#.#\n###\n")
    with subprocess.Popen(
        [sys.executable, "-m", "support.other_program", str(folder / "dropped.txt")],
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        told: list[str] = []
        # Aside: the window answers the other program meanwhile.
        Thread(target=listen, args=(other.stdout, told), daemon=True).start()
        hands = Hands(folder, WindowOptions(source="pattern:shibata", size=(1400, 800)))
        code = hands.play(script_of(hands, told))
        other.terminate()
    sys.exit(code)

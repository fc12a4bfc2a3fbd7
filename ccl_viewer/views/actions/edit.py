"""Actions of the menu Edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.views.actions.cells import COPY_LABEL
from ccl_viewer.views.actions.conditions import has_grid, has_run, has_selection
from ccl_viewer.views.actions.spec import Group, Section, Spec
from ccl_viewer.views.clipboard import cells as cell_clipboard
from ccl_viewer.views.source.pane import SourcePane

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.host import Host


def _undo_text(session: Session) -> str:
    title = session.drawing.undo_title
    return f"&Undo {title.lower()}" if title else "&Undo"


def _redo_text(session: Session) -> str:
    title = session.drawing.redo_title
    return f"&Redo {title.lower()}" if title else "&Redo"


_HISTORY = Section(
    (
        Spec(
            "undo",
            "&Undo",
            "Take back the last edit",
            ("Ctrl+Z",),
            "undo",
            do=lambda host: host.session.edits.undo(),
            can=lambda session: session.edits.can_undo,
            text_now=_undo_text,
        ),
        Spec(
            "redo",
            "&Redo",
            "Make the edit again",
            ("Ctrl+Y", "Ctrl+Shift+Z"),
            "redo",
            do=lambda host: host.session.edits.redo(),
            can=lambda session: session.drawing.can_redo,
            text_now=_redo_text,
        ),
    )
)

_CLIPBOARD = Section(
    (
        Spec(
            "cut",
            "Cu&t",
            "Copy what is selected, and make it background",
            ("Ctrl+X",),
            "cut",
            do=cell_clipboard.cut,
            can=has_selection,
        ),
        Spec(
            "copy",
            "&Copy",
            "Copy what is selected, or the whole grid, as text",
            ("Ctrl+C",),
            "copy",
            do=cell_clipboard.copy,
            can=has_grid,
        ),
        Spec(
            "paste",
            "&Paste",
            "Let what was copied float over the grid, to be moved and placed",
            ("Ctrl+V",),
            "paste",
            do=cell_clipboard.paste,
        ),
        Spec(
            "delete",
            "&Delete",
            "Make what is selected background",
            ("Del",),
            do=lambda host: host.session.edits.delete(),
            can=has_selection,
        ),
        Spec(
            "select_all",
            "Select &all",
            "Select the whole grid",
            ("Ctrl+A",),
            do=lambda host: host.session.edits.select_all(),
            can=has_grid,
        ),
        Spec(
            "deselect",
            "Select &nothing",
            "Place what floats, and select nothing",
            ("Ctrl+D",),
            do=lambda host: host.session.edits.deselect(),
            can=has_selection,
        ),
    )
)

_CELLS = Section(
    (
        Spec(
            "clear",
            "C&lear",
            "Make all cells background, or those selected",
            ("Ctrl+Delete",),
            "clear",
            do=lambda host: host.session.edits.clear(),
            can=has_grid,
        ),
        Spec(
            "invert",
            "&Invert",
            "Exchange foreground and background",
            ("Ctrl+I",),
            "invert",
            do=lambda host: host.session.edits.invert(),
            can=has_grid,
        ),
        Spec(
            "random_fill",
            "Rando&m fill…",
            "Fill the grid or the selection with random cells",
            ("Shift+M",),
            "random",
            do=lambda host: host.questions.fill_at_random(),
            can=has_grid,
        ),
    )
)

_TURNS = Section(
    (
        Spec(
            "flip_across",
            "Flip acr&oss",
            "Exchange left and right, of the grid or the selection",
            ("Shift+H",),
            "flip-across",
            do=lambda host: host.session.edits.flip_across(),
            can=has_grid,
        ),
        Spec(
            "flip_down",
            "&Flip down",
            "Exchange top and bottom, of the grid or the selection",
            ("Shift+V",),
            "flip-down",
            do=lambda host: host.session.edits.flip_down(),
            can=has_grid,
        ),
        Spec(
            "rotate_right",
            "Turn ri&ght",
            "Turn the grid or the selection clockwise",
            ("T",),
            "rotate-right",
            do=lambda host: host.session.edits.rotate_right(),
            can=has_grid,
        ),
        Spec(
            "rotate_left",
            "Turn l&eft",
            "Turn the grid or the selection anticlockwise",
            ("Shift+T",),
            "rotate-left",
            do=lambda host: host.session.edits.rotate_left(),
            can=has_grid,
        ),
    )
)


def _nudge(name: str, text: str, dx: int, dy: int) -> Spec:
    side = name.rpartition("_")[2]
    return Spec(
        name,
        text,
        f"Move what is selected by a cell: {side}",
        (f"Alt+{side.capitalize()}",),
        do=lambda host: host.session.edits.nudge(dx, dy),
        can=has_selection,
    )


_NUDGES = Section(
    (
        _nudge("move_left", "&Left", -1, 0),
        _nudge("move_right", "&Right", 1, 0),
        _nudge("move_up", "&Up", 0, -1),
        _nudge("move_down", "&Down", 0, 1),
    ),
    "Mo&ve selection",
)

_GRID = Section(
    (
        Spec(
            "copy_grid",
            "Cop&y grid as picture",
            "Put the whole grid on the clipboard, as a picture and as text",
            ("Ctrl+Alt+C",),
            do=lambda host: host.intake.copy(),
            can=has_grid,
        ),
        COPY_LABEL,
        Spec(
            "resize",
            "Resi&ze grid…",
            "Change the number of rows and columns",
            ("Ctrl+Shift+R",),
            "resize",
            do=lambda host: host.intake.ask_for_size(),
            can=has_grid,
        ),
    )
)


def _find(host: Host) -> None:
    host.docks.show("source", on=True)
    host.docks.panel(SourcePane).begin_find()


def _back_to_kernel(host: Host) -> None:
    host.docks.show("source", on=True)
    host.docks.panel(SourcePane).back_to_kernel()


_SOURCE = Section(
    (
        Spec(
            "find",
            "Find in the &source",
            "Look for a phrase in the kernel's source",
            ("Ctrl+F",),
            "find",
            do=_find,
            can=has_run,
        ),
        Spec(
            "back_to_kernel",
            "Back to t&he kernel",
            "Show the step's kernel in the source, after a link was followed",
            ("Ctrl+Alt+K",),
            "kernel",
            do=_back_to_kernel,
            can=has_run,
        ),
        Spec(
            "copy_kernel",
            "Copy the whole &kernel",
            "Copy the source of the step's kernel, with the comment above it",
            ("Ctrl+Shift+C",),
            do=lambda host: host.docks.panel(SourcePane).copy_kernel(),
            can=has_run,
        ),
    )
)

EDIT = Group("Edit", (_HISTORY, _CLIPBOARD, _CELLS, _TURNS, _NUDGES, _GRID, _SOURCE))

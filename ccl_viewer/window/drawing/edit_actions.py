"""The rows of the menu Edit, and that of a new grid."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QWidget

from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.pattern_chooser import PatternChooser
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.drawing.dialogs import RandomFillDialog, ResizeDialog
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions
from ccl_viewer.window.widgets.files import QtFiles


def ask_for_new(session: Session, files: QtFiles, parent: QWidget) -> None:
    """Ask for a pattern or an empty grid; an empty grid is an edit, which can be undone."""
    from ccl_viewer.window.drawing.pattern_dialog import PatternDialog

    chooser = PatternChooser(session.tasks, session.runs.settings.connectivity)
    dialog = PatternDialog(chooser, session.document.shape or (64, 64), parent)

    def create() -> None:
        key, values = dialog.chooser.pattern.key, dialog.chooser.values
        if key in {"empty", "full"}:
            session.files.announce_replacing()
            sides = int(values["width"]), int(values["height"])
            session.document.new(*sides, int(key == "full"))
        else:
            files.open_path(dialog.chooser.spec)

    dialog.accepted.connect(create)
    dialog.open()


def edit_actions(session: Session, files: QtFiles, parent: QWidget) -> tuple[ActionSpec, ...]:
    """Return the rows that make and change the grid."""
    when = Conditions(session.document, session.display)
    new = ActionSpec(
        "new",
        "&New grid…",
        "File",
        lambda: ask_for_new(session, files, parent),
        keys=("Ctrl+N",),
        icon="new",
        tip="Begin with an empty grid, or with a pattern",
    )
    return (
        new,
        *_undo_actions(session),
        *_selection_actions(session, when),
        *_fill_actions(session, when, parent),
        *_transform_actions(session.document, when, parent),
    )


def _undo_actions(session: Session) -> tuple[ActionSpec, ...]:
    document = session.document

    def undone() -> str:
        return (document.undo_title or "").lower()

    def redone() -> str:
        return (document.redo_title or "").lower()

    def can_undo() -> bool:
        return document.can_undo or session.tools.busy

    return (
        ActionSpec(
            "undo",
            "&Undo",
            "Edit",
            session.tools.undo,
            keys=("Ctrl+Z",),
            icon="undo",
            enabled=can_undo,
            tip="Undo the last edit",
            about=undone,
        ),
        ActionSpec(
            "redo",
            "&Redo",
            "Edit",
            session.tools.redo,
            keys=("Ctrl+Y", "Ctrl+Shift+Z"),
            icon="redo",
            tip="Redo the edit undone last",
            enabled=lambda: document.can_redo,
            about=redone,
        ),
    )


def _selection_actions(session: Session, when: Conditions) -> tuple[ActionSpec, ...]:
    selection = session.document.selection
    return (
        ActionSpec(
            "delete",
            "&Delete",
            "Edit",
            selection.delete,
            keys=("Del",),
            enabled=when.has_selection,
            tip="Make the selection background",
            group=1,
        ),
        ActionSpec(
            "select_all",
            "Select &all",
            "Edit",
            session.tools.select_all,
            keys=("Ctrl+A",),
            icon="select",
            enabled=when.has_grid,
            tip="Select the whole grid",
            group=2,
        ),
        ActionSpec(
            "deselect",
            "Select &nothing",
            "Edit",
            selection.clear,
            enabled=when.has_selection,
            tip="Place floating cells, and select nothing",
            group=2,
        ),
        *(
            ActionSpec(
                f"move_{name}",
                f"Move selection &{name}",
                "Edit/Move selection",
                partial(selection.move, dx, dy),
                keys=(f"Alt+{name.capitalize()}",),
                enabled=when.has_selection,
                tip="Move the selection by a cell",
                group=2,
            )
            for name, dx, dy in (("left", -1, 0), ("right", 1, 0), ("up", 0, -1), ("down", 0, 1))
        ),
    )


def _fill_actions(session: Session, when: Conditions, parent: QWidget) -> tuple[ActionSpec, ...]:
    document = session.document
    return (
        ActionSpec(
            "clear",
            "C&lear",
            "Edit",
            document.clear,
            icon="clear",
            enabled=when.has_grid,
            tip="Make the grid or the selection background",
            group=3,
        ),
        ActionSpec(
            "invert",
            "&Invert",
            "Edit",
            lambda: document.invert(session.tools.foreground_value),
            icon="invert",
            enabled=when.has_grid,
            tip="Exchange foreground and background",
            group=3,
        ),
        ActionSpec(
            "random_fill",
            "Rand&om fill…",
            "Edit",
            lambda: RandomFillDialog(document, session.tools, parent).open(),
            icon="random",
            enabled=when.has_grid,
            tip="Fill the grid or the selection with random cells",
            group=3,
        ),
    )


def _transform_actions(
    document: Document, when: Conditions, parent: QWidget
) -> tuple[ActionSpec, ...]:
    return (
        *(
            ActionSpec(
                name,
                text,
                "Edit",
                call,
                icon=name.replace("_", "-"),
                enabled=when.has_grid,
                tip=tip,
                group=4,
            )
            for name, text, call, tip in (
                (
                    "flip_across",
                    "&Flip left to right",
                    document.flip_left_right,
                    "Mirror the grid or selection sideways",
                ),
                (
                    "flip_down",
                    "Flip top to &bottom",
                    document.flip_top_bottom,
                    "Mirror the grid or selection top to bottom",
                ),
                (
                    "rotate_right",
                    "Rotate ri&ght",
                    document.rotate_right,
                    "Turn the grid or selection clockwise",
                ),
                (
                    "rotate_left",
                    "Rotate l&eft",
                    document.rotate_left,
                    "Turn the grid or selection anticlockwise",
                ),
            )
        ),
        ActionSpec(
            "resize",
            "Resi&ze grid…",
            "Edit",
            lambda: ResizeDialog(document, parent).open(),
            icon="resize",
            enabled=when.has_grid,
            tip="Change the number of rows and columns",
            group=4,
        ),
    )

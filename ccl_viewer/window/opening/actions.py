"""The actions that open and save grids, and those of the clipboard."""

from __future__ import annotations

from PySide6.QtCore import QRectF

from ccl_viewer.storage.resources import sample_photo
from ccl_viewer.window.opening.clipboard import QtClipboard
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions
from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
from ccl_viewer.window.widgets.feature import Context


def opening_actions(context: Context, clipboard: QtClipboard) -> tuple[ActionSpec, ...]:
    """Return the rows of the menu File for grids, and those of the clipboard."""
    when = Conditions(context.session.document, context.session.display)
    return (
        *_file_actions(context, when),
        *_clipboard_actions(clipboard, context.canvas, when),
    )


def _file_actions(context: Context, when: Conditions) -> tuple[ActionSpec, ...]:
    session, files = context.session, context.files
    return (
        ActionSpec(
            "start_page",
            "Start pa&ge",
            "File",
            context.show_start_page,
            enabled=when.has_grid,
            tip="Lessons, patterns and recent files; the grid stays",
        ),
        ActionSpec(
            "open",
            "&Open…",
            "File",
            files.ask_to_open,
            keys=("Ctrl+O",),
            icon="open",
            tip="Open a picture, grid or recording",
            group=1,
        ),
        ActionSpec(
            "open_sample",
            "Open sam&ple photo",
            "File",
            lambda: files.open_path(str(sample_photo())),
            tip="Import a picture of coins that comes with the program",
            group=1,
        ),
        ActionSpec(
            "import_again",
            "Import ag&ain…",
            "File",
            lambda: files.replace(session.imports.repeat),
            enabled=lambda: session.imports.last is not None,
            tip="Import the last picture with other settings",
            group=1,
        ),
        ActionSpec(
            "save_grid",
            "&Save grid",
            "File",
            files.save_grid,
            keys=("Ctrl+S",),
            icon="save",
            enabled=when.has_grid,
            tip="Save the grid as a picture or as text",
            group=2,
        ),
        ActionSpec(
            "save_grid_as",
            "Sa&ve grid as…",
            "File",
            files.save_grid_as,
            keys=("Ctrl+Shift+S",),
            enabled=when.has_grid,
            tip="Save the grid under another name",
            group=2,
        ),
    )


def _clipboard_actions(
    clipboard: QtClipboard, canvas: QtCanvas, when: Conditions
) -> tuple[ActionSpec, ...]:
    return (
        ActionSpec(
            "open_pasted",
            "Open from clip&board",
            "File",
            clipboard.open_pasted,
            icon="paste-new",
            tip="Open the picture, file or text on the clipboard",
            group=1,
        ),
        ActionSpec(
            "cut",
            "Cu&t",
            "Edit",
            clipboard.cut,
            keys=("Ctrl+X",),
            icon="cut",
            enabled=when.has_selection,
            tip="Copy the selection, and make it background",
            group=1,
        ),
        ActionSpec(
            "copy",
            "&Copy",
            "Edit",
            clipboard.copy,
            keys=("Ctrl+C",),
            icon="copy",
            enabled=when.has_grid,
            tip="Copy the selection, or the whole grid, as a picture and as text",
            group=1,
        ),
        ActionSpec(
            "paste",
            "&Paste",
            "Edit",
            lambda: clipboard.paste(canvas.cell_at(QRectF(canvas.rect()).center())),
            keys=("Ctrl+V",),
            icon="paste",
            tip="Paste cells that float over the grid until Enter places them",
            group=1,
        ),
    )

"""The export actions."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from ccl_viewer.storage.files import is_file
from ccl_viewer.window.export.model import Exporter, can_export, last_path, paint_picture
from ccl_viewer.window.export.widget import ExportDialog, ask_to_replace, show_in_folder
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context


def export_actions(context: Context) -> tuple[ActionSpec, ...]:
    """Return the rows of the menu File that export the run or a picture of its step."""
    session, parent, appearance = context.session, context.parent, context.appearance
    workspace, comparison = session.workspace, session.comparison

    def make_exporter() -> Exporter:
        return Exporter(
            workspace,
            files=session.files,
            tasks=session.tasks,
            messages=session.messages,
            settings=session.settings,
            theme=appearance.theme,
        )

    def show_dialog() -> None:
        ExportDialog(make_exporter(), parent, still=appearance.reduced_motion).open()

    def repeat() -> None:
        """Export the run on display like the last one; ask before replacing the file."""
        path = last_path(session.settings)
        if not is_file(path) or ask_to_replace(parent, path):
            make_exporter().repeat(show_in_folder)

    def copy_picture(*, all_runs: bool = False) -> None:
        """Copy the step on display for other programs: as a picture, and as vectors."""

        def take(png: bytes, svg: bytes) -> None:
            data = QMimeData()
            data.setImageData(QImage.fromData(png))
            data.setData("image/png", png)
            data.setData("image/svg+xml", svg)
            QGuiApplication.clipboard().setMimeData(data)
            text = "The picture is on the clipboard, as PNG and as vectors (SVG)."
            session.messages.tell(text)

        paint_picture(workspace, session.tasks, appearance.theme, take, all_runs=all_runs)

    def can_export_now() -> bool:
        return can_export(workspace, session.tasks)

    def can_repeat() -> bool:
        return can_export_now() and bool(last_path(session.settings))

    def has_several_runs() -> bool:
        return comparison.open and len(comparison.aligned_recordings) > 1

    return (
        ActionSpec(
            "export",
            "E&xport…",
            "File",
            show_dialog,
            keys=("Ctrl+E",),
            icon="export",
            enabled=can_export_now,
            tip="Save the run as animation, picture, page, data or recording",
            group=3,
        ),
        ActionSpec(
            "export_again",
            "Expor&t again",
            "File",
            repeat,
            enabled=can_repeat,
            tip="Export this run like the last one, under the same name",
            group=3,
        ),
        ActionSpec(
            "copy_picture",
            "&Copy picture of step",
            "File",
            copy_picture,
            icon="copy",
            enabled=can_export_now,
            tip="Copy this step as a picture and as vectors",
            group=3,
        ),
        ActionSpec(
            "copy_pictures",
            "Cop&y picture of all runs",
            "File",
            partial(copy_picture, all_runs=True),
            enabled=has_several_runs,
            tip="Copy this step of all compared runs, side by side",
            group=3,
        ),
    )

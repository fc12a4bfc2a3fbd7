"""File > Add algorithm, and the question whether its code may run."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from ccl_viewer.window.own_algorithms.model import OwnAlgorithms
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context, Feature
from ccl_viewer.window.widgets.file_dialogs import Button


def build(context: Context) -> Feature:
    """Return what user algorithms add to the window."""
    session = context.session
    model = OwnAlgorithms(
        tasks=session.tasks,
        messages=session.messages,
        runs=session.runs,
        choose=lambda key: session.configure(algorithm=key),
    )

    def choose_folder() -> None:
        dialog = QFileDialog(context.parent, "Add the algorithm in a folder")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: model.add(Path(path)))
        dialog.open()

    def ask() -> None:
        asked = model.pending
        if asked is not None:
            names = {Button.Cancel: "&Don't run it", Button.Yes: "&Run it"}
            text = (
                f"The folder is {asked.folder.path}. Its Python and its kernels run with your "
                "rights, in a separate process: allow only code that you would run yourself. "
                "When the code changes, you are asked again."
            )
            title = f"May the code of {asked.folder.name} run?"
            context.files.ask(title, text, names, answered)

    def answered(answer: int) -> None:
        if answer == Button.Yes.value:
            model.allow()
        else:
            model.decline()

    model.pending_changed.connect(ask)
    action = ActionSpec(
        "add_algorithm",
        "A&dd algorithm…",
        "File",
        choose_folder,
        tip="Use your own algorithm: a folder with NAME.cu and NAME.py",
        group=1,
    )
    return Feature(models=(model,), actions=(action,), restore=model.add_installed)

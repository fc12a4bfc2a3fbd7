"""File > Add algorithm, the list of user algorithms, and the question whether code may run."""

from __future__ import annotations

from PySide6.QtCore import Qt

from ccl_viewer.window.user_algorithms.widget import QtUserAlgorithms
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context, Feature
from ccl_viewer.window.widgets.file_dialogs import Button, ask_for_folder


def build(context: Context) -> Feature:
    """Return the feature of user algorithms."""
    model = context.session.user_algorithms

    def choose_folder() -> None:
        ask_for_folder(context.parent, "Add the algorithm in a folder", model.add)

    def ask() -> None:
        pending = model.pending
        if pending is not None:
            names = {Button.Cancel: "&Don't run it", Button.Yes: "&Run it"}
            text = (
                f"The folder is {pending.folder.path}. Its Python and its kernels run with your "
                "rights, in a separate process: allow only code that you would run yourself. "
                "When the code changes, you are asked again."
            )
            title = f"May the code of {pending.folder.name} run?"
            context.files.ask(title, text, names, answered)

    def answered(answer: int) -> None:
        if answer == Button.Yes.value:
            model.allow()
        else:
            model.decline()

    def show_list() -> None:
        dialog = QtUserAlgorithms(model, choose_folder, context.parent)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    model.pending_changed.connect(ask)
    add = ActionSpec(
        "add_algorithm",
        "A&dd algorithm…",
        "File",
        choose_folder,
        tip="Use your own algorithm: a folder with NAME.cu and NAME.py",
        group=1,
    )
    manage = ActionSpec(
        "user_algorithms",
        "&My algorithms…",
        "File",
        show_list,
        tip="List the algorithms whose code may run, and remove some",
        group=1,
    )
    return Feature(actions=(add, manage), restore=model.add_installed)

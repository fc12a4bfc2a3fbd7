"""Actions of the menu File."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from ccl_viewer.views.actions.conditions import idle_grid, idle_run
from ccl_viewer.views.actions.spec import Deed, Group, Section, Spec
from ccl_viewer.views.figure_copy import copy_figure

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host


def _settled(title: str, deed: Deed) -> Deed:
    """Return what places first what floats, so that the run is of the grid that is seen."""

    def do(host: Host) -> None:
        settling = host.session.settling
        if settling.needed:
            # Not while the end of a run is told of: dialogs have event loops of their own.
            soon = partial(QTimer.singleShot, 0, host.canvas, partial(deed, host))
            settling.first(title, soon)
        else:
            deed(host)

    return do


FILE = Group(
    "File",
    (
        Section(
            (
                Spec(
                    "new",
                    "New gri&d…",
                    "Begin with an empty, full or random grid",
                    ("Ctrl+Shift+N",),
                    "new",
                    do=lambda host: host.intake.ask_for_new_grid(),
                ),
                Spec(
                    "pattern",
                    "&New pattern…",
                    "Begin with a computed grid",
                    ("Ctrl+N",),
                    "pattern",
                    do=lambda host: host.intake.choose_pattern(),
                ),
            )
        ),
        Section(
            (
                Spec(
                    "open",
                    "&Open…",
                    "Open a picture, grid or recording",
                    ("Ctrl+O",),
                    "open",
                    do=lambda host: host.dialogs.open(),
                ),
                Spec(
                    "import",
                    "&Import picture…",
                    "Open a picture with threshold, crop and scale",
                    ("Ctrl+Shift+O",),
                    "import",
                    do=lambda host: host.intake.ask_for_picture(),
                ),
                Spec(
                    "import_again",
                    "Import ag&ain…",
                    "Import the last picture with other settings",
                    do=lambda host: host.intake.import_again(),
                    can=lambda session: session.importing.can_repeat,
                ),
                Spec(
                    "open_pasted",
                    "Open from clip&board",
                    "Open the picture, file or text on the clipboard",
                    ("Ctrl+Shift+V",),
                    "paste-new",
                    do=lambda host: host.intake.paste(),
                ),
            )
        ),
        Section(
            (
                Spec(
                    "save_grid",
                    "Save &grid…",
                    "Save the grid as a picture or text",
                    ("Ctrl+Shift+S",),
                    do=lambda host: host.dialogs.save_grid(),
                    can=idle_grid,
                ),
                Spec(
                    "save",
                    "&Save recording…",
                    "Save the run to a file",
                    ("Ctrl+S",),
                    "save",
                    do=lambda host: host.dialogs.save_recording(),
                    can=idle_run,
                ),
                Spec(
                    "save_labels",
                    "Save &labels of this step…",
                    "Save the labels of this step as numbers",
                    do=_settled("Saving labels", lambda host: host.dialogs.save_labels()),
                    can=idle_run,
                ),
                Spec(
                    "save_table",
                    "Save &table of steps…",
                    "Save times and counts of all steps",
                    do=_settled("Saving the table", lambda host: host.dialogs.save_table()),
                    can=idle_run,
                ),
            )
        ),
        Section(
            (
                Spec(
                    "export",
                    "&Export…",
                    "Export as animation, pictures, vectors or data",
                    ("Ctrl+E",),
                    "export",
                    do=_settled("Exporting", lambda host: host.exports.ask()),
                    can=idle_run,
                ),
                Spec(
                    "copy_figure",
                    "&Copy figure",
                    "Copy this step, of the lane that was used last, as a picture and as vectors",
                    ("Ctrl+Shift+X",),
                    "copy",
                    do=_settled("Copying the figure", copy_figure),
                    can=idle_run,
                ),
            )
        ),
        Section(
            (
                Spec(
                    "quit",
                    "&Quit",
                    "Close the window",
                    ("Ctrl+Q",),
                    do=lambda host: host.close(),
                ),
            )
        ),
    ),
)

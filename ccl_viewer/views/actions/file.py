"""Actions of the menu File."""

from __future__ import annotations

from ccl_viewer.views.actions.conditions import idle_grid, idle_run
from ccl_viewer.views.actions.settled import settled
from ccl_viewer.views.actions.spec import Group, Section, Spec
from ccl_viewer.views.clipboard.figure import copy_figure

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
                    do=settled("Saving labels", lambda host: host.dialogs.save_labels()),
                    can=idle_run,
                ),
                Spec(
                    "save_table",
                    "Save &table of steps…",
                    "Save times and counts of all steps",
                    do=settled("Saving the table", lambda host: host.dialogs.save_table()),
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
                    do=settled("Exporting", lambda host: host.exports.ask()),
                    can=idle_run,
                ),
                Spec(
                    "copy_figure",
                    "&Copy figure",
                    "Copy this step, of the lane that was used last, as a picture and as vectors",
                    ("Ctrl+Shift+X",),
                    "copy",
                    do=settled("Copying the figure", copy_figure),
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

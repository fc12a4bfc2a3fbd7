"""Actions of the menu File."""

from ccl_viewer.views.actions.conditions import idle_grid, idle_run
from ccl_viewer.views.actions.spec import Group, Section, Spec

FILE = Group(
    "File",
    (
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
                    "pattern",
                    "&New pattern…",
                    "Begin with a computed grid",
                    ("Ctrl+N",),
                    "pattern",
                    do=lambda host: host.questions.choose_pattern(),
                ),
            )
        ),
        Section(
            (
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
                    "save_grid",
                    "Save &grid…",
                    "Save the grid as a picture or text",
                    ("Ctrl+Shift+S",),
                    do=lambda host: host.dialogs.save_grid(),
                    can=idle_grid,
                ),
                Spec(
                    "export",
                    "&Export…",
                    "Export as GIF or pictures",
                    ("Ctrl+E",),
                    "export",
                    do=lambda host: host.dialogs.export(host.appearance.theme.name),
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

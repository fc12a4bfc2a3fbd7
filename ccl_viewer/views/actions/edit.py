"""Actions of the menu Edit."""

from ccl_viewer.views.actions.conditions import has_grid
from ccl_viewer.views.actions.spec import Group, Section, Spec

EDIT = Group(
    "Edit",
    (
        Section(
            (
                Spec(
                    "undo",
                    "&Undo",
                    "Take back the last edit",
                    ("Ctrl+Z",),
                    "undo",
                    do=lambda host: host.session.drawing.undo(),
                    can=lambda session: session.drawing.can_undo,
                ),
                Spec(
                    "redo",
                    "&Redo",
                    "Make the edit again",
                    ("Ctrl+Y", "Ctrl+Shift+Z"),
                    "redo",
                    do=lambda host: host.session.drawing.redo(),
                    can=lambda session: session.drawing.can_redo,
                ),
            )
        ),
        Section(
            (
                Spec(
                    "clear",
                    "&Clear",
                    "Make all cells background",
                    ("Ctrl+Delete",),
                    "clear",
                    do=lambda host: host.session.drawing.clear(),
                    can=has_grid,
                ),
                Spec(
                    "invert",
                    "&Invert",
                    "Exchange foreground and background",
                    ("Ctrl+I",),
                    do=lambda host: host.session.drawing.invert(),
                    can=has_grid,
                ),
            )
        ),
    ),
)

"""Actions of the menu Help."""

from ccl_viewer.views.actions.spec import Group, Section, Spec

HELP = Group(
    "Help",
    (
        Section(
            (
                Spec(
                    "keys",
                    "&Keys…",
                    "Show all keys",
                    ("?", "F1"),
                    "help",
                    do=lambda host: host.questions.show_keys(),
                ),
                Spec(
                    "about",
                    "&About CCL Viewer…",
                    "Show the version and the papers",
                    icon="info",
                    do=lambda host: host.questions.show_about(),
                ),
            )
        ),
    ),
)

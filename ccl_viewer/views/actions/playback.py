"""Actions of the menu Playback."""

from ccl_viewer.views.actions.conditions import has_run, not_at_first, not_at_last
from ccl_viewer.views.actions.milestones import MILESTONES
from ccl_viewer.views.actions.spec import Group, Section, Spec

_STEPS = Section(
    (
        Spec(
            "play",
            "&Play",
            "Play or pause",
            ("Space",),
            "play",
            do=lambda host: host.session.playback.toggle(),
            can=has_run,
        ),
        Spec(
            "back",
            "Step &back",
            "Step back",
            ("Left", ","),
            "back",
            do=lambda host: host.session.playback.back(),
            can=not_at_first,
        ),
        Spec(
            "forward",
            "Step &forward",
            "Step forward",
            ("Right", "."),
            "forward",
            do=lambda host: host.session.playback.forward(),
            can=not_at_last,
        ),
        Spec(
            "first",
            "F&irst step",
            "First step",
            ("Home",),
            "first",
            do=lambda host: host.session.playback.first(),
            can=not_at_first,
        ),
        Spec(
            "last",
            "&Last step",
            "Last step",
            ("End",),
            "last",
            do=lambda host: host.session.playback.last(),
            can=not_at_last,
        ),
    )
)

_GROUPS = Section(
    (
        Spec(
            "previous_group",
            "Pre&vious iteration",
            "Previous iteration",
            ("PgUp",),
            do=lambda host: host.session.playback.previous_group(),
            can=has_run,
        ),
        Spec(
            "next_group",
            "&Next iteration",
            "Next iteration",
            ("PgDown",),
            do=lambda host: host.session.playback.next_group(),
            can=has_run,
        ),
        Spec(
            "go_to",
            "&Go to step…",
            "Go to a step by its number",
            ("Alt+G",),
            do=lambda host: host.questions.go_to(),
            can=has_run,
        ),
        *MILESTONES,
    )
)

_SPEED = Section(
    (
        Spec(
            "slower",
            "Slo&wer",
            "Play slower",
            ("[",),
            do=lambda host: host.session.playback.slower(),
        ),
        Spec(
            "faster",
            "F&aster",
            "Play faster",
            ("]",),
            do=lambda host: host.session.playback.faster(),
        ),
        Spec(
            "normal_speed",
            "Normal &speed",
            "Play at normal speed",
            ("Backspace",),
            do=lambda host: host.session.playback.set_speed(1.0),
        ),
    )
)

_WAY = Section(
    (
        Spec(
            "backwards",
            "Play bac&kwards",
            "Play towards the first step",
            ("Shift+R",),
            "reverse",
            switch=lambda host, on: host.session.playback.set_backwards(on),
            on=lambda host: host.session.playback.backwards,
        ),
        Spec(
            "loop",
            "L&oop",
            "Begin again at the end",
            ("Shift+O",),
            "loop",
            switch=lambda host, on: host.session.playback.set_looping(on),
            on=lambda host: host.session.playback.looping,
        ),
        Spec(
            "section_start",
            "Section s&tarts here",
            "Play only from this step on",
            ("Shift+A",),
            do=lambda host: host.session.playback.start_here(),
            can=has_run,
        ),
        Spec(
            "section_end",
            "Section &ends here",
            "Play only up to this step",
            ("Shift+B",),
            do=lambda host: host.session.playback.end_here(),
            can=has_run,
        ),
        Spec(
            "section_clear",
            "No se&ction",
            "Play all steps again",
            ("Shift+Backspace",),
            do=lambda host: host.session.playback.set_section(None),
            can=lambda session: session.playback.section is not None,
        ),
    )
)

PLAYBACK = Group("Playback", (_STEPS, _GROUPS, _SPEED, _WAY))

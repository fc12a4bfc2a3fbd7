"""Switches of what is drawn over the cells, in the menu View."""

from ccl_viewer.views.actions.spec import Section, Spec

LAYERS = Section(
    (
        Spec(
            "numbers",
            "&Numbers",
            "Labels as numbers in the cells",
            ("N",),
            "numbers",
            switch=lambda host, on: host.session.show_layers(numbers=on),
            on=lambda host: host.session.layers.numbers,
            remembered=True,
        ),
        Spec(
            "lines",
            "&Grid lines",
            "Lines between cells",
            ("G",),
            "grid",
            switch=lambda host, on: host.session.show_layers(lines=on),
            on=lambda host: host.session.layers.lines,
            remembered=True,
        ),
        Spec(
            "changed",
            "&Changed cells",
            "Mark cells that the step changed",
            ("C",),
            "changed",
            switch=lambda host, on: host.session.show_layers(changed=on),
            on=lambda host: host.session.layers.changed,
            remembered=True,
        ),
    )
)

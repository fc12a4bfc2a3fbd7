"""Actions of the menu View."""

from __future__ import annotations

from ccl_viewer.views.actions.conditions import has_grid
from ccl_viewer.views.actions.layers import LAYERS
from ccl_viewer.views.actions.spec import Group, Section, Spec
from ccl_viewer.views.panels import PANELS, Panel

_ZOOM = 1.25

_ZOOMS = Section(
    (
        Spec(
            "fit",
            "&Fit grid",
            "Show the whole grid",
            ("Ctrl+R",),
            "fit",
            do=lambda host: host.canvas.fit(),
            can=has_grid,
        ),
        Spec(
            "zoom_in",
            "Zoom &in",
            "Larger cells (wheel)",
            ("Ctrl++", "Ctrl+="),
            "zoom-in",
            do=lambda host: host.canvas.zoom(_ZOOM),
            can=has_grid,
        ),
        Spec(
            "zoom_out",
            "Zoom &out",
            "Smaller cells (wheel)",
            ("Ctrl+-",),
            "zoom-out",
            do=lambda host: host.canvas.zoom(1 / _ZOOM),
            can=has_grid,
        ),
    )
)


def _panel(panel: Panel) -> Spec:
    name = panel.name
    return Spec(
        f"panel_{name}",
        f"&{panel.title}",
        f"Show or hide the panel {panel.title}",
        (panel.key,),
        switch=lambda host, on: host.docks.show(name, on=on),
        on=lambda host: host.docks.is_open(name),
    )


_PANELS = Section(
    (
        *(_panel(panel) for panel in PANELS),
        Spec(
            "reset_layout",
            "&Reset layout",
            "Put all panels back in their places",
            ("Ctrl+0",),
            do=lambda host: host.docks.reset(),
        ),
    ),
    "&Panels",
)

_LOOKS = Section(
    (
        Spec(
            "light",
            "&Light theme",
            "Light instead of dark",
            ("Ctrl+L",),
            "theme",
            switch=lambda host, on: host.appearance.set_theme("light" if on else "dark"),
            on=lambda host: host.appearance.theme.name == "light",
        ),
    )
)

VIEW = Group("View", (_ZOOMS, LAYERS, _PANELS, _LOOKS))

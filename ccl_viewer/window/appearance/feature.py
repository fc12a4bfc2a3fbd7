"""Theme, size of text and motion: rows of the menu View."""

from __future__ import annotations

from ccl_viewer.window.core.appearance import TEXT_SIZES, Appearance
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context, Feature


def build(context: Context) -> Feature:
    """Return the feature of the look."""
    look = context.appearance
    themes = {"system": "&Follow the system", "dark": "&Dark", "light": "&Light"}
    actions = (
        *(_theme_row(look, name, text) for name, text in themes.items()),
        ActionSpec(
            "swap_theme",
            "S&witch dark and light",
            "View/The&me",
            look.swap_theme,
            icon="theme",
            group=5,
        ),
        *(_size_row(look, size) for size in TEXT_SIZES),
        ActionSpec(
            "reduced_motion",
            "&Reduced motion",
            "View",
            lambda: look.set_reduced_motion(not look.reduced_motion),
            checked=lambda: look.reduced_motion,
            group=5,
            tip="Turn off automatic movement and flashes",
        ),
    )
    return Feature(actions=actions)


def _theme_row(look: Appearance, name: str, text: str) -> ActionSpec:
    return ActionSpec(
        f"theme_{name}",
        text,
        "View/The&me",
        lambda: look.set_theme(name),
        checked=lambda: look.choice == name,
        group=5,
    )


def _size_row(look: Appearance, size: int) -> ActionSpec:
    return ActionSpec(
        f"text_{size}",
        f"{size}%",
        "View/Te&xt size",
        lambda: look.set_text_size(size),
        checked=lambda: look.text_size == size,
        tip=f"Text at {size}% of its normal size",
        group=5,
    )

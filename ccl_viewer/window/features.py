"""The features of the window, in the order of their panels and menu rows."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from ccl_viewer.window.widgets.feature import Context, Feature

FEATURES: Final = (
    "drawing",
    "opening",
    "user_algorithms",
    "canvas",
    "run_settings",
    "transport",
    "steps",
    "source",
    "plots",
    "tree",
    "memory",
    "inside",
    "check",
    "components",
    "compare",
    "lessons",
    "exercises",
    "predict",
    "export",
    "bench",
    "messages",
    "full_screen",
    "appearance",
    "help",
)
"""Folders of this package. A folder can be deleted together with its row; the rest works."""


def build_features(context: Context) -> tuple[Feature, ...]:
    """Return all features, built for a window."""
    modules = (import_module(f"ccl_viewer.window.{name}.feature") for name in FEATURES)
    return tuple(module.build(context) for module in modules)

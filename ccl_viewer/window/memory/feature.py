"""The panel Memory: accesses of a step, by buffer and line."""

from __future__ import annotations

from ccl_viewer.window.memory.model import Memory
from ccl_viewer.window.memory.widget import QtMemory
from ccl_viewer.window.widgets.feature import Context, Feature, PanelSpec


def build(context: Context) -> Feature:
    """Return the feature of the panel."""
    session = context.session
    memory = Memory(session.analysis)
    panel = PanelSpec(
        "Memory",
        "memory",
        lambda parent: QtMemory(memory, session.runs, session.view, session.playback, parent),
        "What the step does to memory",
    )
    return Feature(models=(memory,), panels=(panel,))

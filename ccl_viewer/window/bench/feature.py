"""The window of benchmarks."""

from __future__ import annotations

from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Context, Feature


def build(context: Context) -> Feature:
    """Return what benchmarks add to the window."""

    def show() -> None:
        from ccl_viewer.window.bench.widget import show_bench  # rarely needed

        show_bench(context.session.tasks, context.session.document, context.parent)

    action = ActionSpec(
        "bench",
        "&Benchmark…",
        "Run",
        show,
        icon="measure",
        tip="Measure the papers' tables, or algorithms on your grids",
        group=1,
    )
    return Feature(actions=(action,))

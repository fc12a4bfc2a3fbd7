"""The line with algorithm and settings above the canvas, and the menu Run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ccl_viewer.algorithms import ALGORITHMS, copied_algorithms, own_algorithms
from ccl_viewer.window.run_settings.widget import QtSettingsBar
from ccl_viewer.window.widgets.action_spec import ActionSpec
from ccl_viewer.window.widgets.feature import Area, Context, Feature, PaletteEntry


def build(context: Context) -> Feature:
    """Return the feature of the run's settings."""
    session, runs, settings = context.session, context.session.runs, context.session.settings

    def find() -> Iterator[PaletteEntry]:
        for algorithm in (*ALGORITHMS.values(), *copied_algorithms(), *own_algorithms()):
            choose = partial(session.configure, algorithm=algorithm.key)
            yield PaletteEntry(algorithm.title, "Algorithm", choose, algorithm.summary)

    def restore() -> None:
        runs.set_live(settings.value("run/live") is True)
        runs.set_counting(settings.value("run/counting") is not False)
        connectivity = settings.value("run/connectivity")
        runs.configure(
            algorithm=settings.text("run/algorithm") or None,
            connectivity=connectivity if connectivity in {4, 8} else None,
        )

    actions = (
        ActionSpec(
            "run",
            "&Run",
            "Run",
            session.comparison.run,
            keys=("F5",),
            icon="run",
            enabled=lambda: runs.can_run,
            tip="Run the algorithm on the grid",
        ),
        ActionSpec(
            "live",
            "&Live",
            "Run",
            lambda: runs.set_live(not runs.live),
            icon="live",
            checked=lambda: runs.live,
            tip="Label the grid again while you draw",
        ),
    )
    return Feature(
        actions=actions,
        widgets={
            Area.TOP: lambda: QtSettingsBar(
                session, context.actions["run"], context.actions["live"]
            )
        },
        find=find,
        restore=restore,
        save=lambda: {
            "run/algorithm": runs.settings.algorithm,
            "run/connectivity": runs.settings.chosen,
            "run/live": runs.live,
            "run/counting": runs.counting,
        },
    )

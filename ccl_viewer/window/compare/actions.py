"""The rows of the menu Compare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtGui import QGuiApplication

from ccl_viewer.support.units import counted
from ccl_viewer.window.core.comparison import Comparison
from ccl_viewer.window.core.comparison_table import csv_of
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions


def compare_actions(
    comparison: Comparison, messages: Messages, when: Conditions
) -> tuple[ActionSpec, ...]:
    """Return the rows that open, fill and close a comparison."""

    def add() -> None:
        """Add a pane with another algorithm, and make it the active one."""
        if comparison.add_rival() is not None:
            comparison.set_active(len(comparison.panes) - 1)

    def copy_results() -> None:
        rows = [row for row in comparison.rows if not row.awaits]
        QGuiApplication.clipboard().setText(csv_of(rows))
        messages.tell(f"Copied a table of {counted(len(rows), 'run')} as CSV.")

    def has_results() -> bool:
        return comparison.open and not all(row.awaits for row in comparison.rows)

    def is_open() -> bool:
        return comparison.open

    def can_add() -> bool:
        return when.has_grid() and not comparison.full

    def can_remove() -> bool:
        """Return whether the active pane is not that of the session's run."""
        return comparison.active > 0

    def removed() -> str:
        return comparison.active_pane.title if can_remove() else ""

    def row(
        group: int,
        name: str,
        text: str,
        tip: str,
        run: Callable[[], object],
        enabled: Callable[[], bool] = is_open,
        **others: Any,
    ) -> ActionSpec:
        others = {"menu": "Compare", "enabled": enabled, "tip": tip, "group": group, **others}
        return ActionSpec(name=name, text=text, run=run, **others)

    def switch(field: str, text: str, tip: str) -> ActionSpec:
        """Return a row that toggles a field of the view."""
        return row(
            3,
            f"compare_{field}",
            text,
            tip,
            lambda: comparison.set_options(**{field: not getattr(comparison.options, field)}),
            checked=lambda: getattr(comparison.options, field),
            icon=field,
        )

    return (
        row(
            0,
            "compare",
            "&Compare runs",
            "Show other algorithms on the same grid beside this run",
            lambda: comparison.set_open(not comparison.open),
            when.has_grid,
            icon="compare",
            checked=is_open,
        ),
        row(
            0,
            "compare_fill",
            "Compare f&our algorithms",
            "Add algorithms that suit the grid until there are four, and show the results",
            comparison.add_rivals_until_full,
            can_add,
        ),
        row(
            1,
            "compare_add",
            "&Add pane",
            "Add another algorithm; the line of settings changes it",
            add,
            can_add,
            icon="plus",
        ),
        row(
            1,
            "compare_remove",
            "&Remove pane",
            "Remove the active pane with its run; the first stays",
            lambda: comparison.remove(comparison.active_pane),
            can_remove,
            about=removed,
        ),
        row(
            1,
            "compare_reset",
            "Re&set panes",
            "Choose new algorithms for all runs but the first, to suit this grid",
            comparison.choose_new_rivals,
        ),
        row(
            1,
            "compare_next",
            "Ne&xt pane",
            "Show settings, steps, source, plots and tree of the run in the next pane",
            lambda: comparison.set_active((comparison.active + 1) % len(comparison.panes)),
            lambda: len(comparison.panes) > 1,
        ),
        switch(
            "difference",
            "Show &differences",
            "Hatch cells whose component differs from the first run's",
        ),
        switch(
            "table",
            "Show &table of results",
            "Show launches, iterations, atomic operations, times and verdicts of all runs",
        ),
        ActionSpec(
            "compare_copy",
            "Cop&y results as CSV",
            "Compare",
            copy_results,
            icon="copy",
            enabled=has_results,
            group=3,
            tip="Copy the table of results for a spreadsheet",
        ),
        row(
            4,
            "compare_close",
            "C&lose comparison",
            "Return to a single run",
            lambda: comparison.set_open(False),
            icon="close",
        ),
    )

"""The rows of the menu Compare."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication

from ccl_viewer.support.units import counted
from ccl_viewer.window.core.comparison import Comparison
from ccl_viewer.window.core.comparison_table import csv_of
from ccl_viewer.window.core.comparison_texts import make_rows
from ccl_viewer.window.core.messages import Messages
from ccl_viewer.window.widgets.action_spec import ActionSpec, Conditions


def compare_actions(
    comparison: Comparison, messages: Messages, when: Conditions
) -> tuple[ActionSpec, ...]:
    """Return the rows that open, fill and close a comparison."""

    def is_open() -> bool:
        return comparison.open

    def can_add() -> bool:
        return when.has_grid() and not comparison.full

    return (
        ActionSpec(
            "compare",
            "&Compare runs",
            "Compare",
            lambda: comparison.set_open(not comparison.open),
            icon="compare",
            enabled=when.has_grid,
            checked=is_open,
            tip="Show other algorithms on the same grid beside this run",
        ),
        ActionSpec(
            "compare_fill",
            "Compare f&our algorithms",
            "Compare",
            comparison.add_rivals_until_full,
            enabled=can_add,
            tip="Add algorithms that suit the grid until there are four, and show the results",
        ),
        *_pane_actions(comparison, can_add),
        *_result_actions(comparison, messages),
        ActionSpec(
            "compare_close",
            "C&lose comparison",
            "Compare",
            lambda: comparison.set_open(False),
            icon="close",
            enabled=is_open,
            tip="Return to a single run",
            group=4,
        ),
    )


def _pane_actions(comparison: Comparison, can_add: Callable[[], bool]) -> tuple[ActionSpec, ...]:
    def add() -> None:
        """Add a pane with another algorithm, and make it the active one."""
        if comparison.add_rival() is not None:
            comparison.set_active(len(comparison.panes) - 1)

    def can_remove() -> bool:
        """Return whether the active pane is not that of the session's run."""
        return comparison.active > 0

    def removed() -> str:
        return comparison.active_pane.title if can_remove() else ""

    return (
        ActionSpec(
            "compare_add",
            "&Add pane",
            "Compare",
            add,
            icon="plus",
            enabled=can_add,
            tip="Add another algorithm; the line of settings changes it",
            group=1,
        ),
        ActionSpec(
            "compare_remove",
            "&Remove pane",
            "Compare",
            lambda: comparison.remove(comparison.active_pane),
            enabled=can_remove,
            about=removed,
            tip="Remove the active pane with its run; the first stays",
            group=1,
        ),
        ActionSpec(
            "compare_reset",
            "Re&set panes",
            "Compare",
            comparison.choose_new_rivals,
            enabled=lambda: comparison.open,
            tip="Choose new algorithms for all runs but the first, to suit this grid",
            group=1,
        ),
        ActionSpec(
            "compare_next",
            "Ne&xt pane",
            "Compare",
            lambda: comparison.set_active((comparison.active + 1) % len(comparison.panes)),
            enabled=lambda: len(comparison.panes) > 1,
            tip="Show settings, steps, source, plots and tree of the run in the next pane",
            group=1,
        ),
    )


def _result_actions(comparison: Comparison, messages: Messages) -> tuple[ActionSpec, ...]:
    def switch(field: str, text: str, tip: str) -> ActionSpec:
        """Return a row that toggles an option of the comparison."""
        return ActionSpec(
            f"compare_{field}",
            text,
            "Compare",
            lambda: comparison.set_options(**{field: not getattr(comparison.options, field)}),
            icon=field,
            enabled=lambda: comparison.open,
            checked=lambda: getattr(comparison.options, field),
            tip=tip,
            group=3,
        )

    def copy_results() -> None:
        rows = [row for row in make_rows(comparison) if not row.awaits]
        QGuiApplication.clipboard().setText(csv_of(rows))
        messages.tell(f"Copied a table of {counted(len(rows), 'run')} as CSV.")

    def has_results() -> bool:
        return comparison.open and not all(row.awaits for row in make_rows(comparison))

    return (
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
            tip="Copy the table of results for a spreadsheet",
            group=3,
        ),
    )

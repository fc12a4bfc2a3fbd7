"""Actions of the menu Compare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ccl_viewer.recording.together import Sync
from ccl_viewer.views.actions.conditions import has_grid
from ccl_viewer.views.actions.settled import settled
from ccl_viewer.views.actions.spec import Group, Section, Spec
from ccl_viewer.views.clipboard.figure import copy_all

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.host import Host


def _open(session: Session) -> bool:
    return session.comparison.open


def _has_room(session: Session) -> bool:
    return session.grid is not None and not (session.comparison.open and session.comparison.full)


def _has_lanes(session: Session) -> bool:
    return bool(session.comparison.lanes)


def _can_measure(session: Session) -> bool:
    comparison = session.comparison
    return comparison.open and not session.busy and not comparison.working


def _can_copy(session: Session) -> bool:
    comparison = session.comparison
    return comparison.open and bool(comparison.recordings) and not session.busy


def _can_pin(session: Session) -> bool:
    run = session.recording
    return session.comparison.baseline is not None or (run is not None and run.complete)


def _remove(host: Host) -> None:
    lane = host.canvas_panel.compare.lane_in_focus()
    if lane is not None:
        host.session.comparison.remove(lane)


def _change(host: Host) -> None:
    lane = host.canvas_panel.compare.lane_in_focus()
    if lane is not None:
        host.canvas_panel.compare.ask_to_change(lane)


def _pin(host: Host, on: bool) -> None:
    comparison = host.session.comparison
    if not on:
        comparison.drop_baseline()
        return
    comparison.pin_baseline()
    _look(host, difference=True)
    if not comparison.open:
        comparison.show(on=True)


def _fill(host: Host) -> None:
    host.session.comparison.fill()
    _look(host, table=True)


def _look(host: Host, **changes: Any) -> None:
    comparison = host.session.comparison
    comparison.look(replace(comparison.view, **changes))


def _layer(spec: Spec, field: str) -> Spec:
    """Return a row as the switch of a field of the comparison's view."""
    return replace(
        spec,
        switch=lambda host, on: _look(host, **{field: on}),
        on=lambda host: bool(getattr(host.session.comparison.view, field)),
        can=_open,
    )


def _sync(name: str, sync: Sync, text: str, help_text: str, key: str) -> Spec:
    """Return a row that chooses what keeps lanes in step."""
    return Spec(
        name,
        text,
        help_text,
        (key,),
        switch=lambda host, _on: _look(host, sync=sync),
        on=lambda host: host.session.comparison.view.sync is sync,
        can=_open,
    )


COMPARE = Group(
    "Compare",
    (
        Section(
            (
                Spec(
                    "compare",
                    "&Compare runs",
                    "Show other runs on the same grid beside this one",
                    ("Ctrl+U",),
                    "compare",
                    switch=lambda host, on: host.session.comparison.show(on=on),
                    on=lambda host: host.session.comparison.open,
                    can=has_grid,
                ),
                Spec(
                    "compare_add",
                    "&Add lane\N{HORIZONTAL ELLIPSIS}",
                    "Run another algorithm, or this one in another way, beside the others",
                    ("Ctrl+Shift+U",),
                    "plus",
                    do=lambda host: host.canvas_panel.compare.ask_for_lane(),
                    can=_has_room,
                ),
                Spec(
                    "compare_fill",
                    "Compare f&our algorithms",
                    "Run other algorithms in all free lanes, and show the table of what each took",
                    ("Ctrl+Alt+F",),
                    do=_fill,
                    can=_has_room,
                ),
                Spec(
                    "compare_change",
                    "Cha&nge lane\N{HORIZONTAL ELLIPSIS}",
                    "Run the lane that has the focus, or the last one, in another way",
                    ("Ctrl+Alt+U",),
                    do=_change,
                    can=_has_lanes,
                ),
                Spec(
                    "compare_remove",
                    "&Remove lane",
                    "Take away the lane that has the focus, or the last one",
                    ("Ctrl+Shift+Delete",),
                    do=_remove,
                    can=_has_lanes,
                ),
            )
        ),
        Section(
            (
                _sync(
                    "compare_steps",
                    Sync.STEP,
                    "By &step",
                    "All runs go on by one launch",
                    "Ctrl+Alt+1",
                ),
                _sync(
                    "compare_iterations",
                    Sync.ITERATION,
                    "By &iteration",
                    "All runs go on by one round of work",
                    "Ctrl+Alt+2",
                ),
                _sync(
                    "compare_share",
                    Sync.SHARE,
                    "By s&hare of the run",
                    "All runs begin and end together",
                    "Ctrl+Alt+3",
                ),
                _sync(
                    "compare_race",
                    Sync.TIME,
                    "&Race by measured time",
                    "Each run goes on as fast as its kernels did, slowed to be seen",
                    "Ctrl+Alt+4",
                ),
            ),
            title="&Keep in step",
            one_of=True,
        ),
        Section(
            (
                _layer(
                    Spec(
                        "compare_difference",
                        "Show &differences",
                        "Hatch cells that are in another component now than in the other run",
                        ("Shift+D",),
                        "difference",
                    ),
                    "difference",
                ),
                Spec(
                    "compare_baseline",
                    "Pin as &baseline",
                    "Keep this run, and compare all runs on the same grid with it from now on",
                    ("Shift+K",),
                    "baseline",
                    switch=_pin,
                    on=lambda host: host.session.comparison.baseline is not None,
                    can=_can_pin,
                ),
                _layer(
                    Spec(
                        "compare_table",
                        "Show &table",
                        "Show launches, iterations, times and verdicts of all runs",
                        ("Ctrl+Shift+T",),
                        "table",
                    ),
                    "table",
                ),
                Spec(
                    "compare_measure",
                    "&Measure all lanes",
                    "Run each lane 20 times without recording it: the race and the table then go "
                    "by the medians (Esc stops)",
                    ("Shift+F6",),
                    "measure",
                    do=lambda host: host.session.comparison.measure(),
                    can=_can_measure,
                ),
                Spec(
                    "compare_copy",
                    "Cop&y table as CSV",
                    "Copy the table of runs for a spreadsheet",
                    ("Ctrl+Alt+T",),
                    do=lambda host: host.canvas_panel.compare.copy_table(),
                    can=_open,
                ),
                Spec(
                    "compare_figure",
                    "Copy &figure of all lanes",
                    "Copy this moment of all runs, side by side, as a picture and as vectors",
                    ("Ctrl+Alt+X",),
                    "copy",
                    do=settled("Copying the figure", copy_all),
                    can=_can_copy,
                ),
            )
        ),
        Section(
            (
                Spec(
                    "compare_close",
                    "C&lose comparison",
                    "Show one run alone again",
                    ("Ctrl+Shift+W",),
                    "close",
                    do=lambda host: host.session.comparison.show(on=False),
                    can=_open,
                ),
            )
        ),
    ),
)

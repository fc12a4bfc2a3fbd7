"""Which runs are compared, that views hear of it once, and that names tell lanes apart."""

from __future__ import annotations

import pytest
from support.sessions import HeldRunner

from ccl_viewer.render.facts import shorter_names
from ccl_viewer.session import RunSettings, Session
from ccl_viewer.session.comparison.comparison import MOST_LANES
from ccl_viewer.session.comparison.heading import heading_of


def named(session: Session, runner: HeldRunner, *lanes: RunSettings) -> list[str]:
    """The names in the table, which are those in the headings."""
    comparison = session.comparison
    comparison.remember(lanes)
    comparison.show(on=True)
    runner.work_all()
    names = [row.name for row in comparison.rows]
    heads = [heading_of(comparison, session, lane) for lane in (None, *comparison.lanes)]
    assert [heading.title for heading in heads] == names
    return names


def test_runs_of_other_algorithms_are_called_after_these(
    labelled: Session, runner: HeldRunner
) -> None:
    lane = RunSettings("ha4", schedule="random:3")
    assert named(labelled, runner, lane) == ["Label Equivalence", "HA4"]


def test_runs_of_one_algorithm_are_called_after_their_schedules(
    labelled: Session, runner: HeldRunner
) -> None:
    mine = labelled.settings.algorithm
    names = named(labelled, runner, RunSettings(mine, schedule="random:3"), RunSettings("ha4"))
    assert names == ["Label Equivalence, synchronous", "Label Equivalence, random:3", "HA4"]


def test_parameters_are_named_with_the_algorithm(labelled: Session, runner: HeldRunner) -> None:
    lanes = [
        RunSettings("ha4", schedule="sequential"),
        RunSettings("ha4", schedule="sequential", parameters={"barriers": 1}),
    ]
    assert named(labelled, runner, *lanes)[1:] == ["HA4", "HA4, barriers 1"]


def test_connectivity_tells_runs_apart(labelled: Session, runner: HeldRunner) -> None:
    lane = RunSettings(labelled.settings.algorithm, connectivity=8)
    expected = ["Label Equivalence, connectivity 4", "Label Equivalence, connectivity 8"]
    assert named(labelled, runner, lane) == expected


def test_all_free_lanes_are_filled_at_once(labelled: Session, runner: HeldRunner) -> None:
    comparison = labelled.comparison
    comparison.fill()
    assert comparison.open
    assert comparison.full
    comparison.fill()
    runner.work_all()
    assert len({recording.algorithm for recording in comparison.recordings}) == MOST_LANES


def test_views_are_told_once_that_comparing_began_or_ended(
    labelled: Session, runner: HeldRunner
) -> None:
    named(labelled, runner, RunSettings("ha4"), RunSettings("playne"), RunSettings("komura"))
    comparison, told = labelled.comparison, list[int]()
    comparison.changed.connect(lambda: told.append(len(comparison.lanes)))
    comparison.show(on=False)
    assert told == [0]
    comparison.show(on=True)
    assert told == [0, 3]


@pytest.mark.parametrize(
    ("name", "shorter"),
    [
        ("HA4", ()),
        ("Playne-Hawick, direct", ("Playne-Hawick",)),
        ("BKE (Block-based Komura Equivalence)", ("BKE (Block-based Komura Equiv.)", "BKE")),
        ("Label Equivalence, random:3", ("Label Equiv., random:3",)),
        ("Shibata, naive", ()),
    ],
)
def test_shorter_names_still_tell_runs_apart(name: str, shorter: tuple[str, ...]) -> None:
    assert shorter_names(name, ("Label Equivalence", "Komura", "Shibata, fast")) == shorter

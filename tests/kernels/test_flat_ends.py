"""Runs end with every cell naming its root directly, unless parameters end them early.

Labels are what each paper puts out, so a run that leaves several in one component is wrong.
"""

from __future__ import annotations

import pytest
from support.grids import noise, spiral

import ccl_viewer as ccl


@pytest.mark.parametrize(("size", "labels"), [(31, 7), (63, 15)])
def test_the_papers_checks_can_leave_several_labels_in_a_component(size: int, labels: int) -> None:
    """Row-Col Unify as printed looks at pairs alone: it stops while labels still differ."""
    recording = ccl.record(
        spiral(size),
        "row_col_unify",
        connectivity=4,
        device="emulator",
        schedule="synchronous",
        variant="printed_checks",
    )
    assert recording.converged
    assert len(set(recording.labels(-1)[recording.image != 0].tolist())) == labels
    assert recording.verdict is not None
    assert not recording.verdict.correct
    assert recording.sentence.startswith(
        f"WRONG: {labels} components where the reference finds 1; "
    )


def test_a_run_that_is_told_to_stop_short_is_judged_by_its_labels() -> None:
    image = noise(9, 131, 1.0)
    recording = ccl.record(
        image, "shibata_naive", connectivity=8, device="emulator", schedule="synchronous", passes=1
    )
    assert not recording.converged
    assert recording.sentence.startswith(
        "Stopped after 1 pass, before convergence. WRONG: 1,040 components where the reference "
        "finds 1; "
    )

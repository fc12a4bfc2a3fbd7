"""What the papers print, number by number, on the synchronous schedule."""

from __future__ import annotations

import numpy as np
import pytest
from support.grids import noise, spiral
from support.shibata import FIGURE_2, figure, numbers

import ccl_viewer as ccl
from ccl_viewer.recording import Recording


@pytest.mark.parametrize(
    ("algorithm", "figures"),
    [
        ("shibata_naive", (3, 4)),
        ("shibata_slow", (3, 4, 5, 6, 7)),
        ("shibata_fast", (3, 4, 5, 8, 9)),
    ],
)
def test_shibatas_figures(algorithm: str, figures: tuple[int, ...]) -> None:
    recording = ccl.record(
        numbers(FIGURE_2),
        algorithm,
        connectivity=8,
        device="emulator",
        schedule="synchronous",
    )
    for step, number in enumerate(figures):
        np.testing.assert_array_equal(
            recording.labels(step), figure(number), err_msg=f"Figure {number}"
        )


def label_equivalence_on_spiral(size: int) -> Recording:
    return ccl.record(spiral(size), "label_equivalence", device="emulator", schedule="synchronous")


@pytest.mark.parametrize("size", [7, 31, 100, 255])
def test_label_equivalence_needs_three_iterations_on_a_spiral(size: int) -> None:
    """Kalentev et al. 2011, section 3: 3 iterations, regardless of the size of the map."""
    recording = label_equivalence_on_spiral(size)
    assert recording.iterations == 3
    assert recording.verdict is not None
    assert recording.verdict.correct


def test_label_equivalence_labels_are_padded_addresses() -> None:
    """Kalentev et al. 2011, Figure 4: a label is the index in the padded array."""
    recording = ccl.record(np.ones((3, 4), np.uint8), "label_equivalence", device="emulator")
    first = recording.labels(0)
    assert first[0, 0] == 7  # the padded row is 6 long: row 1, column 1
    assert first[2, 3] == 3 * 6 + 4
    np.testing.assert_array_equal(recording.parents(0), np.arange(12).reshape(3, 4))


@pytest.mark.parametrize("shape", [(1, 1), (9, 9), (64, 200)])
def test_ha4_makes_three_launches_whatever_the_picture(shape: tuple[int, int]) -> None:
    """Hennequin et al. 2018, section IV: strip labelling, strip merge, relabelling."""
    for density in (0.0, 0.5, 1.0):
        image = np.random.RandomState(1).rand(*shape) < density
        recording = ccl.record(image, "ha4", device="emulator")
        assert [step.stage for step in recording.steps] == ["strip", "strip-merge", "relabel"]


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


def test_shibatas_kernels_need_different_passes_on_a_spiral() -> None:
    """Passes that change a label, on the synchronous schedule; one more pass confirms."""
    passes = {
        key: ccl.record(
            spiral(31), f"shibata_{key}", connectivity=8, device="emulator", schedule="synchronous"
        ).iterations
        - 1
        for key in ("naive", "slow", "fast")
    }
    assert passes == {"naive": 480, "slow": 58, "fast": 6}

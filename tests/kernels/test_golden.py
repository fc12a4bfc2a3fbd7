"""What the papers print, number by number, on the synchronous schedule."""

from __future__ import annotations

import numpy as np
import pytest
from support.grids import spiral

import ccl_viewer as ccl
from ccl_viewer.recording import Recording

FIGURE_2 = """
0 0 0 0 0 0 0 0 0 0
0 1 0 0 0 1 0 0 1 0
0 1 0 0 0 1 0 0 1 0
0 1 0 0 1 1 0 0 1 0
0 1 0 1 1 1 0 1 1 0
0 1 0 1 0 1 0 1 0 0
0 1 1 1 0 1 1 1 0 0
0 1 1 0 0 1 1 0 0 0
0 1 0 0 0 1 0 0 0 0
0 0 0 0 0 0 0 0 0 0
"""

FIGURES = {
    3: """
0 0 0 0 0 0 0 0 0 0
0 11 0 0 0 15 0 0 18 0
0 21 0 0 0 25 0 0 28 0
0 31 0 0 34 35 0 0 38 0
0 41 0 43 44 45 0 47 48 0
0 51 0 53 0 55 0 57 0 0
0 61 62 63 0 65 66 67 0 0
0 71 72 0 0 75 76 0 0 0
0 81 0 0 0 85 0 0 0 0
0 0 0 0 0 0 0 0 0 0
""",
    4: """
0 0 0 0 0 0 0 0 0 0
0 11 0 0 0 15 0 0 18 0
0 11 0 0 0 15 0 0 18 0
0 21 0 0 25 25 0 0 28 0
0 31 0 34 34 34 0 38 38 0
0 41 0 43 0 44 0 47 0 0
0 51 51 53 0 55 55 57 0 0
0 61 61 0 0 65 65 0 0 0
0 71 0 0 0 75 0 0 0 0
0 0 0 0 0 0 0 0 0 0
""",
    5: """
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
-1 11 -1 -1 -1 15 -1 -1 18 -1
-1 11 -1 -1 -1 15 -1 -1 18 -1
-1 11 -1 -1 15 15 -1 -1 18 -1
-1 11 -1 15 15 15 -1 18 18 -1
-1 11 -1 15 -1 15 -1 18 -1 -1
-1 11 11 15 -1 15 15 18 -1 -1
-1 11 11 -1 -1 15 15 -1 -1 -1
-1 21 -1 -1 -1 25 -1 -1 -1 -1
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
""",
    6: """
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
-1 11 -1 -1 -1 15 -1 -1 18 -1
-1 11 -1 -1 -1 15 -1 -1 18 -1
-1 11 -1 -1 15 15 -1 -1 18 -1
-1 11 -1 15 15 15 -1 18 18 -1
-1 11 -1 11 -1 15 -1 15 -1 -1
-1 11 11 11 -1 15 15 15 -1 -1
-1 11 11 -1 -1 15 15 -1 -1 -1
-1 11 -1 -1 -1 15 -1 -1 -1 -1
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
""",
    7: """
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
-1 11 -1 -1 -1 15 -1 -1 18 -1
-1 11 -1 -1 -1 15 -1 -1 18 -1
-1 11 -1 -1 15 15 -1 -1 18 -1
-1 11 -1 11 11 15 -1 15 15 -1
-1 11 -1 11 -1 15 -1 15 -1 -1
-1 11 11 11 -1 15 15 15 -1 -1
-1 11 11 -1 -1 15 15 -1 -1 -1
-1 11 -1 -1 -1 15 -1 -1 -1 -1
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
""",
    8: """
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
-1 11 -1 -1 -1 11 -1 -1 15 -1
-1 11 -1 -1 -1 15 -1 -1 18 -1
-1 11 -1 -1 15 15 -1 -1 18 -1
-1 11 -1 15 15 15 -1 18 18 -1
-1 11 -1 11 -1 15 -1 15 -1 -1
-1 11 11 11 -1 15 15 15 -1 -1
-1 11 11 -1 -1 15 15 -1 -1 -1
-1 11 -1 -1 -1 15 -1 -1 -1 -1
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
""",
    9: """
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
-1 11 -1 -1 -1 11 -1 -1 11 -1
-1 11 -1 -1 -1 11 -1 -1 11 -1
-1 11 -1 -1 11 11 -1 -1 11 -1
-1 11 -1 11 11 11 -1 11 11 -1
-1 11 -1 11 -1 11 -1 11 -1 -1
-1 11 11 11 -1 11 11 11 -1 -1
-1 11 11 -1 -1 11 11 -1 -1 -1
-1 11 -1 -1 -1 11 -1 -1 -1 -1
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1
""",
}


def numbers(text: str) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    return np.array([line.split() for line in text.split("\n") if line], np.int32)


def figure(number: int) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """A figure, with background as -1: the article prints it as 0 up to Figure 4."""
    printed = numbers(FIGURES[number])
    return np.where(printed == 0, np.int32(-1), printed)


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


@pytest.mark.parametrize("size", [7, 31, 63, 100, 127, 255])
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


def test_a_fixed_number_of_passes_says_that_it_stopped_short() -> None:
    image = spiral(31)
    recording = ccl.record(
        image, "shibata_naive", 8, device="emulator", schedule="synchronous", passes=10
    )
    assert not recording.converged
    assert recording.iterations == 10
    assert "before convergence" in recording.sentence
    assert recording.verdict is not None
    assert not recording.verdict.correct


def test_how_far_the_three_kernels_lie_apart_on_a_spiral() -> None:
    """Passes that change a label, on the synchronous schedule; one more pass confirms."""
    passes = {
        key: ccl.record(
            spiral(63), f"shibata_{key}", 8, device="emulator", schedule="synchronous"
        ).iterations
        - 1
        for key in ("naive", "slow", "fast")
    }
    assert passes == {"naive": 1984, "slow": 122, "fast": 7}

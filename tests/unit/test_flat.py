"""A verdict says whether every cell names its root directly."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.reference import compare, compare_parents

IMAGE = np.array([[1, 1, 1, 0, 1]], np.uint8)


@pytest.mark.parametrize(
    ("parents", "flat"),
    [
        ([0, 0, 0, -1, 4], True),
        ([2, 2, 2, -1, 4], True),  # any cell can be the root
        ([0, 0, 1, -1, 4], False),
        ([1, 2, 2, -1, 4], False),
    ],
)
def test_right_trees_that_are_flat_or_not(parents: list[int], flat: bool) -> None:
    verdict = compare_parents(np.array([parents]), IMAGE, 4)
    assert verdict.correct
    assert verdict.flat is flat
    assert verdict.sentence == "2 components, as the reference finds" + (
        "." if flat else ", but not every cell names its root directly."
    )


def test_wrong_trees_are_wrong_first() -> None:
    verdict = compare_parents(np.array([[0, 0, 1, -1, 0]]), IMAGE, 4)
    assert not verdict.correct
    assert not verdict.flat
    assert verdict.sentence.startswith("WRONG: 1 component")


def test_labels_without_trees_are_flat() -> None:
    assert compare(np.array([[7, 7, 7, 0, 3]]), IMAGE, 4).flat

"""The check of the forests' rules, on labels that break each of them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from support.invariants import check_forest

from ccl_viewer.recording import Recording
from ccl_viewer.reference import label_reference

IMAGE = np.array([[1, 1, 1, 0, 1]], np.uint8)


class Scripted:
    """Stands for a recording with given parents."""

    algorithm = "label_equivalence"
    connectivity = 4
    image = IMAGE

    def __init__(self, *frames: list[int]) -> None:
        self._frames = frames

    def __len__(self) -> int:
        return len(self._frames)

    def component_numbers(self) -> tuple[np.ndarray[Any, np.dtype[np.int32]], int]:
        return label_reference(self.image, self.connectivity)

    def parents(self, index: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.array([self._frames[index]], np.int64)


def check(*frames: list[int]) -> None:
    check_forest(cast("Recording", Scripted(*frames)))


def test_a_run_that_keeps_the_rules_passes() -> None:
    check([-1, -1, -1, -1, -1], [0, 1, 2, -1, 4], [0, 0, 1, -1, 4], [0, 0, 0, -1, 4])


@pytest.mark.parametrize(
    ("frames", "message"),
    [
        (([0, 0, 0, 3, 4],), "background has a label"),
        (([0, 0, 0, -1, 0],), "another component"),
        (([2, 1, 2, -1, 4],), "after its cell"),
        (([0, 0, 0, -1, 4], [0, 0, 1, -1, 4]), "a label rose"),
        (([0, 0, 0, -1, 4], [0, 0, -1, -1, 4]), "got lost"),
        (([0, 1, 1, -1, 4],), "not its component's first cell"),
    ],
)
def test_each_broken_rule_is_noticed(frames: tuple[list[int], ...], message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check(*frames)

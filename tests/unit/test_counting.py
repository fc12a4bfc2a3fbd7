"""Counting components strip by strip, and work of which only the newest counts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.runners import Later

from ccl_viewer.errors import CancelledError, CCLViewerError, InputError
from ccl_viewer.grids import Grid
from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.reference import label_reference
from ccl_viewer.session import Job
from ccl_viewer.session.facts import counting
from ccl_viewer.session.facts.counting import count_components
from ccl_viewer.session.files.pattern_preview import MOST_CELLS, PatternPreview
from ccl_viewer.session.jobs.latest import Latest


def never() -> None:
    """Never break off."""


# Counting


@given(
    grid=hnp.arrays(
        np.uint8,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=14),
        elements=st.integers(0, 2),
    ),
    connectivity=st.sampled_from([4, 8]),
    multivalued=st.booleans(),
    rows=st.integers(1, 5),
)
def test_counting_strip_by_strip_is_counting(
    grid: Grid, connectivity: int, multivalued: bool, rows: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_STRIP", rows * grid.shape[1])
        found = count_components(grid, connectivity, multivalued=multivalued, check=never)
    assert found == label_reference(grid, connectivity, multivalued=multivalued)[1]


@pytest.mark.parametrize("key", ["spiral", "comb", "maze", "hilbert", "checkerboard"])
def test_long_paths_are_counted_across_many_strips(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "_STRIP", 1)
    grid = PATTERNS[key].make()
    for connectivity in (4, 8):
        found = count_components(grid, connectivity, multivalued=False, check=never)
        assert found == label_reference(grid, connectivity)[1]


def test_counting_can_be_broken_off() -> None:
    def stop() -> None:
        raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        count_components(np.ones((3, 4), np.uint8), 4, multivalued=False, check=stop)


# The newest of several jobs


class Work:
    def __init__(self, error: CCLViewerError | None = None) -> None:
        self._error = error

    def perform(self, job: Job, /) -> None:
        if self._error is not None:
            raise self._error


def test_latest_hears_of_the_newest_work_alone() -> None:
    later = Later()
    latest = Latest(later)
    told: list[object] = []

    def tell(name: str) -> Callable[[], object]:
        return lambda: told.append(name)

    for name in ("first", "second"):
        latest.start(name, Work(), tell(name), told.append)
    later.work()
    assert told == ["second"]
    error = InputError("No.")
    latest.start("third", Work(error), tell("third"), told.append)
    later.work()
    assert told == ["second", error]
    latest.start("fourth", Work(), tell("fourth"), told.append)
    latest.stop()
    later.work()
    assert told == ["second", error]
    assert not latest.busy


def test_pattern_previews() -> None:
    later = Later()
    changes: list[int] = []
    preview = PatternPreview(later, 8, lambda: changes.append(1))
    preview.update(PATTERNS["spiral"], {"size": 5})
    preview.update(PATTERNS["diagonals"], {"width": 9, "height": 9, "gap": 2})
    later.work()
    assert len(changes) == 1
    assert preview.grid is not None
    assert preview.grid.shape == (9, 9)
    assert preview.components == label_reference(preview.grid, 8)[1]
    preview.update(PATTERNS["text"], {"text": " ", "size": 20})
    later.work()
    assert "Nothing is to be seen" in preview.error
    preview.update(PATTERNS["full"], {"width": MOST_CELLS, "height": 2})
    assert preview.error == ""
    assert "too many for a preview" in preview.note


def test_a_preview_that_was_closed_begins_no_work_any_more() -> None:
    later = Later()
    changes: list[int] = []
    preview = PatternPreview(later, 4, lambda: changes.append(1))
    preview.close()
    preview.update(PATTERNS["spiral"], {"size": 5})
    preview.update(PATTERNS["full"], {"width": MOST_CELLS, "height": 2})
    assert not preview.busy
    assert changes == []

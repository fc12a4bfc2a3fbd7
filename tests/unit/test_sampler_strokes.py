"""Samples of large grids while the user draws."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.render.step_view import Placement, Sampler


@pytest.mark.parametrize("scale", [0.25, 0.41, 0.9])
def test_strokes_change_a_pooled_sample_as_a_new_one_would_be(scale: float) -> None:
    random = np.random.default_rng(1)
    grid = (random.random((120, 90)) < 0.3).astype(np.uint8)
    place, drawn = Placement(scale, 3, -4, 80, 60), Sampler()
    drawn.sample(grid, place, 0)
    for revision in range(1, 6):
        grid = grid.copy()
        top = int(random.integers(110))
        grid[top : top + 2 * revision, 10:20] ^= 1
        sample, fresh = drawn.sample(grid, place, revision), Sampler().sample(grid, place, 0)
        assert np.array_equal(sample.places, fresh.places)  # type: ignore[arg-type]  # pooled
        assert np.array_equal(sample.thin, fresh.thin)  # type: ignore[arg-type]  # pooled

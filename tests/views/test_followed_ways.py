"""Ways to roots are the same, however many cells are followed at a time."""

from __future__ import annotations

import numpy as np
import pytest

from ccl_viewer.recording import Recording
from ccl_viewer.render import forest
from ccl_viewer.render.depths import DEEPEST
from ccl_viewer.session import CellColours
from ccl_viewer.views.canvas import cell_colours
from ccl_viewer.views.canvas.cell_colours import FollowedWays


@pytest.mark.parametrize("band", [1, 7, 1 << 20])
@pytest.mark.parametrize("small", [False, True])
def test_bands_make_no_difference(
    recording: Recording, monkeypatch: pytest.MonkeyPatch, band: int, small: bool
) -> None:
    monkeypatch.setattr(cell_colours, "BAND_CELLS", band)
    if not small:
        monkeypatch.setattr(forest, "WHOLE_GRID", 0)
    layout = recording.layout
    for step in range(len(recording)):
        labels = recording.labels(step)
        cells = np.arange(labels.size).reshape(labels.shape)[::2, 1::3]
        ways = FollowedWays(CellColours.TREE, labels, layout, cells)
        assert np.array_equal(ways.finish(), forest.tree_labels(labels, layout, cells))
        ways = FollowedWays(CellColours.DEPTH, labels, layout, cells)
        depths = forest.depths_of(forest.lookup_of(labels), layout, cells, DEEPEST)
        assert np.array_equal(ways.finish(), depths)

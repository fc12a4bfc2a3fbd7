"""Where kernels and assets are looked for: in the checkout, or in the package's own folders."""

from __future__ import annotations

import ccl_viewer
from ccl_viewer.grids.specs import open_grid
from ccl_viewer.storage.resources import sample_photo


def test_the_sample_photo_has_38_coins_of_which_two_touch() -> None:
    assert ccl_viewer.label(open_grid(str(sample_photo())).grid)[1] == 37

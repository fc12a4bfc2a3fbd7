"""A short run, for tests of what is made of one."""

from __future__ import annotations

import pytest

from ccl_viewer import record
from ccl_viewer.grids import open_grid
from ccl_viewer.recording import Recording


@pytest.fixture(scope="session")
def recording() -> Recording:
    """Label Equivalence on Shibata's ten by ten cells."""
    return record(open_grid("pattern:shibata").grid, algorithm="label_equivalence")

"""Where the program keeps what can be made again: the user's cache folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

CACHE_VARIABLE: Final = "CCL_VIEWER_CACHE"
"""Environment variable that names another cache folder."""


def cache_folder() -> Path:
    """Return the cache folder, which need not be there yet."""
    from platformdirs import user_cache_dir

    named = os.environ.get(CACHE_VARIABLE)
    return Path(named or user_cache_dir("ccl-viewer", appauthor=False))

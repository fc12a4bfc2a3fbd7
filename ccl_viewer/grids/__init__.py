"""Grids from files, text, patterns and drawing."""

from ccl_viewer.grids.files import Loaded, load_image, load_segments
from ccl_viewer.grids.grid import Grid, as_grid, as_segments
from ccl_viewer.grids.saving import save_grid
from ccl_viewer.grids.specs import open_grid

__all__ = [
    "Grid",
    "Loaded",
    "as_grid",
    "as_segments",
    "load_image",
    "load_segments",
    "open_grid",
    "save_grid",
]

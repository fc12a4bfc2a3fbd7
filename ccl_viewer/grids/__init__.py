"""Where grids come from: files, text, patterns and the pencil."""

from ccl_viewer.grids.files import Loaded, load_image, save_grid
from ccl_viewer.grids.grid import Grid, as_grid
from ccl_viewer.grids.specs import open_grid

__all__ = ["Grid", "Loaded", "as_grid", "load_image", "open_grid", "save_grid"]

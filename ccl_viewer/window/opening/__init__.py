"""Opening, importing and saving grids and recordings; the start page."""

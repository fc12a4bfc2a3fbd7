"""Work done away from the window's thread."""

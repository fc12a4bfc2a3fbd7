"""The grid, and everything that changes its cells."""

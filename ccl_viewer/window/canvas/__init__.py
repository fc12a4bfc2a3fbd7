"""The canvas: the grid and its labels, painted."""

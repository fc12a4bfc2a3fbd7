"""The canvas: a grid and its labels, painted; the mouse on it."""

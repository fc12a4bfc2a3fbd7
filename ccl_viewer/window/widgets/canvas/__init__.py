"""The canvas: paints a grid and its labels, and handles the mouse."""

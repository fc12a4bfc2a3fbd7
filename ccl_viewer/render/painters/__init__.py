"""Painters, which play display lists: as pixels by NumPy and Pillow, and as SVG."""

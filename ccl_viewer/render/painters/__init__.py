"""Painters of display lists: as pixels with NumPy and Pillow, and as SVG."""

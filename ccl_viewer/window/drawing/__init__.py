"""Drawing grids: tools, patterns, size."""

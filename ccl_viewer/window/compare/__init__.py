"""Several algorithms side by side."""

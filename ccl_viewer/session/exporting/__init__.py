"""An export, from its choices to its files."""

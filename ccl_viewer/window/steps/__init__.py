"""The table of steps."""

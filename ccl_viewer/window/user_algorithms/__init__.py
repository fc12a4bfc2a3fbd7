"""User algorithms, added from a folder."""

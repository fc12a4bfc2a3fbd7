"""Algorithms of the user's own, added from a folder."""

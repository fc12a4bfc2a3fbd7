"""Checks, profiles, and phases of launches."""

"""Patterns to choose from, with their parameters."""

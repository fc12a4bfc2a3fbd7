"""Lessons and questions in the window."""

"""Lessons and questions as they are played."""

"""Exercises: kernels with gaps."""

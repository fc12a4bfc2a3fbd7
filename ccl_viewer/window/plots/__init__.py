"""Plots of a run's figures, step by step."""

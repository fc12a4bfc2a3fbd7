"""Predicting what the next step does."""

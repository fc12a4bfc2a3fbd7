"""Runs side by side on one grid."""

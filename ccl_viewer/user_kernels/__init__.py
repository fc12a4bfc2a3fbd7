"""Kernels that a user edited, run in a child process."""

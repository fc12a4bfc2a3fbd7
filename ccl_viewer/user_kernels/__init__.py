"""User code, run in a child process: edited kernels and user algorithms."""

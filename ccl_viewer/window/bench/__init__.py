"""The window of benchmarks."""

"""Benchmarks: algorithms and libraries on workloads, and the papers' grids."""

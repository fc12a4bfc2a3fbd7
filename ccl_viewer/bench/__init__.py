"""Benchmarks: algorithms and libraries on workloads, and the papers' claims judged by them."""

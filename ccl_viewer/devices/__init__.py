"""Devices that run kernels, and the reading of kernel sources."""

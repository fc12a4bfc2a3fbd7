"""Devices: the places where kernels run, and how their sources are read."""

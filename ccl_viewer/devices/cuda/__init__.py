"""NVIDIA GPUs, through CuPy; the only package that knows CuPy."""

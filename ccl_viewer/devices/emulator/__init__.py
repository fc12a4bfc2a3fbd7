"""The emulator: runs CUDA kernels on the CPU, in a chosen order."""

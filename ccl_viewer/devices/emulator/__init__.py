"""The emulator: runs CUDA kernels on the CPU, in an order that can be chosen."""

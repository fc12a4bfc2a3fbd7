"""Label Equivalence in Python, for Numba's CUDA simulator: the yardstick of the emulator."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

from numba import cuda

THREADS = 256


@cuda.jit
def init(labels: Any, height: int, width: int) -> None:
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < height * width:
        a = (i // width + 1) * (width + 2) + i % width + 1
        labels[a] *= a


@cuda.jit
def scanning(labels: Any, not_done: Any, height: int, width: int) -> None:
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < height * width:
        pitch = width + 2
        a = (i // width + 1) * pitch + i % width + 1
        label = labels[a]
        if label != 0:
            low = 0xFFFFFFFF
            for b in (a - 1, a + 1, a - pitch, a + pitch):
                if labels[b] != 0 and labels[b] < low:
                    low = labels[b]
            if low < label:
                labels[label] = min(labels[label], low)
                not_done[0] = 1


@cuda.jit
def analysis(labels: Any, height: int, width: int) -> None:
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < height * width:
        a = (i // width + 1) * (width + 2) + i % width + 1
        label = labels[a]
        if label != 0:
            r = labels[label]
            while r != label:
                label = labels[r]
                r = labels[label]
            labels[a] = label


def simulate(image: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Label an image; returns padded labels."""
    height, width = image.shape
    labels = np.pad(image, 1).astype(np.int64).ravel()
    not_done = np.ones(1, np.int64)
    blocks = -(-height * width // THREADS)
    init[blocks, THREADS](labels, height, width)
    while not_done[0]:
        not_done[0] = 0
        scanning[blocks, THREADS](labels, not_done, height, width)
        analysis[blocks, THREADS](labels, height, width)
    return labels

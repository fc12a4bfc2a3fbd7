"""Libraries for labelling, which are measured beside the algorithms if they are installed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ccl_viewer.devices.cuda.device import CudaDevice


@dataclass(frozen=True)
class LabelLibrary:
    """A library for labelling.

    Parameters
    ----------
    title : str
        Name for users.
    module : str
        Name of the module to import.
    device : str
        ``"cuda"`` if the image is on a GPU, else ``"host"``.
    make : callable
        Takes the module, the image and the connectivity, and returns the function to time.
    """

    title: str
    module: str
    device: str
    make: Callable[[Any, Any, int], Callable[[], object]]


def _ndimage(module: Any, image: Any, connectivity: int) -> Callable[[], object]:
    structure = np.ones((3, 3), np.int32) if connectivity == 8 else None
    return lambda: module.label(image, structure)


def _own(module: Any, image: Any, connectivity: int) -> Callable[[], object]:
    return lambda: module.label(image, connectivity=connectivity, device="cuda")


def _measure(module: Any, image: Any, connectivity: int) -> Callable[[], object]:
    return lambda: module.label(image, connectivity=2 if connectivity == 8 else 1)


def _opencv(module: Any, image: Any, connectivity: int) -> Callable[[], object]:
    return lambda: module.connectedComponents(image, connectivity=connectivity)


def _cc3d(module: Any, image: Any, connectivity: int) -> Callable[[], object]:
    return lambda: module.connected_components(image, connectivity=connectivity)


LIBRARIES: Final[Mapping[str, LabelLibrary]] = MappingProxyType(
    {
        "label": LabelLibrary("ccl_viewer.label", "ccl_viewer", "cuda", _own),
        "cupyx": LabelLibrary("CuPy", "cupyx.scipy.ndimage", "cuda", _ndimage),
        "cucim": LabelLibrary("cuCIM", "cucim.skimage.measure", "cuda", _measure),
        "scipy": LabelLibrary("SciPy", "scipy.ndimage", "host", _ndimage),
        "skimage": LabelLibrary("scikit-image", "skimage.measure", "host", _measure),
        "opencv": LabelLibrary("OpenCV", "cv2", "host", _opencv),
        "cc3d": LabelLibrary("cc3d", "cc3d", "host", _cc3d),
    }
)
"""All libraries by key."""


def time_library(
    key: str,
    pixels: npt.NDArray[np.uint8],
    connectivity: int,
    repeats: int,
    gpu: CudaDevice | None,
) -> list[float] | None:
    """Return the milliseconds of each call of a library; None if it is unavailable.

    Parameters
    ----------
    key : str
        One of :data:`LIBRARIES`.
    pixels : ndarray of uint8, shape (height, width)
        The image; for a library on a GPU it is copied there first.
    connectivity : int
        4 or 8.
    repeats : int
        Number of timed calls.
    gpu : CudaDevice or None
        The GPU for libraries that run on one.
    """
    library = LIBRARIES[key]
    try:
        module = import_module(library.module)
    except ImportError:
        return None
    if library.device == "host":
        return _host_times(library.make(module, pixels, connectivity), repeats)
    if gpu is None:
        return None
    return gpu.time_calls(lambda image: library.make(module, image, connectivity), pixels, repeats)


def _host_times(call: Callable[[], object], repeats: int) -> list[float]:
    times = []
    for turn in range(repeats + 1):
        start = time.perf_counter()
        call()
        if turn:
            times.append(1000 * (time.perf_counter() - start))
    return times

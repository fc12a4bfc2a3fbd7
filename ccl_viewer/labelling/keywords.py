"""Keywords of other libraries, and misspelled ones: what there is instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ccl_viewer.algorithms.base import Algorithm, connectivity_advice
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.support.spelling import find_nearest

_BOTH: Final = "label returns both: labels, count = label(image)"
_INT32: Final = "labels are int32: convert them with labels.astype(...)"
_EDGES: Final = "opposite edges do not touch: merge the labels along them yourself"
_VALUES: Final = (
    "0 is background: give image != background, or make those cells 0 and add multivalued=True, "
    "which tells other values apart"
)
_SHAPES: Final = "components measures areas, boxes, centroids, moments and perimeters, all at once"
_INTENSITY: Final = (
    "components measures shapes only: label the image, and measure the values of each label with "
    "scipy.ndimage.mean(intensity, labels, range(1, count + 1))"
)
_THRESHOLD: Final = "give the condition itself: image > threshold"

_ELSEWHERE: Final[Mapping[str, str]] = {
    # scikit-image
    "return_num": _BOTH,
    "background": _VALUES,
    "neighbors": "write connectivity=4 or connectivity=8",
    "label_image": "labels are given to components as labels=...",
    "intensity_image": _INTENSITY,
    "properties": _SHAPES,
    "extra_properties": _SHAPES,
    "spacing": "cells are squares of side 1: multiply the results",
    "in_place": "the labels are a new array: assign them",
    # SciPy, CuPy, Dask
    "input": "the picture is the first argument",
    "output": "the labels are returned: labels, count = label(image)",
    "out": "the labels are returned: labels, count = label(image)",
    "wrap_axes": _EDGES,
    "index": "components measures all labels: choose rows of its table",
    # cc3d, in lower case
    "data": "the picture is the first argument",
    "return_n": _BOTH,
    "out_dtype": _INT32,
    "dtype": _INT32,
    "periodic_boundary": _EDGES,
    "periodic": _EDGES,
    "delta": "only equal values connect, with multivalued=True: round the values first",
    "max_labels": "memory is allocated as needed: leave it out",
    "binary_image": "without multivalued=True, all cells other than 0 connect: leave it out",
    # OpenCV
    "ltype": _INT32,
    "ccltype": "algorithm chooses one by its key, such as algorithm='bke'",
    "stats": _SHAPES,
    "centroids": _SHAPES,
    # this program's command line
    "threshold": _THRESHOLD,
    "invert": "give the condition itself: image == 0",
}


def check_keywords(
    function: Callable[..., Any], algorithm: Algorithm, given: Mapping[str, Any]
) -> None:
    """Raise if a keyword is neither the function's nor a parameter of the algorithm.

    Parameters
    ----------
    function : callable
        The function that was called.
    algorithm : Algorithm
        The algorithm that it runs.
    given : mapping
        The keywords that the function does not know.

    Raises
    ------
    InputError
        The message says what there is instead.
    """
    parameters = [parameter.name for parameter in algorithm.parameters]
    for name, value in given.items():
        if name in parameters:
            continue
        unknown = f"{function.__name__} has no keyword {shorten(name)}"
        if name == "structure":
            raise InputError(
                f"Neighbours are not given as a structure: write {connectivity_advice(value)}."
            )
        if name.lower() in _ELSEWHERE:
            raise InputError(f"{unknown}: {_ELSEWHERE[name.lower()]}.")
        near = find_nearest(name, [*(getattr(function, "__kwdefaults__", ())), *parameters])
        if near is not None:
            raise InputError(f"{unknown}: did you mean {near}?")
    algorithm.complete(given)

"""Labels Dask arrays by labelling each of their chunks, when Dask computes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ccl_viewer.algorithms.components import TABLE
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import ParameterValue


@dataclass(frozen=True)
class ChunkOptions:
    """Arguments of :func:`ccl_viewer.label` for each chunk.

    Parameters
    ----------
    algorithm, connectivity, device, schedule, multivalued, parameters
        As for :func:`ccl_viewer.label`.
    """

    algorithm: str | None
    connectivity: int
    device: str
    schedule: str
    multivalued: bool
    parameters: Mapping[str, ParameterValue]

    def bind(self, function: Callable[..., Any]) -> Callable[[Any], Any]:
        """Return a function with these arguments, for a chunk."""
        return partial(
            function,
            algorithm=self.algorithm,
            connectivity=self.connectivity,
            device=self.device,
            schedule=self.schedule,
            multivalued=self.multivalued,
            **self.parameters,
        )


def is_lazy(image: object) -> bool:
    """Return whether Dask computes an image; the method of xarray's arrays may return None."""
    graph = getattr(image, "__dask_graph__", None)
    return graph is not None and graph() is not None


def refuse_control(cancel: object, progress: object) -> None:
    """Refuse arguments that only work while the picture is labelled."""
    if cancel is not None or progress is not None:
        raise InputError(
            "A Dask array is labelled when it is computed: leave out cancel and progress, and use "
            "Dask's own."
        )


def label_lazily(image: Any, label: Callable[..., Any], options: ChunkOptions) -> tuple[Any, Any]:
    """Label a Dask array; `label` labels a chunk."""
    from ccl_viewer.large_images import chunked

    if _has_no_cells(image):
        import dask.array as da

        return da.zeros(image.shape, dtype=np.int32), da.zeros((), dtype=np.int64)
    return chunked.label(
        image, options.bind(label), options.connectivity, multivalued=options.multivalued
    )


def tabulate_lazily(
    image: Any, label: Callable[..., Any], components: Callable[..., Any], options: ChunkOptions
) -> Any:
    """Find the components of a Dask array; `label` and `components` work on a chunk."""
    from ccl_viewer.large_images import chunked_tables

    if _has_no_cells(image):
        import dask.array as da

        return da.from_array(np.empty(0, TABLE))
    return chunked_tables.tabulate_array(
        image,
        options.bind(label),
        options.bind(components),
        options.connectivity,
        multivalued=options.multivalued,
    )


def _has_no_cells(image: Any) -> bool:
    shape = image.shape
    return isinstance(shape, tuple) and len(shape) == 2 and 0 in shape

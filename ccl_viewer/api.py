"""The library's functions: label a picture, measure components, record, time and open runs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import Algorithm, choose_algorithm, default_algorithm, find_algorithm
from ccl_viewer.algorithms.base import Tabulator
from ccl_viewer.algorithms.components import TABLE, find_components, tabulate
from ccl_viewer.algorithms.consecutive import label_consecutively
from ccl_viewer.devices.registry import DeviceName, open_device, open_gpu
from ccl_viewer.errors import DeviceUnavailableError, InputError
from ccl_viewer.execution.device import Device, DeviceRun, Progress
from ccl_viewer.execution.driver import collect_requests, execute
from ccl_viewer.execution.plan import Buffer, NumberingRequests, ParameterValue, Task
from ccl_viewer.grids.grid import Grid, as_grid, as_numbers, as_segments, check_size
from ccl_viewer.grids.specs import open_grid, open_segments
from ccl_viewer.recording import OnStep, Recording, RunTiming, time_plan
from ccl_viewer.recording import open_recording as _open_recording
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.own import add_algorithm as add_algorithm  # noqa: PLC0414
from ccl_viewer.user_kernels.recorder import RecordJob, measure_if_untimed, recorder_for

if TYPE_CHECKING:
    import dask.array as da

HostPicture: TypeAlias = (
    npt.NDArray[Any] | Sequence[Sequence[bool | int | float]] | str | os.PathLike[str]
)
"""A picture in the host's memory, or the name of a file or pattern."""


class DaskPicture(Protocol):
    """A picture that Dask computes, such as ``dask.array.Array``."""

    def __dask_graph__(self) -> Any: ...


_DLPACK_CUDA = 2
"""DLPack's number for NVIDIA GPUs."""


@overload
def label(
    image: HostPicture,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    synchronize: bool = True,
    **parameters: ParameterValue,
) -> tuple[npt.NDArray[np.int32], int]: ...


@overload
def label(
    image: DaskPicture,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    synchronize: bool = True,
    **parameters: ParameterValue,
) -> tuple[da.Array, da.Array]: ...


@overload
def label(
    image: Any,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    synchronize: bool = True,
    **parameters: ParameterValue,
) -> tuple[Any, Any]: ...


def label(
    image: Any,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    synchronize: bool = True,
    **parameters: ParameterValue,
) -> tuple[Any, Any]:
    """Label the connected components of a picture.

    Parameters
    ----------
    image : array_like of shape (H, W), str or path_like
        The picture. Cells other than 0 are foreground, except the masked cells of a masked array.
        An array of CuPy, PyTorch, JAX or Numba on a GPU stays there. A text names a file or a
        pattern, such as ``"pattern:spiral?size=31"``, as on the command line. A Dask array is
        labelled lazily, chunk by chunk.
    algorithm : str or None
        Key of the algorithm: one of ``ccl_viewer.algorithms.ALGORITHMS``, or user code, which runs
        in a separate process: ``"copy:NAME"``, an edited copy of a kernel, or ``"own:NAME"`` (see
        :func:`add_algorithm`). None takes a fast algorithm for the device: Tiled Runs on a GPU,
        two-pass union-find in strips on the emulator.
    connectivity : 4, 8 or None
        Number of neighbours that a cell connects to. None takes the algorithm's default, the first
        of ``ccl_viewer.algorithms.ALGORITHMS[key].connectivities``, or 4 if no algorithm is named.
        With the same connectivity, all algorithms give the same labels.
    device : str
        ``"auto"``, ``"cuda"`` or ``"emulator"``.
    schedule : str
        Order in which the emulator runs threads; ``"auto"`` is the fastest, ``"sequential"``.
    multivalued : bool
        Whether only cells of equal value connect. 0 is background; there may be at most 255 other
        values. Not all algorithms support this.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.
    synchronize : bool
        Whether to wait for a GPU. If false, and the picture is on a GPU, the call returns as soon
        as the work is launched on the calling thread's current stream, and `count` stays on the
        GPU, as a zero-dimensional CuPy array. Only Tiled Runs supports this.
    **parameters
        Parameters of the algorithm.

    Returns
    -------
    labels : ndarray of int32, shape (H, W)
        0 for background, 1 to `count` in raster order of each component's first cell. For a picture
        on a GPU, an array of the same library on the same GPU; for a Dask array, a Dask array, of
        int64 if int32 could not count the components; otherwise a NumPy array. It is empty if the
        picture is empty.
    count : int
        Number of components; a zero-dimensional Dask array if `labels` is a Dask array.

    Raises
    ------
    InputError
        If an argument cannot be used as given.
    DeviceUnavailableError, KernelBuildError, KernelFaultError
        If the device fails.
    CancelledError
        If the work was cancelled.

    Examples
    --------
    >>> import ccl_viewer as ccl
    >>> labels, count = ccl.label([[1, 0, 1], [1, 0, 1]])
    >>> count
    2
    """
    if algorithm is None and schedule == "auto" and not (multivalued or parameters):
        again = _label_again(image, connectivity, device, synchronize)
        if again is not None:
            return again
    chosen, neighbours = choose_algorithm(algorithm, connectivity, multivalued=multivalued)
    if _is_lazy(image):
        chosen.complete(parameters)
        if not synchronize:
            raise InputError("Dask computes the count with the labels: leave out synchronize.")
        options = _chunk_options(
            algorithm, neighbours, device, schedule, multivalued, parameters, cancel, progress
        )
        return _label_lazily(image, options)
    if _has_no_cells(image):
        return _no_labels(image, synchronize=synchronize)
    if chosen.sandboxed:
        job = RecordJob(
            image=_grid_of(image, multivalued=multivalued),
            algorithm=chosen,
            connectivity=neighbours,
            parameters=parameters,
            device=device,
            schedule=schedule,
            multivalued=multivalued,
            consecutive=True,
        )
        return _labels_of(recorder_for(job, cancel=cancel, progress=progress).run())
    pixels, target = _at_place(image, device, schedule, multivalued=multivalued)
    if algorithm is None:
        chosen = default_algorithm(many_threads=target.many_threads)
    complete = chosen.complete(parameters)
    if _keeps_launches(chosen, target):
        return _number_on_gpu(
            image,
            pixels,
            target,
            chosen,
            neighbours,
            parameters,
            synchronize,
            multivalued=multivalued,
        )
    if not synchronize:
        raise InputError(
            "Only Tiled Runs can leave the count on the GPU: leave out synchronize=False, or "
            "choose algorithm='tiled_runs' for a picture on a GPU."
        )
    buffer = Buffer("image", tuple(pixels.shape), np.dtype(np.uint8))
    task = Task(buffer, neighbours, complete, multivalued=multivalued)
    with target.open(buffer, pixels, timed=False, cancel=cancel, progress=progress) as run:
        plan = label_consecutively(chosen, task, chunks=not target.many_threads)
        _, numbers, count = execute(plan, run, cancel=cancel)
        if target.on_host:
            return run.take(numbers), count
        if not _lies_on_gpu(image):
            return run.read(numbers).copy(), count
        return _back(image, run.take(numbers)), count


@overload
def components(
    image: HostPicture | None = None,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    labels: Any = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    **parameters: ParameterValue,
) -> npt.NDArray[np.void]: ...


@overload
def components(
    image: DaskPicture,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    labels: None = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    **parameters: ParameterValue,
) -> da.Array: ...


@overload
def components(
    image: Any,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    labels: Any = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    **parameters: ParameterValue,
) -> Any: ...


def components(
    image: Any = None,
    algorithm: str | None = None,
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    labels: Any = None,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    **parameters: ParameterValue,
) -> Any:
    """Find the connected components of a picture, and the size, place, shape and perimeter of each.

    The device computes everything; only the table is copied to the host.

    Parameters
    ----------
    image, algorithm, connectivity, device, schedule, multivalued, cancel, progress
        As for :func:`label`.
    labels : array of integers, shape (H, W), or None
        Labels to measure instead of a picture to label. 0 is background. Cells with equal labels
        are measured together, even if they do not touch. Labels need not be consecutive.
    **parameters
        Parameters of the algorithm.

    Returns
    -------
    structured ndarray, shape (count,)
        One row per component, in the order of :func:`label`'s numbers, in the host's memory; for
        `labels`, one row per label, in ascending order. For a Dask array, a Dask array of unknown
        length:

        ``label`` : int32
            The component's number, from 1; for `labels`, the label, in a wider type if necessary.
        ``area`` : int64
            Number of cells.
        ``y0``, ``x0``, ``y1``, ``x1`` : int32
            Bounding box: ``image[y0:y1, x0:x1]`` cuts out the component. ``y1`` and ``x1`` are one
            beyond the last row and column.
        ``y``, ``x`` : float64
            Centroid: the mean of its cells' coordinates.
        ``yy``, ``yx``, ``xx`` : float64
            Central second moments: the mean of the squared distances in y from the centroid, of
            the products of the distances in y and x, and of the squared distances in x.
        ``perimeter`` : int64
            Number of cell sides between the component and its outside, including holes and the
            edge of the picture. A single cell has 4, a square of n x n cells has 4 n.

    Notes
    -----
    Kalentev et al. 2011, section 4, mention the perimeter as a possible extension, without a
    definition. Here it is the length of the outline along the sides of cells (the crack perimeter
    of digital geometry): an integer, and a sum over cells. ``perimeter`` of scikit-image follows
    the centres of border cells instead, and counts diagonal steps as the square root of 2. Moments
    follow Hennequin et al. 2018, section II.C, who sum coordinates: the centroid is the first
    moment divided by the area.

    Raises
    ------
    InputError, DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.

    Examples
    --------
    >>> import ccl_viewer as ccl
    >>> table = ccl.components([[1, 0, 1], [1, 0, 1]])
    >>> table["area"].tolist(), table["x"].tolist()
    ([2, 2], [0.0, 2.0])
    """
    if labels is not None:
        if image is not None or algorithm is not None or connectivity is not None or multivalued:
            raise InputError(
                "Labels are not labelled again: leave out the picture, algorithm, connectivity "
                "and multivalued."
            )
        return tabulate_labels(
            labels, device=device, schedule=schedule, cancel=cancel, progress=progress
        )
    if image is None:
        raise InputError("Name a picture, or the labels to measure: components(labels=labels).")
    chosen, neighbours = choose_algorithm(algorithm, connectivity, multivalued=multivalued)
    if _is_lazy(image):
        chosen.complete(parameters)
        options = _chunk_options(
            algorithm, neighbours, device, schedule, multivalued, parameters, cancel, progress
        )
        return _find_lazily(image, options)
    if _has_no_cells(image):
        return np.empty(0, TABLE)
    pixels, target = _at_place(image, device, schedule, multivalued=multivalued)
    if algorithm is None:
        chosen = default_algorithm(many_threads=target.many_threads)
    buffer = Buffer("image", tuple(pixels.shape), np.dtype(np.uint8))
    task = Task(buffer, neighbours, chosen.complete(parameters), multivalued=multivalued)
    if _keeps_launches(chosen, target) and chosen.tabulator is not None and not multivalued:
        return _tabulate_on_gpu(chosen.tabulator, task, pixels, target, cancel, progress)
    with target.open(buffer, pixels, timed=False, cancel=cancel, progress=progress) as run:
        plan = find_components(chosen, task, chunks=not target.many_threads)
        return execute(plan, run, cancel=cancel)


def clear_cache() -> None:
    """Free the memory that is kept on GPUs for pictures of recurring shapes.

    Labelling on a GPU keeps its scratch memory, two to four bytes per pixel, for each shape and
    stream, at most a sixteenth of the GPU's memory. It is freed automatically if memory runs out.
    The memory pools of CuPy and other libraries are not affected.

    Raises
    ------
    KernelFaultError
        If the GPU fails.
    """
    cuda = sys.modules.get("ccl_viewer.devices.cuda.device")
    if cuda is not None:  # otherwise no GPU was used
        cuda.clear_caches()


def tabulate_labels(
    labels: Any,
    *,
    device: DeviceName = "emulator",
    schedule: str = "auto",
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.void]:
    """Measure labelled components.

    Parameters
    ----------
    labels : array of integers, shape (H, W)
        As :func:`components` takes them.
    device, schedule, cancel, progress
        As for :func:`label`.

    Returns
    -------
    structured ndarray, shape (count,)
        As :func:`components` returns it.

    Raises
    ------
    InputError
        If the array does not contain labels.
    DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.
    """
    if _is_lazy(labels):
        raise InputError("Labels of a Dask array are not measured: compute them first.")
    if _has_no_cells(labels):
        return np.empty(0, TABLE)
    if _lies_on_gpu(labels):
        from ccl_viewer.devices.cuda.arrays import renumber_on_gpu

        check_size(labels.shape)
        target = _gpu_for(labels, device, schedule, math.prod(labels.shape))
        numbers, names = renumber_on_gpu(labels)
    else:
        numbers, names = _numbered_labels(as_numbers(labels))
        target = _place_for(device, schedule, numbers.size)
    _check_labels(names)
    table = _tabulated(numbers, len(names), target, cancel, progress)
    wide = names.dtype if names.size and names[-1] > np.iinfo(np.int32).max else np.dtype(np.int32)
    columns = [(name, wide if name == "label" else TABLE[name]) for name in TABLE.names or ()]
    table = table.astype(columns)
    table["label"] = names
    return table


def record(
    image: Any,
    algorithm: str = "label_equivalence",
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    consecutive: bool = False,
    ledger: bool = False,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    on_step: OnStep | None = None,
    **parameters: ParameterValue,
) -> Recording:
    """Run an algorithm and record the labels after every launch.

    Parameters
    ----------
    image, algorithm, connectivity, device
        As for :func:`label`; without a name, Label Equivalence.
    schedule : str
        ``"sequential"``, ``"synchronous"``, ``"reverse"``, ``"random:SEED"``, or ``"auto"``:
        synchronous for small grids on the emulator, otherwise sequential.
    multivalued : bool
        As for :func:`label`.
    consecutive : bool
        Whether the components are then numbered as by :func:`label`. These steps are recorded, too,
        with the numbers in the layer ``"numbers"``.
    ledger : bool
        Whether to count what each launch does to memory, as the warps of a GPU would do it:
        :attr:`Step.ledger` and :meth:`Recording.counts`. Only the emulator counts; ``"auto"`` then
        means it.
    cancel, progress, on_step : optional
        A token to stop the work, a function that receives its progress, and one that receives each
        recorded step.
    **parameters
        Parameters of the algorithm.

    Returns
    -------
    Recording
        Every step, checked against the reference: see its ``verdict``.

    Raises
    ------
    InputError, DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.
    """
    chosen = find_algorithm(algorithm)
    chosen.resolve_connectivity(connectivity)  # before anything is read
    grid = _grid_of(image, multivalued=multivalued)
    job = RecordJob(
        image=grid,
        algorithm=chosen,
        connectivity=connectivity,
        parameters=parameters,
        device=device,
        schedule=schedule,
        multivalued=multivalued,
        consecutive=consecutive,
        ledger=ledger,
    )
    recording = recorder_for(job, cancel=cancel, progress=progress, on_step=on_step).run()
    measure_if_untimed(recording, device, schedule, cancel=cancel, progress=progress)
    return recording


def time_run(
    image: Any,
    algorithm: str = "label_equivalence",
    *,
    connectivity: int | None = None,
    device: DeviceName = "auto",
    schedule: str = "auto",
    multivalued: bool = False,
    consecutive: bool = False,
    repeats: int = 20,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    **parameters: ParameterValue,
) -> RunTiming:
    """Time the steps of an algorithm over several runs, without recording them.

    Parameters
    ----------
    image, algorithm, connectivity, device, schedule, multivalued, consecutive, cancel, progress
        As for :func:`record`.
    repeats : int
        Number of measured runs, from 1 to 10,000; an untimed run precedes them.
    **parameters
        Parameters of the algorithm.

    Returns
    -------
    RunTiming
        Median, quartiles, minimum and maximum of each step and of the whole run, in milliseconds,
        as measured by the device. Its ``of(recording)`` assigns them to the steps of a recording.

    Raises
    ------
    InputError, DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.
    """
    chosen = find_algorithm(algorithm)
    chosen.resolve_connectivity(connectivity)  # before anything is read
    grid = _grid_of(image, multivalued=multivalued)
    return time_plan(
        grid,
        chosen,
        open_device(device, schedule, cells=grid.size),
        connectivity,
        parameters,
        multivalued=multivalued,
        consecutive=consecutive,
        repeats=repeats,
        cancel=cancel,
        progress=progress,
    )


def open_recording(
    path: str | Path, cancel: CancelToken | None = None, *, trusted: bool = False
) -> Recording:
    """Open a ``.cclrec`` file.

    Parameters
    ----------
    path : str or Path
        The file.
    cancel : CancelToken or None
        Stops the work.
    trusted : bool
        Whether the file comes from a trusted source, so that its memory and time are not limited.

    Returns
    -------
    Recording
        As it was saved.

    Raises
    ------
    RecordingFileError
        If the file is not a recording, is damaged, takes too much or is from a newer version.
    CancelledError
        If the token was cancelled.
    """
    return _open_recording(path, cancel, trusted=trusted)


def _labels_of(recording: Recording) -> tuple[Any, int]:
    """Return the final labels and the count of a run that numbers its components."""
    numbers = recording.layer("numbers", len(recording) - 1).astype(np.int32)
    return numbers, int(numbers.max(initial=0))


def _has_no_cells(image: Any) -> bool:
    """Return whether a picture has two dimensions and no cells."""
    if isinstance(image, str | os.PathLike):
        return False
    if isinstance(image, np.ndarray):
        return image.size == 0 and image.ndim == 2
    try:
        shape = image.shape if hasattr(image, "shape") else np.shape(image)
    except (TypeError, ValueError):  # as_grid() reports it
        return False
    return isinstance(shape, tuple) and len(shape) == 2 and 0 in shape


def _no_labels(image: Any, *, synchronize: bool) -> tuple[Any, Any]:
    """Return the labels of a picture without cells."""
    if not _lies_on_gpu(image):
        return np.zeros(np.shape(image), np.int32), 0
    from ccl_viewer.devices.cuda.arrays import zero_gpu_labels

    labels = zero_gpu_labels(image.shape)
    return _back(image, labels), 0 if synchronize else labels.sum()


def _numbered_labels(labels: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return labels numbered from 1 without gaps, and the label of each number."""
    if labels.dtype.kind in "bui" and labels.min() >= 0 and labels.max() <= labels.size:
        indices = labels.astype(np.intp, copy=False)
        occurs = np.zeros(int(labels.max()) + 1, np.bool_)
        occurs[indices] = True
        occurs[0] = False
        names = np.flatnonzero(occurs)
        if names.size == occurs.size - 1:
            return labels.astype(np.int32), names
        return np.cumsum(occurs, dtype=np.int32)[indices], names
    distinct, numbers = np.unique(labels, return_inverse=True)
    names = distinct[distinct != 0]
    first = 1 - (distinct.size - names.size)
    return (numbers.reshape(labels.shape) + first).astype(np.int32), names


def _check_labels(names: npt.NDArray[Any]) -> None:
    if names.dtype.kind not in "bui":
        raise InputError(f"Labels are whole numbers, not {names.dtype}: convert them to integers.")
    if names.size and names[0] < 0:
        raise InputError(f"Labels are 0 for background and more, not {names[0]}: change these.")


def _tabulated(
    numbers: Any,
    count: int,
    device: Device,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> npt.NDArray[np.void]:
    """Measure components that are numbered from 1 without gaps."""
    buffer = Buffer("numbers", tuple(numbers.shape), np.dtype(np.int32))
    with device.open(buffer, numbers, timed=False, cancel=cancel, progress=progress) as run:
        return execute(tabulate(buffer, count), run, cancel=cancel)


def _at_place(image: Any, device: str, schedule: str, *, multivalued: bool) -> tuple[Any, Device]:
    """Turn a picture into a grid on the device that will label it."""
    if not _lies_on_gpu(image):
        grid = _grid_of(image, multivalued=multivalued)
        return grid, _place_for(device, schedule, grid.size)
    check_size(image.shape)
    cells = math.prod(image.shape)
    target = _gpu_for(image, device, schedule, cells)
    if multivalued:
        from ccl_viewer.devices.cuda.arrays import as_gpu_segments

        return as_gpu_segments(image), target
    return image, target


def _grid_of(image: Any, *, multivalued: bool) -> Grid:
    """Turn a picture, or the name of a file or pattern, into a grid."""
    if isinstance(image, str | os.PathLike):
        name = os.fsdecode(image)
        return open_segments(name).grid if multivalued else open_grid(name).grid
    return as_segments(image) if multivalued else as_grid(image)


def _number_on_gpu(
    image: Any,
    pixels: Any,
    gpu: Any,
    algorithm: Algorithm,
    connectivity: int,
    parameters: dict[str, ParameterValue],
    synchronize: bool,
    *,
    multivalued: bool,
) -> tuple[Any, Any]:
    """Label on a GPU with launches that are cached for the shape of the picture."""
    algorithm.complete(parameters)  # checks them, before they become part of a key
    on_gpu = _lies_on_gpu(image)

    def prepare(buffer: Buffer) -> NumberingRequests:
        if algorithm.numberer is None:
            raise TypeError(f"{algorithm.key} has no plan that numbers")
        task = Task(buffer, connectivity, algorithm.complete(parameters), multivalued=multivalued)
        return collect_requests(algorithm.numberer(task), buffer)

    key = (
        algorithm.key,
        connectivity,
        *parameters.items(),
        *(("multivalued",) if multivalued else ()),
    )
    numbers, count = gpu.number(key, prepare, pixels, synchronize=synchronize or not on_gpu)
    return _back(image, numbers) if on_gpu else numbers.get(), count


def _tabulate_on_gpu(
    tabulator: Tabulator,
    task: Task,
    pixels: Any,
    gpu: Any,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> npt.NDArray[np.void]:
    """Find components on a GPU; the launches that count them are cached for the shape."""

    def prepare(buffer: Buffer) -> NumberingRequests:
        return collect_requests(tabulator.count(replace(task, image=buffer)), buffer)

    def follow(run: DeviceRun, buffers: dict[str, Buffer], count: int) -> npt.NDArray[np.void]:
        return execute(tabulator.measure(task, buffers, count), run, cancel=cancel)

    key = ("components", task.connectivity, *task.parameters.items())
    table: npt.NDArray[np.void] = gpu.number_then(
        key, prepare, pixels, follow, cancel=cancel, progress=progress
    )
    return table


def _keeps_launches(algorithm: Algorithm, device: Device) -> bool:
    """Whether the launches of an algorithm are cached for pictures of the same shape."""
    return device.many_threads and algorithm is default_algorithm(many_threads=True)


def _label_again(
    image: Any, connectivity: int | None, device: str, synchronize: bool
) -> tuple[Any, Any] | None:
    """Label a CuPy array of a shape that was labelled before; otherwise return None.

    A small picture takes a few microseconds on a GPU, so this path does only what is necessary.
    """
    if type(image).__module__ != "cupy" or device == "emulator":
        return None
    neighbours = 4 if connectivity is None else connectivity
    if type(neighbours) is not int:
        return None
    algorithm = default_algorithm(many_threads=True)
    gpu: Any = open_gpu(image.device.id)
    labelled: tuple[Any, Any] | None = gpu.number_again(
        (algorithm.key, neighbours), image, synchronize=synchronize
    )
    return labelled


def _back(image: Any, labels: Any) -> Any:
    from ccl_viewer.devices.cuda.arrays import to_library

    return to_library(image, labels)


def _is_lazy(image: object) -> bool:
    """Return whether Dask computes an image; the method of xarray's arrays may return None."""
    graph = getattr(image, "__dask_graph__", None)
    return graph is not None and graph() is not None


def _label_lazily(image: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Label a Dask array by labelling each of its chunks."""
    from ccl_viewer.large_images import chunked

    if _has_no_cells(image):
        import dask.array as da

        return da.zeros(image.shape, dtype=np.int32), da.zeros((), dtype=np.int64)
    return chunked.label(
        image,
        partial(label, **options),
        options["connectivity"],
        multivalued=options["multivalued"],
    )


def _find_lazily(image: Any, options: dict[str, Any]) -> Any:
    """Find the components of a Dask array from those of each of its chunks."""
    from ccl_viewer.large_images import chunked_tables

    if _has_no_cells(image):
        import dask.array as da

        return da.from_array(np.empty(0, TABLE))
    return chunked_tables.tabulate_array(
        image,
        partial(label, **options),
        partial(components, **options),
        options["connectivity"],
        multivalued=options["multivalued"],
    )


def _chunk_options(
    algorithm: str | None,
    connectivity: int,
    device: str,
    schedule: str,
    multivalued: bool,
    parameters: Mapping[str, ParameterValue],
    cancel: CancelToken | None,
    progress: Progress | None,
) -> dict[str, Any]:
    """Return the arguments for labelling each chunk of a Dask array."""
    if cancel is not None or progress is not None:
        raise InputError(
            "A Dask array is labelled when it is computed: leave out cancel and progress, and use "
            "Dask's own."
        )
    return {
        "algorithm": algorithm,
        "connectivity": connectivity,
        "device": device,
        "multivalued": multivalued,
        "schedule": schedule,
        **parameters,
    }


def _lies_on_gpu(image: object) -> bool:
    if isinstance(image, np.ndarray):
        return False
    if hasattr(image, "__dlpack_device__"):
        return int(image.__dlpack_device__()[0]) == _DLPACK_CUDA
    return hasattr(image, "__cuda_array_interface__")


def _gpu_for(image: Any, name: str, schedule: str, cells: int) -> Device:
    if name == "emulator":
        raise InputError(
            "The image is on the GPU, where the emulator cannot read it: copy it with .get(), or "
            "choose device='cuda'."
        )
    index = image.__dlpack_device__()[1] if hasattr(image, "__dlpack_device__") else 0
    return open_gpu(index) if schedule == "auto" else open_device("cuda", schedule, cells=cells)


def _place_for(name: str, schedule: str, cells: int) -> Device:
    """Return the device to label on; the emulator runs sequentially unless a schedule is given."""
    if schedule != "auto" or name == "cuda":
        return open_device(name, schedule, cells=cells)
    if name == "auto":
        try:
            return open_device("cuda", cells=cells)
        except DeviceUnavailableError:
            name = "emulator"
    return open_device(name, "sequential", cells=cells)

"""The library's functions: label a picture, measure components, record, time and open runs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import choose_algorithm, default_algorithm, find_algorithm
from ccl_viewer.algorithms.components import TABLE, find_components
from ccl_viewer.algorithms.consecutive import label_consecutively
from ccl_viewer.devices.registry import DeviceName, open_device
from ccl_viewer.errors import InputError
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, ParameterValue, Task
from ccl_viewer.grids.grid import as_numbers, check_size
from ccl_viewer.labelling.gpu import keeps_launches, label_again, number_on_gpu, tabulate_on_gpu
from ccl_viewer.labelling.keywords import check_keywords
from ccl_viewer.labelling.pictures import (
    choose_device,
    choose_gpu,
    has_no_cells,
    lies_on_gpu,
    make_empty_labels,
    match_library,
    open_picture,
    place_picture,
)
from ccl_viewer.labelling.tables import check_labels, measure_numbered_components, renumber_labels
from ccl_viewer.large_images.lazy import (
    ChunkOptions,
    is_lazy,
    label_lazily,
    refuse_control,
    tabulate_lazily,
)
from ccl_viewer.recording import OnStep, Recording, RunTiming, time_plan
from ccl_viewer.recording import open_recording as _open_recording
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.user_kernels.own import add_algorithm as add_algorithm  # noqa: PLC0414
from ccl_viewer.user_kernels.recorder import RecordJob, choose_recorder, measure_if_untimed

if TYPE_CHECKING:
    import dask.array as da

HostPicture: TypeAlias = (
    npt.NDArray[Any] | Sequence[Sequence[bool | int | float]] | str | os.PathLike[str]
)
"""A picture in the host's memory, or the name of a file or pattern."""


class DaskPicture(Protocol):
    """A picture that Dask computes, such as ``dask.array.Array``."""

    def __dask_graph__(self) -> Any: ...


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
        again = label_again(image, connectivity, device, synchronize=synchronize)
        if again is not None:
            return again
    chosen, neighbours = choose_algorithm(algorithm, connectivity, multivalued=multivalued)
    check_keywords(label, chosen, parameters)
    if is_lazy(image):
        if not synchronize:
            raise InputError("Dask computes the count with the labels: leave out synchronize.")
        refuse_control(cancel, progress)
        options = ChunkOptions(algorithm, neighbours, device, schedule, multivalued, parameters)
        return label_lazily(image, label, options)
    if has_no_cells(image):
        return make_empty_labels(image, synchronize=synchronize)
    if chosen.sandboxed:
        job = RecordJob(
            image=open_picture(image, multivalued=multivalued),
            algorithm=chosen,
            connectivity=neighbours,
            parameters=parameters,
            device=device,
            schedule=schedule,
            multivalued=multivalued,
            consecutive=True,
        )
        return _read_final_labels(choose_recorder(job, cancel=cancel, progress=progress).run())
    pixels, target = place_picture(image, device, schedule, multivalued=multivalued)
    if algorithm is None:
        chosen = default_algorithm(many_threads=target.many_threads)
    task = _make_task(pixels, neighbours, chosen.complete(parameters), multivalued=multivalued)
    on_gpu = lies_on_gpu(image)
    if keeps_launches(chosen, target):
        wait = synchronize or not on_gpu
        numbers, count = number_on_gpu(target, chosen, task, pixels, synchronize=wait)
        return match_library(numbers, image) if on_gpu else numbers.get(), count
    if not synchronize:
        raise InputError(
            "Only Tiled Runs can leave the count on the GPU: leave out synchronize=False, or "
            "choose algorithm='tiled_runs' for a picture on a GPU."
        )
    with target.open(task.image, pixels, timed=False, cancel=cancel, progress=progress) as run:
        plan = label_consecutively(chosen, task, chunks=not target.many_threads)
        _, buffer, count = execute(plan, run, cancel=cancel)
        if target.on_host:
            labels = run.take(buffer)
        else:
            labels = match_library(run.take(buffer), image) if on_gpu else run.read(buffer).copy()
    return labels, count


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
        As for :func:`label`, except that user code is refused: label with it, and measure the
        `labels`.
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
        check_keywords(components, default_algorithm(), parameters)
        if parameters:
            raise InputError(
                f"Labels are not labelled again: leave out {' and '.join(parameters)}."
            )
        return tabulate_labels(
            labels, device=device, schedule=schedule, cancel=cancel, progress=progress
        )
    if image is None:
        raise InputError("Name a picture, or the labels to measure: components(labels=labels).")
    chosen, neighbours = choose_algorithm(algorithm, connectivity, multivalued=multivalued)
    check_keywords(components, chosen, parameters)
    if is_lazy(image):
        refuse_control(cancel, progress)
        options = ChunkOptions(algorithm, neighbours, device, schedule, multivalued, parameters)
        return tabulate_lazily(image, label, components, options)
    if has_no_cells(image):
        return np.empty(0, TABLE)
    pixels, target = place_picture(image, device, schedule, multivalued=multivalued)
    if algorithm is None:
        chosen = default_algorithm(many_threads=target.many_threads)
    task = _make_task(pixels, neighbours, chosen.complete(parameters), multivalued=multivalued)
    if keeps_launches(chosen, target) and chosen.tabulator is not None and not multivalued:
        return tabulate_on_gpu(chosen.tabulator, task, pixels, target, cancel, progress)
    with target.open(task.image, pixels, timed=False, cancel=cancel, progress=progress) as run:
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
    if is_lazy(labels):
        raise InputError("Labels of a Dask array are not measured: compute them first.")
    if has_no_cells(labels):
        return np.empty(0, TABLE)
    if lies_on_gpu(labels):
        from ccl_viewer.devices.cuda.arrays import renumber_on_gpu

        check_size(labels.shape)
        target = choose_gpu(labels, device, schedule, math.prod(labels.shape))
        numbers, names = renumber_on_gpu(labels)
    else:
        numbers, names = renumber_labels(as_numbers(labels))
        target = choose_device(device, schedule, numbers.size)
    check_labels(names)
    table = measure_numbered_components(numbers, len(names), target, cancel, progress)
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
        ``Step.ledger`` and :meth:`Recording.counts`. Only the emulator counts; ``"auto"`` then
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
    check_keywords(record, chosen, parameters)
    grid = open_picture(image, multivalued=multivalued)
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
    recording = choose_recorder(job, cancel=cancel, progress=progress, on_step=on_step).run()
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
        as measured by the device. Its ``match_steps(recording)`` assigns them to the steps of a
        recording.

    Raises
    ------
    InputError, DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.
    """
    chosen = find_algorithm(algorithm)
    chosen.resolve_connectivity(connectivity)  # before anything is read
    check_keywords(time_run, chosen, parameters)
    grid = open_picture(image, multivalued=multivalued)
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
        If the file is not a recording, is damaged, takes too much or is of another version.
    CancelledError
        If the token was cancelled.
    """
    return _open_recording(path, cancel, trusted=trusted)


def _make_task(
    pixels: Any, connectivity: int, parameters: Mapping[str, ParameterValue], *, multivalued: bool
) -> Task:
    image = Buffer("image", tuple(pixels.shape), np.dtype(np.uint8))
    return Task(image, connectivity, parameters, multivalued=multivalued)


def _read_final_labels(recording: Recording) -> tuple[Any, int]:
    """Return the final labels and the count of a run that numbers its components."""
    numbers = recording.layer("numbers", len(recording) - 1).astype(np.int32)
    return numbers, int(numbers.max(initial=0))

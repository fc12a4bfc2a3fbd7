"""The library's front door: label a picture, list its components, record, time and open runs."""

from __future__ import annotations

import math
import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.algorithms import Algorithm, check_multivalued, default_algorithm
from ccl_viewer.algorithms import algorithm as find_algorithm
from ccl_viewer.algorithms.components import components as find_components
from ccl_viewer.algorithms.components import tabulate
from ccl_viewer.algorithms.consecutive import numbered
from ccl_viewer.algorithms.copies import is_copy
from ccl_viewer.cancellation import CancelToken
from ccl_viewer.copy_process import CopyRecorder, RecordJob, recorder_for
from ccl_viewer.devices.base import Device, Progress
from ccl_viewer.devices.registry import open_device, open_gpu
from ccl_viewer.driver import collect, execute
from ccl_viewer.errors import DeviceUnavailableError, InputError
from ccl_viewer.grids.grid import Grid, as_grid, as_segments, check_size
from ccl_viewer.grids.specs import open_grid, open_segments
from ccl_viewer.plan import Buffer, Numbering, ParameterValue, Task
from ccl_viewer.recording import OnStep, Recording, RunTiming, measure_steps, time_plan
from ccl_viewer.recording import open_recording as _open_recording

_DLPACK_CUDA = 2
"""DLPack's number of the kind of device that NVIDIA's GPUs are."""


def label(
    image: Any,
    algorithm: str | None = None,
    connectivity: int = 4,
    device: str = "auto",
    *,
    multivalued: bool = False,
    schedule: str = "auto",
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    synchronize: bool = True,
    **parameters: ParameterValue,
) -> tuple[Any, Any]:
    """Label the connected components of a picture.

    Parameters
    ----------
    image : array_like of shape (H, W), str or path_like
        The picture; cells that are not 0 are foreground, masked cells of a masked array are not. An
        array of CuPy, PyTorch, JAX or Numba that lies on a GPU stays there. A text names a file or
        a pattern, such as ``"pattern:spiral?size=31"``, which is opened as on the command line.
        A Dask array is labelled lazily, chunk by chunk.
    algorithm : str or None
        Key of the algorithm, one of ``ccl_viewer.algorithms.ALGORITHMS``, or ``"copy:NAME"`` of
        a copy that was edited (it runs in a process of its own); the labels are the same
        whichever it is. None takes one that is fast on the device and can do what is asked: on a
        GPU Tiled Runs, or Playne-Hawick for multi-valued pictures, and on the emulator two-pass
        union-find in strips.
    connectivity : int
        4 or 8.
    device : str
        ``"auto"``, ``"cuda"`` or ``"emulator"``.
    multivalued : bool
        Whether only cells of equal value connect: 0 is background, and the picture is divided into
        segments by its other values, at most 255. Not all algorithms can.
    schedule : str
        Order in which the emulator runs threads; ``"auto"`` is the fastest, ``"sequential"``.
    cancel, progress : optional
        Stop the work, or be told what takes long.
    synchronize : bool
        Whether to wait for a GPU. If not, and the picture lies on a GPU, the call returns as soon
        as the work is launched on the calling thread's current stream, and `count` stays on the
        GPU, as a CuPy array without dimensions; for Tiled Runs alone.
    **parameters
        The algorithm's own parameters.

    Returns
    -------
    labels : ndarray of int32, shape (H, W)
        0 for background, 1 to `count` in raster order of each component's first cell. It is of the
        picture's own library, and on its GPU, if the picture lies on one; otherwise NumPy's. Of a
        Dask array, a Dask array; int64 where a picture of its size can have more components than
        int32 counts.
    count : int
        Number of components; a Dask array without dimensions where `labels` is one.

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
    if _is_lazy(image):
        return _label_lazily(
            image,
            algorithm,
            connectivity,
            device,
            multivalued,
            schedule,
            cancel,
            progress,
            synchronize,
            parameters,
        )
    if algorithm is not None and is_copy(algorithm):
        job = RecordJob(
            _grid_of(image, multivalued=multivalued), find_algorithm(algorithm), connectivity,
            parameters, device, schedule, multivalued, consecutive=True,
        )  # fmt: skip
        return _label_with_copy(CopyRecorder(job, cancel, progress))
    pixels, place = _at_place(image, device, schedule, multivalued=multivalued)
    row = _row_for(algorithm, place.key, multivalued=multivalued)
    connectivity = row.check_connectivity(connectivity)
    if row.numberer is not None and place.key == "cuda":
        return _number_on_gpu(image, pixels, place, row, connectivity, parameters, synchronize)
    complete = row.complete(parameters)
    if not synchronize:
        raise InputError(
            "Only Tiled Runs on a GPU leaves the count there: leave out synchronize=False, or "
            "choose algorithm='tiled_runs' for a picture on a GPU."
        )
    buffer = Buffer("image", tuple(pixels.shape), np.dtype(np.uint8))
    task = Task(buffer, connectivity, complete, multivalued=multivalued)
    with place.open(buffer, pixels, timed=False, cancel=cancel, progress=progress) as run:
        emulated = place.key == "emulator"
        _, numbers, count = execute(numbered(row, task, chunks=emulated), run, cancel=cancel)
        if emulated:
            return run.take(numbers), count
        if not _lies_on_gpu(image):
            return run.read(numbers).copy(), count
        return _back(image, run.take(numbers)), count


def components(
    image: Any,
    connectivity: int = 4,
    device: str = "auto",
    algorithm: str | None = None,
    *,
    multivalued: bool = False,
    schedule: str = "auto",
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.void]:
    """Find the connected components of a picture, and size, place, shape and perimeter of each.

    All is computed on the device; only the table comes back.

    Parameters
    ----------
    image, connectivity, device, multivalued, schedule, cancel, progress
        As for :func:`label`.
    algorithm : str or None
        As for :func:`label`; the table is the same whichever it is.

    Returns
    -------
    structured ndarray, shape (count,)
        A row a component, in the order of :func:`label`'s numbers, in the host's memory. Of a Dask
        array, a Dask array of unknown length:

        ``label`` : int32
            The component's number, from 1.
        ``area`` : int64
            How many cells it has.
        ``y0``, ``x0``, ``y1``, ``x1`` : int32
            Bounding box, such that ``image[y0:y1, x0:x1]`` cuts it out: ``y1`` and ``x1`` lie one
            beyond the last row and column.
        ``y``, ``x`` : float64
            Centroid: the mean of its cells' coordinates.
        ``yy``, ``yx``, ``xx`` : float64
            Central second moments: the mean of the squared distances in y from the centroid, of
            the products of the distances in y and x, and of the squared distances in x.
        ``perimeter`` : int64
            How many sides of its cells have no cell of the component beyond them; those around
            holes and at the edge of the picture count. A cell alone has 4, a square of n x n cells
            has 4 n.

    Notes
    -----
    Kalentev et al. 2011, section 4, name the perimeter as what labelling can be extended to
    compute, and define none. This one is the length of the outline along the sides of cells (the
    crack perimeter of digital geometry): whole, and a sum over cells. ``perimeter`` of
    scikit-image is another measure: it follows the centres of border cells, and weighs diagonal
    steps by the root of 2. Moments are after Hennequin et al. 2018, section II.C, who sum
    coordinates: the centroid is the first of them over the area.

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
    if _is_lazy(image):
        lazy: npt.NDArray[np.void] = _find_lazily(
            image, connectivity, device, algorithm, multivalued, schedule, cancel, progress
        )
        return lazy  # what it gives when it is computed
    pixels, place = _at_place(image, device, schedule, multivalued=multivalued)
    row = _row_for(algorithm, place.key, multivalued=multivalued)
    connectivity = row.check_connectivity(connectivity)
    if row.numberer is not None and place.key == "cuda":
        numbers, count = _numbers_on_gpu(pixels, place, row, connectivity, {}, synchronize=True)
        buffer = Buffer("numbers", tuple(numbers.shape), np.dtype(np.int32))
        with place.open(buffer, numbers, timed=False, cancel=cancel, progress=progress) as run:
            return execute(tabulate(buffer, count), run, cancel=cancel)
    buffer = Buffer("image", tuple(pixels.shape), np.dtype(np.uint8))
    task = Task(buffer, connectivity, row.complete({}), multivalued=multivalued)
    with place.open(buffer, pixels, timed=False, cancel=cancel, progress=progress) as run:
        plan = find_components(row, task, chunks=place.key == "emulator")
        return execute(plan, run, cancel=cancel)


def tabulate_labels(
    labels: npt.NDArray[np.int32], *, cancel: CancelToken | None = None
) -> npt.NDArray[np.void]:
    """Measure components that are labelled already, on the emulator.

    Parameters
    ----------
    labels : ndarray of int32, shape (H, W)
        As :func:`label` returns them.
    cancel : CancelToken or None
        Stops the work.

    Returns
    -------
    structured ndarray, shape (count,)
        As :func:`components` returns it.

    Raises
    ------
    KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.
    """
    buffer = Buffer("numbers", labels.shape, np.dtype(np.int32))
    place = open_device("emulator", "sequential", cells=labels.size)
    with place.open(buffer, labels, timed=False, cancel=cancel) as run:
        return execute(tabulate(buffer, int(labels.max(initial=0))), run, cancel=cancel)


def record(
    image: Any,
    algorithm: str = "label_equivalence",
    connectivity: int = 4,
    device: str = "auto",
    schedule: str = "auto",
    *,
    multivalued: bool = False,
    consecutive: bool = False,
    ledger: bool = False,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    on_step: OnStep | None = None,
    **parameters: ParameterValue,
) -> Recording:
    """Run an algorithm and keep what the labels were after every launch.

    Parameters
    ----------
    image, algorithm, connectivity, device
        As for :func:`label`.
    schedule : str
        ``"sequential"``, ``"synchronous"``, ``"reverse"``, ``"random:SEED"``, or ``"auto"``:
        synchronous for small grids on the emulator, otherwise sequential.
    multivalued : bool
        As for :func:`label`.
    consecutive : bool
        Whether the components are numbered afterwards, as :func:`label` does; the steps of that
        are recorded too, with the numbers as the layer ``"numbers"``.
    ledger : bool
        Whether to count what each launch does to memory, as the warps of a GPU would do it:
        :attr:`Step.ledger` and :meth:`Recording.counts`. Only the emulator counts; ``"auto"`` then
        means it.
    cancel, progress, on_step : optional
        Stop the work, be told what takes long, or be told of each step once it is recorded.
    **parameters
        The algorithm's own parameters.

    Returns
    -------
    Recording
        Every step, checked against the reference: see its ``verdict``.

    Raises
    ------
    InputError, DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.
    """
    grid = _grid_of(image, multivalued=multivalued)
    row = find_algorithm(algorithm)
    job = RecordJob(
        grid, row, connectivity, parameters, device, schedule, multivalued, consecutive, ledger
    )
    recording = recorder_for(job, cancel=cancel, progress=progress, on_step=on_step).run()
    if recording.untimed and not is_copy(row.key):
        chosen = open_device(device, schedule, cells=grid.size)
        measure_steps(recording, chosen, cancel=cancel, progress=progress)
    return recording


def time_run(
    image: Any,
    algorithm: str = "label_equivalence",
    connectivity: int = 4,
    device: str = "auto",
    schedule: str = "auto",
    *,
    multivalued: bool = False,
    consecutive: bool = False,
    repeats: int = 20,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
    **parameters: ParameterValue,
) -> RunTiming:
    """Run an algorithm several times without recording it, and say how the times of steps vary.

    Parameters
    ----------
    image, algorithm, connectivity, device, schedule, multivalued, consecutive, cancel, progress
        As for :func:`record`.
    repeats : int
        How many runs are measured, from 1 to 10,000; one more goes before them.
    **parameters
        The algorithm's own parameters.

    Returns
    -------
    RunTiming
        Median, quartiles, minimum and maximum of each step and of the whole, in milliseconds as
        the device measures them; its ``of(recording)`` puts them beside a recording's steps.

    Raises
    ------
    InputError, DeviceUnavailableError, KernelBuildError, KernelFaultError, CancelledError
        As for :func:`label`.
    """
    grid = _grid_of(image, multivalued=multivalued)
    return time_plan(
        grid,
        find_algorithm(algorithm),
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
        Whether the file may take as much memory and time as it asks for, because it is known
        where it comes from.

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


def _label_with_copy(recorder: CopyRecorder) -> tuple[Any, int]:
    """Label with a copy of a kernel, which runs in a process of its own."""
    recording = recorder.run()
    numbers = recording.layer("numbers", len(recording) - 1).astype(np.int32)
    return numbers, int(numbers.max(initial=0))


def _row_for(algorithm: str | None, device: str, *, multivalued: bool) -> Algorithm:
    """Return the algorithm that is asked for, or a fast one for a device."""
    if algorithm is None:
        return default_algorithm(multivalued=multivalued, device=device)
    row = find_algorithm(algorithm)
    check_multivalued(row, multivalued)
    return row


def _at_place(image: Any, device: str, schedule: str, *, multivalued: bool) -> tuple[Any, Device]:
    """Turn a picture into a grid that lies on the device on which it is to be labelled."""
    if not _lies_on_gpu(image):
        grid = _grid_of(image, multivalued=multivalued)
        return grid, _place_for(device, schedule, grid.size)
    check_size(image.shape)
    cells = math.prod(image.shape)
    place = _gpu_for(image, device, schedule, cells)
    if multivalued:
        from ccl_viewer.devices.cuda import segments_on_gpu

        return segments_on_gpu(image), place
    return image, place


def _grid_of(image: Any, *, multivalued: bool) -> Grid:
    """Turn a picture, or the name of a file or pattern, into a grid."""
    if isinstance(image, str | os.PathLike):
        name = os.fsdecode(image)
        return open_segments(name).grid if multivalued else open_grid(name).grid
    return as_segments(image) if multivalued else as_grid(image)


def _number_on_gpu(
    image: Any,
    pixels: Any,
    place: Any,
    row: Algorithm,
    connectivity: int,
    parameters: dict[str, ParameterValue],
    synchronize: bool,
) -> tuple[Any, Any]:
    """Label on a GPU, for :func:`label`."""
    on_gpu = _lies_on_gpu(image)
    numbers, count = _numbers_on_gpu(
        pixels, place, row, connectivity, parameters, synchronize=synchronize or not on_gpu
    )
    return _back(image, numbers) if on_gpu else numbers.get(), count


def _numbers_on_gpu(
    pixels: Any,
    place: Any,
    row: Algorithm,
    connectivity: int,
    parameters: dict[str, ParameterValue],
    *,
    synchronize: bool,
) -> tuple[Any, Any]:
    """Label on a GPU by launches that are kept for the shape of the picture."""

    def prepare(buffer: Buffer) -> Numbering:
        if row.numberer is None:
            raise TypeError(f"{row.key} has no plan that numbers")
        task = Task(buffer, connectivity, row.complete(parameters))
        return collect(row.numberer(task), buffer)

    key = (row.key, connectivity, tuple(parameters.items()))
    numbers, count = place.number(key, prepare, pixels, synchronize=synchronize)
    return numbers, count


def _back(image: Any, labels: Any) -> Any:
    from ccl_viewer.devices.cuda import as_given

    return as_given(image, labels)


def _is_lazy(image: object) -> bool:
    """Return whether an image is computed by Dask; what only could be, as xarray's, says None."""
    graph = getattr(image, "__dask_graph__", None)
    return graph is not None and graph() is not None


def _label_lazily(
    image: Any,
    algorithm: str | None,
    connectivity: int,
    device: str,
    multivalued: bool,
    schedule: str,
    cancel: CancelToken | None,
    progress: Progress | None,
    synchronize: bool,
    parameters: dict[str, ParameterValue],
) -> tuple[Any, Any]:
    """Label a Dask array by labelling each of its chunks."""
    from ccl_viewer import chunked

    if not synchronize:
        raise InputError(
            "A Dask array's count is computed as its labels are: leave out synchronize."
        )

    row = (
        default_algorithm(multivalued=multivalued)
        if algorithm is None
        else find_algorithm(algorithm)
    )
    connectivity = row.check_connectivity(connectivity)
    check_multivalued(row, multivalued)
    row.complete(parameters)
    options = _chunk_options(connectivity, device, multivalued, schedule, cancel, progress)
    label_chunk: Any = partial(label, algorithm=algorithm, **options | parameters)
    return chunked.label(image, label_chunk, connectivity, multivalued=multivalued)


def _find_lazily(
    image: Any,
    connectivity: int,
    device: str,
    algorithm: str | None,
    multivalued: bool,
    schedule: str,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> Any:
    """Find the components of a Dask array from those of each of its chunks."""
    from ccl_viewer import chunked

    _row_for(algorithm, "emulator", multivalued=multivalued).check_connectivity(connectivity)
    options = _chunk_options(connectivity, device, multivalued, schedule, cancel, progress)
    return chunked.components(
        image,
        partial(label, **options),
        partial(components, algorithm=algorithm, **options),
        int(connectivity),
        multivalued=multivalued,
    )


def _chunk_options(
    connectivity: int,
    device: str,
    multivalued: bool,
    schedule: str,
    cancel: CancelToken | None,
    progress: Progress | None,
) -> dict[str, Any]:
    """Return what each chunk of a Dask array is labelled with."""
    if cancel is not None or progress is not None:
        raise InputError(
            "A Dask array is labelled when it is computed: leave out cancel and progress, and use "
            "what Dask has for them."
        )
    return {
        "connectivity": int(connectivity),
        "device": device,
        "multivalued": multivalued,
        "schedule": schedule,
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
            "The image lies on the GPU and the emulator cannot see it: copy it with .get(), or "
            "choose device='cuda'."
        )
    index = image.__dlpack_device__()[1] if hasattr(image, "__dlpack_device__") else 0
    return open_gpu(index) if schedule == "auto" else open_device("cuda", schedule, cells=cells)


def _place_for(name: str, schedule: str, cells: int) -> Device:
    """Choose where to label: as asked, and sequentially where nothing is asked of the emulator."""
    if schedule != "auto" or name == "cuda":
        return open_device(name, schedule, cells=cells)
    if name == "auto":
        try:
            return open_device("cuda", cells=cells)
        except DeviceUnavailableError:
            name = "emulator"
    return open_device(name, "sequential", cells=cells)

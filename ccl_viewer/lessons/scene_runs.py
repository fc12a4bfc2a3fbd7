"""Records the runs that scenes show; scenes with the same run share its recording."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Final, TypeAlias

import numpy as np

from ccl_viewer.algorithms import find_algorithm
from ccl_viewer.algorithms.copies import fingerprint_code
from ccl_viewer.algorithms.own import NotAllowedError
from ccl_viewer.diagnostics.phases import LaunchTrace, PhaseBoundary, PhaseView, trace_launch
from ccl_viewer.diagnostics.phases.diagrams import (
    Diagram,
    order_diagram,
    request_diagram,
    run_start_diagram,
    wait_diagram,
)
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.execution.device import Progress
from ccl_viewer.execution.plan import ParameterValue
from ccl_viewer.execution.source_location import SourceLocation
from ccl_viewer.grids import Grid
from ccl_viewer.grids.specs import is_pattern, open_grid, open_segments, parse_pattern
from ccl_viewer.grids.text_art import parse
from ccl_viewer.lessons.code import find_code
from ccl_viewer.lessons.faults import did_you_mean
from ccl_viewer.lessons.model import (
    DiagramKind,
    Lesson,
    Scene,
    SceneDiagram,
    SceneLines,
    ScenePhase,
)
from ccl_viewer.recording import Recording
from ccl_viewer.support.cancellation import CancelToken
from ccl_viewer.support.forking import hold_while_forking
from ccl_viewer.support.units import counted
from ccl_viewer.user_kernels.recorder import RecordJob, choose_recorder

MAX_CELLS: Final = 128 * 128
"""Largest grid of a lesson: the emulator runs it within a moment, thread by thread."""

_KEPT = 64

_Key: TypeAlias = tuple[str, str, str, int, str, tuple[tuple[str, ParameterValue], ...], bool, bool]


def check_allowed(lesson: Lesson) -> None:
    """Refuse a lesson that would run code that the user has not allowed.

    Raises
    ------
    NotAllowedError
        If there is such code.
    """
    for code in lesson.code:
        if not code.allowed:
            path = shorten(code.folder.path)
            raise NotAllowedError(
                f"This lesson runs the code in {path}, which you have not allowed as it is now: "
                f"name its folder (ccl-viewer lesson FILE -a {path}), or open the lesson in the "
                "window, which asks."
            )


def open_scene_grid(scene: Scene) -> Grid:
    """Return the grid of a scene.

    Returns
    -------
    ndarray of uint8, shape (height, width)
        0 and 1; values if the scene is multi-valued.

    Raises
    ------
    InputError
        If it is neither a pattern nor text art, or too large for a lesson.
    """
    if is_pattern(scene.grid):
        pattern, values = parse_pattern(scene.grid)
        shape = pattern.shape(values)
        if shape is not None:
            _check_size(shape)
        make = open_segments if scene.multivalued else open_grid
        grid = make(scene.grid).grid
    else:
        grid = parse(scene.grid)
        if not scene.multivalued:
            grid = (grid != 0).astype(np.uint8)
    _check_size(grid.shape)
    return grid


def _check_size(shape: tuple[int, ...]) -> None:
    height, width = shape
    if height * width > MAX_CELLS:
        raise InputError(
            f"A grid of {width} x {height} cells is too large for a lesson: at most "
            f"{MAX_CELLS:,} cells are run thread by thread."
        )


def record_scene(
    scene: Scene, cancel: CancelToken | None = None, progress: Progress | None = None
) -> Recording:
    """Record a scene's run on the emulator, unless its recording is cached.

    Parameters
    ----------
    scene : Scene
        The scene.
    cancel, progress : optional
        A token to stop the work, and a function that receives its progress.

    Returns
    -------
    Recording
        The same object for all scenes with the same grid, algorithm and settings, while it is
        cached.

    Raises
    ------
    InputError
        If the grid, the algorithm or a setting cannot be used.
    KernelBuildError, KernelFaultError
        If the run fails.
    CancelledError
        If the work was cancelled.
    """
    return _recordings.enter(scene, cancel, progress)


def find_run_and_step(
    lesson: Lesson,
    scene: Scene,
    name: str,
    cancel: CancelToken | None = None,
    progress: Progress | None = None,
) -> tuple[Recording, int]:
    """Return the run and the step that a name in a scene's text refers to.

    Parameters
    ----------
    lesson : Lesson
        The lesson.
    scene : Scene
        The scene with the text.
    name : str
        Number of another scene, from 1, or key of one of the compared algorithms.
    cancel, progress : optional
        As for :func:`record_scene`.

    Raises
    ------
    InputError
        If there is no such scene or run.
    """
    if not name.isdecimal():
        for run in scene.run_scenes:
            if name in {run.algorithm, run.algorithm.rpartition(":")[2]}:
                return record_scene(run, cancel, progress), run.step
        compared = [run.algorithm for run in scene.compare]
        raise InputError(f"No run {name!r} is compared here: {did_you_mean(name, compared)}")
    count = len(lesson.scenes)
    if not 1 <= int(name) <= count:
        raise InputError(f"There is no scene {name}: the lesson has {count}.")
    other = lesson.scenes[int(name) - 1]
    return record_scene(other, cancel, progress), other.step


def view_phase(
    phase: ScenePhase, recording: Recording, step: int, cancel: CancelToken | None = None
) -> PhaseView:
    """Return the phase of a launch that a scene shows.

    Parameters
    ----------
    phase : ScenePhase
        The phase to show.
    recording : Recording
        The run.
    step : int
        The step on display.
    cancel : CancelToken or None
        Stops the work.

    Raises
    ------
    InputError
        If there is no such block, warp or phase, or the schedule has no rounds.
    CancelledError
        If the work was cancelled.
    """
    block = (*phase.block, 0)
    trace = trace_launch(recording, step, block, cancel=cancel)
    phases = trace.phases(phase.by, block, phase.warp)
    if not -len(phases) <= phase.index < len(phases):
        raise InputError(
            f"There is no phase {phase.index}: the launch has phases 0 to {len(phases) - 1}."
        )
    return PhaseView(trace, phases[phase.index])


def compute_diagram(
    diagram: SceneDiagram, recording: Recording, step: int, cancel: CancelToken | None = None
) -> Diagram:
    """Compute a diagram of a launch of a scene's run.

    Parameters
    ----------
    diagram : SceneDiagram
        The diagram to compute.
    recording, step, cancel
        As for :func:`view_phase`.

    Raises
    ------
    InputError
        If there is no such block, warp, access, ballot, barrier or element.
    KernelBuildError
        If the source cannot be read.
    CancelledError
        If the work was cancelled.
    """
    block = (*diagram.block, 0)
    trace = trace_launch(recording, step, block, cancel=cancel)
    match diagram.of:
        case DiagramKind.WAITING:
            return wait_diagram(trace, block, diagram.barriers)
        case DiagramKind.ORDER:
            return order_diagram(trace, block, diagram.memory, diagram.element)
        case DiagramKind.BITS:
            return run_start_diagram(_ballot(trace, diagram), diagram.lane, diagram.warp)
    shared = diagram.of is DiagramKind.BANKS
    at = _select_line(diagram, recording, step)
    return request_diagram(trace, block, diagram.warp, diagram.index, shared=shared, at=at)


def _ballot(trace: LaunchTrace, diagram: SceneDiagram) -> int:
    """Return the mask of one of a warp's ballots."""
    masks = []
    for phase in trace.phases(PhaseBoundary.WARP, (*diagram.block, 0), diagram.warp):
        operation = PhaseView(trace, phase).last_warp_operation()
        if operation is not None and operation.name == "__ballot_sync":
            masks += [mask for mask in operation.gets if mask is not None][:1]
    if not -len(masks) <= diagram.index < len(masks):
        count = counted(len(masks), "ballot")
        raise InputError(f"Warp {diagram.warp} makes {count}: there is no {diagram.index}.")
    return masks[diagram.index]


def _select_line(
    diagram: SceneDiagram, recording: Recording, step: int
) -> Callable[[SourceLocation | None], bool]:
    """Return a function that checks whether a location is in the line that a diagram names."""
    if not diagram.line:
        return lambda _location: True
    code = find_code(SceneLines(diagram.line, "", diagram.kernel), recording, step)
    target = code.file, code.first + 1
    return lambda location: location is not None and (location.file, location.line) == target


class _SceneRecordings:
    """A cache of the recordings of recent scenes."""

    def __init__(self) -> None:
        self._recordings: OrderedDict[_Key, Recording] = OrderedDict()
        self._lock = Lock()
        hold_while_forking(self._lock)

    def enter(
        self, scene: Scene, cancel: CancelToken | None, progress: Progress | None
    ) -> Recording:
        key = _key(scene)
        with self._lock:
            cached = self._recordings.get(key)
            if cached is not None:
                self._recordings.move_to_end(key)
                return cached
        recording = _record(scene, cancel, progress)
        with self._lock:
            # All callers get the same recording, even if two threads recorded it at the same time.
            recording = self._recordings.setdefault(key, recording)
            while len(self._recordings) > _KEPT:
                self._recordings.popitem(last=False)
        return recording


_recordings: Final = _SceneRecordings()


def _key(scene: Scene) -> _Key:
    parameters = tuple(sorted(scene.parameters.items()))
    return (
        scene.grid,
        scene.algorithm,
        fingerprint_code(scene.algorithm),
        scene.connectivity,
        scene.schedule,
        parameters,
        scene.multivalued,
        scene.needs_counts,
    )


def _record(scene: Scene, cancel: CancelToken | None, progress: Progress | None) -> Recording:
    job = RecordJob(
        image=open_scene_grid(scene),
        algorithm=find_algorithm(scene.algorithm),
        connectivity=scene.connectivity,
        parameters=scene.parameters,
        device="emulator",
        schedule=scene.schedule,
        multivalued=scene.multivalued,
        ledger=scene.needs_counts,
        diagnose=False,
        cores=1,  # so that all readers see the same steps
    )
    return choose_recorder(job, cancel=cancel, progress=progress).run()

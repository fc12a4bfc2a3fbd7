"""The kernels that count what labels say are NumPy's equal, bit for bit, on every device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import ALGORITHM_CASES
from support.grids import any_grid, checkerboard, comb, corner, noise, spiral
from support.oracle import changes_of, oracle_trees, trees_of
from support.plain_judge import is_partition, names_components, plain_components

import ccl_viewer as ccl
from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.devices.emulator.backend import emulator_backend
from ccl_viewer.devices.registry import DeviceName, open_gpu
from ccl_viewer.execution.device import ArrayBackend
from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.recording import Recording
from ccl_viewer.recording.delta import apply, make_delta
from ccl_viewer.recording.grid_kernels import GridKernels
from ccl_viewer.recording.partial_frames import ChosenCells
from ccl_viewer.reference import (
    Verdict,
    compare,
    find_roots,
    find_wrong_cells,
    judge_parents,
    label_reference,
)
from ccl_viewer.render import forest
from ccl_viewer.render.step_view import follow

Frame = npt.NDArray[np.int32]
Grid = npt.NDArray[np.uint8]

HOSTILE: dict[str, Grid] = {
    "one cell": np.ones((1, 1), np.uint8),
    "no foreground": np.zeros((5, 7), np.uint8),
    "all foreground": np.ones((70, 70), np.uint8),
    "one row": noise(1, 300, 0.7),
    "one column": noise(300, 1, 0.7),
    "corner": corner(40, 33),
    "comb": comb(33, 65),
    "spiral": spiral(67),
    "checkerboard": checkerboard(50, 64),
    "noise": noise(130, 257, 0.593),
}


@pytest.fixture(params=["emulator", pytest.param("cuda", marks=pytest.mark.gpu)])
def backend(request: pytest.FixtureRequest) -> ArrayBackend:
    return emulator_backend() if request.param == "emulator" else open_gpu().array_backend()


def layouts(height: int, width: int) -> list[LabelLayout]:
    """Plain, and padded as the papers do it."""
    return [
        LabelLayout(height, width, pitch=width, background=-1),
        LabelLayout(height, width, pitch=width, origin=1),
        LabelLayout(height, width, pitch=width + 2, margin=1),
        LabelLayout(height, width, pitch=width + 1, margin=1),
    ]


@pytest.mark.parametrize("multivalued", [False, True])
@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("name", HOSTILE)
def test_components_are_the_references(
    backend: ArrayBackend, name: str, connectivity: int, *, multivalued: bool
) -> None:
    image = HOSTILE[name]
    if multivalued:
        image = image * np.random.default_rng(1).integers(1, 4, image.shape, dtype=np.uint8)
    kernels = GridKernels(backend, image, connectivity, multivalued=multivalued)
    numbers, count = kernels.component_numbers()
    expected, components = label_reference(image, connectivity, multivalued=multivalued)
    assert count == components
    found = backend.to_host(numbers)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.int32
    areas, boxes = kernels.measure_components()
    np.testing.assert_array_equal(areas[1:], np.bincount(expected.ravel(), minlength=1)[1:])
    for number in range(1, min(count, 50) + 1):
        y, x = np.nonzero(expected == number)
        assert boxes[number].tolist() == [x.min(), y.min(), x.max() + 1, y.max() + 1]


@settings(max_examples=60)
@given(any_grid(70, values=3), st.sampled_from([4, 8]), st.booleans())
def test_components_of_any_grid_are_the_references(
    image: Grid, connectivity: int, multivalued: bool
) -> None:
    kernels = GridKernels(emulator_backend(), image, connectivity, multivalued=multivalued)
    expected, count = label_reference(image, connectivity, multivalued=multivalued)
    numbers, found = kernels.component_numbers()
    np.testing.assert_array_equal(numbers, expected)
    assert found == count


@st.composite
def any_frames(draw: st.DrawFn) -> tuple[Grid, LabelLayout, list[Frame]]:
    """Any labels: circles, chains, labels of background, and addresses outside the grid."""
    image = draw(any_grid(24))
    height, width = image.shape
    layout = draw(st.sampled_from(layouts(height, width)))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    kind = draw(st.sampled_from(["any", "near", "far"]))
    cells = image.size
    frames = []
    for _ in range(3):
        if kind == "near":  # long chains and circles
            step = rng.integers(-1, 3, cells)
            named = np.clip(np.arange(cells) - step, 0, cells - 1)
        else:
            named = rng.integers(0, cells, cells)
        labels = layout.addresses(named).reshape(image.shape).astype(np.int32)
        bare = rng.random(image.shape) < draw(st.sampled_from([0.0, 0.1, 0.6]))
        labels[bare] = layout.background
        if kind == "far":
            wild = rng.random(image.shape) < 0.2
            anything = rng.integers(-(2**31), 2**31, image.shape).astype(np.int32)
            close = rng.integers(-2 * cells, 3 * cells + 9, image.shape).astype(np.int32)
            labels[wild] = np.where(rng.random(image.shape) < 0.5, anything, close)[wild]
        frames.append(labels)
    return image, layout, frames


def check_frames(
    backend: ArrayBackend, image: Grid, layout: LabelLayout, frames: list[Frame]
) -> None:
    """Return all facts about some frames, computed with NumPy."""
    kernels = GridKernels(backend, image, 4)
    device = [backend.to_device(frame) for frame in frames]
    components, count = label_reference(image, 4)
    last_parents = layout.parents(frames[-1])
    verdict = judge_parents(last_parents, components, count)
    assert (kernels.count_doubtful(device[-1], layout) == 0) is verdict.correct
    final = kernels.final_roots(device[-1], layout, right=verdict.correct)
    every_change = kernels.count_changes([*zip([None, *device], device, strict=False)], layout)
    every_link, every_tree = (
        kernels.find_roots_and_depths(device, layout),
        kernels.count_trees(device, layout, final),
    )
    for index, labels in enumerate(frames):
        before = frames[index - 1] if index else None
        changes = every_change[index]
        assert changes == changes_of(image, before, labels, layout)
        expected = find_roots(layout.parents(labels))
        np.testing.assert_array_equal(kernels.unpack_roots(every_link[index]), expected)
        assert every_tree[index] == trees_of(
            image, labels, frames[-1], layout, components, right=verdict.correct
        )
        if before is not None:
            assert kernels.count_differing([(device[index - 1], device[index])]) == [
                changes.changed
            ]


@settings(max_examples=150)
@given(any_frames())
def test_any_labels_are_counted_as_numpy_counts_them(
    drawn: tuple[Grid, LabelLayout, list[Frame]],
) -> None:
    check_frames(emulator_backend(), *drawn)


@pytest.mark.gpu
@settings(max_examples=150)
@given(any_frames())
def test_any_labels_are_counted_as_numpy_counts_them_on_a_gpu(
    drawn: tuple[Grid, LabelLayout, list[Frame]],
) -> None:
    check_frames(open_gpu().array_backend(), *drawn)


@st.composite
def nearly_right_labels(
    draw: st.DrawFn, image: Grid, components: list[set[tuple[int, int]]], layout: LabelLayout
) -> Frame:
    """Labels that name a cell of their component, and up to three that name anything."""
    width = image.shape[1]
    labels = np.full(image.shape, layout.background, np.int32)
    for component in components:
        y, x = draw(st.sampled_from(sorted(component)))
        for cell in component:
            labels[cell] = layout.addresses(y * width + x)
    last = int(layout.addresses(image.size - 1)) + 2 * layout.pitch
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, image.size - 1))
        labels.flat[place] = draw(st.integers(-layout.pitch, last))
    return labels


def check_verdicts(
    backend: ArrayBackend, drawn: st.DataObject, connectivity: int, *, multivalued: bool
) -> None:
    """Compare all judges of one labelling with the plain one."""
    image = drawn.draw(any_grid(5, values=4))
    components = plain_components(image, connectivity, multivalued=multivalued)
    layout = drawn.draw(st.sampled_from(layouts(*image.shape)))
    labels = drawn.draw(nearly_right_labels(image, components, layout))
    right = names_components(labels, layout, components)
    expected, count = label_reference(image, connectivity, multivalued=multivalued)
    parents = layout.parents(labels)
    verdict = judge_parents(parents, expected, count)
    assert verdict.correct is right
    assert verdict.wrong_cells > 0 or right or verdict.fault
    assert np.count_nonzero(find_wrong_cells(parents, expected, count)) == verdict.wrong_cells
    kernels = GridKernels(backend, image, connectivity, multivalued=multivalued)
    assert (kernels.count_doubtful(backend.to_device(labels), layout) == 0) is right
    numbers = labels.astype(np.int64) - layout.background
    partition = compare(numbers, image, connectivity, multivalued=multivalued)
    assert partition.correct is is_partition(numbers, components)


@settings(max_examples=400)
@given(st.data(), st.sampled_from([4, 8]), st.booleans())
def test_all_judges_agree_with_the_definition(
    drawn: st.DataObject, connectivity: int, multivalued: bool
) -> None:
    check_verdicts(emulator_backend(), drawn, connectivity, multivalued=multivalued)


@pytest.mark.gpu
@settings(max_examples=400)
@given(st.data(), st.sampled_from([4, 8]), st.booleans())
def test_all_judges_agree_with_the_definition_on_a_gpu(
    drawn: st.DataObject, connectivity: int, multivalued: bool
) -> None:
    check_verdicts(open_gpu().array_backend(), drawn, connectivity, multivalued=multivalued)


def chains(cells: int) -> dict[str, Frame]:
    """Frames of one long chain, and of one large circle."""
    own = np.arange(cells, dtype=np.int32)
    shuffled = np.random.default_rng(0).permutation(cells).astype(np.int32)
    scattered = np.empty(cells, np.int32)
    scattered[shuffled[1:]] = shuffled[:-1]
    scattered[shuffled[0]] = shuffled[0]
    circle = scattered.copy()
    circle[shuffled[0]] = shuffled[-1]
    return {
        "backwards": np.maximum(own - 1, 0),
        "forwards": np.minimum(own + 1, cells - 1),
        "scattered": scattered,
        "circle": circle,
        "pairs": own ^ 1,
    }


@pytest.mark.parametrize("name", chains(8))
def test_roots_and_depths_of_long_chains_and_circles_are_found(
    backend: ArrayBackend, name: str
) -> None:
    image = np.ones((300, 250), np.uint8)
    labels = chains(image.size)[name].reshape(image.shape)
    layout = LabelLayout(*image.shape, pitch=image.shape[1], background=-1)
    kernels = GridKernels(backend, image, 4)
    frame = backend.to_device(labels)
    found = kernels.unpack_roots(kernels.find_roots_and_depths([frame], layout)[0])
    np.testing.assert_array_equal(found, find_roots(layout.parents(labels)))
    rooted = name in {"backwards", "forwards", "scattered"}
    assert (found >= 0).all() == rooted
    final = kernels.final_roots(frame, layout, right=False)
    depth = kernels.count_trees([frame], layout, final)[0].depth
    assert depth == (image.size - 1 if rooted else 0)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 1.0])
def test_a_delta_turns_each_frame_into_the_other(
    backend: ArrayBackend, dtype: type[np.int32 | np.int64], share: float
) -> None:
    rng = np.random.default_rng(3)
    image = np.ones((61, 203), np.uint8)
    bounds = np.iinfo(dtype)
    before, other = rng.integers(bounds.min, bounds.max, (2, *image.shape), dtype)
    after = np.where(rng.random(image.shape) < share, other, before)
    kernels = GridKernels(backend, image, 4)
    bits, values = kernels.find_changes(backend.to_device(before), backend.to_device(after))
    np.testing.assert_array_equal(bits, np.packbits(before != after))
    assert values.dtype == dtype
    delta = make_delta(bits, values, image.size)
    frame = before.copy()
    apply(delta, frame, forwards=True)
    np.testing.assert_array_equal(frame, after)
    apply(delta, frame, forwards=False)
    np.testing.assert_array_equal(frame, before)


@settings(max_examples=60)
@given(any_frames(), st.booleans())
def test_roots_and_depths_of_chosen_cells_equal_numpys(
    drawn: tuple[Grid, LabelLayout, list[Frame]], depths: bool
) -> None:
    image, layout, (labels, *_) = drawn
    cells = np.random.default_rng(0).integers(0, image.size, (5, 9))
    found = GridKernels(emulator_backend(), image, 4).follow(
        labels,
        layout,
        ChosenCells.of(cells),
        12 if depths else forest.follow_limit(layout),
        depths=depths,
    )
    np.testing.assert_array_equal(found, follow(labels, layout, cells, depths=depths))


@pytest.mark.gpu
def test_pictures_of_a_gpu_are_the_same() -> None:
    image = noise(300, 400, 0.593)
    run = ccl.record(image, "shibata_fast", connectivity=4, device="cuda")
    cells = np.random.default_rng(0).integers(0, image.size, (50, 90))
    chosen = ChosenCells.of(cells)
    for step in range(len(run)):
        labels, frame = run.labels(step), run.device_frame(step)
        np.testing.assert_array_equal(
            run.grid_kernels.read_cells(frame, chosen), labels.reshape(-1)[cells]
        )
        for depths in (False, True):
            farthest = 12 if depths else forest.follow_limit(run.layout)
            np.testing.assert_array_equal(
                run.grid_kernels.follow(frame, run.layout, chosen, farthest, depths=depths),
                follow(labels, run.layout, cells, depths=depths),
            )


def check_run(run: Recording) -> None:
    """The facts of a recorded run, as NumPy counts them from its frames."""
    for step in run.steps:
        before = run.labels(step.index - 1) if step.index else None
        expected = changes_of(run.image, before, run.labels(step.index), run.layout)
        assert run.change_counts(step.index) == expected
        assert (step.changed, step.roots) == (expected.changed, expected.roots)
        assert run.tree_counts(step.index) == oracle_trees(run, step.index)
    components, count = label_reference(run.image, run.connectivity, multivalued=run.multivalued)
    verdict = judge_parents(run.parents(-1), components, count)
    if run.algorithm == "ha4_features":  # whose labels are judged once all cells have one
        verdict = Verdict(correct=True, expected=count, found=count)
    assert run.verdict == verdict


@pytest.mark.parametrize("device", ["emulator", pytest.param("cuda", marks=pytest.mark.gpu)])
@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_every_algorithms_steps_are_counted(
    algorithm: str, connectivity: int, device: DeviceName
) -> None:
    hostile = [HOSTILE[name] for name in ("one cell", "no foreground", "corner")]
    for image in (*hostile, noise(1, 90, 0.7), spiral(19), noise(19, 70, 0.6)):
        check_run(ccl.record(image, algorithm, connectivity=connectivity, device=device))


@pytest.mark.parametrize("device", ["emulator", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_runs_of_several_values_are_counted(device: DeviceName) -> None:
    image = noise(40, 41, 0.8) * np.random.default_rng(5).integers(1, 3, (40, 41), dtype=np.uint8)
    for row in ALGORITHMS.values():
        if row.multivalued:
            connectivity = row.connectivities[0]
            check_run(
                ccl.record(
                    image, row.key, connectivity=connectivity, device=device, multivalued=True
                )
            )


@pytest.mark.parametrize("device", ["emulator", pytest.param("cuda", marks=pytest.mark.gpu)])
def test_wrong_runs_are_counted(device: DeviceName) -> None:
    run = ccl.record(
        spiral(99), "row_col_unify", connectivity=4, device=device, variant="printed_checks"
    )
    assert run.verdict is not None
    assert not run.verdict.correct
    check_run(run)

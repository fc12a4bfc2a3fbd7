"""Features of components, from runs and pixel by pixel, against sums over the pixels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy import ndimage
from support.cases import PLACES
from support.grids import Grid, comb, named_grids, noise, spiral, zigzag

import ccl_viewer as ccl
from ccl_viewer.algorithms.ha4_features import FeatureBuffers, analyse_components
from ccl_viewer.devices.registry import open_device
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Task

Columns = dict[str, npt.NDArray[np.int64]]

NAMES = ("count", "sum_x", "sum_y", "min_x", "min_y", "max_x", "max_y")


def found(
    image: Grid,
    connectivity: int = 4,
    naive: bool = False,
    place: tuple[str, str] | None = None,
    two_pixels: bool = False,
) -> tuple[Columns, FeatureBuffers]:
    """The features at the roots, in raster order of the roots; and the buffers they came from."""
    device, schedule = place or ("emulator", "sequential")
    buffer = Buffer("image", image.shape, np.dtype(np.uint8))
    task = Task(buffer, connectivity)
    with open_device(device, schedule, cells=image.size).open(buffer, image) as run:
        features = execute(analyse_components(task, naive=naive, two_pixels=two_pixels), run)
        labels = run.read(features.labels).ravel()
        roots = np.flatnonzero(labels == np.arange(labels.size))
        columns = {
            buffer.name: run.read(buffer).ravel()[roots].astype(np.int64)
            for buffer in features.sums
        }
    return columns, features


def expected(image: Grid, connectivity: int = 4) -> Columns:
    labels, count = ndimage.label(image, np.ones((3, 3)) if connectivity == 8 else None)
    columns: Columns = {name: np.zeros(count, np.int64) for name in NAMES}
    y, x = np.nonzero(labels)
    component = labels[y, x] - 1
    np.add.at(columns["count"], component, 1)
    np.add.at(columns["sum_x"], component, x)
    np.add.at(columns["sum_y"], component, y)
    columns["min_x"] += image.shape[1]
    columns["min_y"] += image.shape[0]
    for name, extreme, values in (
        ("min_x", np.minimum, x),
        ("min_y", np.minimum, y),
        ("max_x", np.maximum, x),
        ("max_y", np.maximum, y),
    ):
        extreme.at(columns[name], component, values)
    return columns


def check(columns: Columns, image: Grid, connectivity: int, name: str) -> None:
    for feature, values in expected(image, connectivity).items():
        np.testing.assert_array_equal(columns[feature], values, err_msg=f"{name}: {feature}")


@pytest.mark.parametrize(("device", "schedule"), PLACES)
@pytest.mark.parametrize("naive", [False, True], ids=["runs", "naive"])
@pytest.mark.parametrize("connectivity", [4, 8])
def test_features_equal_sums_over_the_pixels(
    connectivity: int, naive: bool, device: str, schedule: str
) -> None:
    for name, image in named_grids():
        columns, _ = found(image, connectivity, naive, (device, schedule))
        check(columns, image, connectivity, name)


@pytest.mark.parametrize(("device", "schedule"), PLACES)
@pytest.mark.parametrize("naive", [False, True], ids=["runs", "naive"])
def test_two_pixels_a_thread_give_the_same_features(
    naive: bool, device: str, schedule: str
) -> None:
    for name, image in named_grids():
        columns, _ = found(image, 4, naive, (device, schedule), two_pixels=True)
        check(columns, image, 4, name)


@pytest.mark.parametrize("naive", [False, True], ids=["runs", "naive"])
def test_sums_that_32_bits_cannot_hold(naive: bool) -> None:
    for image in (np.ones((1, 100_000), np.uint8), np.ones((100_000, 1), np.uint8)):
        columns, features = found(image, naive=naive)
        assert features.sum_x.dtype == features.sum_y.dtype == np.uint64
        assert max(columns["sum_x"][0], columns["sum_y"][0]) == 99_999 * 50_000 > 2**32
        check(columns, image, 4, str(image.shape))


def test_sums_are_as_wide_as_the_grid_asks_for() -> None:
    columns, features = found(np.ones((1, 92_682), np.uint8))
    assert features.sum_x.dtype == np.uint32
    assert columns["sum_x"][0] == 92_681 * 46_341 < 2**32


@pytest.mark.parametrize("naive", [False, True], ids=["runs", "naive"])
def test_no_random_schedule_breaks_the_features(naive: bool) -> None:
    grids = [comb(6, 40), noise(9, 70, 0.7), np.ones((5, 34), np.uint8), spiral(9), zigzag(5, 40)]
    for seed in range(80):
        image = grids[seed % len(grids)]
        columns, _ = found(image, naive=naive, place=("emulator", f"random:{seed}"))
        check(columns, image, 4, f"seed {seed}")


def test_the_root_tells_the_first_row() -> None:
    """Hennequin et al. 2018, section IV.D: min_y = floor(label / width)."""
    image = noise(30, 50, 0.5)
    columns, _ = found(image)
    labels, _ = ndimage.label(image)
    firsts = np.unique(labels[labels > 0], return_index=True)[1]
    roots = np.flatnonzero(image)[firsts]
    np.testing.assert_array_equal(columns["min_y"], roots // 50)


def test_the_analysis_makes_three_launches_and_labels_no_pixels() -> None:
    """Figure 6: the first two steps are those of the labelling, the third is the features."""
    recording = ccl.record(noise(20, 70, 0.6), "ha4_features", device="emulator")
    assert [step.stage for step in recording.steps] == ["strip", "strip-merge", "features"]
    labelled = recording.labels(-1) >= 0
    assert labelled.sum() < (recording.image != 0).sum()
    assert recording.verdict is not None
    assert recording.verdict.correct


def test_the_naive_way_labels_every_pixel_first() -> None:
    recording = ccl.record(noise(20, 70, 0.6), "ha4_features", device="emulator", naive=1)
    assert [step.stage for step in recording.steps] == [
        "strip",
        "strip-merge",
        "relabel",
        "features",
    ]
    np.testing.assert_array_equal(recording.labels(-1) >= 0, recording.image != 0)
    assert recording.verdict is not None
    assert recording.verdict.correct

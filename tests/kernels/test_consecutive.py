"""Consecutive numbers, after labels of any layout and with roots anywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.cases import ALGORITHM_CASES, PLACES
from support.expected import check_labels, scipy_labels
from support.grids import Grid, diagonals, named_grids, noise

import ccl_viewer as ccl
from ccl_viewer.algorithms.consecutive import number_components
from ccl_viewer.devices.registry import open_device
from ccl_viewer.errors import InputError
from ccl_viewer.execution.driver import execute
from ccl_viewer.execution.plan import Buffer, Kernel, LabelLayout, Launch, Stage
from ccl_viewer.reference import label_reference

Labels = npt.NDArray[np.int32]


def number(
    labels: Labels,
    layout: LabelLayout,
    place: tuple[str, str],
    *,
    roots_first: bool,
    chunks: bool = False,
) -> tuple[Labels, int]:
    """Run the stage alone on finished labels, which go to the device as bytes."""
    data = labels.view(np.uint8).reshape(-1)
    buffer = Buffer("labels", data.shape, np.dtype(np.uint8), layout=layout)
    device = open_device(*place, cells=labels.size)
    with device.open(buffer, data, timed=False) as run:
        numbers, count = execute(
            number_components(buffer, roots_first=roots_first, chunks=chunks), run
        )
        return run.read(numbers).copy(), count


def with_roots(image: Grid, layout: LabelLayout, which: str) -> Labels:
    """Labels with the first, last or a random cell of each component as its root."""
    components, count = label_reference(image, 4)
    cells = np.arange(image.size)
    address = layout.addresses(cells).reshape(image.shape)
    order = np.random.RandomState(3).permutation(cells) if which == "random" else cells
    root = np.zeros(count + 1, np.int64)
    if which == "first":
        order = order[::-1]
    root[components.ravel()[order]] = order  # the last one written stays
    labels = np.where(image != 0, address.ravel()[root[components]], layout.background)
    rows = layout.height + 2 * layout.margin
    whole = np.full((rows, layout.pitch), layout.background, np.int32)
    layout.inner(whole)[...] = labels
    return whole


def layouts(image: Grid) -> list[LabelLayout]:
    height, width = image.shape
    return [
        LabelLayout(height, width, pitch=width, background=-1),
        LabelLayout(height, width, pitch=width + 2, margin=1, background=0),
        LabelLayout(height, width, pitch=width, origin=1, background=0),
        LabelLayout(height, width, pitch=width + 7, margin=3, origin=-5, background=-9),
    ]


@pytest.mark.parametrize("chunks", [False, True])
@pytest.mark.parametrize(("device", "schedule"), PLACES)
@pytest.mark.parametrize("which", ["first", "last", "random"])
def test_numbers_equal_scipys_wherever_the_roots_lie(
    which: str, device: str, schedule: str, *, chunks: bool
) -> None:
    for place, (name, image) in enumerate(named_grids()):
        expected, components = scipy_labels(image, 4)
        for layout in layouts(image)[place % 2 :: 2]:
            labels = with_roots(image, layout, which)
            numbers, count = number(
                labels, layout, (device, schedule), roots_first=which == "first", chunks=chunks
            )
            assert count == components, name
            check_labels(numbers, expected, name)


def test_no_random_schedule_breaks_the_search_for_first_cells() -> None:
    for seed in range(80):
        image = (noise(12, 40, 0.7, seed), diagonals(15), np.ones((4, 70), np.uint8))[seed % 3]
        layout = layouts(image)[seed % 4]
        labels = with_roots(image, layout, "random")
        numbers, _ = number(labels, layout, ("emulator", f"random:{seed}"), roots_first=False)
        check_labels(numbers, scipy_labels(image, 4)[0], f"seed {seed}")


def test_no_random_schedule_breaks_the_scan_over_several_turns() -> None:
    """The scan alone, by a small block, so that four turns are cheap."""
    threads, counts = 64, np.arange(200, dtype=np.int32) * 7 % 11
    values = np.append(counts, 0).astype(np.int32).view(np.uint8)
    sums = Buffer("image", values.shape, np.dtype(np.uint8))
    scan = Launch(
        Kernel("consecutive", "consecutive_scan", (("THREADS", threads),)),
        (1, 1, 1),
        (threads, 1, 1),
        (sums, np.int32(counts.size)),
        Stage.SCAN,
        "A prefix sum.",
    )
    expected = np.concatenate([[0], np.cumsum(counts)])
    for seed in range(80):
        device = open_device("emulator", f"random:{seed}", cells=counts.size)
        with device.open(sums, values, timed=False) as run:
            run.launch(scan)
            found = run.read(sums).view(np.int32)
            np.testing.assert_array_equal(found, expected, err_msg=f"seed {seed}")


@pytest.mark.parametrize("chunks", [False, True])
def test_more_blocks_than_the_scan_takes_at_once(*, chunks: bool) -> None:
    image = noise(400, 400, 0.3)
    layout = LabelLayout(400, 400, pitch=400, background=-1)
    labels = with_roots(image, layout, "last")
    numbers, _ = number(
        labels, layout, ("emulator", "sequential"), roots_first=False, chunks=chunks
    )
    check_labels(numbers, scipy_labels(image, 4)[0], "400 x 400")


@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_the_stage_can_be_recorded_after_any_algorithm(algorithm: str, connectivity: int) -> None:
    image = noise(20, 37, 0.5)
    plain = ccl.record(image, algorithm, connectivity=connectivity, device="emulator")
    recording = ccl.record(
        image, algorithm, connectivity=connectivity, device="emulator", consecutive=True
    )
    assert recording.verdict is not None
    assert recording.verdict.correct
    stage = [step for step in recording.steps if step.module == "consecutive"]
    assert [step.stage for step in stage[-4:]] == ["analysis", "scan", "relabel", "relabel"]
    before = len(recording) - len(stage)
    assert before >= len(plain)  # more where labels are completed before they are numbered
    np.testing.assert_array_equal(recording.labels(-1), recording.labels(before - 1))
    expected, _ = label_reference(image, connectivity)
    np.testing.assert_array_equal(recording.layer("numbers", -1), expected)


@pytest.mark.parametrize(
    ("algorithm", "parameters"),
    [("row_col_unify", {"variant": "printed_checks"}), ("shibata_naive", {"passes": 1})],
)
def test_labels_that_may_not_be_flat_are_not_numbered(
    algorithm: str, parameters: dict[str, Any]
) -> None:
    image = noise(9, 9, 0.6)
    with pytest.raises(InputError, match="only roots are numbered"):
        ccl.record(image, algorithm, device="emulator", consecutive=True, **parameters)


@pytest.mark.parametrize("size", [3, 600])
def test_labels_from_the_emulator_are_the_callers_own(size: int) -> None:
    """Large ones are not copied, small ones do not keep the memory around them."""
    image = np.ones((size, size), np.uint8)
    labels, _ = ccl.label(image, device="emulator")
    assert labels.flags.writeable
    labels[...] = 7
    again, _ = ccl.label(image, device="emulator")
    assert (again == 1).all()
    assert (labels == 7).all()
    assert labels.flags.owndata == (size == 3)

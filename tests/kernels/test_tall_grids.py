"""Grids with more rows of blocks than a launch can count: the rows are folded into layers."""

from __future__ import annotations

import pytest
from support.cases import ALGORITHM_CASES
from support.expected import check_labels, scipy_labels
from support.grids import Grid, comb, diagonals, noise

import ccl_viewer as ccl
from ccl_viewer.devices.registry import DeviceName
from ccl_viewer.execution import driver

PLACES = [
    pytest.param("emulator", "sequential", 1, id="sequential-1"),
    pytest.param("emulator", "random:3", 3, id="random-3"),
    *(
        pytest.param("cuda", "auto", most, id=f"cuda-{most}", marks=pytest.mark.gpu)
        for most in (1, 3)
    ),
]
"""(device, schedule, most rows of blocks in a layer)."""

TALL = (
    ("noise", noise(97, 75, 0.6)),
    ("column", noise(203, 1, 0.8)),
    ("comb", comb(131, 33)),
    ("diagonals", diagonals(90)),
)


def check(
    image: Grid, algorithm: str, connectivity: int, device: DeviceName, schedule: str
) -> None:
    labels, count = ccl.label(
        image, algorithm, connectivity=connectivity, device=device, schedule=schedule
    )
    expected, components = scipy_labels(image, connectivity)
    assert count == components
    check_labels(labels, expected, f"{image.shape}")


@pytest.mark.parametrize(("device", "schedule", "most"), PLACES)
@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_folded_rows_of_blocks_are_labelled_like_others(
    algorithm: str,
    connectivity: int,
    device: DeviceName,
    schedule: str,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(driver, "MAX_BLOCKS_DOWN", most)
    for _, image in TALL:
        check(image, algorithm, connectivity, device, schedule)


@pytest.mark.gpu
@pytest.mark.parametrize(("algorithm", "connectivity"), ALGORITHM_CASES)
def test_a_grid_beyond_cudas_limit_is_labelled(algorithm: str, connectivity: int) -> None:
    if algorithm == "two_pass":
        pytest.skip("one thread would walk over a million rows")
    if algorithm == "shibata_naive":
        pytest.skip("a label moves one cell a pass")
    check(noise(1_100_000, 5, 0.6), algorithm, connectivity, "cuda", "auto")

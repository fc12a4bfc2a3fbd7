"""The arguments of recorded launches: names and types of the source, values of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from support.fakes import picture, recorded
from support.plans import VARIANTS, launches, table_launches

from ccl_viewer import record
from ccl_viewer.execution.plan import Buffer, Kernel, Launch, Stage
from ccl_viewer.recording.arguments import ArgumentReader, shape_in_words
from ccl_viewer.recording.data import StepArgument

READER = ArgumentReader()
FOLLOWERS = ("consecutive", "components")
"""Kernels that work on the labels of any algorithm: the labels have the algorithm's name."""


def check(launch: Launch) -> None:
    arguments = READER.arguments(launch)
    assert len(arguments) == len(launch.arguments)
    for told, given in zip(arguments, launch.arguments, strict=True):
        if isinstance(given, Buffer):
            assert told.type.endswith("*")
            assert told.value == shape_in_words(given.shape)
            assert told.name == given.name or launch.kernel.module in FOLLOWERS
        else:
            assert "*" not in told.type
            assert told.value == int(given)


@pytest.mark.parametrize(("key", "connectivity", "parameters"), VARIANTS)
def test_every_launch_gives_what_its_kernel_asks_for(
    key: str, connectivity: int, parameters: Mapping[str, int | None]
) -> None:
    for launch in launches(key, connectivity, parameters, (37, 71)):
        check(launch)


@pytest.mark.parametrize("connectivity", [4, 8])
def test_so_do_the_launches_of_the_table_of_components(connectivity: int) -> None:
    for launch in table_launches(connectivity, (37, 71)):
        check(launch)


def test_a_recording_keeps_them() -> None:
    recording = record(picture("##. .#."), "label_equivalence", device="emulator")
    assert recording.step(1).kernel == "label_equivalence_scanning"
    assert recording.step(1).arguments == (
        StepArgument("image", "const unsigned char *", "3 x 2"),
        StepArgument("labels", "unsigned int *", "5 x 4"),
        StepArgument("is_not_done", "unsigned int *", "1 element"),
        StepArgument("width", "int", 3),
        StepArgument("height", "int", 2),
    )


def test_a_kernel_without_source_has_none() -> None:
    assert all(step.arguments == () for step in recorded(picture("##")).steps)


def test_a_launch_with_too_few_arguments_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k(int *a, int b) {}')
    launch = Launch(Kernel("k", "k"), (1, 1, 1), (1, 1, 1), (np.int32(1),), Stage.INIT, "Test.")
    with pytest.raises(ValueError, match="k has 2 parameters and was given 1 arguments"):
        ArgumentReader(lambda module: tmp_path / f"{module}.cu").arguments(launch)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((1,), "1 element"),
        ((961,), "961 elements"),
        ((12_345,), "12,345 elements"),
        ((31, 33), "33 x 31"),
    ],
)
def test_shapes_in_words(shape: tuple[int, ...], words: str) -> None:
    assert shape_in_words(shape) == words

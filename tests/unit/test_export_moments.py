"""Pictures of runs side by side: which step each of them shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ccl_viewer import record
from ccl_viewer.errors import InputError
from ccl_viewer.export import ExportOptions, Granularity, Sync, export, export_format, export_moment
from ccl_viewer.export.exporting import make_job
from ccl_viewer.recording import Recording

IMAGE = (np.random.default_rng(4).random((12, 15)) < 0.6).astype(np.uint8)


@pytest.fixture(scope="module")
def runs() -> tuple[Recording, ...]:
    """The first has more steps than the second; all took as long, and are counted."""
    keys = ("label_equivalence", "ha4")
    made = tuple(record(IMAGE, key, device="emulator", ledger=True) for key in keys)
    for run in made:
        run.data.steps[:] = [replace(step, milliseconds=1.0) for step in run.steps]
    assert len(made[0]) > len(made[1]) + 2
    return made


def shown(runs: tuple[Recording, ...], step: int, sync: Sync) -> tuple[int, ...]:
    options = ExportOptions(steps=slice(step, step + 1), sync=sync)
    (frame,) = make_job(runs, options, export_format("figure.png")).frames
    return frame


def test_a_step_that_only_the_first_run_has_is_shown_beside_the_last_of_others(
    runs: tuple[Recording, ...],
) -> None:
    last = len(runs[1]) - 1
    assert shown(runs, 1, Sync.STEP) == (1, 1)
    assert shown(runs, last + 2, Sync.STEP) == (last + 2, last)


@pytest.mark.parametrize("sync", Sync)
def test_a_film_shows_what_goes_with_the_steps_that_are_chosen_of_the_first_run(
    runs: tuple[Recording, ...], sync: Sync
) -> None:
    whole = make_job(runs, ExportOptions(sync=sync), export_format("film.gif")).frames
    for first in (1, len(runs[0]) - 2):
        options = ExportOptions(steps=slice(first, first + 2), sync=sync)
        frames = make_job(runs, options, export_format("film.gif")).frames
        assert frames == tuple(frame for frame in whole if first <= frame[0] < first + 2)
        assert frames


def test_steps_in_which_the_first_run_ends_no_iteration_are_refused(
    runs: tuple[Recording, ...],
) -> None:
    options = ExportOptions(steps=slice(1, 2), each=Granularity.ITERATION)
    with pytest.raises(InputError, match="No iteration of the first run ends"):
        make_job(runs, options, export_format("film.gif"))


def test_with_the_last_step_go_the_last_of_all(runs: tuple[Recording, ...]) -> None:
    ends = tuple(len(run) - 1 for run in runs)
    for sync in (Sync.STEP, Sync.SHARE, Sync.ITERATION):
        assert shown(runs, ends[0], sync) == ends
        assert shown(runs[::-1], ends[1], sync) == ends[::-1]


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_each_run_is_shown_at_a_step_of_its_own(
    runs: tuple[Recording, ...], tmp_path: Path, suffix: str
) -> None:
    options = ExportOptions(steps=slice(2, 3))
    path, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    export(runs, path, options)
    export_moment(runs, (2, 2), other, ExportOptions())
    assert path.read_bytes() == other.read_bytes()
    export_moment(runs, (2, 0), other, ExportOptions())
    assert path.read_bytes() != other.read_bytes()


def test_a_moment_stands_in_one_picture(runs: tuple[Recording, ...], tmp_path: Path) -> None:
    path = tmp_path / "one.png"
    export_moment(runs, (0, 1), path)
    with Image.open(path) as picture:
        assert picture.width > 2 * IMAGE.shape[1]
    with pytest.raises(InputError):
        export_moment(runs * 3, (0, 1) * 3, path)

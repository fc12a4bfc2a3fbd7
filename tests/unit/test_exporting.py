"""An export as its dialog sees it, without a window: previews, estimates, writing, failing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.fakes import picture, recorded
from support.films import exported
from support.runners import AtOnce, Later

from ccl_viewer.cli.export_options import options_of as options_of_arguments
from ccl_viewer.cli.parser import parse
from ccl_viewer.export import EXPORT_FORMATS, export, lacking
from ccl_viewer.recording import Recording
from ccl_viewer.session.exporting.choices import Choices, Span, Subject
from ccl_viewer.session.exporting.command import arguments_of
from ccl_viewer.session.exporting.exporting import Exporting, Phase
from ccl_viewer.session.jobs.job import Runner
from ccl_viewer.session.playback.transport import Section


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(picture("##.##\n#...#\n###.#"))


def exporting_of(recording: Recording, path: Path, runner: Runner, **choices: Any) -> Exporting:
    subject = Subject(recording, (recording, recording), Section(1, 1))
    return Exporting(subject, Choices(path=str(path), **choices), runner)


@pytest.mark.parametrize("row", EXPORT_FORMATS, ids=lambda row: row.suffix)
def test_it_writes_the_bytes_of_the_command_line(
    recording: Recording, tmp_path: Path, row: Any
) -> None:
    if lacking(row):
        pytest.skip(lacking(row))
    name = "run" if row.suffix == "/" else f"run{row.suffix}"
    exporting = exporting_of(recording, tmp_path / name, AtOnce(), end=1, fps=5.0)
    exporting.choose(span=Span.CHOSEN, theme="light", beside=False, labels="component")
    assert exporting.error == ""
    exporting.export()
    assert phase_of(exporting) is Phase.DONE
    assert exporting.written > 0
    arguments = parse(["export", "x", "-o", "y", *arguments_of(exporting.options)])
    beside = tmp_path / "other" / name
    beside.parent.mkdir()
    export(recording, beside, options_of_arguments(arguments))
    assert contents(tmp_path / name) == contents(beside)


def phase_of(exporting: Exporting) -> Phase:
    return exporting.phase


def size_of(exporting: Exporting) -> tuple[int, int] | None:
    return None if exporting.reel is None else exporting.reel.size


def can_export(exporting: Exporting) -> bool:
    return exporting.can_export


def _unexpected() -> None:
    raise AssertionError("nothing should be told")


def count_of(exporting: Exporting) -> int:
    return len(exporting.recordings)


def contents(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def test_the_preview_shows_the_frames_that_are_written(
    recording: Recording, tmp_path: Path
) -> None:
    exporting = exporting_of(recording, tmp_path / "run.gif", AtOnce(), beside=False)
    reel = exporting.reel
    assert reel is not None
    assert len(reel) == reel.count == len(recording)
    for number in range(reel.count):
        expected = exported(recording, exporting.options, number)
        assert np.array_equal(reel.frame(number), expected)
    assert reel.size == (expected.shape[1], expected.shape[0])


def test_the_size_is_known_before(recording: Recording, tmp_path: Path) -> None:
    exporting = exporting_of(recording, tmp_path / "run.gif", AtOnce())
    estimate = exporting.estimate
    assert estimate is not None
    assert estimate.exact
    exporting.export()
    assert exporting.written == estimate.nbytes == (tmp_path / "run.gif").stat().st_size
    assert exporting.replaces


def test_only_the_latest_choices_are_previewed(recording: Recording, tmp_path: Path) -> None:
    runner = Later()
    exporting = exporting_of(recording, tmp_path / "run.gif", runner)
    exporting.choose(scale=3)
    exporting.choose(scale=5)
    assert [job.cancel.cancelled for job in runner.jobs] == [True, True, False]
    assert exporting.estimating
    runner.work()
    other = exporting_of(recording, tmp_path / "run.gif", AtOnce(), scale=5)
    assert size_of(exporting) == size_of(other) is not None


def test_speed_and_name_need_no_new_preview(recording: Recording, tmp_path: Path) -> None:
    runner = Later()
    exporting = exporting_of(recording, tmp_path / "run.gif", runner)
    exporting.choose(fps=12.0, hold=1.0, path=str(tmp_path / "else.gif"))
    assert len(runner.jobs) == 1
    runner.work()
    count = len(recording)
    assert exporting.seconds == pytest.approx((count - 1) / 12 + 1)


def test_choices_stay_within_what_there_is(recording: Recording, tmp_path: Path) -> None:
    exporting = exporting_of(recording, tmp_path / "run.apng", AtOnce())
    exporting.choose(start=500, end=900, step=-4, fps=60.0)
    last = len(recording) - 1
    assert (exporting.choices.start, exporting.choices.end, exporting.choices.step) == (
        last,
        last,
        0,
    )
    exporting.choose_format(".gif")
    assert exporting.choices.fps == 50
    assert exporting.choices.path.endswith("run.gif")


def test_the_section_is_exported(recording: Recording, tmp_path: Path) -> None:
    exporting = exporting_of(recording, tmp_path / "run.gif", AtOnce())
    exporting.choose(span=Span.SECTION)
    assert exporting.options.steps == slice(1, 2)
    assert exporting.reel is not None
    assert exporting.reel.count == 1


def test_runs_stand_side_by_side_where_the_format_can_show_them(
    recording: Recording, tmp_path: Path
) -> None:
    exporting = exporting_of(recording, tmp_path / "run.gif", AtOnce())
    assert count_of(exporting) == 2
    exporting.choose(beside=False)
    assert count_of(exporting) == 1
    exporting.choose(beside=True)
    exporting.choose_format(".csv")
    assert count_of(exporting) == 1
    assert exporting.head.startswith("step,")


def test_labels_are_seen_before_they_are_written(recording: Recording, tmp_path: Path) -> None:
    exporting = exporting_of(recording, tmp_path / "run.npy", AtOnce(), step=0)
    title, _, *rows = exporting.head.splitlines()
    assert title == "Step 1"
    assert [[int(label) for label in row.split()] for row in rows] == recording.labels(0).tolist()
    exporting.choose(labels="component")
    assert max(map(int, exporting.head.split()[2:])) <= 3 * 5
    exporting.choose_format(".cclrec")
    assert "every step" in exporting.head


def test_a_name_without_a_format_is_refused_in_a_sentence(
    recording: Recording, tmp_path: Path
) -> None:
    exporting = exporting_of(recording, tmp_path / "run.gif", AtOnce())
    exporting.choose(path=str(tmp_path / "run.xyz"))
    assert "run.xyz" in exporting.error
    assert not can_export(exporting)
    exporting.export()
    assert phase_of(exporting) is Phase.CHOOSING
    exporting.choose(path=str(tmp_path / "run.webp"))
    assert exporting.error == ""
    assert can_export(exporting)


def test_frames_that_are_too_large_are_refused_in_a_sentence(
    recording: Recording, tmp_path: Path
) -> None:
    exporting = exporting_of(recording, tmp_path / "run.gif", AtOnce(), scale=5000)
    assert "too large" in exporting.error
    exporting.choose(fps=3.0)
    assert "too large" in exporting.error
    exporting.choose(scale=4)
    assert exporting.error == ""


def test_a_failed_export_loses_nothing(recording: Recording, tmp_path: Path) -> None:
    exporting = exporting_of(recording, tmp_path / "missing" / "run.gif", AtOnce(), fps=7.0)
    exporting.export()
    assert phase_of(exporting) is Phase.CHOOSING
    assert "cannot be written" in exporting.error
    assert exporting.choices.fps == 7.0
    exporting.choose(path=str(tmp_path / "run.gif"))
    exporting.export()
    assert phase_of(exporting) is Phase.DONE
    exporting.begin_again()
    assert phase_of(exporting) is Phase.CHOOSING


def test_a_cancelled_export_leaves_nothing(recording: Recording, tmp_path: Path) -> None:
    runner = Later()
    exporting = exporting_of(recording, tmp_path / "run.gif", runner)
    exporting.export()
    assert phase_of(exporting) is Phase.WRITING
    assert exporting.progress.total == 0
    exporting.choose(fps=1.0)
    assert exporting.choices.fps != 1.0
    exporting.cancel()
    assert phase_of(exporting) is Phase.STOPPING
    runner.work()
    assert phase_of(exporting) is Phase.CHOOSING
    assert exporting.error == "Stopped: nothing was written."
    assert list(tmp_path.iterdir()) == []


def test_progress_tells_the_time_that_is_left(recording: Recording, tmp_path: Path) -> None:
    now = [0.0]
    told = []
    exporting = Exporting(
        Subject(recording), Choices(path=str(tmp_path / "run.gif")), AtOnce(), lambda: now[0]
    )

    class Slow:
        def start(self, job: Any) -> None:
            def woken() -> None:
                now[0] += 2.0
                told.append(exporting.progress)

            job.wake = woken
            job.execute()
            job.deliver()

    exporting._runner = Slow()
    exporting.export()
    count = len(recording)
    assert [(one.done, one.total) for one in told] == [(n + 1, count) for n in range(count)]
    assert told[0].left == pytest.approx(2.0 * (count - 1))
    assert told[-1].left == 0


def test_closing_stops_everything(recording: Recording, tmp_path: Path) -> None:
    runner = Later()
    exporting = exporting_of(recording, tmp_path / "run.gif", runner)
    exporting.previewed.connect(_unexpected)
    exporting.close()
    assert all(job.cancel.cancelled for job in runner.jobs)
    runner.work()
    assert exporting.reel is None

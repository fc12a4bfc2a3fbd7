"""Exports without a window: choices, command line, preview, estimate, writing and failing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.exported_frames import exported
from support.fakes import picture, recorded
from support.grids import noise
from support.models import HeldExecutor, exporter_for, inline_session
from support.pages import unpacked

from ccl_viewer import record
from ccl_viewer.cli.export_options import read_options as options_of_arguments
from ccl_viewer.cli.parser import parse
from ccl_viewer.export import (
    EXPORT_FORMATS,
    Granularity,
    Sync,
    export,
    missing_requirement,
    with_suffix,
)
from ccl_viewer.export.command import command_line, make_arguments, run_arguments
from ccl_viewer.export.frames import FrameRenderer, FrameStyle
from ccl_viewer.export.page import Page, page_html
from ccl_viewer.export.page_runs import make_page_run
from ccl_viewer.render.layers import SWITCHES, CellColours, Layers, Numbers
from ccl_viewer.render.pace import seconds_per_step
from ccl_viewer.render.palette import colour_run, label_indices
from ccl_viewer.render.themes import DARK, canvas_colours
from ccl_viewer.support.units import file_size_text, remaining_text
from ccl_viewer.window.core.run_display import ShownRun
from ccl_viewer.window.core.session import Session
from ccl_viewer.window.core.tasks import FRONT
from ccl_viewer.window.export.choices import (
    ExportChoices,
    ExportSubject,
    StepSelection,
    command_line_sources,
    options_of,
    picture_options,
    recordings_of,
)
from ccl_viewer.window.export.model import Exporter, can_export, paint_picture

RUN = recorded(picture("##.##\n#...#\n###.#"))
LAST = len(RUN) - 1
HUNDREDTHS = st.integers(10, 500).map(lambda hundredths: hundredths / 100)

LAYERS = st.builds(
    Layers,
    colours=st.sampled_from(CellColours),
    numbers=st.sampled_from([*Numbers, "layer:sizes"]),
    strength=st.sampled_from([0.1, 0.35, 1.0]),
    **dict.fromkeys(SWITCHES, st.booleans()),
)
CHOICES = st.builds(
    ExportChoices,
    path=st.sampled_from([with_suffix("my run", row) for row in EXPORT_FORMATS]),
    span=st.sampled_from(StepSelection),
    start=st.just(0),
    end=st.integers(0, LAST),
    step=st.integers(0, LAST),
    each=st.sampled_from(Granularity),
    seconds=st.none() | HUNDREDTHS,
    hold=HUNDREDTHS,
    scale=st.none() | st.integers(1, 40),
    caption=st.booleans(),
    theme=st.sampled_from(["dark", "light"]),
    page_theme=st.sampled_from(["auto", "dark", "light"]),
    beside=st.booleans(),
    sync=st.sampled_from(Sync),
    pictures=st.sampled_from(["png", "svg"]),
    labels=st.sampled_from(["raw", "component"]),
)
SUBJECTS = st.builds(
    ExportSubject,
    st.just(RUN),
    compared=st.sampled_from([(), (RUN, RUN)]),
    section=st.sampled_from([None, range(2)]),
    position=st.integers(0, LAST),
    layers=LAYERS,
    pin=st.sampled_from([None, (2, 1)]),
    follow=st.sampled_from([(), ((0, 1), (2, 1))]),
)


@pytest.fixture
def session() -> Iterator[Session]:
    session = inline_session()
    session.display.show(ShownRun(RUN))
    yield session
    session.close()


@pytest.fixture
def held() -> Iterator[tuple[Session, HeldExecutor]]:
    executor = HeldExecutor()
    session = inline_session(executor)
    session.display.show(ShownRun(RUN))
    yield session, executor
    session.close()


def exporter_of(session: Session, path: Path, **choices: Any) -> Exporter:
    exporter = exporter_for(session)
    exporter.change(path=str(path), **{"scale": 6, **choices})
    exporter.update_preview()
    return exporter


def contents(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


# The command line


@given(CHOICES, SUBJECTS)
def test_the_command_asks_for_the_same_options(
    choices: ExportChoices, subject: ExportSubject
) -> None:
    choices = choices.fitted(subject)
    options = options_of(choices, subject)
    program, *words = shlex.split(command_line(["run.cclrec"], choices.path, options))
    arguments = parse(words)
    assert (program, arguments.source, arguments.output) == (
        "ccl-viewer",
        ["run.cclrec"],
        choices.path,
    )
    assert options_of_arguments(arguments) == options
    choices.format.check(len(recordings_of(choices, subject, choices.format)), options)


def test_a_table_of_components_is_of_no_steps() -> None:
    subject, choices = (
        ExportSubject(RUN),
        ExportChoices(path="run.csv", table="components", start=1),
    )
    options = options_of(replace(choices, span=StepSelection.CURRENT), subject)
    choices.format.check(1, options)
    assert make_arguments(options) == ["--table", "components"]
    assert options_of(replace(choices, path="run.gif"), subject).table == "steps"


def test_default_choices_leave_the_line_short() -> None:
    options = options_of(ExportChoices(path="run.gif"), ExportSubject(RUN))
    line = command_line(["run.cclrec"], "run.gif", options)
    assert line == "ccl-viewer export run.cclrec -o run.gif"
    slow = options_of(ExportChoices(path="run.gif", seconds=1.7), ExportSubject(RUN))
    assert make_arguments(slow) == ["--pace", "1.7"]
    assert make_arguments(replace(slow, fps=7.0)) == ["--fps", "7"]


def test_runs_are_named_by_file_pattern_or_as_to_be_saved(session: Session, tmp_path: Path) -> None:
    assert command_line_sources(session.document, session.files, [RUN]) == ["run.cclrec"]
    assert "run.cclrec first" in exporter_for(session).note
    session.files.open("pattern:spiral?size=9")
    run = session.display.recording
    assert run is not None
    words = command_line_sources(session.document, session.files, [run])
    assert words == ["pattern:spiral?size=9", *run_arguments(run)]
    arguments = parse(["export", *words, "-o", "out.gif"])
    assert arguments.connectivity == run.connectivity
    assert arguments.schedule == run.schedule
    assert not arguments.consecutive
    session.runs.configure(consecutive=True)
    run = session.display.recording
    assert run is not None
    assert parse(
        ["export", *command_line_sources(session.document, session.files, [run]), "-o", "out.gif"]
    ).consecutive
    exporter_of(session, tmp_path / "spiral.cclrec").export(print)
    assert command_line_sources(session.document, session.files, [run]) == [
        str(tmp_path / "spiral.cclrec")
    ]
    assert "canvas" in exporter_of(session, tmp_path / "run.gif").note


@pytest.mark.parametrize("row", EXPORT_FORMATS, ids=lambda row: row.suffix)
def test_it_writes_the_bytes_of_the_command_line(
    session: Session, tmp_path: Path, row: Any
) -> None:
    if missing_requirement(row):
        pytest.skip(missing_requirement(row))
    name = "run" if row.suffix == "/" else f"run{row.suffix}"
    exporter = exporter_of(session, tmp_path / name, end=1, seconds=0.2, labels="component")
    exporter.change(span=StepSelection.RANGE, theme="light")
    assert exporter.error == ""
    assert exporter.export(print)
    assert session.messages.message is not None
    size = file_size_text(sum(map(len, contents(tmp_path / name).values())))
    assert session.messages.message.text == f"Exported, {size}: {tmp_path / name}"
    options = options_of_arguments(
        parse(["export", "x", "-o", "y", *make_arguments(exporter.options)])
    )
    (tmp_path / "other").mkdir()
    export(RUN, tmp_path / "other" / name, options)
    assert contents(tmp_path / name) == contents(tmp_path / "other" / name)


# Choices


@pytest.mark.parametrize(
    ("span", "steps"),
    [
        (StepSelection.ALL, None),
        (StepSelection.SECTION, slice(1, 3)),
        (StepSelection.CURRENT, slice(2, 3)),
        (StepSelection.RANGE, slice(0, 4)),
    ],
)
def test_steps(session: Session, tmp_path: Path, span: StepSelection, steps: slice | None) -> None:
    session.playback.set_section(range(1, 3))
    session.display.go_to(2)
    exporter = exporter_of(session, tmp_path / "run.gif", span=span, start=0, end=3)
    assert exporter.options.steps == steps
    exporter.choose_format(".svg")
    assert exporter.options.steps == slice(2, 3)
    exporter.choose_format(".cclrec")
    assert exporter.options.steps is None


def test_data_is_previewed_as_text(session: Session, tmp_path: Path) -> None:
    exporter = exporter_of(session, tmp_path / "run.npy", step=0)
    title, _, *rows = exporter.preview.text.splitlines()
    assert title == "Step 1"
    assert [[int(label) for label in row.split()] for row in rows] == RUN.labels(0).tolist()
    exporter.choose_format(".csv")
    assert exporter.preview.text.startswith("step,")
    exporter.choose_format(".cclrec")
    assert "every step" in exporter.preview.text


def test_choices_stay_within_what_there_is(session: Session, tmp_path: Path) -> None:
    exporter = exporter_of(session, tmp_path / "run.apng", span=StepSelection.SECTION)
    assert exporter.choices.span is StepSelection.ALL  # no section is played
    exporter.change(start=500, end=900, step=-4, seconds=0.01)
    choices = exporter.choices
    assert (choices.start, choices.end, choices.step) == (LAST, LAST, 0)
    exporter.choose_format(".gif")
    assert exporter.choices.seconds == 0.02


def test_layers_and_pin_are_those_of_the_window(session: Session, tmp_path: Path) -> None:
    session.view.set_shape((3, 5))
    session.view.show_layers(arrows=True, numbers=Numbers.NONE)
    session.view.pin_cell((1, 0), component=True)
    exporter = exporter_of(session, tmp_path / "run.gif")
    options = exporter.options
    assert (options.layers.arrows, options.numbers, options.pin) == (True, "off", (1, 0))


@given(CHOICES)
def test_choices_are_remembered(choices: ExportChoices) -> None:
    again = ExportChoices(path="/else/where.gif").with_remembered(choices.to_values())
    assert again.format.suffix == choices.format.suffix
    assert again.path.startswith("/else/where")
    same = ("path", "span", "start", "end", "step", "sync")
    assert replace(again, **{name: getattr(choices, name) for name in same}) == choices


@pytest.mark.parametrize("damage", ["?", None, [], float("nan"), {"a": 1}])
def test_damaged_memories_do_no_harm(damage: object) -> None:
    choices = ExportChoices(path="run.gif")
    values = dict.fromkeys(choices.to_values(), damage) | {"path": "there.gif"}
    again = choices.with_remembered(values)
    assert replace(again, seconds=None, scale=None) == choices


def test_the_next_export_begins_with_the_last_choices(session: Session, tmp_path: Path) -> None:
    first = exporter_of(session, tmp_path / "run.webp", seconds=0.5, caption=False, scale=6)
    first.export(print)
    first.close()
    session.settings.save()
    choices = exporter_for(session).choices
    assert (choices.seconds, choices.caption, choices.scale) == (0.5, False, 6)
    assert choices.format.suffix == ".webp"
    assert Path(choices.path).parent == tmp_path


# Preview and estimate


def test_the_preview_shows_the_frames_that_are_written(session: Session, tmp_path: Path) -> None:
    exporter = exporter_of(session, tmp_path / "run.gif")
    frames = exporter.frames
    assert frames is not None
    assert len(frames) == frames.count == len(RUN)
    for number in range(frames.count):
        expected = exported(RUN, exporter.options, number)
        assert np.array_equal(frames.frame(number), expected)
    assert frames.size == (expected.shape[1], expected.shape[0])


def test_size_and_time_are_known_before(session: Session, tmp_path: Path) -> None:
    exporter = exporter_of(session, tmp_path / "run.gif", hold=3.0)
    estimate = exporter.preview.estimate
    assert estimate is not None
    usual = seconds_per_step(len(RUN))
    assert exporter.total_seconds == pytest.approx((len(RUN) - 1) * usual + 3)
    exporter.change(seconds=0.5)
    assert exporter.total_seconds == pytest.approx((len(RUN) - 1) * 0.5 + 3)
    exporter.export(print)
    assert estimate.nbytes == (tmp_path / "run.gif").stat().st_size
    assert exporter.replaces


def test_only_the_newest_choices_are_previewed(
    held: tuple[Session, HeldExecutor], tmp_path: Path
) -> None:
    session, executor = held
    exporter = exporter_of(session, tmp_path / "run.gif")
    exporter.change(scale=3)
    exporter.change(scale=5)
    exporter.change(seconds=0.2, path=str(tmp_path / "else.gif"))  # need no other preview
    before = exporter.estimating
    executor.work()
    assert (before, exporter.estimating) == (True, False)
    size = exported(RUN, replace(exporter.options, scale=5)).shape
    assert exporter.frames is not None
    assert exporter.frames.size == (size[1], size[0])


def test_what_cannot_be_exported_is_refused_in_a_sentence(session: Session, tmp_path: Path) -> None:
    exporter = exporter_of(session, tmp_path / "run.xyz")
    assert "run.xyz" in exporter.error
    assert not exporter.output_path
    assert not exporter.export(print)
    exporter.change(path=str(tmp_path / "run.gif"), scale=5000)
    assert "too large" in exporter.error
    exporter.change(seconds=2.0)
    assert "too large" in exporter.error
    exporter.change(scale=4)
    assert exporter.error == ""
    assert exporter.output_path


# Writing


def test_a_tilde_is_the_home_folder(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    exporter = exporter_of(session, Path("~/run.csv"))
    assert exporter.export(print)
    assert (tmp_path / "run.csv").is_file()
    assert exporter.replaces
    assert exporter.command.endswith(str(tmp_path / "run.csv"))


def test_a_cancelled_export_leaves_nothing(
    held: tuple[Session, HeldExecutor], tmp_path: Path
) -> None:
    session, executor = held
    exporter = exporter_of(session, tmp_path / "run.gif")
    exporter.export(print)
    exporter.close()  # as the dialog does; the export goes on
    assert session.tasks.current is not None
    assert not can_export(session.workspace, session.tasks)
    session.tasks.cancel()
    executor.work()
    assert session.messages.message is not None
    assert session.messages.message.text == "Exporting: stopped."
    assert can_export(session.workspace, session.tasks)
    assert list(tmp_path.iterdir()) == []


def test_other_work_does_not_replace_an_export(
    held: tuple[Session, HeldExecutor], tmp_path: Path
) -> None:
    session, executor = held
    exporter_of(session, tmp_path / "run.gif").export(print)
    session.tasks.start("Else", lambda _task: None, lambda _: None, group=FRONT)
    executor.work()
    assert (tmp_path / "run.gif").exists()


def test_progress_is_told(session: Session, tmp_path: Path) -> None:
    told: list[str] = []

    def note() -> None:
        if session.tasks.current is not None and session.tasks.current.detail:
            told.append(session.tasks.current.detail)

    session.tasks.changed.connect(note)
    exporter_of(session, tmp_path / "run.gif").export(print)
    assert told[0].startswith("Frame 1 of ")
    assert told[0].endswith(" left")


def test_an_exported_recording_makes_the_drawing_safe(session: Session, tmp_path: Path) -> None:
    session.document.new(8, 8)
    session.document.begin_stroke((1, 1), 1)
    session.document.end_stroke()
    before = session.document.dirty
    run, path = session.display.recording, tmp_path / "mine.cclrec"
    assert run is not None
    exporter_of(session, path).export(print)
    assert (before, session.document.dirty) == (True, False)
    assert session.files.recording_path(run) == path
    assert str(path) in session.files.recent


def test_it_exports_again_under_the_same_name(session: Session, tmp_path: Path) -> None:
    path = tmp_path / "run.gif"
    exporter = exporter_of(session, path, scale=3)
    exporter.export(print)
    exporter.close()
    before = path.read_bytes()
    path.unlink()
    shown: list[str] = []
    exporter_for(session).repeat(shown.append)
    assert path.read_bytes() == before
    message = session.messages.message
    assert message is not None
    assert message.action is not None
    message.action.run()
    assert shown == [str(path)]


def test_a_picture_of_the_step_goes_to_other_programs(session: Session) -> None:
    session.display.go_to(1)
    made: list[tuple[bytes, bytes]] = []
    take: Callable[[bytes, bytes], object] = lambda png, svg: made.append((png, svg))  # noqa: E731
    paint_picture(session.workspace, session.tasks, "light", take)
    ((png, svg),) = made
    assert png.startswith(b"\x89PNG")
    assert b"step 2" in svg
    options = picture_options(ExportSubject(RUN, position=1), "light")
    assert options.steps == slice(1, 2)


def test_after_an_edit_exports_have_the_colours_of_the_window() -> None:
    session = inline_session()
    session.document.load_grid(noise(20, 20, 0.5), "noise")
    for x in range(1, 19, 3):
        session.document.begin_stroke((x, 3), 1)
        session.document.extend_stroke((x, 16))
        session.document.end_stroke()
    recording, colouring = session.display.recording, session.display.colouring
    assert recording is not None
    assert colouring is not None
    alone = record(
        recording.image, recording.algorithm, connectivity=recording.connectivity, device="emulator"
    )
    assert (colour_run(alone).component_colours != colouring.component_colours).any()
    style = FrameStyle(scale=10, caption=False, layers=Layers(changed=False))
    shown = FrameRenderer([recording], [[len(recording) - 1]], style).picture(0)
    expected = canvas_colours(DARK).table[label_indices(recording.labels(-1), colouring)]
    np.testing.assert_array_equal(shown[5::10, 5::10], expected)
    page = unpacked(page_html(Page("A drawing", (make_page_run(recording),))))
    (run,) = page.description["runs"]
    np.testing.assert_array_equal(page.octets(run["colours"]), colouring.colours)
    session.close()


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (123_456_789, "123 MB")]
)
def test_sizes_are_written_as_people_do(size: int, text: str) -> None:
    assert file_size_text(size) == text


def test_times_are_written_as_people_do() -> None:
    assert remaining_text(0.4) == "less than a second"
    assert remaining_text(12.3) == "about 12 s"
    assert remaining_text(600) == "about 10 min"

"""The command line that the export dialog shows asks for the same options as the dialog."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fakes import picture, recorded

from ccl_viewer.cli.export_options import options_of as options_of_arguments
from ccl_viewer.cli.parser import parse
from ccl_viewer.export import EXPORT_FORMATS, Each, Sync
from ccl_viewer.render.layers import CellColours, Layers, Numbers
from ccl_viewer.session.exporting.choices import (
    Choices,
    Span,
    Subject,
    figure_options,
    named,
    options_of,
    recordings_of,
)
from ccl_viewer.session.exporting.command import command_line, run_arguments
from ccl_viewer.session.playback.transport import Section

RECORDING = recorded(picture("##.##\n#...#\n###.#"))
LAST = len(RECORDING) - 1
FIGURE = figure_options(Layers(numbers=Numbers.NONE), None, 1, "light")
TENTHS = st.integers(1, 100).map(lambda tenths: tenths / 10)

LAYERS = st.builds(
    Layers,
    colours=st.sampled_from(CellColours),
    numbers=st.sampled_from([*Numbers, "layer:sizes"]),
    arrows=st.booleans(),
    changed=st.booleans(),
    structure=st.booleans(),
    contours=st.booleans(),
    lines=st.booleans(),
    onion=st.booleans(),
    only=st.booleans(),
    strength=st.sampled_from([0.1, 0.35, 1.0]),
)
CHOICES = st.builds(
    Choices,
    path=st.sampled_from([named("my run", row.suffix) for row in EXPORT_FORMATS]),
    span=st.sampled_from(Span),
    start=st.just(0),
    end=st.integers(0, LAST),
    step=st.integers(0, LAST),
    each=st.sampled_from(Each),
    fps=TENTHS,
    hold=TENTHS,
    scale=st.none() | st.integers(1, 40),
    own_layers=st.booleans(),
    layers=LAYERS,
    caption=st.booleans(),
    theme=st.sampled_from(["dark", "light"]),
    page_theme=st.sampled_from(["auto", "dark", "light"]),
    beside=st.booleans(),
    sync=st.sampled_from(Sync),
    pictures=st.sampled_from(["png", "svg"]),
    labels=st.sampled_from(["raw", "component"]),
)
SUBJECTS = st.builds(
    Subject,
    st.just(RECORDING),
    lanes=st.sampled_from([(), (RECORDING, RECORDING)]),
    section=st.sampled_from([None, Section(0, 1)]),
    layers=LAYERS,
    pin=st.sampled_from([None, (2, 1)]),
    follow=st.sampled_from([(), ((0, 1), (2, 1))]),
)


@given(CHOICES, SUBJECTS)
def test_the_command_asks_for_the_same_options(choices: Choices, subject: Subject) -> None:
    options = options_of(choices, subject)
    line = command_line(["run.cclrec"], choices.path, options)
    program, *words = shlex.split(line)
    arguments = parse(words)
    assert program == "ccl-viewer"
    assert arguments.source == ["run.cclrec"]
    assert arguments.output == choices.path
    assert options_of_arguments(arguments) == options
    choices.format.check(len(recordings_of(choices, subject, choices.format)), options)


def test_a_run_is_named_with_all_that_makes_it_the_same() -> None:
    line = command_line(["pattern:spiral?size=31", *run_arguments(RECORDING)], "out.gif", FIGURE)
    arguments = parse(shlex.split(line)[1:])
    assert arguments.algorithm == [f"{RECORDING.algorithm}:measure=0"]
    assert arguments.connectivity == RECORDING.connectivity
    assert arguments.schedule == RECORDING.schedule


def test_default_options_leave_the_line_short() -> None:
    choices = Choices(path="run.gif", fps=10.0)
    options = options_of(choices, Subject(RECORDING))
    line = command_line(["run.cclrec"], "run.gif", options)
    assert line == "ccl-viewer export run.cclrec -o run.gif"


@pytest.mark.parametrize(
    ("path", "suffix", "expected"),
    [
        ("/a/run.gif", ".mp4", "/a/run.mp4"),
        ("/a/run.gif", "/", "/a/run/"),
        ("/a/run/", ".svg", "/a/run.svg"),
        ("/a/v1.5.tiff", ".npy", "/a/v1.5.npy"),
        ("/a/v1.5", ".gif", "/a/v1.5.gif"),
    ],
)
def test_the_suffix_of_a_name_follows_the_format(path: str, suffix: str, expected: str) -> None:
    assert named(path, suffix) == expected


@given(CHOICES)
def test_choices_are_remembered_as_text(choices: Choices) -> None:
    again = Choices(path="/else/where.gif").recalled(choices.to_values())
    assert again.format.suffix == choices.format.suffix
    assert again.path.startswith("/else/where")
    kept = replace(again, path=choices.path, span=choices.span, sync=choices.sync)
    assert kept == replace(choices, start=again.start, end=again.end, step=again.step)


@pytest.mark.parametrize("damage", ["?", "nan"])
def test_damaged_memories_change_nothing(damage: str) -> None:
    choices = Choices(path="run.gif")
    values = {name: damage for name in choices.to_values() if "layer_" not in name}
    assert choices.recalled(values) == choices

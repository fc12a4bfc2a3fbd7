"""Whole frames: cells, lines, numbers and captions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.fakes import NAIVE, FakeDevice, fault, picture, recorded
from support.films import frame_of
from support.grids import noise

from ccl_viewer.errors import InputError, KernelFaultError
from ccl_viewer.plan import Array, LabelLayout
from ccl_viewer.recording import Recorder, Recording
from ccl_viewer.render.captions import algorithm_title, caption_of
from ccl_viewer.render.frame import FrameRenderer, FrameStyle, auto_scale
from ccl_viewer.render.inks import LEVELS, FramePalette, Ink
from ccl_viewer.render.numbers import number_size, readable_scale
from ccl_viewer.render.palette import colouring_of, label_indices
from ccl_viewer.render.text import width_of, wrapped
from ccl_viewer.render.themes import DARK, THEMES

PLAIN = FrameStyle(caption=False, numbers="off")
PALETTE = FramePalette(DARK)

GRID = picture(
    """
    ##.##
    .....
    #.#.#
    """
)


def renderer_of(recording: Recording) -> FrameRenderer:
    """A renderer of all steps."""
    return FrameRenderer([recording], [(step,) for step in range(len(recording))], FrameStyle(10))


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("scale", [1, 2, 7])
def test_small_cells_are_squares_of_their_colour(scale: int, name: str) -> None:
    recording = recorded(GRID)
    table = THEMES[name].table()[:, :3]
    for step in range(len(recording)):
        frame = frame_of(recording, step, FrameStyle(scale, name, caption=False))
        indices = label_indices(recording.labels(step), colouring_of(recording))
        expected = table[indices].repeat(scale, axis=0).repeat(scale, axis=1)
        np.testing.assert_array_equal(frame, expected)


def test_lines_part_larger_cells() -> None:
    recording = recorded(GRID)
    frame = frame_of(recording, -1, replace(PLAIN, scale=10))
    assert frame.shape == (31, 51, 3)
    assert (frame[::10] == DARK.canvas).all()
    assert (frame[:, ::10] == DARK.canvas).all()
    indices = label_indices(recording.labels(-1), colouring_of(recording))
    np.testing.assert_array_equal(frame[5::10, 5::10], DARK.table()[indices, :3])
    np.testing.assert_array_equal(frame[1::10, 9::10], DARK.table()[indices, :3])


def test_numbers_stand_in_foreground_cells_only() -> None:
    recording = recorded(GRID)
    plain = frame_of(recording, 0, replace(PLAIN, scale=40))
    frame = frame_of(recording, 0, FrameStyle(40, caption=False))
    written = (frame != plain).any(axis=2)[:-1, :-1].reshape(3, 40, 5, 40).any(axis=(1, 3))
    np.testing.assert_array_equal(written, GRID != 0)


def test_equal_numbers_look_equal_and_others_differ() -> None:
    recording = recorded(GRID)
    renderer = FrameRenderer([recording], [(1,)], FrameStyle(40, caption=False))
    levels = renderer.indices(0)[:-1, :-1] % LEVELS
    cells = levels.reshape(3, 40, 5, 40).swapaxes(1, 2)[..., 1:, 1:]
    labels = recording.labels(1)
    assert labels[0, 0] == labels[0, 1] != labels[0, 3]
    np.testing.assert_array_equal(cells[0, 0], cells[0, 1])
    assert (cells[0, 0] != cells[0, 3]).any()


@pytest.mark.parametrize("side", [3, 16, 40, 100])
def test_numbers_fit_their_cells_or_are_left_out(side: int) -> None:
    layout = LabelLayout(side, side, pitch=side + 2, margin=1)
    largest = str((side + 2) ** 2)
    for scale in range(1, 80):
        size = number_size(scale, layout)
        assert size is None or width_of(largest, size) <= scale - 4
    least = readable_scale(layout)
    assert number_size(least, layout) is not None
    assert number_size(least - 1, layout) is None


def test_a_label_too_long_for_its_cell_is_shrunk_and_kept_inside() -> None:
    def scribble(labels: Array, changed: Array, connectivity: int) -> None:
        labels[labels != 0] = 2**31 + 5
        changed[...] = 0

    recording = Recorder(GRID, NAIVE, FakeDevice({"naive_propagate": scribble}), 4).run()
    frame = FrameRenderer([recording], [(1,)], FrameStyle(40, caption=False)).indices(0)
    assert (frame[::40] == PALETTE.canvas).all()
    assert (frame[:, ::40] == PALETTE.canvas).all()
    assert ((frame % LEVELS)[2:39, 2:39] > 0).any()


def test_frames_of_one_export_have_one_size_whatever_the_caption() -> None:
    recording = recorded(noise(12, 12, 0.6), passes=2)
    renderer = renderer_of(recording)
    width, height = renderer.size
    for step in range(len(recording)):
        assert renderer.indices(step).shape == (height, width)


def test_the_caption_stands_under_the_grid_which_is_centred() -> None:
    recording = recorded(GRID)
    with_caption = FrameRenderer([recording], [(0,)], FrameStyle(10))
    grid = FrameRenderer([recording], [(0,)], FrameStyle(10, caption=False)).indices(0)
    frame = with_caption.indices(0)
    assert frame.shape[1] == 480
    left = (480 - grid.shape[1]) // 2
    np.testing.assert_array_equal(frame[20 : 20 + 31, left : left + 51], grid)
    below = frame[20 + 31 + 20 :]
    assert (below == PALETTE.ink(Ink.TEXT) + LEVELS - 1).any()
    assert (frame[:20] == PALETTE.canvas).all()
    assert (frame[-10:] == PALETTE.canvas).all()
    for edge in (frame[:, :20], frame[:, -20:]):
        assert (edge == PALETTE.canvas).all()


def test_the_bar_shows_how_far_the_step_is() -> None:
    recording = recorded(GRID)
    renderer = renderer_of(recording)
    accent = PALETTE.ink(Ink.ACCENT) + LEVELS - 1
    lengths = [
        int((renderer.indices(step) == accent).any(axis=0).sum()) for step in range(len(recording))
    ]
    assert lengths == sorted(lengths)
    assert lengths[-1] == 440


def test_the_caption_says_what_the_step_was() -> None:
    recording = recorded(noise(12, 12, 0.6), connectivity=8)
    caption = caption_of(recording, 1)
    assert caption.title == "naive"
    assert caption.place == f"step 2 of {len(recording)}"
    assert caption.step.split() == ["propagate", "·", "iteration", "1", "·", "naive_propagate"]
    step = recording.step(1)
    assert caption.counts.startswith("500 µs")
    assert f"{step.changed} cells changed" in caption.counts
    assert "12 \N{MULTIPLICATION SIGN} 12 cells" in caption.setting
    assert "connectivity 8" in caption.setting
    assert "Scripted device, sequential" in caption.setting
    assert caption.error is None


def test_the_last_caption_says_what_is_wrong() -> None:
    recording = recorded(noise(12, 12, 0.6), passes=1)
    assert caption_of(recording, 0).error is None
    error = caption_of(recording, 1).error
    assert error is not None
    assert error.startswith("Stopped after 1 pass")
    renderer = FrameRenderer([recording], [(0,), (1,)], FrameStyle(10))
    red = PALETTE.ink(Ink.ERROR) + LEVELS - 1
    assert (renderer.indices(1) == red).any()
    assert not (renderer.indices(0) == red).any()


def test_the_last_caption_says_why_a_run_broke_off() -> None:
    recorder = Recorder(GRID, NAIVE, FakeDevice({"naive_propagate": fault}), 4)
    with pytest.raises(KernelFaultError):
        recorder.run()
    assert caption_of(recorder.recording, 0).error is None
    assert caption_of(recorder.recording, 1).error == "The kernel stopped at a barrier."


def test_titles_come_from_the_table_of_algorithms() -> None:
    assert algorithm_title("label_equivalence") == "Label Equivalence"
    assert algorithm_title("of a newer version") == "of a newer version"


@given(st.text(max_size=120), st.integers(60, 500))
def test_wrapped_text_is_whole_and_fits(text: str, width: int) -> None:
    lines = wrapped(text, 15, width)
    assert all(width_of(part, size) <= width for part, size in lines)
    assert "".join("".join(part for part, _ in lines).split("·")).replace(" ", "") == "".join(
        text.split("·")
    ).replace(" ", "")


@pytest.mark.parametrize(
    ("side", "scale"), [(1, 56), (10, 56), (64, 10), (640, 1), (700, 1), (5000, 1)]
)
def test_auto_scale_aims_at_640_pixels(side: int, scale: int) -> None:
    assert auto_scale(side, 1) == auto_scale(1, side) == scale


def test_bad_arguments_are_refused() -> None:
    recording = recorded(GRID)
    with pytest.raises(InputError, match="at least 1 pixel"):
        frame_of(recording, 0, FrameStyle(0))
    with pytest.raises(InputError, match="no theme"):
        frame_of(recording, 0, FrameStyle(theme="pink"))


def test_empty_grids_and_single_cells_have_frames() -> None:
    for image in (np.zeros((2, 3), np.uint8), np.ones((1, 1), np.uint8)):
        recording = recorded(image)
        assert frame_of(recording, -1).dtype == np.uint8

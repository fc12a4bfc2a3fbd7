"""Colours of labels: true to what the labels name, and different between neighbours."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cancel_points import cancel_at_each_check
from support.fakes import NAIVE, FakeDevice, picture, recorded
from support.grids import noise

from ccl_viewer import record
from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Array, LabelLayout
from ccl_viewer.recording import Recorder
from ccl_viewer.reference import find_roots, label_reference
from ccl_viewer.render.palette import (
    colour_grid,
    colour_run,
    first_cells,
    hash_to_hues,
    label_indices,
)
from ccl_viewer.render.themes import (
    FIRST_COLOUR,
    HUES,
    LABEL_COLOURS,
    THEMES,
    UNLABELLED,
    CanvasTheme,
    canvas_colours,
    canvas_theme,
)
from ccl_viewer.support.cancellation import Check, never_cancel

GRID = picture(
    """
    ##.##
    .....
    #.#.#
    """
)

PAPERS = 2 + len(LABEL_COLOURS)


def coloured(components: Array, check: Check = never_cancel) -> Array:
    """Colours of components."""
    layout = LabelLayout(
        components.shape[0], components.shape[1], components.shape[1], background=-1
    )
    return colour_grid(components, layout, check).component_colours


def clashes(components: Array, colours: Array) -> int:
    """Pairs of cells of two components within two rows and columns that have one colour."""
    height, width = components.shape
    wide, found = np.pad(components, 2), 0
    for y in range(5):
        for x in range(5):
            near = wide[y : y + height, x : x + width]
            pairs = (components != near) & (components != 0) & (near != 0)
            found += np.count_nonzero(colours[components[pairs]] == colours[near[pairs]])
    return found


@pytest.mark.parametrize("connectivity", [4, 8])
@pytest.mark.parametrize("density", [0.1, 0.25, 0.6])
def test_neighbours_differ(connectivity: int, density: float) -> None:
    components, count = label_reference(noise(25, 31, density), connectivity)
    colours = coloured(components)
    assert colours.shape == (count + 1,)
    assert clashes(components, colours) == 0
    assert clashes(components, np.zeros(count + 1, np.uint8)) > 20


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 1), (1, 9), (9, 1)])
def test_thin_grids_are_coloured(shape: tuple[int, int]) -> None:
    image = (np.indices(shape).sum(axis=0) % 2 == 0).astype(np.uint8)
    components, _ = label_reference(image, 4)
    assert clashes(components, coloured(components)) == 0


def test_all_hues_are_used_about_equally() -> None:
    components, count = label_reference(noise(60, 60, 0.2), 8)
    used = np.bincount(coloured(components)[1:] - FIRST_COLOUR, minlength=len(LABEL_COLOURS))
    assert used[: len(HUES)].min() > count / len(HUES) / 2
    hashed = np.bincount(hash_to_hues(np.arange(7000)), minlength=len(HUES))
    assert hashed.min() > 800


def test_a_label_has_the_colour_of_the_cell_it_names() -> None:
    recording = recorded(noise(20, 30, 0.6))
    colouring = colour_run(recording)
    first = label_indices(recording.labels(0), colouring)  # each cell names itself
    for step in range(len(recording)):
        indices = label_indices(recording.labels(step), colouring)
        parents = recording.parents(step)
        foreground = parents >= 0
        np.testing.assert_array_equal(indices[foreground], first.reshape(-1)[parents[foreground]])
        assert not indices[~foreground].any()


@pytest.mark.parametrize("connectivity", [4, 8])
def test_at_the_end_each_component_has_one_colour_that_its_neighbours_lack(
    connectivity: int,
) -> None:
    recording = recorded(noise(30, 30, 0.4), connectivity)
    components, count = label_reference(recording.image, connectivity)
    indices = label_indices(recording.labels(-1), colour_run(recording))
    colours = np.zeros(count + 1, np.uint8)
    colours[components.reshape(-1)] = indices.reshape(-1)
    np.testing.assert_array_equal(colours[components], indices)
    assert (colours[1:] >= 2).all()
    assert clashes(components, colours) <= 2


def test_unlabelled_foreground_and_background_have_indices_of_their_own() -> None:
    recording = recorded(GRID)
    colouring = colour_run(recording)
    labels = np.full(GRID.shape, recording.layout.background, np.int32)
    np.testing.assert_array_equal(label_indices(labels, colouring), GRID * UNLABELLED)


@pytest.mark.parametrize("stray", [-1, -(2**31), 2**31 - 1, 1000, 1, 6])
def test_labels_that_name_no_cell_show_as_unlabelled(stray: int) -> None:
    recording = recorded(GRID)
    labels = np.full(GRID.shape, stray, np.int32)
    indices = label_indices(labels, colour_run(recording))
    np.testing.assert_array_equal(indices, GRID * UNLABELLED)


@pytest.mark.parametrize(
    "layout",
    [
        LabelLayout(3, 5, pitch=5, background=-1),
        LabelLayout(3, 5, pitch=5, origin=1),
        LabelLayout(3, 5, pitch=8, margin=1, origin=-100, background=-101),
        LabelLayout(3, 5, pitch=9, margin=2, origin=2**30),
    ],
)
def test_colours_do_not_depend_on_how_labels_are_written(layout: LabelLayout) -> None:
    y, x = np.indices(GRID.shape)
    address = (y + layout.margin) * layout.pitch + x + layout.margin + layout.origin
    labels = np.where(GRID != 0, address, layout.background).astype(np.int32)
    plain = LabelLayout(3, 5, pitch=7, margin=1)
    expected = np.where(GRID != 0, (y + 1) * 7 + x + 1, 0).astype(np.int32)
    np.testing.assert_array_equal(
        label_indices(labels, colour_grid(label_reference(GRID, 4)[0], layout)),
        label_indices(expected, colour_grid(label_reference(GRID, 4)[0], plain)),
    )


def test_final_roots_other_than_first_cells_settle_too() -> None:
    def last_cell(labels: Array, changed: Array, connectivity: int) -> None:
        labels[labels != 0] = labels.max()
        changed[...] = 0

    image = np.ones((4, 6), np.uint8)
    recorder = Recorder(image, NAIVE, FakeDevice({"naive_propagate": last_cell}), 4)
    recording = recorder.run()
    guessed = colour_grid(recording.component_numbers()[0], recording.layout)
    settled = guessed.for_final_labels(recording.labels(-1))
    assert settled.colours is not guessed.colours
    indices = label_indices(recording.labels(-1), settled)
    np.testing.assert_array_equal(indices, np.full(image.shape, guessed.component_colours[1]))


@settings(max_examples=30)
@given(
    height=st.integers(1, 30),
    width=st.integers(1, 30),
    density=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_any_grid_can_be_coloured(height: int, width: int, density: float, seed: int) -> None:
    image = noise(height, width, density, seed)
    without = LabelLayout(height, width, pitch=width, background=-1)
    labels = np.zeros((height, width), np.int32)
    indices = label_indices(labels, colour_grid(label_reference(image, 8)[0], without))
    np.testing.assert_array_equal(indices != 0, image != 0)


@pytest.mark.parametrize("name", THEMES)
def test_a_theme_tells_everything_apart(name: str) -> None:
    colours = canvas_colours(canvas_theme(name)).rgb_table[:PAPERS]
    assert len({tuple(colour) for colour in colours.tolist()}) == PAPERS


def contrast(one: Array, other: Array) -> float:
    def luminance(colour: Array) -> float:
        share = colour / 255
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        return float(linear @ np.array([0.2126, 0.7152, 0.0722]))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("chosen", THEMES.values(), ids=str)
def test_text_can_be_read(chosen: CanvasTheme) -> None:
    colours = canvas_colours(chosen)
    for index in range(1, PAPERS):
        text = [colours.inks[index] >> shift & 255 for shift in (16, 8, 0)]
        assert contrast(colours.rgb_table[index].astype(float), np.array(text, float)) >= 4.5
    canvas = np.array(chosen.canvas, float)
    for ink in (chosen.text, chosen.dim, chosen.error):
        assert contrast(canvas, np.array(ink, float)) >= 4.5


def test_an_unknown_theme_is_named() -> None:
    with pytest.raises(InputError, match="'pink': choose dark or light"):
        canvas_theme("pink")


def test_the_pieces_of_a_component_that_a_wrong_run_left_can_be_told_apart() -> None:
    image = np.ones((1, 12), np.uint8)
    layout = LabelLayout(1, 12, 12, background=-1)
    colouring = colour_grid(label_reference(image, 4)[0], layout)
    pieces = np.repeat(np.array([0, 4, 8], np.int32), 4).reshape(1, 12)
    settled = colouring.for_final_labels(pieces)
    assert settled.colours[0] == settled.component_colours[1]
    assert settled.colours[[4, 8]].tolist() == colouring.colours[[4, 8]].tolist()
    assert len(set(settled.colours[[0, 4, 8]].tolist())) > 1


@pytest.mark.parametrize("shape", [(12, 16), (9, 7), (64, 64)])
def test_cells_beside_each_other_differ_while_all_have_their_own_label(
    shape: tuple[int, int],
) -> None:
    layout = LabelLayout(*shape, shape[1], background=-1)
    colours = colour_grid(np.zeros(shape, np.int32), layout).colours[:-1].reshape(shape)
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        here = colours[: shape[0] - dy, max(0, -dx) : shape[1] - max(0, dx)]
        assert (here != colours[dy:, max(0, dx) : shape[1] - max(0, -dx)]).all()


def test_a_run_with_labels_that_name_no_cell_can_be_coloured() -> None:
    def stray(labels: Array, changed: Array, connectivity: int) -> None:
        labels[labels == labels.max()] = 2**31 - 1
        changed[...] = 0

    image = np.ones((4, 6), np.uint8)
    run = Recorder(image, NAIVE, FakeDevice({"naive_propagate": stray}), 4).run()
    indices = label_indices(run.labels(-1), colour_run(run))
    assert (indices == UNLABELLED).sum() == 1


def test_first_cells_are_those_that_come_first() -> None:
    components, count = label_reference(noise(17, 23, 0.4), 4)
    cells = components.ravel().tolist()
    expected = [cells.index(number) for number in range(1, count + 1)]
    assert first_cells(components).tolist() == expected
    assert first_cells(np.zeros((3, 3), np.int32)).size == 0


def test_in_small_runs_nearly_every_tree_that_is_taken_over_changes_its_colour() -> None:
    run = record("pattern:shibata", "label_equivalence", device="emulator")
    colouring, cells = colour_run(run), np.flatnonzero(run.image)
    before = find_roots(run.parents(0)).ravel()
    all_moved = unseen = 0
    for index in range(1, len(run)):
        roots = find_roots(run.parents(index)).ravel()
        moved = cells[(roots != before)[cells]]
        places = colouring.layout.addresses(roots) - colouring.layout.origin
        old = colouring.layout.addresses(before) - colouring.layout.origin
        same = colouring.colours[places[moved]] == colouring.colours[old[moved]]
        all_moved, unseen = all_moved + same.size, unseen + int(same.sum())
        before = roots
    assert unseen <= all_moved / 20


@pytest.mark.parametrize("density", [0.5, 0.55])
def test_no_neighbours_in_large_noise_share_a_colour(density: float) -> None:
    components, _ = label_reference(noise(530, 500, density, seed=7), 4)
    assert clashes(components, coloured(components)) == 0


def test_choosing_colours_can_be_stopped_at_any_time() -> None:
    run = recorded(noise(270, 250, 0.5, seed=1), passes=3)
    run.component_numbers()  # which are found once
    assert cancel_at_each_check(lambda check: colour_run(copy(run), check=check)) > 5

"""Colours of labels: true to what the labels name, and different between neighbours."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cancel_points import cancel_at_each_check
from support.fakes import picture, recorded
from support.grids import noise

from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import Array, LabelLayout
from ccl_viewer.reference import label_reference
from ccl_viewer.render.palette import colour_grid, colour_run, label_indices
from ccl_viewer.render.themes import (
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
            found += int(np.count_nonzero(colours[components[pairs]] == colours[near[pairs]]))
    return found


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


@pytest.mark.parametrize("shape", [(12, 16), (9, 7), (64, 64)])
def test_cells_beside_each_other_differ_while_all_have_their_own_label(
    shape: tuple[int, int],
) -> None:
    layout = LabelLayout(*shape, shape[1], background=-1)
    colours = colour_grid(np.zeros(shape, np.int32), layout).colours[:-1].reshape(shape)
    for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
        here = colours[: shape[0] - dy, max(0, -dx) : shape[1] - max(0, dx)]
        assert (here != colours[dy:, max(0, dx) : shape[1] - max(0, -dx)]).all()


@pytest.mark.parametrize("density", [0.5, 0.55])
def test_no_neighbours_in_large_noise_share_a_colour(density: float) -> None:
    components, _ = label_reference(noise(530, 500, density, seed=7), 4)
    assert clashes(components, coloured(components)) == 0


def test_choosing_colours_can_be_stopped_at_any_time() -> None:
    run = recorded(noise(270, 250, 0.5, seed=1), passes=3)
    run.component_numbers()  # which are found once
    assert cancel_at_each_check(lambda check: colour_run(copy(run), check=check)) > 5

"""Layers in frames: colours, dimming, marks, arrows, contours, structure and padding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from support.fakes import picture, recorded

from ccl_viewer import record
from ccl_viewer.colours import Rgb
from ccl_viewer.errors import InputError
from ccl_viewer.export import FRAME_LAYERS
from ccl_viewer.recording import Recording
from ccl_viewer.recording.together import NOT_BEGUN
from ccl_viewer.render.cell_table import DIMMED, LIT, cell_table
from ccl_viewer.render.cells import Cells
from ccl_viewer.render.frame import FrameRenderer, FrameStyle
from ccl_viewer.render.inks import FramePalette, Ink, mixed
from ccl_viewer.render.layers import COLOURS_MEAN, LAYER_PREFIX, CellColours, Layers, Numbers
from ccl_viewer.render.overlay import Overlay, dashed
from ccl_viewer.render.themes import DARK, LIGHT

SCALE = 30
Frame = npt.NDArray[np.uint8]


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(picture("##.##\n#...#\n###.#"))


def painted(recording: Recording, step: int, style: FrameStyle) -> Frame:
    renderer = FrameRenderer([recording], [(step,)], replace(style, caption=False))
    return renderer.palette[renderer.indices(0)]


def middles(frame: Frame, scale: int = SCALE) -> Frame:
    return frame[scale // 2 :: scale, scale // 2 :: scale]


def plain(**layers: object) -> FrameStyle:
    return FrameStyle(SCALE, numbers="off", layers=replace(FRAME_LAYERS, **layers))  # type: ignore[arg-type]


def colour(frame: Frame, rgb: Rgb) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = (frame == np.array(rgb, np.uint8)).all(axis=-1)
    return found


@pytest.mark.parametrize("kind", CellColours)
@pytest.mark.parametrize("strength", [1.0, 0.4])
def test_cells_have_the_colour_that_their_layer_asks_for(
    recording: Recording, kind: CellColours, strength: float
) -> None:
    style = plain(colours=kind, strength=strength)
    table = cell_table(DARK, DARK.canvas, strength)[:, :3]
    for step in range(len(recording)):
        expected = table[Cells(recording, style.layers).indices(step)]
        np.testing.assert_array_equal(middles(painted(recording, step, style)), expected)


def test_roots_are_of_depth_0_and_others_deeper(recording: Recording) -> None:
    shown = Cells(recording, replace(FRAME_LAYERS, colours=CellColours.DEPTH)).indices(-2)
    parents = recording.parents(-2)
    roots = parents == np.arange(15).reshape(3, 5)
    assert len(np.unique(shown[roots])) == 1
    assert (shown[(recording.image != 0) & ~roots] > shown[roots].max()).all()


def test_a_pin_dims_the_rest_and_is_outlined(recording: Recording) -> None:
    style = replace(plain(contours=True), pin=(0, 0))
    frame = painted(recording, len(recording) - 1, style)
    table = cell_table(DARK, DARK.canvas, 1.0)[:, :3]
    indices = Cells(recording, FRAME_LAYERS, (0, 0)).indices(len(recording) - 1)
    assert (indices[:, 3:][recording.image[:, 3:] != 0] > DIMMED).all()
    np.testing.assert_array_equal(middles(frame), table[indices])
    assert colour(frame, DARK.accent).sum() > 100
    assert not colour(frame, (255, 255, 255)).any()
    everything = painted(
        recording, len(recording) - 1, replace(style, layers=replace(style.layers, only=False))
    )
    assert colour(everything, (255, 255, 255)).any()


def test_a_pin_lies_inside_the_grid(recording: Recording) -> None:
    with pytest.raises(InputError, match="Column 5, row 0 lies outside"):
        painted(recording, 0, replace(plain(), pin=(5, 0)))


def test_changed_cells_are_marked_or_lit(recording: Recording) -> None:
    step = 1
    changed = recording.labels(step) != recording.labels(step - 1)
    frame = painted(recording, step, plain(changed=True))
    marks = colour(frame, (255, 255, 255))[:-1, :-1].reshape(3, SCALE, 5, SCALE).any(axis=(1, 3))
    np.testing.assert_array_equal(marks, changed)
    small = replace(plain(changed=True), scale=4)
    indices = Cells(recording, FRAME_LAYERS).indices(step)
    table = cell_table(DARK, DARK.canvas, 1.0)[:, :3]
    expected = table[indices + np.uint8(LIT) * changed]
    np.testing.assert_array_equal(middles(painted(recording, step, small), 4), expected)


def test_a_mark_is_set_off_from_a_light_cell(recording: Recording) -> None:
    frame = painted(recording, 1, plain(changed=True))
    halo = colour(frame, (10, 12, 16))[:-1, :-1].reshape(3, SCALE, 5, SCALE).any(axis=(1, 3))
    np.testing.assert_array_equal(halo, recording.labels(1) != recording.labels(0))


def test_marks_are_of_the_numbers_that_are_shown() -> None:
    run = record(picture("##.##\n#...#\n###.#"), algorithm="label_equivalence_hawick")
    labels = Cells(run, FRAME_LAYERS)
    references = Cells(run, replace(FRAME_LAYERS, numbers=f"{LAYER_PREFIX}references"))
    assert not run.step(1).changed
    assert not labels.rewritten(1).any()
    found = run.layer("references", 1) != run.layer("references", 0)
    assert found.any()
    np.testing.assert_array_equal(references.rewritten(1), found)
    np.testing.assert_array_equal(references.rewritten(0), labels.changed(0))


def test_arrows_lead_along_the_array_whose_numbers_are_shown() -> None:
    run = record(picture("##.##\n#...#\n###.#"), algorithm="label_equivalence_hawick")
    shown = replace(FRAME_LAYERS, arrows=True, numbers=f"{LAYER_PREFIX}references")
    scan = 1
    along = Cells(run, shown).arrows(scan)
    np.testing.assert_array_equal(along, run.parents(scan, layer="references"))
    assert (along != run.parents(scan)).any(), "labels are all roots until they are replaced"
    labels = replace(shown, numbers=Numbers.RAW)
    np.testing.assert_array_equal(Cells(run, labels).arrows(scan), run.parents(scan))
    sizes = record(run.image, algorithm="label_equivalence_sizes")
    beside = Cells(sizes, replace(shown, numbers=f"{LAYER_PREFIX}sizes"))
    np.testing.assert_array_equal(beside.arrows(scan), sizes.parents(scan))


def test_the_first_step_changes_what_has_a_label_then(recording: Recording) -> None:
    changed = Cells(recording, FRAME_LAYERS).changed(0)
    np.testing.assert_array_equal(changed, recording.image != 0)
    assert not Cells(recording, FRAME_LAYERS).changed(NOT_BEGUN).any()


def test_before_the_first_step_nothing_is_labelled(recording: Recording) -> None:
    frame = painted(recording, NOT_BEGUN, plain(changed=True, structure=False))
    cells = middles(frame)
    assert colour(cells, DARK.unlabelled).sum() == recording.image.sum()


def test_arrows_run_from_cells_to_parents(recording: Recording) -> None:
    without, with_ = (painted(recording, 1, plain(arrows=on)) for on in (False, True))
    differs = (without != with_).any(axis=-1)
    parents = recording.parents(1).reshape(-1)
    touched = differs[:-1, :-1].reshape(3, SCALE, 5, SCALE).any(axis=(1, 3)).reshape(-1)
    for cell, parent in enumerate(parents.tolist()):
        if parent >= 0:
            assert touched[cell]
            assert touched[parent]
    bare, small = (
        painted(recording, 1, replace(plain(arrows=on), scale=12)) for on in (False, True)
    )
    np.testing.assert_array_equal(bare, small)


def test_numbers_stand_over_arrows(recording: Recording) -> None:
    step = len(recording) - 1
    style = replace(plain(), numbers="auto", scale=40)
    off = replace(style, numbers="off")
    text = painted(recording, step, style) != painted(recording, step, off)
    over = painted(recording, step, replace(style, layers=replace(style.layers, arrows=True)))
    np.testing.assert_array_equal(over[text], painted(recording, step, style)[text])


@pytest.mark.parametrize("scale", [4, SCALE])
def test_contours_lie_between_components(recording: Recording, scale: int) -> None:
    frame = painted(recording, 0, replace(plain(contours=True), scale=scale))
    line = colour(frame, (255, 255, 255))
    assert line[scale * 2, scale // 2 + 3 * scale : 4 * scale : 2].sum() == 0  # inside background
    assert line[: scale // 2, 2 * scale].all() or line[1 : scale // 2, 2 * scale].all()
    assert not line[scale // 2, scale]  # two cells of one component


@pytest.mark.parametrize("scale", [2, 3, 4, 6])
def test_contours_are_solid_only_where_cells_have_pixels_left(
    recording: Recording, scale: int
) -> None:
    """As in the window: tests/views/test_small_cells.py."""
    bare = painted(recording, 0, replace(plain(changed=False), scale=scale))
    frame = painted(recording, 0, replace(plain(contours=True, changed=False), scale=scale))
    assert (frame != bare).any()
    assert colour(frame, (255, 255, 255)).any() == (scale >= 4)


def test_captions_say_what_colours_mean_unless_these_are_labels(recording: Recording) -> None:
    for kind in CellColours:
        style = FrameStyle(SCALE, layers=Layers(colours=kind))
        strip = FrameRenderer([recording], [(1,)], style).strips[0]
        told = COLOURS_MEAN[kind] in " ".join(row.text for row in strip.rows(1))
        assert told == (kind is not CellColours.LABEL)


def test_structure_has_lines_padding_and_a_legend(recording: Recording) -> None:
    style = plain(structure=True)
    frame = painted(recording, 1, style)
    assert frame.shape[:2] == (5 * SCALE + 1, 7 * SCALE + 1)
    assert colour(frame, (255, 255, 255)).any()
    padding = mixed(DARK.canvas, DARK.background, 0.55)
    assert colour(frame[2 : SCALE - 2, 2 : SCALE - 2], padding).any()
    captioned = FrameRenderer([recording], [(1,)], style)
    assert any("thread block" in row.text for row in captioned.strips[0].rows(1))
    bare = painted(recording, 0, style)  # whose launch declares no structure
    assert not colour(bare, (255, 255, 255)).any()


def test_onion_rings_have_the_colour_of_the_step_before(recording: Recording) -> None:
    table = cell_table(DARK, DARK.canvas, 1.0)[:, :3]
    cells = Cells(recording, FRAME_LAYERS)
    frame = painted(recording, 1, plain(onion=True))
    np.testing.assert_array_equal(frame[2::SCALE, 2::SCALE], table[cells.indices(0)])
    np.testing.assert_array_equal(middles(frame), table[cells.indices(1)])


def test_lines_can_be_left_out(recording: Recording) -> None:
    frame = painted(recording, 1, plain(lines=False))
    assert frame.shape[:2] == (3 * SCALE, 5 * SCALE)
    assert not colour(frame, DARK.canvas).any()


@pytest.mark.parametrize(
    ("what", "values"),
    [
        (Numbers.RAW, lambda run: run.labels(1)),
        (Numbers.COMPONENT, lambda run: Cells(run, FRAME_LAYERS).colouring.components),
        (Numbers.ROOT, lambda run: Cells(run, Layers(numbers=Numbers.ROOT)).numbers(1)),
    ],
)
def test_numbers_say_what_they_are_asked_for(
    recording: Recording, what: str, values: object
) -> None:
    assert callable(values)
    shown = Cells(recording, replace(FRAME_LAYERS, numbers=what)).numbers(1)
    np.testing.assert_array_equal(shown, values(recording))


def test_arrays_that_were_not_recorded_are_refused(recording: Recording) -> None:
    with pytest.raises(InputError, match="no layer 'sizes'"):
        painted(recording, 0, plain(numbers="layer:sizes"))


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("kind", [CellColours.LABEL, CellColours.DEPTH])
def test_mixed_colours_are_near_what_they_should_be(theme: object, kind: CellColours) -> None:
    assert theme in (DARK, LIGHT)
    palette = FramePalette(DARK if theme is DARK else LIGHT, kind)
    known = palette.rgb[:255].astype(np.float32)
    found = palette.rgb[palette.nearest(known)].astype(int)
    assert np.abs(found - known).max() <= 12
    assert palette.ink(Ink.TEXT) == palette.canvas


def test_an_overlay_changes_only_what_it_covers() -> None:
    palette = FramePalette(DARK)
    frame = np.full((20, 30), palette.slots[3], np.uint8)
    overlay = Overlay(20, 30)
    overlay.strokes(np.array([[5.0, 10.0, 25.0, 10.0]]), 2, palette.bold)
    overlay.stencil(palette).lay_over(frame, palette)
    rows, columns = np.nonzero(frame != palette.slots[3])
    assert (rows.min(), rows.max() + 1) == (9, 11)
    assert (columns.min(), columns.max() + 1) == (4, 26)
    assert (frame[9:11, 4:26] == palette.bold).all()


def test_thin_lines_are_mixed_with_what_lies_below() -> None:
    palette = FramePalette(DARK)
    frame = np.full((9, 9), palette.slots[0], np.uint8)
    overlay = Overlay(9, 9)
    overlay.curves(np.array([[[0.0, 0.0], [9.0, 9.0]]]), 1, palette.bold)
    overlay.stencil(palette).lay_over(frame, palette)
    rgb = palette.rgb[frame].astype(int)
    along = rgb[np.arange(9), np.arange(9)].mean()
    assert DARK.background[0] + 40 < along <= 255
    assert (rgb[0, 8] == DARK.background).all()


def test_dashes_are_as_long_as_asked_for() -> None:
    lines = np.array([[0.0, 0.0, 10.0, 0.0], [3.0, 0.0, 3.0, 5.0]])
    pieces = dashed(lines, [2.0, 1.0])
    assert pieces.tolist() == [
        [0, 0, 2, 0],
        [3, 0, 5, 0],
        [6, 0, 8, 0],
        [9, 0, 10, 0],
        [3, 0, 3, 2],
        [3, 3, 3, 5],
    ]
    assert dashed(lines, []) is lines

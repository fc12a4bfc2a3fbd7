"""What is drawn of a step, as shapes: cells, numbers, marks, arrows, structure, legend."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.fakes import picture, recorded
from support.recordings import played

from ccl_viewer import record
from ccl_viewer.export.frames import FrameRenderer, FrameStyle
from ccl_viewer.grids.pattern_shapes import spiral
from ccl_viewer.grids.shapes import Box
from ccl_viewer.recording import Recording, RunFault
from ccl_viewer.recording.alignment import NOT_BEGUN
from ccl_viewer.recording.metrics import find_wrong_at_end
from ccl_viewer.render.display_list import (
    Curves,
    DisplayList,
    Hatch,
    Image,
    Item,
    Lines,
    Polygons,
    Rects,
    Texts,
)
from ccl_viewer.render.layers import COUNTED, LAYER_PREFIX, CellColours, Layers, Numbers
from ccl_viewer.render.legend import LegendMetrics, break_into_rows, legend_items
from ccl_viewer.render.painters import pillow
from ccl_viewer.render.painters.svg import paint_svg
from ccl_viewer.render.palette import colour_run, label_indices
from ccl_viewer.render.scene import (
    SceneCache,
    build_base,
    build_overlay,
    cell_indices,
    legend_contents,
    number_size,
)
from ccl_viewer.render.step_view import (
    Marks,
    Placement,
    Preview,
    RecordingLabels,
    RootPath,
    Sampler,
    StepView,
    ViewOptions,
    view_step,
)
from ccl_viewer.render.themes import (
    COUNT_SHADES,
    DARK,
    DIMMED,
    DOTS,
    FIRST_COUNT,
    FIRST_DOTTED,
    LIGHT,
    THIN,
    UNLABELLED,
    CanvasTheme,
    canvas_colours,
    pack_colour,
)

SCALE = 30
BARE = Layers(colours=CellColours.LABEL, numbers=Numbers.NONE, changed=False, lines=False)
COLOURS = canvas_colours(DARK)


def build(view: StepView, cache: SceneCache | None = None) -> DisplayList:
    """All that is painted of a view."""
    base, overlay = build_base(view, cache), build_overlay(view)
    return replace(base, layers=(*base.layers, *overlay.layers))


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(picture("##.##\n#...#\n###.#"))


def looked(
    run: Recording, step: int, layers: Layers = BARE, scale: float = SCALE, **more: Any
) -> StepView:
    height, width = run.image.shape
    place = Placement(scale, 0, 0, round(width * scale), round(height * scale) + 60)
    sample = Sampler().sample(run.image, place)
    options = ViewOptions(layers, colour_run(run), **more)
    return view_step(RecordingLabels(), run, step, sample, options)


def items_of(shown: DisplayList, name: str) -> tuple[Item, ...]:
    return next((layer.items for layer in shown.layers if layer.name == name), ())


def cells_of(shown: DisplayList) -> Image:
    image = items_of(shown, "cells")[0]
    assert isinstance(image, Image)
    return image


def cells_in(boxes: npt.NDArray[np.float64], scale: float = SCALE) -> set[tuple[int, int]]:
    """Row and column of the cells with the same centres as boxes."""
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    return {(int(y // scale), int(x // scale)) for x, y in middles.tolist()}


def legend_of(view: StepView) -> list[str]:
    return [item.text for item in legend_items(legend_contents(view))]


@pytest.mark.parametrize("kind", CellColours)
def test_cells_have_the_colour_that_is_asked_for(recording: Recording, kind: CellColours) -> None:
    for step in range(len(recording)):
        indices = cells_of(build(looked(recording, step, replace(BARE, colours=kind)))).indices
        np.testing.assert_array_equal(indices == 0, recording.image == 0)
        if kind is CellColours.LABEL:
            expected = label_indices(recording.labels(step), colour_run(recording))
            np.testing.assert_array_equal(indices, expected)


def test_trees_have_one_colour_and_depths_grow_from_roots(recording: Recording) -> None:
    step = len(recording) - 2
    trees = cell_indices(looked(recording, step, replace(BARE, colours=CellColours.TREE)))
    depths = cell_indices(looked(recording, step, replace(BARE, colours=CellColours.DEPTH)))
    labels = cell_indices(looked(recording, step))
    parents = recording.parents(step)
    roots = parents == np.arange(parents.size).reshape(parents.shape)
    np.testing.assert_array_equal(trees[roots], labels[roots])
    assert len(np.unique(depths[roots])) == 1
    assert (depths[(recording.image != 0) & ~roots] > depths[roots].max()).all()


def test_colours_fall_back_to_labels_while_roots_are_not_known(recording: Recording) -> None:
    view = replace(looked(recording, 1, Layers(colours=CellColours.TREE)), followed=None)
    assert view.colours is CellColours.LABEL
    assert "colour: label" in legend_of(view)


def test_the_cell_of_a_fault_is_framed_in_the_last_step_alone() -> None:
    run = recorded(picture("##.##\n#...#\n###.#"))
    run.break_off("It failed.", RunFault("It failed.", cell=(4, 2)))
    assert not items_of(build(looked(run, 0)), "fault")
    frame, *_, text = items_of(build(looked(run, len(run) - 1)), "fault")
    assert isinstance(frame, Rects)
    assert isinstance(text, Texts)
    assert cells_in(frame.boxes) == {(2, 4)}
    assert text.texts == ("fault",)


def test_before_the_first_step_nothing_is_labelled(recording: Recording) -> None:
    indices = cell_indices(looked(recording, NOT_BEGUN, Layers()))
    np.testing.assert_array_equal(indices, recording.image * UNLABELLED)


def test_a_pin_dims_the_rest_and_is_outlined(recording: Recording) -> None:
    view = looked(recording, 2, replace(BARE, contours=True), pin=(0, 0))
    shown = build(view)
    others = (view.components != view.pinned) & (recording.image != 0)
    assert (cells_of(shown).indices[others] > DIMMED).all()
    lines = [item for item in items_of(shown, "contours") if isinstance(item, Lines)]
    assert [line.colour for line in lines] == [COLOURS.halo, pack_colour(DARK.accent)]


@pytest.mark.parametrize("scale", [5, 7.3, 12, 30])
def test_changed_cells_are_outlined(recording: Recording, scale: float) -> None:
    view = looked(recording, 1, replace(BARE, changed=True), scale)
    shown = build(view)
    outline = items_of(shown, "changes")[0]
    assert isinstance(outline, Rects)
    changed = np.argwhere(recording.labels(1) != recording.labels(0)).tolist()
    assert cells_in(outline.boxes, scale) == {(y, x) for y, x in changed}
    assert "changed" in legend_of(view)
    first = build(looked(recording, 0, replace(BARE, changed=True), scale))
    assert not items_of(first, "changes")


def test_smaller_changed_cells_are_striped_and_a_few_have_dots() -> None:
    run = recorded(np.ones((60, 60), np.uint8), passes=2)
    step = len(run) - 1
    view = looked(run, step, replace(BARE, changed=True), 2.0)
    changed = run.labels(step) != run.labels(step - 1)
    (stripes,) = items_of(build(view), "changes")
    assert isinstance(stripes, Hatch)
    np.testing.assert_array_equal(stripes.indices != 0, changed)
    some = replace(view, changed_cells=np.array([7, 1830]))
    assert len(items_of(build(some), "changes")) == 3  # stripes; dots, with a halo
    assert "changed" in legend_of(some)


@pytest.mark.parametrize(("scale", "width"), [(2.0, 5), (1.0, 5), (0.5, 1), (0.2, 1)])
def test_dots_of_changed_cells_do_not_hide_a_small_picture(scale: float, width: int) -> None:
    image = np.zeros((200, 200), np.uint8)
    image[4:184:12, 4:124:12] = image[4:184:12, 5:125:12] = 1  # 150 pairs
    run = recorded(image, passes=2)
    (step,) = (index for index, one in enumerate(run.steps[1:], 1) if one.changed == 150)
    view = looked(run, step, replace(BARE, changed=True), scale)
    dots = [one for one in items_of(build(view), "changes") if isinstance(one, Rects)]
    assert max(box[2] - box[0] for one in dots for box in one.boxes) == width
    covered = len(dots[0].boxes) * width**2
    assert covered < 0.5 * (200 * scale) ** 2


@pytest.mark.parametrize("scale", [0.5, 1.0, 2.0, 4.0, 12.0])
def test_a_changed_cell_keeps_its_colour_at_every_zoom(scale: float) -> None:
    run = recorded(np.ones((60, 60), np.uint8), passes=2)
    marked = build(looked(run, len(run) - 1, replace(BARE, changed=True), scale))
    plain = build(looked(run, len(run) - 1, BARE, scale))
    np.testing.assert_array_equal(cells_of(marked).indices, cells_of(plain).indices)
    assert items_of(marked, "changes")


@pytest.mark.parametrize("pin", [None, (0, 0)])
def test_numbers_stand_in_the_middle_of_foreground_cells(
    recording: Recording, pin: tuple[int, int] | None
) -> None:
    shown = build(looked(recording, 1, replace(BARE, numbers=Numbers.RAW), 40, pin=pin))
    labels, found = recording.labels(1), {}
    for item in items_of(shown, "numbers"):
        assert isinstance(item, Texts)
        for word, (x, y) in zip(item.texts, item.places.tolist(), strict=True):
            found[int(y // 40), int(x // 40)] = word
            assert (x % 40, y % 40) == (20, 20)
    cells = np.argwhere(recording.image != 0).tolist()
    assert found == {(y, x): str(labels[y, x]) for y, x in cells}


@pytest.mark.parametrize("what", [Numbers.COMPONENT, Numbers.ROOT])
def test_numbers_say_what_they_are_asked_for(recording: Recording, what: Numbers) -> None:
    step = len(recording) - 1
    numbers = looked(recording, step, replace(BARE, numbers=what)).numbers
    assert numbers is not None
    inside = recording.image != 0
    expected = (
        recording.component_numbers()[0] if what == Numbers.COMPONENT else recording.labels(step)
    )
    np.testing.assert_array_equal(numbers[inside], expected[inside])


@pytest.mark.parametrize("what", [Numbers.RAW, Numbers.ROOT])
def test_a_cell_without_a_label_has_no_number(what: Numbers) -> None:
    run = record(picture("####.##"), algorithm="ha4")
    shown = build(looked(run, 0, replace(BARE, numbers=what)))
    texts = [text for item in items_of(shown, "numbers") for text in item.texts]  # type: ignore[union-attr]
    assert sorted(texts) == ["0", "5"], "the first cells of two runs"


def test_numbers_that_do_not_fit_are_left_out() -> None:
    assert number_size(15, 1) is None
    assert number_size(20, 7) is None
    sizes = [number_size(size, 3) or 0 for size in range(16, 100)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == 28


def test_marks_and_arrows_follow_the_array_whose_numbers_are_shown() -> None:
    run = record(picture("##.##\n#...#\n###.#"), algorithm="label_equivalence_hawick")
    layers = replace(BARE, changed=True, arrows=True, numbers=f"{LAYER_PREFIX}references")
    view = looked(run, 1, layers)
    now, before = (run.layer("references", step) for step in (1, 0))
    np.testing.assert_array_equal(view.changed, now != before)
    np.testing.assert_array_equal(view.parents, run.parents(1, layer="references"))
    assert "references changed" in legend_of(view)
    labels = looked(run, 1, replace(layers, numbers=Numbers.RAW))
    assert labels.changed is not None
    assert not labels.changed.any()
    np.testing.assert_array_equal(labels.parents, run.parents(1))


def test_steps_that_number_components_show_the_numbers_in_place_of_labels() -> None:
    run = record(picture("##.##\n#...#\n###.#"), algorithm="ha4", consecutive=True)
    layers = replace(BARE, changed=True, numbers=Numbers.RAW)
    view = looked(run, len(run) - 1, layers)
    assert view.numbers is not None
    assert set(np.unique(view.numbers)) == {0, 1, 2}
    assert view.changed is not None
    assert view.changed.any()
    assert "numbers changed" in legend_of(view)
    before = looked(run, 2, layers)  # the last step of the algorithm itself
    assert before.array == ""
    chosen = looked(run, len(run) - 1, replace(layers, numbers=Numbers.ROOT))
    assert chosen.array == ""


def test_arrows_lead_to_parents_and_rings_mark_roots(recording: Recording) -> None:
    step = len(recording) - 1
    items = items_of(build(looked(recording, step, replace(BARE, arrows=True))), "arrows")
    parents = recording.parents(step)
    own = np.arange(parents.size).reshape(parents.shape)
    count = int(((parents >= 0) & (parents != own)).sum())
    curves = [item for item in items if isinstance(item, Curves)]
    heads = [item for item in items if isinstance(item, Polygons)]
    rings = [item for item in items if isinstance(item, Rects)]
    assert sum(len(item.points) for item in curves) == 2 * count  # with the halo
    assert sum(len(item.corners) for item in heads) == 2 * count
    assert sum(len(item.boxes) for item in rings) == recording.step(step).roots
    tiny = looked(recording, step, replace(BARE, arrows=True), 12)
    assert not items_of(build(tiny), "arrows")
    assert "parent (zoom in)" in legend_of(tiny)


def test_arrows_of_others_are_dimmed_where_something_is_pinned() -> None:
    run = recorded(picture("#####\n.....\n#####"))
    step = len(run) - 1
    parents, own = run.parents(step), np.arange(15).reshape(3, 5)
    arrows = int(((parents >= 0) & (parents != own)).sum())
    layers = replace(BARE, arrows=True)

    def opacities(**pinned: Any) -> Counter[int]:
        items = items_of(build(looked(run, step, layers, **pinned)), "arrows")
        curves = [item for item in items if isinstance(item, Curves)]
        return Counter(alpha for one in curves for alpha in [one.colour >> 24] * len(one.points))

    assert opacities() == {224: arrows, 255: arrows}  # with the halo
    bright, cell = 0, 4
    while (parent := int(parents.flat[cell])) != cell:
        bright, cell = bright + 1, parent
    assert 0 < bright < arrows
    assert opacities(alone=(4, 0)) == {76: arrows - bright, 224: bright, 255: bright}
    assert opacities(pin=(4, 0)) == {76: arrows // 2, 224: arrows // 2, 255: arrows // 2}
    rings = items_of(build(looked(run, step, layers, alone=(4, 0))), "arrows")
    assert {76, 255} == {one.stroke >> 24 for one in rings if isinstance(one, Rects) and one.stroke}


def test_tiles_are_drawn_without_warps_and_thread_blocks() -> None:
    run = record(np.ones((24, 40), np.uint8), "stava_benes", connectivity=4, tile=8)
    for layers, said in (
        (replace(BARE, tiles=True), ["tile 8 \N{MULTIPLICATION SIGN} 8"]),
        (BARE, []),
    ):
        view = looked(run, 0, layers, 12)
        assert [line for line in legend_of(view) if "tile" in line or "warp" in line] == said
        lines = [one for one in items_of(build(view), "structure") if isinstance(one, Lines)]
        edges = {x for one in lines for x, _, to, _ in one.segments.tolist() if x == to}
        assert {round(x / 12) for x in edges} == ({0, 8, 16, 24, 32, 40} if said else set())
    whole = legend_of(looked(run, 0, replace(BARE, structure=True), 12))
    assert any("thread block = tile" in line for line in whole)
    assert any("warp" in line for line in whole)


def test_a_path_that_a_lesson_follows_is_drawn_alone(recording: Recording) -> None:
    view = looked(recording, 1, marks=Marks(follow=((1, 2),)))
    assert view.parents is not None
    assert 0 < (view.parents >= 0).sum() < recording.image.sum()


def test_structure_has_lines_padding_and_a_legend(recording: Recording) -> None:
    view = looked(recording, 1, replace(BARE, structure=True))
    place = Placement(SCALE, SCALE, SCALE, 20 * SCALE, 8 * SCALE)
    shown = build(replace(view, sample=Sampler().sample(recording.image, place)))
    assert items_of(shown, "structure")
    padding = items_of(shown, "padding")
    assert any(isinstance(one, Rects) and one.fill == COLOURS.padding[0] for one in padding)
    words = legend_of(view)
    assert any("thread block" in word for word in words)
    assert any("padding" in word for word in words)


def test_rims_have_the_colour_of_the_step_before(recording: Recording) -> None:
    view = looked(recording, 1, replace(BARE, onion=True))
    before, now = cell_indices(view, before=True), cell_indices(view)
    rims = [item for item in items_of(build(view), "cells") if isinstance(item, Rects)]
    found = {cell: rim.stroke for rim in rims for cell in cells_in(rim.boxes)}
    changed = np.argwhere(before != now).tolist()
    assert found == {(y, x): int(COLOURS.table[before[y, x]]) for y, x in changed}
    assert "rim: step before" in legend_of(view)
    small = looked(recording, 1, replace(BARE, onion=True), scale=3)
    assert len(items_of(build(small), "cells")) == 1
    assert "rim: step before (zoom in)" in legend_of(small)


@pytest.mark.parametrize("scale", [2, 6, 30])
def test_contours_lie_between_components(recording: Recording, scale: int) -> None:
    items = items_of(build(looked(recording, 0, replace(BARE, contours=True), scale)), "contours")
    if scale >= 8:
        assert all(isinstance(item, Lines) for item in items)
        return
    (image,) = items
    assert isinstance(image, Image)
    assert (int(image.table[1]) >> 24 == 255) == (scale >= 4)
    pixels, _, _ = image.visible_indices(5 * scale, 3 * scale)
    assert pixels[0, 0]  # around the first component
    assert not pixels[scale // 2, scale]  # two cells of one component
    assert pixels[scale // 2, 2 * scale]  # where it ends


@pytest.mark.parametrize("scale", [3, 12, 30])
def test_cells_that_differ_are_hatched(recording: Recording, scale: int) -> None:
    difference = np.zeros(recording.image.shape, np.bool_)
    difference[1, 0] = True
    shown = build(looked(recording, 2, scale=scale, difference=difference))
    hatch = next(one for one in items_of(shown, "cells")[::-1] if isinstance(one, Image))
    pixels, left, top = hatch.visible_indices(5 * scale, 3 * scale)
    y, x = np.nonzero(pixels)
    assert set(((y + top) // scale).tolist()) == {1}
    assert set(((x + left) // scale).tolist()) == {0}


def test_an_older_run_shows_what_was_drawn_since(recording: Recording) -> None:
    grid = recording.image.copy()
    grid[1, 2], grid[0, 0] = 1, 0
    view = looked(recording, 2, Layers(), grid=grid, stale=True)
    indices = cell_indices(view)
    assert indices[1, 2] == UNLABELLED
    assert indices[0, 0] == 0
    assert not items_of(build(view), "changes")


def test_what_follows_the_mouse_lies_over_the_rest(recording: Recording) -> None:
    view = looked(
        recording,
        2,
        Layers(),
        marks=Marks(highlight=((0, 0), (1, 0)), asked=(3, 0), chosen=((4, 1),), right=((4, 2),)),
    )
    view = replace(
        view,
        paths=(RootPath((1, 2), ((0, 2), (0, 0)), pinned=True), RootPath((4, 0))),
        preview=Preview(outline=Box(0, 0, 2, 2)),
        flash=(2, 2),
    )
    names = [layer.name for layer in build(view).layers]
    assert names[-4:] == ["preview", "paths", "marks", "flash"]
    assert not {layer.name for layer in build_base(view).layers} & {"paths", "marks"}
    judged = build(replace(view, marks=replace(view.marks, judged=True)))
    lines = [item for item in items_of(judged, "marks") if isinstance(item, Lines)]
    assert {pack_colour(DARK.ok), pack_colour(DARK.error)} <= {line.colour for line in lines}


def test_layers_that_stay_the_same_are_the_same_objects(recording: Recording) -> None:
    layers, colouring, cache = Layers(contours=True), colour_run(recording), SceneCache()
    sample = looked(recording, 1, layers).sample
    source = RecordingLabels()
    first, second = (
        build(view_step(source, recording, step, sample, ViewOptions(layers, colouring)), cache)
        for step in (1, 2)
    )
    same = {
        one.name for one, other in zip(first.layers, second.layers, strict=True) if one is other
    }
    assert {"lines", "contours"} <= same
    assert "cells" not in same


def test_a_grid_without_a_run_has_no_legend() -> None:
    grid = np.array([[0, 1, 2], [3, 0, 9]], np.uint8)
    sample = Sampler().sample(grid, Placement(40, 0, 0, 120, 80))
    shown = build(StepView(sample, sample.of(grid), multivalued=True))
    assert not legend_of(StepView(sample, sample.of(grid), multivalued=True))
    indices = cells_of(shown).indices
    assert indices[0, 2] != indices[1, 0]
    plain = build(StepView(sample, sample.of(grid)))
    np.testing.assert_array_equal(cells_of(plain).indices, (grid != 0) * UNLABELLED)


@pytest.mark.parametrize("scale", [1, 7.3, 12.5, 40.01])
def test_cells_of_any_size_differ_by_a_pixel_at_most(scale: float) -> None:
    sample = Sampler().sample(np.ones((9, 11), np.uint8), Placement(scale, 3, 2, 900, 900))
    sizes = np.diff(sample.x)
    assert sizes.max() - sizes.min() <= 1
    assert (sample.x[0], sample.x[-1]) == (3, 3 + int(11 * scale + 0.5))


@pytest.mark.parametrize("scale", [0.9, 0.4, 1 / 3, 0.05])
def test_foreground_never_vanishes_below_a_pixel_a_cell(scale: float) -> None:
    grid = np.zeros((120, 90), np.uint8)
    grid[::7, 40] = grid[33] = 1
    sample = Sampler().sample(grid, Placement(scale, 0, 0, 200, 200))
    assert sample.pooled
    shown = sample.of(grid) != 0
    pixels = [
        np.minimum((np.arange(side) * scale).astype(int), count - 1)
        for side, count in zip(grid.shape, shown.shape, strict=True)
    ]
    near = shown.copy()
    near[1:] |= shown[:-1]
    near[:, 1:] |= near[:, :-1].copy()
    near[:-1] |= near[1:].copy()
    near[:, :-1] |= near[:, 1:].copy()
    assert near[np.ix_(*pixels)][grid != 0].all()
    assert sample.thin is not None
    assert (sample.thin[shown] > 0).any()  # lines of one cell are fainter than areas


@pytest.mark.parametrize("scale", [0.48, 0.4, 0.26, 0.11])
def test_a_spiral_of_less_than_a_pixel_an_arm_is_evenly_pale(scale: float) -> None:
    sample = Sampler().sample(spiral(1023), Placement(scale, 0, 0, 500, 500))
    assert sample.thin is not None
    inner = sample.thin[2:-2, 2:-2]
    assert (inner == THIN).mean() > 0.99


def test_the_arms_of_a_spiral_are_told_from_its_gaps() -> None:
    grid = spiral(255)
    sample = Sampler().sample(grid, Placement(0.95, 0, 0, 250, 250))
    assert sample.thin is not None
    across = np.where(sample.of(grid)[100, :90], sample.thin[100, :90], 255)
    assert (np.diff(across.astype(int)) != 0).mean() > 0.8


def test_a_sample_is_the_same_object_until_something_changes() -> None:
    grid, sampler, place = np.ones((50, 50), np.uint8), Sampler(), Placement(0.5, 0, 0, 40, 40)
    first = sampler.sample(grid, place, 1)
    assert sampler.sample(grid, place, 1) is first
    assert sampler.sample(grid, replace(place, x=3), 1) is not first
    assert sampler.sample(grid, place, 2) is not first


def test_a_legend_breaks_into_rows(recording: Recording) -> None:
    layers = Layers(structure=True, arrows=True)
    items = legend_items(legend_contents(looked(recording, 1, layers, 6)))
    metrics = LegendMetrics(lambda text, size: 0.5 * size * len(text), 13)
    rows = break_into_rows(items, metrics, 300)
    assert [item for row in rows for item in row] == list(items)
    assert all(sum(map(metrics.item_width, row)) <= 300 for row in rows if len(row) > 1)


@pytest.fixture(scope="module")
def counted() -> Recording:
    return record(np.ones((4, 6), np.uint8), "playne", device="emulator", ledger=True)


@pytest.mark.parametrize("kind", COUNTED)
@pytest.mark.parametrize("total", [False, True])
def test_counts_of_accesses_are_shades_and_numbers(
    counted: Recording, kind: CellColours, total: bool
) -> None:
    for step in range(len(counted)):
        counts = counted.counts(step, kind, total=total)
        layers = Layers(colours=kind, total=total)
        shown = build(looked(counted, step, layers))
        (image,) = (item for item in items_of(shown, "cells") if isinstance(item, Image))
        shades = np.searchsorted(1 << np.arange(COUNT_SHADES), counts, side="right")
        wanted = np.where(counts > 0, FIRST_COUNT - 1 + shades, UNLABELLED)
        assert (image.indices == wanted).all()
        texts = [item.texts for item in items_of(shown, "numbers") if isinstance(item, Texts)]
        assert sorted(sum(texts, ())) == sorted(map(str, counts.ravel().tolist()))


def test_a_legend_says_the_range_of_each_shade(counted: Recording) -> None:
    shown = legend_contents(looked(counted, 0, Layers(colours=CellColours.STORES)))
    item = legend_items(shown)[0]
    assert "emulator" in item.text
    drawn = [each.texts for each in item.draw(0, 0, 1, COLOURS) if isinstance(each, Texts)]
    assert drawn == [("1",), ("4",), ("16",), ("64",), ("256+",)]


def test_without_counts_labels_give_the_colours(recording: Recording) -> None:
    view = looked(recording, 1, replace(BARE, colours=CellColours.LOADS))
    assert view.colours is CellColours.LABEL
    assert (cell_indices(view) == cell_indices(looked(recording, 1))).all()


def test_shades_of_counts_get_lighter() -> None:
    table = COLOURS.rgb_table[FIRST_COUNT : FIRST_COUNT + COUNT_SHADES]
    lightness = table @ np.array([0.2126, 0.7152, 0.0722])
    assert (np.diff(lightness) > 0).all()


@pytest.mark.parametrize("damage", ["?", None, [], {"a": 1}, 7, float("nan"), float("inf")])
def test_layers_are_remembered_and_damage_does_no_harm(damage: object) -> None:
    layers = Layers(CellColours.DEPTH, "layer:references", arrows=True, strength=0.5)
    kept = json.loads(json.dumps(layers.to_values()))
    assert Layers().from_json(kept) == layers
    assert layers.from_json(dict.fromkeys(kept, damage)) == layers


STAIRS = "pattern:stairs?width=64&height=64"  # eleven components, so four of them are dotted


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=str)
@pytest.mark.parametrize("dimmed", [False, True])
def test_dotted_colours_have_dots_of_their_hue_in_the_corners(
    theme: CanvasTheme, dimmed: bool
) -> None:
    run = record(STAIRS, "stava_benes", device="emulator")
    labels = run.labels(-1)
    plain = label_indices(labels, colour_run(run))
    dotted = plain >= FIRST_DOTTED
    assert len(np.unique(plain[dotted])) == 4
    y, x = np.argwhere(plain == 4)[0].tolist()
    view = looked(run, len(run) - 1, BARE, 10, theme=theme, pin=(x, y) if dimmed else None)
    shown = pillow.PicturePainter().paint(build(view))
    table, bank = canvas_colours(theme).table, DIMMED if dimmed else 0
    hues = np.array(DOTS)[plain[dotted] - FIRST_DOTTED]
    np.testing.assert_array_equal(shown[5:640:10, 5::10][dotted], table[plain[dotted] + bank])
    for corner in ((0, 0), (0, 9), (9, 0), (9, 9)):
        found = shown[corner[0] : 640 : 10, corner[1] :: 10]
        np.testing.assert_array_equal(found[dotted], table[hues + bank])


def test_cells_too_small_for_dots_have_the_darker_colour_alone() -> None:
    run = record(STAIRS, "stava_benes", device="emulator")
    (image,) = items_of(build(looked(run, len(run) - 1, scale=4)), "cells")
    assert isinstance(image, Image)


def wrong_run() -> Recording:
    """A row of four cells whose last two are left apart; the step before, all are."""
    return played(np.ones((1, 4), np.uint8), [[0, 1, 2, 3], [0, 0, 2, 2]])


@pytest.mark.parametrize("scale", [3, 12, 30])
def test_cells_with_which_a_run_ended_wrong_are_hatched_and_counted(scale: int) -> None:
    run = wrong_run()
    view = looked(run, 1, Layers(), scale, wrong=find_wrong_at_end(run))
    shown = build(view)
    hatch = [one for one in items_of(shown, "cells") if isinstance(one, Image)][-1]
    assert pack_colour(DARK.error) in hatch.table.tolist()
    pixels, left, _ = hatch.visible_indices(4 * scale, scale)
    _, x = np.nonzero(pixels)
    assert set(((x + left) // scale).tolist()) == {2, 3}
    assert "2 wrong cells" in legend_of(view)
    dots = [one for one in items_of(shown, "changes") if isinstance(one, Rects)]
    reds = [one for one in dots if one.fill == pack_colour(DARK.error)]
    assert [cells_in(one.boxes, scale) for one in reds] == [{(0, 2), (0, 3)}] * (scale < 4)
    assert "2 wrong cells" not in legend_of(looked(run, 1, Layers(), scale))


@pytest.mark.parametrize("scale", [4, 30])
def test_an_svg_has_one_pattern_and_few_boxes_for_all_wrong_cells(scale: int) -> None:
    labels = np.arange(12).reshape(3, 4)
    run = played(np.ones((3, 4), np.uint8), [labels.ravel().tolist()] * 2)
    view = looked(run, 1, Layers(), scale, wrong=find_wrong_at_end(run))
    written = paint_svg(build(view), "wrong")
    (pattern,) = re.findall(r'<pattern id="([^"]+)"', written)
    (hatched,) = re.findall(rf'fill="url\(#{pattern}\)" d="([^"]*)"', written)
    assert hatched == f"M{scale} 0h{3 * scale}v{scale}h{-3 * scale}z" + (
        f"M0 {scale}h{4 * scale}v{2 * scale}h{-4 * scale}z"
    )


def test_frames_hatch_wrong_cells_in_the_last_step_alone() -> None:
    run = wrong_run()
    renderer = FrameRenderer([run], [[0], [1]], FrameStyle(scale=12))
    error = pack_colour(DARK.error)
    assert error not in renderer.picture(0)[:12, :48]
    assert error in renderer.picture(1)
    words = [
        text
        for number in range(2)
        for item in renderer.display_list(number)
        if isinstance(item, Texts)
        for text in item.texts
    ]
    assert words.count("2 wrong cells") == 1


def test_a_run_that_was_stopped_has_no_wrong_cells() -> None:
    assert find_wrong_at_end(recorded(np.ones((4, 6), np.uint8), passes=1)) is None


@pytest.mark.parametrize("scale", [18, 24, 48, 96])
@pytest.mark.parametrize("size", [4, 12])
def test_the_marks_of_a_root_lie_in_its_cell(scale: int, size: int) -> None:
    """Also where its number has three digits."""
    run = recorded(np.ones((size, size), np.uint8))
    view = looked(run, 0, Layers(arrows=True), scale)
    parents = run.parents(0).ravel()
    roots = {divmod(cell, size) for cell, parent in enumerate(parents) if cell == parent}
    rings = [
        one for one in items_of(build(view), "arrows") if isinstance(one, Rects) and one.radius
    ]
    boxes = np.concatenate([ring.boxes for ring in rings])
    assert cells_in(boxes, scale) == roots
    (ring, *_) = rings
    outer = boxes + np.array([-1, -1, 1, 1]) * (ring.width / 2 - 1)  # lines between cells are free
    np.testing.assert_array_equal(outer[:, :2] // scale, outer[:, 2:] // scale)


def test_the_bars_of_a_root_at_the_end_of_a_path_lie_in_its_cell(recording: Recording) -> None:
    path = RootPath((4, 2), ((3, 2), (2, 1)), pinned=True)
    view = replace(looked(recording, 1), paths=(path,))
    lines = [one for one in items_of(build(view), "paths") if isinstance(one, Lines)]
    bars = np.concatenate([one.segments for one in lines])
    assert len(bars) == 2 * 2
    cells = {(int(y // SCALE), int(x // SCALE)) for x, y in bars.reshape(-1, 2).tolist()}
    assert cells <= {(1, 2), (1, 3)}  # from edge to edge
    assert {int(y // SCALE) for y in bars[:, 1].tolist()} == {1}

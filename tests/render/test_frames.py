"""Exported frames, as pixels and as vectors: cells, captions, legends, palettes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.exported_frames import frame_of
from support.fakes import picture, recorded
from support.grids import noise

from ccl_viewer.errors import InputError
from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.export import ExportOptions, export
from ccl_viewer.export.frames import FrameRenderer, FrameStyle, auto_scale, smallest_number_scale
from ccl_viewer.recording import Recording
from ccl_viewer.recording.alignment import NOT_BEGUN
from ccl_viewer.render.display_list import DisplayList, Layer, Lines, Polygons, Rects, Texts
from ccl_viewer.render.facts import algorithm_title, step_caption
from ccl_viewer.render.layers import CellColours, Layers, Numbers
from ccl_viewer.render.painters.pillow import (
    FramePalette,
    cut_dashes,
    paint,
    render_line,
    width_of,
    wrap_text,
)
from ccl_viewer.render.painters.svg import paint_svg
from ccl_viewer.render.palette import colour_run, label_indices
from ccl_viewer.render.themes import DARK, THEMES, canvas_colours, pack_colour

SVG = "{http://www.w3.org/2000/svg}"
BARE = Layers(colours=CellColours.LABEL, changed=False)
WHITE, BLACK = 0xFFFFFFFF, 0xFF000000


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded(picture("##.##\n.....\n#.#.#"))


def rgb_of(painted: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
    """The colours of pixels, shape (height, width, 3)."""
    shifts = np.array([16, 8, 0], np.uint32)
    return (painted[:, :, None] >> shifts & 0xFF).astype(np.uint8)


def renderer_of(run: Recording, steps: tuple[int, ...], **style: object) -> FrameRenderer:
    look = replace(FrameStyle(layers=BARE), **style)  # type: ignore[arg-type]
    return FrameRenderer([run], [(step,) for step in steps], look)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("scale", [1, 2, 7, 10])
def test_cells_are_squares_of_their_colour(recording: Recording, scale: int, name: str) -> None:
    table = canvas_colours(THEMES[name]).rgb_table
    look = {"scale": scale, "theme": name, "caption": False, "numbers": "off"}
    renderer = renderer_of(recording, (1,), **look)
    frame = renderer.palette[renderer.indices(0)]
    indices = label_indices(recording.labels(1), colour_run(recording))
    np.testing.assert_array_equal(frame[scale // 2 :: scale, scale // 2 :: scale], table[indices])
    line = int(scale >= 8)
    assert frame.shape == (3 * scale + line, 5 * scale + line, 3)
    assert not line or (frame[::scale] != table[indices[0, 0]]).any(axis=2).all()


def test_numbers_stand_in_foreground_cells_only(recording: Recording) -> None:
    plain, written = (
        rgb_of(renderer_of(recording, (0,), scale=40, caption=False, numbers=on).picture(0))
        for on in ("off", "auto")
    )
    found = (plain != written).any(axis=2)[:-1, :-1].reshape(3, 40, 5, 40).any(axis=(1, 3))
    np.testing.assert_array_equal(found, recording.image != 0)


def test_numbers_are_readable_from_a_scale_on() -> None:
    run = recorded(noise(40, 40, 0.6))
    least = smallest_number_scale(run.layout)
    assert renderer_of(run, (0,), numbers="on").scale == least
    with pytest.raises(InputError, match=f"scale of {least} or more"):
        renderer_of(run, (0,), numbers="on", scale=10)
    assert smallest_number_scale(LabelLayout(9, 9, pitch=9)) < least


def test_a_caption_has_a_bar_a_legend_and_words(recording: Recording) -> None:
    steps = tuple(range(len(recording)))
    renderer = renderer_of(recording, steps, scale=10, layers=Layers())
    assert renderer.size[0] == 480
    for step in steps:
        shown = renderer.display_list(step)
        (caption,) = (layer for layer in shown.layers if layer.name == "caption")
        bars = [item for item in caption.items if isinstance(item, Rects)][:2]
        whole, done = (item.boxes[0, 2] - item.boxes[0, 0] for item in bars)
        assert done == round(whole * (step + 1) / len(recording))
        words = [text for item in caption.items if isinstance(item, Texts) for text in item.texts]
        assert ("changed" in words) == (step > 0)
        assert not any("zoom" in word for word in words)
        assert f"step {step + 1} of {len(recording)}" in words
        assert step_caption(recording, step).step in words
        told, ends = "  ·  ".join(words), step == steps[-1]
        for part in (f"{recording.iterations} iterations", f"{len(recording)} launches"):
            assert (part in told) == ends
        assert (recording.sentence.rstrip(".") in told) == ends
        lowest = max(item.places[:, 1].max() for item in caption.items if isinstance(item, Texts))
        assert lowest < renderer.size[1] - 10
    shown = renderer_of(recording, (NOT_BEGUN,)).display_list(0)
    assert "not ended yet: the first step" in str(shown.layers[-1])


def test_what_no_picture_can_show_is_refused(recording: Recording) -> None:
    with pytest.raises(InputError, match="at least 1 pixel"):
        frame_of(recording, 0, FrameStyle(0))
    with pytest.raises(InputError, match="no theme"):
        frame_of(recording, 0, FrameStyle(theme="pink"))
    with pytest.raises(InputError, match="Column 5, row 0 is outside"):
        renderer_of(recording, (0,), pin=(5, 0))
    with pytest.raises(InputError, match="no layer 'sizes'"):
        renderer_of(recording, (0,), layers=Layers(numbers="layer:sizes"))


@pytest.mark.parametrize("image", [np.zeros((2, 3), np.uint8), np.ones((1, 1), np.uint8)])
def test_empty_grids_and_single_cells_have_frames(image: np.ndarray) -> None:
    assert frame_of(recorded(image), -1).dtype == np.uint8


@pytest.mark.parametrize(
    ("side", "scale"), [(1, 56), (10, 56), (64, 10), (640, 1), (700, 1), (5000, 1)]
)
def test_auto_scale_aims_at_640_pixels(side: int, scale: int) -> None:
    assert auto_scale(side, 1) == auto_scale(1, side) == scale


def test_titles_come_from_the_table_of_algorithms() -> None:
    assert algorithm_title("label_equivalence") == "Label Equivalence"
    titled = algorithm_title("ha4", {"strip_height": 3, "variant": "printed"})
    assert titled == "HA4, strip height 3, variant printed"
    assert algorithm_title("of a newer version") == "of a newer version"


# Painters


def drawn(*items: object, size: int = 20) -> np.ndarray:
    shown = DisplayList(size, size, BLACK, (Layer("shapes", items),))  # type: ignore[arg-type]
    return rgb_of(paint(shown))[:, :, 0]


def test_boxes_lie_on_pixels_and_lines_are_smooth() -> None:
    box = np.array([[2.0, 3.0, 7.0, 9.0]])
    filled = drawn(Rects(box, fill=WHITE))
    assert (filled[3:9, 2:7] == 255).all()
    assert np.count_nonzero(filled) == 30
    outlined = drawn(Rects(box, stroke=WHITE, width=1))
    assert np.count_nonzero(outlined) == 30 - 12
    faint = drawn(Rects(box, fill=0x80FFFFFF))
    assert faint.max() == 128
    many = np.tile(box, (30, 1)) + np.arange(30.0)[:, None] % 5
    assert np.array_equal(
        drawn(Rects(many, fill=WHITE)),
        drawn(*(Rects(many[i : i + 1], fill=WHITE) for i in range(30))),
    )
    slanted = drawn(Lines(np.array([[0.0, 0.0, 20.0, 20.0]]), WHITE, 1))
    assert 60 < slanted[np.arange(20), np.arange(20)].mean() <= 255
    assert not slanted[0, 15:].any()
    head = drawn(Polygons(np.array([[[10.0, 2.0], [18.0, 18.0], [2.0, 18.0]]]), WHITE))
    assert head[15, 10] == 255


def test_shapes_that_reach_beyond_a_picture_are_cut() -> None:
    box = np.array([[-5.0, -5.0, 50.0, 3.0]])
    words = Texts(("far away",), np.array([[-10.0, 19.0]]), 15, WHITE)
    frame = drawn(Rects(box, fill=WHITE), Rects(box, stroke=WHITE, radius=4), words)
    assert (frame[0] == 255).all()


def test_dashes_are_as_long_as_asked_for() -> None:
    lines = np.array([[0.0, 0.0, 10.0, 0.0], [3.0, 0.0, 3.0, 5.0]])
    pieces = cut_dashes(lines, [2.0, 1.0])
    across = [[0, 0, 2, 0], [3, 0, 5, 0], [6, 0, 8, 0], [9, 0, 10, 0]]
    np.testing.assert_allclose(pieces, [*across, [3, 0, 3, 2], [3, 3, 3, 5]])
    assert cut_dashes(lines, []) is lines


def test_a_palette_has_what_is_needed_and_what_is_frequent() -> None:
    sample = np.full((4, 4), 0xFF102030, np.uint32)
    sample[0, 0] = 0xFF405060
    palette = FramePalette([0xFFAABBCC], [sample])
    assert palette.rgb[palette.indices(sample)].tolist() == rgb_of(sample).tolist()
    near = palette.indices(np.array([[0xFFAABBCD]], np.uint32))
    assert palette.rgb[near[0, 0]].tolist() == [0xAA, 0xBB, 0xCC]
    noisy = np.arange(4096, dtype=np.uint32).reshape(64, 64) * np.uint32(4001)
    assert FramePalette([], [noisy]).indices(noisy).max() < 255  # the last is left for writers


@given(st.text(max_size=120), st.integers(60, 500))
def test_wrapped_text_is_whole_and_fits(text: str, width: int) -> None:
    lines = wrap_text(text, 15, width)
    assert all(width_of(part, 15) <= width for part in lines if " " in part)
    assert "".join("".join(lines).split("·")).replace(" ", "") == "".join(text.split("·")).replace(
        " ", ""
    )


def test_signs_that_the_typeface_lacks_are_drawn() -> None:
    for sign in "\N{MULTIPLICATION SIGN}\N{MICRO SIGN}":
        assert render_line(sign, 15).any()
        assert not np.array_equal(render_line(sign, 15), render_line("?", 15))


# Vectors


def parsed(path: Path) -> ET.Element:
    return ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 (written by ourselves)


def test_a_vector_picture_has_the_cells_and_the_size_of_the_frame(
    recording: Recording, tmp_path: Path
) -> None:
    options = ExportOptions(scale=40, caption=False, numbers="off", layers=BARE)
    assert export(recording, tmp_path / "step.svg", options) == 1
    root = parsed(tmp_path / "step.svg")
    assert (root.get("width"), root.get("height")) == ("201", "121")
    assert root.findtext(f"{SVG}title") == f"naive, step {len(recording)}"
    indices = label_indices(recording.labels(-1), colour_run(recording))
    cells = root.find(f".//{SVG}g[@class='cells']/{SVG}g")
    assert cells is not None
    for path in cells.iterfind(f"{SVG}path"):
        found = {
            (int(y) // 40, column)
            for x, y, wide in re.findall(r"M(\d+) (\d+)h(\d+)v40", path.get("d") or "")
            for column in range(int(x) // 40, (int(x) + int(wide)) // 40)
        }
        (index,) = {int(indices[cell]) for cell in found}
        red, green, blue = canvas_colours(DARK).rgb_table[index].tolist()
        assert path.get("fill") == f"#{red:02x}{green:02x}{blue:02x}"


def test_vectors_have_arrows_numbers_and_captions(recording: Recording, tmp_path: Path) -> None:
    layers = Layers(arrows=True, contours=True, structure=True)
    export(recording, tmp_path / "step.svg", ExportOptions(layers=layers))
    root = parsed(tmp_path / "step.svg")
    paths = [one.get("d") or "" for one in root.iter(f"{SVG}path")]
    assert any("Q" in path for path in paths)
    texts = {one.text for one in root.iter(f"{SVG}text")}
    assert {"naive", "changed", "root", "parent"} <= texts
    assert {str(label) for label in recording.labels(-1)[recording.image != 0]} <= texts


def test_what_xml_cannot_have_is_left_out() -> None:
    words = Texts(("<&\x1b\x07\U0001f600",), np.zeros((1, 2)), 12, WHITE)
    text = paint_svg(DisplayList(9, 9, BLACK, (Layer("words", (words,)),)), 'a "title" \0')
    root = ET.fromstring(text)  # noqa: S314 (written by ourselves)
    assert [one.text for one in root.iter(f"{SVG}text")] == ["<&??\U0001f600"]
    assert root.findtext(f"{SVG}title") == 'a "title" ?'


def test_a_folder_can_hold_vectors(recording: Recording, tmp_path: Path) -> None:
    folder = tmp_path / "steps"
    assert export(recording, folder, ExportOptions(pictures="svg")) == len(recording)
    assert sorted(path.name for path in folder.iterdir())[0] == "frame_0000.svg"
    for path in folder.iterdir():
        parsed(path)


def test_vectors_are_compact(tmp_path: Path) -> None:
    run = recorded(np.ones((64, 64), np.uint8), passes=1)
    layers = replace(BARE, numbers=Numbers.NONE)
    export(run, tmp_path / "step.svg", ExportOptions(layers=layers, caption=False))
    assert (tmp_path / "step.svg").stat().st_size < 64 * 64 * 20
    assert pack_colour(DARK.canvas) >> 24 == 255

"""Files in and out: every format, every oddity of pictures, and everything that can be wrong."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from PIL import Image

from ccl_viewer.errors import InputError
from ccl_viewer.grids import load_image, load_segments, save_grid
from ccl_viewer.grids.grid import Grid

GRID = (np.random.RandomState(3).rand(13, 21) < 0.4).astype(np.uint8)
SUFFIXES = [".png", ".pbm", ".npy", ".txt", ".rle"]
grids = hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2), elements=st.integers(0, 1))


def picture(values: Any, mode: str | None = None) -> Image.Image:
    image = Image.fromarray(np.asarray(values, np.uint8))
    return image.convert(mode) if mode else image


def saved(image: Image.Image, path: Path, **options: Any) -> Path:
    image.save(path, **options)
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(grid=grids, suffix=st.sampled_from(SUFFIXES))
def test_a_saved_grid_comes_back(tmp_path: Path, grid: Grid, suffix: str) -> None:
    path = tmp_path / f"grid{suffix}"
    save_grid(path, grid)
    loaded = load_image(path)
    assert loaded.grid.dtype == np.uint8
    assert loaded.grid.flags.c_contiguous
    assert loaded.threshold is None
    np.testing.assert_array_equal(loaded.grid, grid)
    assert [p.name for p in tmp_path.iterdir() if "grid" not in p.name or ".part" in p.name] == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_saving_replaces_the_file_and_leaves_nothing_beside_it(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"grid{suffix.upper()}"
    path.write_bytes(b"old")
    save_grid(path, GRID * 7)
    np.testing.assert_array_equal(load_image(path).grid, GRID)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["grid.jpg", "grid", "grid.npz"])
def test_an_unknown_suffix_is_refused_before_anything_is_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.png, \.pbm, \.npy, \.txt"):
        save_grid(tmp_path / name, GRID)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_grid_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two dimensions"):
        save_grid(tmp_path / "grid.png", np.zeros(3, np.uint8))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        save_grid(tmp_path / "none" / "grid.png", GRID)


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp", "pgm", "ppm", "gif"])
@pytest.mark.parametrize("named", ["own", "txt", "none"])
def test_formats_are_told_by_content(tmp_path: Path, suffix: str, named: str) -> None:
    path = saved(picture(GRID * 255, "RGB" if suffix == "ppm" else None), tmp_path / f"a.{suffix}")
    if named != "own":
        path = path.rename(tmp_path / ("a.txt" if named == "txt" else "a"))
    loaded = load_image(path)
    np.testing.assert_array_equal(loaded.grid, GRID)
    assert loaded.threshold == 127
    assert loaded.source == str(path)


def test_jpeg(tmp_path: Path) -> None:
    blocks = np.kron(GRID, np.ones((16, 16), np.uint8))
    path = saved(picture(blocks * 255), tmp_path / "a.jpg", quality=95)
    np.testing.assert_array_equal(load_image(path).grid, blocks)


def test_reading_in_threads_leaves_the_warnings_of_the_program_as_they_were(tmp_path: Path) -> None:
    path, before = tmp_path / "a.png", [*warnings.filters]
    Image.new("L", (8, 8)).save(path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(load_image, [path] * 64))
    assert warnings.filters == before


def test_text_art_needs_no_suffix(tmp_path: Path) -> None:
    path = tmp_path / "drawing"
    path.write_text("\ufeff#.\r\n##\r\n\r\n", encoding="utf-8")
    np.testing.assert_array_equal(load_image(path).grid, [[1, 0], [1, 1]])


@pytest.mark.parametrize("name", ["a.txt", "A.CSV", "numbers"])
@pytest.mark.parametrize("between", [",", ", ", "\t", " "])
@pytest.mark.parametrize("form", ["%d", "%.18e"])
def test_numbers_are_read_whatever_the_name(
    tmp_path: Path, name: str, between: str, form: str
) -> None:
    np.savetxt(tmp_path / name, GRID, fmt=form, delimiter=between)
    np.testing.assert_array_equal(load_image(tmp_path / name).grid, GRID)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["#.\r\n##\r\n", "x = 2, y = 2\no$2o!"])
def test_text_as_windows_shell_writes_it(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(f"\ufeff{text}".encode(encoding))
    np.testing.assert_array_equal(load_image(path).grid, [[1, 0], [1, 1]])


def test_text_that_is_no_art_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("#.\n#\n")
    with pytest.raises(InputError, match=r"a\.txt: Line 2 has 1 cell where"):
        load_image(path)
    path.write_bytes(b"\xff\xfe#")
    with pytest.raises(InputError, match="not a text"):
        load_image(path)


def test_invert(tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        path = tmp_path / f"a{suffix}"
        save_grid(path, GRID)
        loaded = load_image(path, invert=True)
        np.testing.assert_array_equal(loaded.grid, 1 - GRID)
        assert "exchanged" in loaded.note


@pytest.mark.parametrize(
    ("array", "threshold", "expected"),
    [
        (np.array([[True, False]]), "otsu", [[1, 0]]),
        (np.array([[1, 1]]), "otsu", [[1, 1]]),
        (np.array([[0.0, 1.0]], ">f4"), "otsu", [[0, 1]]),
        (np.array([[0, 10, 200, 210]]), "otsu", [[0, 0, 1, 1]]),
        (np.array([[0, 10, 200, 210]], ">i4"), 205, [[0, 0, 0, 1]]),
        (np.array([[0, 10, 200, -1]]), None, [[0, 1, 1, 1]]),
        (np.asfortranarray([[0, 1, 1], [1, 0, 0]]), "otsu", [[0, 1, 1], [1, 0, 0]]),
    ],
)
def test_arrays(
    tmp_path: Path, array: npt.NDArray[Any], threshold: Any, expected: list[list[int]]
) -> None:
    np.save(tmp_path / "a.npy", array)
    np.testing.assert_array_equal(load_image(tmp_path / "a.npy", threshold).grid, expected)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(4), "two dimensions"),
        (np.zeros((0, 2)), r"empty|damaged"),
        (np.array([[1j]]), "complex"),
        (np.array([[None]]), "not an NPY file of numbers"),
    ],
)
def test_arrays_that_are_no_grids(tmp_path: Path, array: npt.NDArray[Any], message: str) -> None:
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(InputError, match=message) as caught:
        load_image(tmp_path / "a.npy")
    assert "a.npy" in str(caught.value)


def test_an_array_larger_than_its_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.zeros((2, 2), np.uint8))
    header = path.read_bytes().replace(b"(2, 2)", b"(9**9,")
    path.write_bytes(header)
    with pytest.raises(InputError, match="damaged"):
        load_image(path)
    np.save(path, np.zeros((2, 2), np.uint8))
    path.write_bytes(path.read_bytes().replace(b"(2, 2), ", b"(7999, 7999), ")[:200])
    with pytest.raises(InputError, match="damaged"):
        load_image(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_more_pixels_than_allowed_are_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    save_grid(path, GRID)
    load_image(path, max_pixels=GRID.size)
    with pytest.raises(InputError, match=r"limit|too large"):
        load_image(path, max_pixels=GRID.size - 1)


@pytest.mark.parametrize("side", [2**15, 2**16])
def test_a_header_that_promises_too_much_is_refused_unread(tmp_path: Path, side: int) -> None:
    path = tmp_path / "a.pbm"
    path.write_bytes(b"P4\n%d %d\n" % (side, side) + b"\0" * 64)
    with pytest.raises(InputError, match="too large"):
        load_image(path)


def test_files_that_are_not_there_or_not_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.png cannot be opened \(No such file"):
        load_image(tmp_path / "none.png")
    with pytest.raises(InputError, match="no name can have"):
        load_image(tmp_path / "a\0.png")
    with pytest.raises(InputError, match=r"is a folder|cannot be opened"):  # by the system
        load_image(tmp_path)
    with pytest.raises(InputError, match="threshold"):
        load_image(tmp_path / "none.png", "high")  # type: ignore[arg-type]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user"
)
def test_a_file_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("#")
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be opened"):
        load_image(path)


def test_segments_keep_grey_values_and_number_colours(tmp_path: Path) -> None:
    grey = np.array([[0, 10, 20], [20, 255, 0]], np.uint8)
    Image.fromarray(grey).save(tmp_path / "grey.png")
    np.testing.assert_array_equal(load_segments(tmp_path / "grey.png").grid, grey)
    Image.fromarray(grey).convert("RGB").save(tmp_path / "grey colours.png")
    np.testing.assert_array_equal(load_segments(tmp_path / "grey colours.png").grid, grey)
    # These two have the same luma.
    colours = np.array([[(0, 0, 0), (255, 0, 0), (0, 130, 0)]], np.uint8)
    assert Image.fromarray(colours).convert("L").getextrema() == (0, 76)
    Image.fromarray(colours).save(tmp_path / "colours.png")
    loaded = load_segments(tmp_path / "colours.png")
    np.testing.assert_array_equal(loaded.grid, [[0, 2, 1]])
    assert loaded.note == "Segments of equal colours: 2."


def test_segments_from_arrays_and_text(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[0, -3], [900, -3]]))
    np.testing.assert_array_equal(load_segments(tmp_path / "a.npy").grid, [[0, 1], [2, 1]])
    (tmp_path / "a.txt").write_text("#.\n##\n")
    np.testing.assert_array_equal(load_segments(tmp_path / "a.txt").grid, [[1, 0], [1, 1]])


def test_too_many_segments_name_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(400).reshape(20, 20))
    with pytest.raises(InputError, match=r"a\.npy: The picture holds more than 255 values"):
        load_segments(tmp_path / "a.npy")
    with pytest.raises(InputError, match="cannot be opened"):
        load_segments(tmp_path / "missing.png")


_COMPRESSIONS = ["raw", "tiff_lzw", "tiff_deflate", "packbits", "jpeg", "group3", "group4"]


def tiff(compression: str) -> bytes:
    data = io.BytesIO()
    mode = "1" if compression.startswith("group") else "L"
    blocks = np.kron(GRID, np.ones((5, 5), np.uint8)) * 255
    picture(blocks, mode).save(data, "TIFF", compression=compression)
    return data.getvalue()


@pytest.mark.parametrize("compression", _COMPRESSIONS)
def test_a_damaged_tiff_says_nothing_on_the_terminal(
    tmp_path: Path, compression: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data, path = tiff(compression), tmp_path / "a.tif"
    path.write_bytes(data)
    assert load_image(path).grid.shape == (65, 105)
    chance = np.random.RandomState(5)
    for _ in range(40):
        bad = bytearray(data)
        for place in chance.randint(8, len(bad), 3):
            bad[place] ^= 1 << chance.randint(8)
        path.write_bytes(bad)
        with contextlib.suppress(InputError):
            load_image(path, max_pixels=2**20)
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(os.name != "posix", reason="libtiff's functions cannot be reached")
def test_a_tiff_whose_lines_cannot_be_decoded_is_no_picture(tmp_path: Path) -> None:
    """Pillow goes on with white lines, as though there were nothing else."""
    data = bytearray(tiff("group4"))
    path = tmp_path / "a.tif"
    path.write_bytes(data)
    with Image.open(path) as image:
        start = image.tag_v2[273][0]  # type: ignore[attr-defined]
    data[start + 60 : start + 64] = b"\2" * 4
    path.write_bytes(data)
    with Image.open(path) as image:
        image.load()
    with pytest.raises(InputError, match="compressed data has errors"):
        load_image(path)


def test_a_png_without_its_palette_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    picture(GRID, "P").save(path)
    data = path.read_bytes()
    start = data.index(b"PLTE") - 4
    length = 12 + int.from_bytes(data[start : start + 4], "big")
    path.write_bytes(data[:start] + data[start + length :])
    with pytest.raises(InputError, match=r"a\.png is damaged"):
        load_image(path)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("low", [0.0, 1.0, -1e30])
def test_numbers_that_follow_each_other_are_divided(tmp_path: Path, kind: type, low: float) -> None:
    first = kind(low)
    second = np.nextafter(first, kind(np.inf))
    path = tmp_path / "a.npy"
    np.save(path, np.array([[first, second, second]], kind))
    np.testing.assert_array_equal(load_image(path).grid, [[0, 1, 1]])


@pytest.mark.parametrize("suffix", ["png", "npy", "txt", "rle", "pgm", "pbm"])
def test_a_single_segment_keeps_its_value(tmp_path: Path, suffix: str) -> None:
    grid = np.array([[0, 1], [1, 1]], np.uint8)
    path = tmp_path / f"grid.{suffix}"
    save_grid(path, grid, multivalued=True)
    assert np.array_equal(load_segments(path).grid, grid)
    assert np.array_equal(load_image(path).grid, grid)

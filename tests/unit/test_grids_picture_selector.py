"""Files that hold several pictures: pages, frames, stacks, channels and levels of pyramids."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.errors import InputError, SeveralPicturesError
from ccl_viewer.grids import load_image, load_segments
from ccl_viewer.grids.picture_selector import name_axes

Array = npt.NDArray[Any]
RNG = np.random.default_rng(0)
STACK = RNG.integers(0, 256, (5, 6, 9), np.uint8)
COLOURS = RNG.integers(0, 256, (6, 9, 3), np.uint8)
FIVE = RNG.integers(0, 256, (3, 2, 4, 6, 9), np.uint8)  # t, c, z, y, x


def pages(path: Path) -> Path:
    frames = [Image.fromarray(page) for page in STACK]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    return path


def array(path: Path) -> Path:
    np.save(path, STACK)
    return path


def stored(path: Path) -> Path:
    zarr = pytest.importorskip("zarr")
    zarr.create_array(str(path), data=STACK)
    return path


def pyramid(path: Path, version: int) -> Path:
    """Write an OME-Zarr of two levels, of which the second is black."""
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(path), mode="w", zarr_format=version)
    group.create_array("0", data=FIVE, chunks=(1, 1, 1, 4, 4))
    group.create_array("1", data=FIVE[..., ::2, ::2] * 0)
    axes: list[Any] = [{"name": name} for name in "tczyx"]
    levels = [{"path": "0"}, {"path": "1"}]
    told = [{"axes": axes if version == 3 else [*"tczyx"], "datasets": levels}]
    group.attrs.update({"ome": {"multiscales": told}} if version == 3 else {"multiscales": told})
    return path


SEVERAL: list[Any] = [
    pytest.param(pages, "a.tif", id="pages"),
    pytest.param(pages, "a.webp", id="animation"),
    pytest.param(array, "a.npy", id="array"),
    pytest.param(stored, "a.zarr", id="zarr"),
]


@pytest.mark.parametrize(("save", "name"), SEVERAL)
def test_one_of_several_pictures_has_to_be_named(
    save: Callable[[Path], Path], name: str, tmp_path: Path
) -> None:
    path = save(tmp_path / name)
    for read in (load_image, load_segments, ccl.label):
        with pytest.raises(
            SeveralPicturesError, match="5 pictures: choose one by its index, 0 to 4"
        ):
            read(path)
    with pytest.raises(InputError, match="no picture 5, as the file holds 5"):
        load_image(path, index=5)
    for index in range(5):
        found = load_image(path, 99, index=index).grid
        expected = STACK[index] > 99
        if name.endswith(".webp"):  # which loses a little
            assert (found == expected).mean() > 0.7
        else:
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["a.gif", "a.png"])
def test_a_frame_of_an_animation(name: str, tmp_path: Path) -> None:
    path = pages(tmp_path / name)
    with pytest.raises(SeveralPicturesError):
        load_image(path)
    np.testing.assert_array_equal(load_image(path, 99, index=3).grid, STACK[3] > 99)


def test_what_is_alone_is_number_0(tmp_path: Path) -> None:
    Image.fromarray(STACK[0]).save(tmp_path / "a.png")
    np.save(tmp_path / "a.npy", STACK[0])
    (tmp_path / "a.txt").write_text("#.\n")
    for name in ("a.png", "a.npy", "a.txt"):
        alone = load_image(tmp_path / name).grid
        np.testing.assert_array_equal(load_image(tmp_path / name, index=0).grid, alone)
        np.testing.assert_array_equal(load_image(tmp_path / name, channel=0).grid, alone)
        others: list[dict[str, Any]] = [{"index": 1}, {"channel": 1}, {"index": (0, 1)}]
        for other in others:
            with pytest.raises(InputError, match=r"one|no channel 1|no picture"):
                load_image(tmp_path / name, **other)


@pytest.mark.parametrize("suffix", [".png", ".npy"])
def test_channels_of_colours(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    if suffix == ".npy":
        np.save(path, COLOURS)
    else:
        Image.fromarray(COLOURS).save(path)
    luma = np.asarray(Image.fromarray(COLOURS).convert("L"))
    np.testing.assert_array_equal(load_image(path, 99).grid, luma > 99)
    for channel in range(3):
        found = load_image(path, 99, channel=channel).grid
        np.testing.assert_array_equal(found, COLOURS[..., channel] > 99)
    with pytest.raises(InputError, match="no channel 3: the picture has 3 channels, 0 to 2"):
        load_image(path, channel=3)


def test_no_number_counts_from_the_end_or_is_a_fraction(tmp_path: Path) -> None:
    for make, name in ((pages, "a.tif"), (array, "a.npy"), (stored, "a.zarr")):
        path = make(tmp_path / name)
        with pytest.raises(InputError, match="no picture -1"):
            load_image(path, index=-1)
        assert (
            load_image(path, 99, index=cast(Any, np.int64(1))).grid.sum() == (STACK[1] > 99).sum()
        )
        for wrong in (1.5, "0", [0.0]):
            with pytest.raises(InputError, match="whole number from 0"):
                load_image(path, index=wrong)  # type: ignore[arg-type]
    Image.fromarray(COLOURS).save(tmp_path / "b.png")
    np.save(tmp_path / "b.npy", COLOURS)
    for name in ("b.png", "b.npy"):
        with pytest.raises(InputError, match="no channel -1: the picture has 3 channels, 0 to 2"):
            load_image(tmp_path / name, channel=-1)
        with pytest.raises(InputError, match="whole number from 0"):
            load_image(tmp_path / name, channel=0.5)  # type: ignore[arg-type]
    for command in ("label", "export"):
        out = str(tmp_path / "out")
        for option in ("--channel=-1", "--index=-1"):
            with pytest.raises(SystemExit) as caught:
                main([command, str(tmp_path / "b.png"), "-o", out, option])
            assert caught.value.code == 2


def test_opacity_is_a_channel(tmp_path: Path) -> None:
    values = np.dstack([COLOURS, STACK[0]])
    Image.fromarray(values).save(tmp_path / "a.png")
    np.save(tmp_path / "a.npy", values)
    for name in ("a.png", "a.npy"):
        found = load_image(tmp_path / name, 99, channel=3).grid
        np.testing.assert_array_equal(found, STACK[0] > 99)
    one, other = (load_image(tmp_path / name, 99).grid for name in ("a.png", "a.npy"))
    np.testing.assert_array_equal(one, other)


def test_a_stack_of_one_bit_a_pixel(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", STACK > 99)
    found = load_image(tmp_path / "a.npy", index=2)
    np.testing.assert_array_equal(found.grid, STACK[2] > 99)
    assert found.threshold is None


def test_a_stack_without_pictures(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", STACK[:0])
    with pytest.raises(InputError, match="holds no picture"):
        load_image(tmp_path / "a.npy")


def test_of_a_stack_only_the_picture_is_read(tmp_path: Path) -> None:
    """As it may be far larger than memory."""
    path = tmp_path / "a.npy"
    shape = (2**16, 2**11, 2**11)  # 256 GiB
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(
            file, {"descr": "|u1", "fortran_order": False, "shape": shape}
        )
        begin = file.tell()
        file.truncate(begin + math.prod(shape))
        file.seek(begin + 60_000 * 2**22)
        file.write(b"\1\0\1")
    assert load_image(path, index=60_000).grid.sum() == 2


@pytest.mark.parametrize("version", [2, 3])
def test_a_pyramid_of_five_dimensions(version: int, tmp_path: Path) -> None:
    path = pyramid(tmp_path / "a.zarr", version)
    with pytest.raises(
        SeveralPicturesError, match=r"\(t: 3 x z: 4\): choose one by its index, T,Z or a number"
    ):
        load_image(path, channel=0)
    with pytest.raises(InputError, match="2 channels: choose a channel, 0 to 1"):
        load_image(path, index=0)
    for at in (path, path / "0"):  # its first level, whether that is named or not
        found = load_image(at, 99, index=(2, 1), channel=1).grid
        np.testing.assert_array_equal(found, FIVE[2, 1, 1] > 99)
        found = load_image(at, 99, index=4 * 2 + 1, channel=0).grid
        np.testing.assert_array_equal(found, FIVE[2, 0, 1] > 99)
    for wrong in ((3, 0), (0, 4), (0, 0, 0), 12):
        with pytest.raises(InputError, match="no picture"):
            load_image(path, index=wrong, channel=0)


@pytest.mark.parametrize(
    ("told", "axes"),
    [
        ("0.4", "xyz"),
        ("0.5", "zxy"),
        ("0.5", "xcy"),
        ("dimension_names", "yzx"),
        ("_ARRAY_DIMENSIONS", "xcy"),
    ],
)
def test_axes_may_have_any_order(
    told: str, axes: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Rows are y and columns are x, and an index counts the others, wherever they are."""
    zarr = pytest.importorskip("zarr")
    sides = {"x": 9, "y": 7, "z": 3, "c": 2}
    values = np.random.default_rng(4).integers(0, 2, [sides[axis] for axis in axes], np.uint8)
    path, names = tmp_path / "a.zarr", [*axes]
    version = 2 if told in ("0.4", "_ARRAY_DIMENSIONS") else 3
    if told.startswith("0."):
        group = zarr.open_group(path, mode="w", zarr_format=version)
        array = group.create_array("0", shape=values.shape, dtype="u1", chunks=(2, 3, 2))
        kinds = {"c": "channel"}
        listed = [{"name": axis, "type": kinds.get(axis, "space")} for axis in axes]
        pyramid = [{"version": told, "axes": listed, "datasets": [{"path": "0"}]}]
        ome = {"multiscales": pyramid}
        group.attrs.update(ome if told == "0.4" else {"ome": {"version": told, **ome}})
    else:
        named = {"dimension_names": names} if told == "dimension_names" else {}
        array = zarr.create_array(
            path, shape=values.shape, dtype="u1", chunks=(2, 3, 2), zarr_format=version, **named
        )
        if not named:
            array.attrs[told] = names
    array[:] = values
    other = next(axis for axis in axes if axis not in "xy")
    for number in range(sides[other]):
        plane = values.take(number, axes.index(other))
        expected = plane.T if axes.index("x") < axes.index("y") else plane
        chosen: dict[str, Any] = {"channel" if other == "c" else "index": number}
        np.testing.assert_array_equal(load_image(path, None, **chosen).grid, expected)
        labels = ccl.label(expected)[0]
        for out in (tmp_path / "out.npy", tmp_path / "out.zarr"):
            option = f"--{next(iter(chosen))}"
            assert main(["label", str(path), "-o", str(out), "--force", option, str(number)]) == 0
            found = np.load(out) if out.suffix == ".npy" else zarr.open_array(out, mode="r")[:]
            np.testing.assert_array_equal(found, labels)
    capfd.readouterr()


def tiff(path: Path, *levels: Array, **how: Any) -> Path:
    tifffile = pytest.importorskip("tifffile")
    with tifffile.TiffWriter(path) as writer:
        for level, image in enumerate(levels):
            own = how if level == 0 else {"subfiletype": 1}
            writer.write(image, tile=(16, 16), photometric="minisblack", **own)
    return path


def test_the_first_level_of_a_tiff(tmp_path: Path) -> None:
    large = np.kron(STACK[0], np.ones((8, 8), np.uint8))
    flagged = tiff(tmp_path / "a.tif", large, large[::2, ::2] * 0)
    nested = tiff(tmp_path / "b.tif", large, large[::2, ::2] * 0, subifds=1)
    for path in (flagged, nested):
        np.testing.assert_array_equal(load_image(path, 99).grid, large > 99)


@pytest.mark.parametrize(
    "command", ["record", "export", "profile", "phases", "components", "check"]
)
def test_every_command_asks_which_picture(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(pages(tmp_path / "a.tif"))
    given = {
        "record": [path, "-o", str(tmp_path / "a.cclrec")],
        "export": [path, "-o", str(tmp_path / "a.svg")],
        "check": ["ha4", "--grid", path, "--orders", "0"],
    }.get(command, [path])
    emulated = [] if command == "check" else ["-d", "emulator"]
    assert main([command, *given, *emulated]) == 2
    assert "choose one by its index, 0 to 4" in capsys.readouterr().err
    assert main([command, *given, *emulated, "--index", "2", "--threshold", "99"]) == 0
    if command == "record":
        found = ccl.open_recording(tmp_path / "a.cclrec").image
        np.testing.assert_array_equal(found, STACK[2] > 99)


def test_patterns_and_recordings_hold_one_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "a.npy")
    assert main(["label", "pattern:spiral", "-o", out, "--index", "1"]) == 2
    assert "A pattern is one picture" in capsys.readouterr().err
    run = tmp_path / "a.cclrec"
    assert main(["record", "pattern:spiral?size=7", "-o", str(run), "-d", "emulator"]) == 0
    assert main(["export", str(run), "-o", out, "--index", "1"]) == 2
    assert "leave out --index" in capsys.readouterr().err


def tiff_of_pages(count: int) -> bytes:
    """Write a TIFF file with pages that share one cell: a writer needs seconds for thousands."""
    tags = {256: 1, 257: 1, 258: 8, 259: 1, 262: 1, 273: 8, 277: 1, 278: 1, 279: 1}
    page = struct.pack("<H", len(tags))
    page += b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
    size, first = len(page) + 4, 10
    text = struct.pack("<2sHIH", b"II", 42, first, 1)
    for number in range(1, count):
        text += page + struct.pack("<I", first + number * size)
    return text + page + bytes(4)


def test_pages_that_are_claimed_are_counted_to_an_end(tmp_path: Path) -> None:
    """A page's directory takes 18 bytes of a file."""
    path = tmp_path / "a.tif"
    path.write_bytes(tiff_of_pages(4200))
    with pytest.raises(SeveralPicturesError, match="at least 4,097 pictures"):
        load_image(path)
    assert load_image(path, 0, index=4199).grid.size == 1
    with pytest.raises(InputError, match="no picture 4200, as the file holds 4,200"):
        load_image(path, index=4200)


def imagej_stack(path: Path, stack: Array) -> Path:
    """Write a stack as ImageJ does when it is large: one page, and all pictures behind it."""
    tifffile = pytest.importorskip("tifffile")
    told = f"ImageJ=1.53\nimages={len(stack)}\nslices={len(stack)}\n"
    tifffile.imwrite(path, stack[0], description=told, metadata=None)
    whole = path.read_bytes()
    start = whole.index(stack[0].tobytes())
    assert start + stack[0].nbytes == len(whole)
    path.write_bytes(whole + stack[1:].tobytes())
    return path


@pytest.mark.parametrize("suffix", [".npy", ".zarr"])
def test_a_picture_of_a_stack_behind_one_page(suffix: str, tmp_path: Path) -> None:
    path, out = imagej_stack(tmp_path / "a.tif", STACK), tmp_path / f"labels{suffix}"
    with pytest.raises(SeveralPicturesError, match="5 pictures"):
        load_image(path)
    arguments = ["label", str(path), "-o", str(out), "--threshold", "99", "-d", "emulator"]
    assert main([*arguments, "--index", "3"]) == 0
    labels = ccl.label(STACK[3] > 99, device="emulator")[0]
    if suffix == ".npy":
        np.testing.assert_array_equal(np.load(out), labels)
    else:
        zarr = pytest.importorskip("zarr")
        np.testing.assert_array_equal(zarr.open_array(str(out), mode="r")[:], labels)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("planar", ["contig", "separate"])
def test_channels_of_a_tiff_that_are_no_colours(
    planar: str, dtype: type[Any], tmp_path: Path
) -> None:
    """Pillow reads none of these."""
    tifffile = pytest.importorskip("tifffile")
    path, values = tmp_path / "a.tif", STACK.astype(dtype)
    samples = np.moveaxis(values, 0, -1) if planar == "contig" else values
    tifffile.imwrite(path, samples, planarconfig=planar, photometric="minisblack")
    with pytest.raises(SeveralPicturesError, match="5 channels: choose a channel, 0 to 4"):
        load_image(path)
    with pytest.raises(InputError, match="no channel 5"):
        load_image(path, channel=5)
    for channel in range(5):
        np.testing.assert_array_equal(
            load_image(path, 99, channel=channel).grid, STACK[channel] > 99
        )


@pytest.mark.parametrize(
    ("shape", "names", "axes"),
    [
        ((6, 9), None, "yx"),
        ((5, 6, 9), None, "iyx"),
        ((6, 9, 3), None, "yxc"),
        ((5, 6, 9, 4), None, "iyxc"),
        ((3, 2, 4, 6, 9), None, "ijkyx"),
        ((3, 2, 4, 6, 9), "tczyx", "tczyx"),
        ((2, 6, 9), ["channel", "height", "width"], "cyx"),
        ((6, 9, 3), ["lat", "lon", "band"], "yxc"),
        ((5, 6, 9), ["y", "x"], "iyx"),
        ((5, 6, 9), [None, None, None], "iyx"),
        ((9, 6, 5), ["x", "y", "z"], "xyz"),
        ((9, 6, 5), ["lon", "lat", "time"], "xyt"),
        ((5, 6, 9), ["year", "y", "x"], "iyx"),
        ((5, 6, 9, 2), ["column", "row", "xs", "cells"], "xyij"),
        ((5, 6, 9), ["y", "y", "x"], "iyx"),
    ],
)
def test_axes_of_arrays(shape: tuple[int, ...], names: Any, axes: str) -> None:
    assert name_axes(shape, names) == axes

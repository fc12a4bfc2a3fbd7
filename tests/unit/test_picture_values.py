"""Values of pictures, as other programs wrote them, through every way into this program."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from support.models import inline_session
from support.tiffs import pack_bits, tiff_bytes

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.errors import InputError
from ccl_viewer.grids import load_image, load_segments
from ccl_viewer.grids.import_settings import ImportKind
from ccl_viewer.large_images.streaming import open_source
from ccl_viewer.window.core.session import Session

tifffile = pytest.importorskip("tifffile")
zarr = pytest.importorskip("zarr")
pytest.importorskip("dask")

Array = npt.NDArray[Any]

PLACES = np.random.RandomState(4).randint(0, 6, (5, 7))
"""Which of six levels each pixel has, as it is meant to be seen."""

LEVELS: dict[str, tuple[float, ...]] = {
    "u1": (0, 50, 100, 150, 200, 255),
    "u2": (0, 300, 301, 30_000, 40_000, 65_535),
    "u4": (0, 1, 70_000, 2**31, 2**32 - 2, 2**32 - 1),
    "i1": (-128, -5, 0, 7, 90, 127),
    "i2": (-(2**15), -300, 0, 7, 300, 2**15 - 1),
    "i4": (-(2**31), -70_000, 0, 7, 70_000, 2**31 - 1),
    "f2": (-1.5, -0.25, 0, 0.25, 0.5, 1000),
    "f4": (-1.5, -0.25, 0, 0.25, 0.5, 1e9),
    "f8": (-1.5, -0.25, 0, 0.25, 0.5, 1e300),
}

STORED: dict[int, Callable[[Array], Array]] = {
    1: lambda seen: seen,
    2: lambda seen: seen[:, ::-1],
    3: lambda seen: seen[::-1, ::-1],
    4: lambda seen: seen[::-1],
    5: lambda seen: np.swapaxes(seen, 0, 1),
    6: lambda seen: np.rot90(seen, 1),
    7: lambda seen: np.swapaxes(seen[::-1, ::-1], 0, 1),
    8: lambda seen: np.rot90(seen, -1),
}
"""How pixels are stored for each orientation, after TIFF 6.0 and EXIF."""


@dataclass
class Case:
    """A file, the values that a right reader sees, and where there is no picture."""

    data: bytes
    values: Array
    suffix: str = ".tif"
    hidden: Array | None = None

    def foreground(self, level: float, *, invert: bool = False) -> Array:
        mask: Array = self.values > level
        if invert:
            mask = ~mask
        return mask if self.hidden is None else mask & ~self.hidden


def levels_of(dtype: str) -> Array:
    values: Array = np.array(LEVELS[dtype], dtype)[PLACES]
    return values


def turned(values: Array) -> Array:
    """Return values so that the lowest becomes the highest."""
    if values.dtype.kind == "f":
        return -values
    return np.invert(values)


def written(
    pixels: Array, orientation: int = 1, *, no_data: str | None = None, **options: Any
) -> bytes:
    file = io.BytesIO()
    stored = np.ascontiguousarray(STORED[orientation](pixels))
    tags: list[tuple[Any, ...]] = [(274, "H", 1, orientation, True)]
    if no_data is not None:
        tags.append((42113, "s", 0, no_data, True))
    tifffile.imwrite(file, stored, extratags=tags, metadata=None, **options)
    return file.getvalue()


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def check_values(path: Path, case: Case) -> None:
    """Check that the library sees exactly these values."""
    path = path.with_suffix(case.suffix)
    path.write_bytes(case.data)
    levels = np.unique(case.values)[:-1].tolist()
    for level in levels:
        np.testing.assert_array_equal(load_image(path, level).grid, case.foreground(level))
    inverted = load_image(path, levels[-1], invert=True).grid
    np.testing.assert_array_equal(inverted, case.foreground(levels[-1], invert=True))


def labels_of(path: Path, out: Path, *options: str) -> Array:
    arguments = ["label", str(path), "-o", str(out), "-d", "emulator", "--force", *options]
    assert main(arguments) == 0
    labels: Array = np.load(out) if out.suffix == ".npy" else zarr.open_array(str(out))[:]
    return labels


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    made = inline_session()
    yield made
    made.close()


def check_ways(path: Path, case: Case, session: Session) -> None:
    """Check that the window, the command line to each output and the library agree."""
    path = path.with_suffix(case.suffix)
    path.write_bytes(case.data)
    level = float(np.unique(case.values)[2])
    expected = case.foreground(level)
    np.testing.assert_array_equal(load_image(path, level).grid, expected)
    session.imports.open(str(path))
    assert session.imports.pending is not None
    session.imports.configure(kind=ImportKind.BINARY, threshold=level)
    session.imports.accept()
    np.testing.assert_array_equal(session.document.grid, expected)
    outputs = [".npy", ".zarr"] if case.suffix == ".tif" else [".npy"]
    by_otsu = ccl.label(load_image(path).grid, device="emulator")[0]
    for suffix in outputs:
        out = path.with_name(f"labels{suffix}")
        found = labels_of(path, out, f"--threshold={level!r}", "--invert")
        np.testing.assert_array_equal(found > 0, case.foreground(level, invert=True))
        np.testing.assert_array_equal(labels_of(path, out), by_otsu)


LAYOUTS: dict[str, dict[str, Any]] = {
    "whole": {},
    "strips": {"rowsperstrip": 2},
    "64-bit offsets": {"bigtiff": True},
    "tiles": {"tile": (16, 16)},
    "packed": {"compression": "zlib", "rowsperstrip": 3},
    "predicted": {"compression": "zlib", "predictor": True},
}


@pytest.mark.parametrize("white_first", [False, True], ids=["black is 0", "white is 0"])
@pytest.mark.parametrize("dtype", LEVELS)
def test_grey_values_of_a_tiff_are_those_of_the_file(
    dtype: str, white_first: bool, tmp_path: Path
) -> None:
    values = levels_of(dtype)
    stored = turned(values) if white_first else values
    for number, options in enumerate(LAYOUTS.values(), start=1):
        if dtype[0] == "f" and options.get("predictor"):
            continue  # tifffile does not write it
        for order in "<>":
            photometric = "miniswhite" if white_first else "minisblack"
            data = written(stored, number, photometric=photometric, byteorder=order, **options)
            check_values(tmp_path / "a", Case(data, values))


@pytest.mark.parametrize("white_first", [False, True], ids=["black is 0", "white is 0"])
@pytest.mark.parametrize(
    ("dtype", "no_data"),
    [
        ("u1", "255"),
        ("u2", "0"),
        ("u4", "4294967295"),
        ("i2", "-32768"),
        ("i4", "-2147483648"),
        ("f4", "-3.4028234663852886e+38"),
        ("f8", "-9999"),
        ("u1", "-9999"),  # no pixel has it
        ("u1", "none"),  # no number
    ],
)
def test_pixels_of_the_value_for_no_data_are_background(
    dtype: str, no_data: str, white_first: bool, tmp_path: Path, session: Session
) -> None:
    values = levels_of(dtype)
    hidden = np.zeros(values.shape, bool)
    stored = turned(values) if white_first else values.copy()
    if no_data not in ("none", "-9999") or dtype == "f8":
        hidden[::3, 1:] = True
        number = float(no_data)
        hidden |= stored == number
        stored[hidden] = number
    photometric = "miniswhite" if white_first else "minisblack"
    data = written(stored, 6, photometric=photometric, no_data=no_data)
    check_ways(tmp_path / "a", Case(data, values, hidden=hidden), session)


def oriented(orientation: int, layout: str) -> Case:
    options = LAYOUTS[layout]
    types = [each for each in LEVELS if each[0] != "f" or not options.get("predictor")]
    values = levels_of(types[(orientation * 5 + len(layout)) % len(types)])
    white_first = orientation % 2 == 0
    photometric = "miniswhite" if white_first else "minisblack"
    stored = turned(values) if white_first else values
    return Case(written(stored, orientation, photometric=photometric, **options), values)


@pytest.mark.parametrize("orientation", STORED)
def test_every_way_shows_a_tiff_as_it_is_meant_to_be_seen(
    orientation: int, tmp_path: Path, session: Session
) -> None:
    layout = [*LAYOUTS][orientation % len(LAYOUTS)]
    check_ways(tmp_path / "a", oriented(orientation, layout), session)


@pytest.mark.parametrize("orientation", STORED)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_part_of_a_tiff_is_that_of_the_whole(
    layout: str, orientation: int, tmp_path: Path
) -> None:
    case, path = oriented(orientation, layout), tmp_path / "a.tif"
    path.write_bytes(case.data)
    source = open_source(path)
    assert source.shape == case.values.shape
    for top, bottom, left, right in ((0, 5, 0, 7), (1, 3, 2, 6), (4, 5, 0, 1), (0, 2, 5, 7)):
        block = slice(top, bottom), slice(left, right)
        np.testing.assert_array_equal(source.read(block).planes, case.values[block])


def few_bits(bits: int, photometric: int, order: str, fill: int = 1) -> Case:
    white = (1 << bits) - 1
    values = PLACES * white // 5 if bits > 2 else PLACES % (white + 1)
    stored = white - values if photometric == 0 else values
    data = pack_bits(stored, bits)
    if fill == 2:
        data = bytes(int(f"{byte:08b}"[::-1], 2) for byte in data)
    tags = {256: 7, 257: 5, 258: bits, 262: photometric, 266: fill}
    return Case(tiff_bytes(data, tags, order), values)


@pytest.mark.parametrize("bits", [2, 3, 4, 6, 10, 12, 14, 24])
@pytest.mark.parametrize("photometric", [0, 1])
def test_depths_between_bytes_keep_their_scale(
    bits: int, photometric: int, tmp_path: Path, session: Session
) -> None:
    for order in "<>":
        for fill in (1, 2):
            check_values(tmp_path / "a", few_bits(bits, photometric, order, fill))
    check_ways(tmp_path / "a", few_bits(bits, photometric, "<"), session)


@pytest.mark.parametrize("photometric", [0, 1])
@pytest.mark.parametrize("compression", ["raw", "group3", "group4", "tiff_lzw", "packbits"])
def test_one_bit_a_pixel(compression: str, photometric: int, tmp_path: Path) -> None:
    white = PLACES > 2
    stored = ~white if photometric == 0 else white
    data = saved(Image.fromarray(stored), "TIFF", compression=compression, tiffinfo={262: 1})
    if photometric == 0:
        with tifffile.TiffFile(io.BytesIO(data)) as opened:
            at = opened.pages[0].tags[262].valueoffset
        data = data[:at] + b"\0\0" + data[at + 2 :]
    path = tmp_path / "a.tif"
    path.write_bytes(data)
    np.testing.assert_array_equal(load_image(path).grid, white)
    for suffix in (".npy", ".zarr"):
        np.testing.assert_array_equal(labels_of(path, tmp_path / f"out{suffix}") > 0, white)


COMPRESSED = {"tiff_lzw": "u1", "tiff_deflate": "u2", "packbits": "u2", "tiff_adobe_deflate": "f4"}


@pytest.mark.parametrize("compression", COMPRESSED)
def test_compressed_values(compression: str, tmp_path: Path, session: Session) -> None:
    for dtype in ("u1", "u2", "f4"):
        values = levels_of(dtype)
        data = saved(Image.fromarray(values), "TIFF", compression=compression)
        check_values(tmp_path / "a", Case(data, values))
    values = levels_of(COMPRESSED[compression])
    data = saved(Image.fromarray(values), "TIFF", compression=compression)
    check_ways(tmp_path / "a", Case(data, values), session)


def test_the_predictor_of_floats(tmp_path: Path) -> None:
    for dtype in ("f2", "f4", "f8"):
        values = levels_of(dtype)
        size = values.itemsize
        planes = values.astype(f">f{size}").view(np.uint8).reshape(5, 7, size).swapaxes(1, 2)
        rows = planes.reshape(5, -1)
        steps = np.diff(rows, axis=1, prepend=np.zeros((5, 1), np.uint8))
        data = zlib.compress(steps.astype(np.uint8).tobytes())
        tags = {256: 7, 257: 5, 258: 8 * size, 259: 8, 262: 1, 317: 3, 339: 3}
        check_values(tmp_path / "a", Case(tiff_bytes(data, tags), values))


def luma(colours: Array) -> Array:
    """Rec. 601 in whole numbers, as Pillow has it."""
    red, green, blue = (colours[..., channel].astype(np.uint64) for channel in range(3))
    return (red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16


def colours_of(dtype: str) -> Array:
    top = np.iinfo(dtype).max
    return np.random.RandomState(2).randint(0, top + 1, (5, 7, 3)).astype(dtype)


@pytest.mark.parametrize("dtype", ["u1", "u2"])
@pytest.mark.parametrize("planar", ["contig", "separate"])
@pytest.mark.parametrize("extra", [None, "unspecified", "unassalpha", "assocalpha"])
def test_colours_of_a_tiff(
    dtype: str, planar: str, extra: str | None, tmp_path: Path, session: Session
) -> None:
    colours, top = colours_of(dtype), int(np.iinfo(dtype).max)
    alpha = np.array([0, top, top // 2 + 1], dtype)[PLACES % 3]
    opaque = alpha.astype(np.uint64)[..., None]
    values, hidden = luma(colours), None
    samples = colours
    if extra in ("unassalpha", "assocalpha"):
        hidden = alpha == 0
        blended = (colours * opaque + top // 2) // top
        if extra == "assocalpha":
            colours = blended.astype(dtype)
        values = luma(blended)
    if extra is not None:
        samples = np.concatenate([colours, alpha[..., None]], axis=2)
    stored = np.moveaxis(samples, -1, 0) if planar == "separate" else samples
    file = io.BytesIO()
    options: dict[str, Any] = {} if extra is None else {"extrasamples": [extra]}
    tifffile.imwrite(file, stored, photometric="rgb", planarconfig=planar, metadata=None, **options)
    case = Case(file.getvalue(), values, hidden=hidden)
    if extra != "assocalpha":  # of which colours come back with a rounding
        check_values(tmp_path / "a", case)
    check_ways(tmp_path / "a", case, session)
    for channel in range(samples.shape[2]):
        found = load_image(tmp_path / "a.tif", top // 3, channel=channel).grid
        np.testing.assert_array_equal(found, samples[..., channel] > top // 3)


def png(colour: int, bits: int, rows: Array, *chunks: bytes) -> bytes:
    """Return a PNG written chunk by chunk; rows hold packed bytes."""
    return png_of_lines(colour, bits, [bytes(row) for row in rows], *chunks)


def interlaced_png(colour: int, pixels: Array) -> bytes:
    """Return a PNG in the seven passes of Adam7; the last axis holds the bytes of a pixel."""
    lines = []
    for top, left, down, right in (
        *((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4)),
        *((2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)),
    ):
        lines += [row.tobytes() for row in pixels[top::down, left::right] if row.size]
    return png_of_lines(colour, 16, lines, interlace=True)


def png_of_lines(
    colour: int, bits: int, lines: list[bytes], *chunks: bytes, interlace: bool = False
) -> bytes:
    def chunk(body: bytes) -> bytes:
        return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))

    header = b"IHDR" + struct.pack(">IIBBBBB", 7, 5, bits, colour, 0, 0, interlace)
    data = b"IDAT" + zlib.compress(b"".join(b"\0" + line for line in lines))
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(chunk, (header, *chunks, data, b"IEND")))


@pytest.mark.parametrize("bits", [2, 4, 8, 16])
@pytest.mark.parametrize("transparent", [False, True])
def test_grey_values_of_a_png_keep_their_scale(
    bits: int, transparent: bool, tmp_path: Path, session: Session
) -> None:
    white = (1 << bits) - 1
    values = PLACES * white // 5 if bits > 2 else PLACES % 4
    packed = np.frombuffer(pack_bits(values, bits), np.uint8).reshape(5, -1)
    level = int(np.unique(values)[1])
    chunks = (b"tRNS" + level.to_bytes(2, "big"),) if transparent else ()
    hidden = values == level if transparent else None
    shown = np.where(values == level, 0, values) if transparent else values
    case = Case(png(0, bits, packed, *chunks), shown, ".png", hidden)
    check_values(tmp_path / "a", case)
    check_ways(tmp_path / "a", case, session)


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_a_png_of_16_bits_a_channel_keeps_them(
    channels: int, tmp_path: Path, session: Session
) -> None:
    colours = colours_of("u2") // np.uint16(40)  # darker than 8 bits can show
    alpha = np.array([0, 65_535, 30_000], np.uint16)[PLACES % 3]
    samples = colours[..., :1] if channels == 2 else colours
    hidden = None
    grey = samples
    if channels != 3:
        samples = np.concatenate([samples, alpha[..., None]], axis=2)
        grey = (grey * alpha.astype(np.uint64)[..., None] + 32_767) // 65_535
        hidden = alpha == 0
    values = grey[..., 0] if channels == 2 else luma(grey)
    rows = samples.astype(">u2").reshape(5, -1).view(np.uint8)
    kind = {2: 4, 3: 2, 4: 6}[channels]
    case = Case(png(kind, 16, rows), values, ".png", hidden)
    check_values(tmp_path / "a", case)
    check_ways(tmp_path / "a", case, session)
    passes = interlaced_png(kind, rows.reshape(5, 7, -1))
    check_values(tmp_path / "a", Case(passes, values, ".png", hidden))
    for channel in range(channels):
        found = load_image(tmp_path / "a.png", 700, channel=channel).grid
        np.testing.assert_array_equal(found, samples[..., channel] > 700)


@pytest.mark.parametrize("bits", [8, 16])
def test_a_colour_that_a_png_declares_transparent(bits: int, tmp_path: Path) -> None:
    colours = colours_of(f"u{bits // 8}")[PLACES % 5, PLACES % 7]
    chosen = colours[2, 3]
    hidden = (colours == chosen).all(axis=2)
    rows = colours.astype(f">u{bits // 8}").reshape(5, -1).view(np.uint8)
    data = png(2, bits, rows, b"tRNS" + chosen.astype(">u2").tobytes())
    shown = np.where(hidden, 0, luma(colours))
    check_values(tmp_path / "a", Case(data, shown, ".png", hidden))


@pytest.mark.parametrize("orientation", STORED)
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_exif_orientation(kind: str, orientation: int, tmp_path: Path) -> None:
    seen = np.kron(PLACES > 2, np.ones((16, 16), np.uint8)).astype(np.uint8) * 250
    exif = Image.Exif()
    exif[274] = orientation
    image = Image.fromarray(np.ascontiguousarray(STORED[orientation](seen)))
    every: dict[str, dict[str, Any]] = {
        "PNG": {},
        "JPEG": {"quality": 95},
        "WEBP": {"lossless": True},
    }
    options = every[kind]
    path = tmp_path / f"a.{kind.lower()}"
    path.write_bytes(saved(image, kind, exif=exif, **options))
    np.testing.assert_array_equal(load_image(path, 120).grid, seen > 120)


@pytest.mark.parametrize("top", [1, 3, 10, 100, 255, 256, 1023, 4095, 65_535])
@pytest.mark.parametrize("kind", ["P2", "P3", "P5", "P6"])
def test_a_pgm_and_ppm_keep_their_own_scale(
    kind: str, top: int, tmp_path: Path, session: Session
) -> None:
    grey = PLACES * top // 5
    values = np.stack([grey, grey, grey], axis=2) if kind in ("P3", "P6") else grey
    if kind in ("P2", "P3"):
        body = b"# a comment\n" + b"\n".join(b"%d" % value for value in values.ravel())
    else:
        body = values.astype("u1" if top < 256 else ">u2").tobytes()
    head = b"%s\n# by hand\n7 5\n%d\n" % (kind.encode(), top)
    case = Case(head + body, grey, f".{'ppm' if values.ndim == 3 else 'pgm'}")
    check_values(tmp_path / "a", case)
    if top in (3, 4095):
        check_ways(tmp_path / "a", case, session)


@pytest.mark.parametrize("kind", ["P1", "P4"])
def test_a_pbm_has_white_foreground(kind: str, tmp_path: Path) -> None:
    white = PLACES > 2
    body = pack_bits((~white).astype(np.uint8), 1)
    if kind == "P1":
        rows = ("".join("0" if value else "1" for value in row) for row in white.tolist())
        body = b"# a comment\n" + "\n".join(rows).encode()
    path = tmp_path / "a.pbm"
    path.write_bytes(b"%s 7 5\n" % kind.encode() + body)
    np.testing.assert_array_equal(load_image(path).grid, white)


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize("kind", ["tif", "png"])
def test_palettes_are_read_by_the_grey_of_their_colours(
    kind: str, bits: int, tmp_path: Path, session: Session
) -> None:
    count = 1 << bits
    colours = np.random.RandomState(bits).randint(0, 256, (count, 3)).astype(np.uint8)
    indices = PLACES % count
    if kind == "tif":
        table = tuple(int(value) * 257 for value in colours.T.ravel())
        tags: dict[int, Any] = {256: 7, 257: 5, 258: bits, 262: 3, 320: table}
        data = tiff_bytes(pack_bits(indices, bits), tags)
    else:
        packed = np.frombuffer(pack_bits(indices, bits), np.uint8).reshape(5, -1)
        data = png(3, bits, packed, b"PLTE" + colours.tobytes())
    case = Case(data, luma(colours)[indices], f".{kind}")
    check_values(tmp_path / "a", case)
    if count > 2:
        check_ways(tmp_path / "a", case, session)


def test_inks_of_a_tiff_become_colours(tmp_path: Path, session: Session) -> None:
    inks = np.random.RandomState(3).randint(0, 256, (5, 7, 4)).astype(np.uint8)
    colours = np.asarray(Image.fromarray(inks, "CMYK").convert("RGB"))
    file = io.BytesIO()
    tifffile.imwrite(file, inks, photometric="separated", metadata=None)
    case = Case(file.getvalue(), luma(colours))
    check_values(tmp_path / "a", case)
    check_ways(tmp_path / "a", case, session)


def test_colours_with_opacity_in_separate_planes_of_jpeg(tmp_path: Path) -> None:
    rows, columns = np.indices((32, 48))
    foreground = (rows // 8 + columns // 8) % 2 == 0
    grey = Image.fromarray(np.where(foreground, 220, 30).astype(np.uint8))
    opaque = Image.new("L", grey.size, 255)
    planes = [saved(plane, "JPEG", quality=95) for plane in (grey, grey, grey, opaque)]
    starts = np.cumsum([8, *map(len, planes[:-1])]).tolist()
    tags: dict[int, int | tuple[int, ...]] = {
        256: 48,
        257: 32,
        258: (8,) * 4,
        259: 7,
        262: 2,
        273: tuple(starts),
        277: 4,
    }
    tags |= {279: tuple(map(len, planes)), 284: 2, 338: 2}
    path = tmp_path / "planes.tif"
    path.write_bytes(tiff_bytes(b"".join(planes), tags))
    np.testing.assert_array_equal(load_image(path).grid, foreground)


@pytest.mark.parametrize("compression", ["raw", "tiff_lzw", "jpeg"])
@pytest.mark.parametrize("mode", ["L", "RGB", "YCbCr", "CMYK"])
def test_colours_that_libtiff_decodes(
    mode: str, compression: str, tmp_path: Path, session: Session
) -> None:
    blocks = np.kron(colours_of("u1"), np.ones((16, 16, 1), np.uint8))
    image = Image.fromarray(blocks).convert(mode)
    path = tmp_path / "a.tif"
    try:
        path.write_bytes(saved(image, "TIFF", compression=compression))
        with Image.open(path) as opened:
            grey = np.asarray(opened.convert("RGB").convert("L")).astype(int)
    except (OSError, ValueError):
        pytest.skip("Pillow does not write or read this")
    clear = np.abs(grey - 120) > 4  # decoders round differently
    expected = grey > 120
    found = load_image(path, 120).grid
    np.testing.assert_array_equal(found[clear], expected[clear])
    for suffix in (".npy", ".zarr"):
        labels = labels_of(path, tmp_path / f"out{suffix}", "--threshold", "120")
        np.testing.assert_array_equal(labels > 0, found)


INKS: dict[str, tuple[int, ...]] = {
    "black": (0, 0, 0),
    "dark": (10, 0, 40),
    "white": (255, 255, 255),
}


@pytest.mark.parametrize(
    "ground", [(0, 0, 0), (255, 255, 255)], ids=["black ground", "white ground"]
)
@pytest.mark.parametrize("ink", INKS)
@pytest.mark.parametrize("kind", ["png", "tif", "webp", "npy"])
def test_ink_on_a_transparent_ground_is_seen_by_its_opacity(
    kind: str, ink: str, ground: tuple[int, ...], tmp_path: Path, session: Session
) -> None:
    alpha = np.array([0, 0, 0, 90, 200, 255], np.uint8)[PLACES]
    colours = np.where(alpha[..., None] > 0, np.array(INKS[ink]), np.array(ground))
    pixels = np.dstack([colours, alpha]).astype(np.uint8)
    if kind == "npy":
        file = io.BytesIO()
        np.save(file, pixels)
        data = file.getvalue()
    else:
        options: dict[str, Any] = {"lossless": True, "exact": True} if kind == "webp" else {}
        name = {"png": "PNG", "tif": "TIFF", "webp": "WEBP"}[kind]
        data = saved(Image.fromarray(pixels), name, **options)
    case = Case(data, alpha, f".{kind}", alpha == 0)
    check_values(tmp_path / "a", case)
    check_ways(tmp_path / "a", case, session)


@pytest.mark.parametrize("mode", ["LA", "P", "PA"])
def test_ink_of_grey_and_of_palettes(mode: str, tmp_path: Path, session: Session) -> None:
    alpha = np.array([0, 0, 0, 90, 200, 255], np.uint8)[PLACES]
    if mode == "LA":
        data = saved(Image.fromarray(np.dstack([alpha * 0, alpha]), "LA"), "PNG")
    elif mode == "PA":
        indices = np.full((5, 7), 3, np.uint8)
        tags: dict[int, Any] = {256: 7, 257: 5, 258: (8, 8), 262: 3, 277: 2, 338: 2}
        tags[320] = (0,) * 768
        data = tiff_bytes(np.dstack([indices, alpha]).tobytes(), tags)
    else:
        rows = PLACES.astype(np.uint8)
        chunks = b"PLTE" + bytes(18), b"tRNS" + bytes([0, 0, 0, 90, 200, 255])
        data = png(3, 8, rows, *chunks)
    case = Case(data, alpha, ".tif" if mode == "PA" else ".png", alpha == 0)
    check_values(tmp_path / "a", case)
    check_ways(tmp_path / "a", case, session)


@pytest.mark.parametrize("dtype", [*LEVELS, ">u2", ">f4", ">i4", "i8", "u8"])
@pytest.mark.parametrize("kind", ["npy", "zarr"])
def test_values_of_arrays(dtype: str, kind: str, tmp_path: Path) -> None:
    levels = LEVELS.get(dtype.lstrip(">"), (0, 1, 7, 2**40, 2**62, 2**63 - 1))
    values: Array = np.array(levels, dtype)[PLACES]
    path = tmp_path / f"a.{kind}"
    if kind == "npy":
        np.save(path, values)
    else:
        zarr.create_array(str(path), data=values, chunks=(2, 3))
    for level in np.unique(values)[:-1].tolist():
        np.testing.assert_array_equal(load_image(path, level).grid, values > level)
    level = np.unique(values)[2].item()
    for suffix in (".npy", ".zarr")[: 1 if kind == "npy" else 2]:
        out = tmp_path / f"out{suffix}"
        labels = labels_of(path, out, f"--threshold={level!r}")
        np.testing.assert_array_equal(labels > 0, values > level)
        by_otsu = ccl.label(load_image(path).grid, device="emulator")[0]
        np.testing.assert_array_equal(labels_of(path, out), by_otsu)


@pytest.mark.parametrize("kind", ["npy", "zarr", "tif"])
def test_nan_is_background_everywhere(kind: str, tmp_path: Path, session: Session) -> None:
    values = levels_of("f4")
    values[PLACES == 5] = np.nan
    values[PLACES == 4] = np.inf
    path = tmp_path / f"a.{kind}"
    if kind == "npy":
        np.save(path, values)
    elif kind == "zarr":
        zarr.create_array(str(path), data=values, chunks=(2, 3))
    else:
        path.write_bytes(written(values))
    with np.errstate(invalid="ignore"):
        expected = {False: values > 0, True: (values <= 0)}
    for suffix in (".npy", ".zarr")[: 1 if kind == "npy" else 2]:
        for invert in (False, True):
            out, swap = tmp_path / f"out{suffix}", ["--invert"] if invert else []
            labels = labels_of(path, out, "--threshold", "0", *swap)
            np.testing.assert_array_equal(labels > 0, expected[invert])
        by_otsu = ccl.label(load_image(path).grid, device="emulator")[0]
        np.testing.assert_array_equal(labels_of(path, out), by_otsu)
    session.imports.open(str(path))
    session.imports.configure(threshold=0.0)
    session.imports.accept()
    np.testing.assert_array_equal(session.document.grid, expected[False])
    labels, _ = ccl.label(values, device="emulator")
    np.testing.assert_array_equal(labels > 0, (values != 0) & ~np.isnan(values))
    labels, _ = ccl.label(values, device="emulator", multivalued=True)
    np.testing.assert_array_equal(labels > 0, (values != 0) & ~np.isnan(values))


@pytest.mark.parametrize(
    ("text", "level"), [("0.5", 0.5), ("-0.25", -0.25), ("1e-1", 0.1), ("+3", 3), ("-300", -300)]
)
def test_a_threshold_is_any_number(text: str, level: float, tmp_path: Path) -> None:
    values = np.array([[-400, -300, -0.5], [-0.25, 0.5, 0.6], [0.1, 3, 7]])
    np.save(tmp_path / "a.npy", values)
    labels = labels_of(tmp_path / "a.npy", tmp_path / "out.npy", "--threshold", text)
    np.testing.assert_array_equal(labels > 0, values > level)


@pytest.mark.parametrize("text", ["nan", "inf", "high", "", "0x10", "1,5"])
def test_what_is_no_number_is_no_threshold(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["label", "a.npy", "-o", "b.npy", f"--threshold={text}"])
    assert "a level is a number such as 128 or 0.5" in capsys.readouterr().err


def test_a_multivalued_picture_in_colour_is_the_same_to_every_output(tmp_path: Path) -> None:
    colours = colours_of("u2")[PLACES % 4, PLACES % 3]
    path = tmp_path / "a.tif"
    tifffile.imwrite(path, colours, photometric="rgb", metadata=None)
    whole, streamed = (
        labels_of(path, tmp_path / f"out{suffix}", "--multivalued") for suffix in (".npy", ".zarr")
    )
    np.testing.assert_array_equal(whole, streamed)
    distinct = np.unique(colours.reshape(-1, 3), axis=0)
    assert len(np.unique(load_segments(path).grid)) == len(distinct)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({258: 8, 259: 34712}, "compression"),
        ({258: (8, 16), 277: 2}, "different types"),
        ({258: 64, 339: 6}, "not real numbers"),
        ({258: 8, 262: 2}, "colours"),
        ({258: 8, 259: 8, 317: 9}, "damaged"),
    ],
)
def test_what_cannot_be_read_truly_is_refused_by_every_way(
    tags: dict[int, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.tif"
    path.write_bytes(tiff_bytes(bytes(300), {256: 5, 257: 4, 262: 1, **tags}))
    with pytest.raises(InputError, match=message):
        load_image(path)
    for suffix in (".npy", ".zarr"):
        out = tmp_path / f"out{suffix}"
        assert main(["label", str(path), "-o", str(out), "-d", "emulator"]) == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert not out.exists()

"""Makes the bad pictures, grids and lessons in ``bad/``, which the tests open.

    python tests/data/make_bad_files.py

Names that begin with ``odd-`` are of files that open in spite of their oddity; all others are
refused. Nothing here depends on a library that encodes, so that the files come out the same
everywhere: what is compressed is stored without compression, or written out below.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "bad"

HUGE = 16384  # what confirming allows: 2**28 cells
BEYOND = 1 << 16
LARGE = 8191  # just what is read without being asked


def files() -> Mapping[str, bytes]:
    """Return the content of each file by its path below ``bad``."""
    groups = {"pictures": _pictures(), "grids": _grids(), "lessons": _lessons()}
    return {f"{folder}/{name}": data for folder, group in groups.items() for name, data in group}


def main() -> None:
    """Write the files, and delete obsolete ones."""
    made = files()
    for folder in {name.partition("/")[0] for name in made}:
        (FOLDER / folder).mkdir(parents=True, exist_ok=True)
        for old in (FOLDER / folder).iterdir():
            if f"{folder}/{old.name}" not in made:
                old.unlink()
    for name, data in made.items():
        (FOLDER / name).write_bytes(data)


Made = Iterator[tuple[str, bytes]]


def _pictures() -> Made:
    yield from _pngs()
    yield from _gifs()
    yield from _bitmaps()
    yield from _tiffs()
    yield from _webps()
    yield from _jpegs()
    yield "empty.png", b""
    yield "nul.png", b"\0"
    yield "page.png", b"<html><body>No such picture</body></html>\n"
    yield "program.png", b"#!/bin/sh\nexit 1\n"
    yield "elf.png", b"\x7fELF\2\1\1" + bytes(57)
    yield "zip.png", b"PK\3\4" + bytes(60)
    yield "pdf.png", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
    yield "eps.png", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nquit\n"
    yield "svg.png", b'<svg xmlns="http://www.w3.org/2000/svg"><image href="/dev/stdin"/></svg>'
    yield "icon.png", struct.pack("<HHHBBBBHHII", 0, 1, 1, 0, 0, 0, 0, 1, 32, 4, 22) + bytes(4)


# PNG


def _chunk(kind: bytes, data: bytes = b"", crc: int | None = None) -> bytes:
    check = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def _header(width: int, height: int, depth: int = 8, colour: int = 0, *more: int) -> bytes:
    rest = more or (0, 0, 0)
    return _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, *rest))


PNG = b"\x89PNG\r\n\x1a\n"
END = _chunk(b"IEND")


def _data(rows: bytes) -> bytes:
    return _chunk(b"IDAT", zlib.compress(rows, 0))


def _pngs() -> Made:
    row = b"\0" + bytes([0, 255, 0, 255])
    good = _header(4, 4) + _data(row * 4)
    yield "odd-no-end.png", PNG + good
    yield (
        "odd-unknown-chunk.png",
        PNG + _header(4, 4) + _chunk(b"zzZz", b"?") + _data(row * 4) + END,
    )
    yield "odd-after-the-end.png", PNG + good + END + b"more" * 9
    yield (
        "odd-many-chunks.png",
        PNG + _header(4, 4) + _chunk(b"tIME", bytes(7)) * 40 + _data(row * 4) + END,
    )
    yield "signature-alone.png", PNG
    yield "no-header.png", PNG + _data(row * 4) + END
    yield "short-header.png", PNG + _chunk(b"IHDR", b"\0\0\0\4") + END
    yield "wrong-sum.png", PNG + _chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0), 1)
    yield (
        "odd-wrong-sum-of-data.png",
        PNG + _header(4, 4) + _chunk(b"IDAT", zlib.compress(row * 4, 0), 1) + END,
    )
    yield "zero-wide.png", PNG + _header(0, 4) + _data(b"") + END
    yield "zero-high.png", PNG + _header(4, 0) + _data(b"") + END
    yield "no-data.png", PNG + _header(4, 4) + END
    yield "odd-too-little-data.png", PNG + _header(4, 4) + _data(row) + END
    yield "cut-off.png", (PNG + good)[:-20]
    yield "not-compressed.png", PNG + _header(4, 4) + _chunk(b"IDAT", row * 4) + END
    yield "unknown-filter.png", PNG + _header(4, 4) + _data(b"\x09" + row[1:] + row * 3) + END
    yield "depth-3.png", PNG + _header(4, 4, 3) + _data(row * 4) + END
    yield "colour-5.png", PNG + _header(4, 4, 8, 5) + _data(row * 4) + END
    yield "odd-interlace-9.png", PNG + _header(4, 4, 8, 0, 0, 0, 9) + _data(row[:2]) + END
    yield "no-palette.png", PNG + _header(4, 4, 8, 3) + _data(b"\0" + bytes(4)) + END
    yield "no-palette-1-bit.png", PNG + _header(4, 4, 1, 3) + _data(b"\0\xa0" * 4) + END
    yield "long-chunk.png", PNG + _header(4, 4) + struct.pack(">I", 0x7FFFFFFF) + b"IDAT" + bytes(9)
    yield "huge.png", PNG + _header(HUGE, HUGE) + _data(b"") + END
    yield "huge-colours.png", PNG + _header(HUGE, HUGE, 16, 6) + _data(b"") + END
    yield "huge-1-bit.png", PNG + _header(HUGE, HUGE, 1) + _data(b"") + END
    yield "beyond.png", PNG + _header(BEYOND, BEYOND) + _data(b"") + END
    yield "beyond-all.png", PNG + _header(0x7FFFFFFF, 0x7FFFFFFF, 16, 6) + _data(b"") + END
    yield "large.png", PNG + _header(LARGE, LARGE, 8, 6) + _data(b"") + END
    yield "wide.png", PNG + _header(1 << 26, 1) + _data(b"") + END
    bomb = zlib.compressobj(9).compress(b"") or b"\x78\xda"
    yield "text-alone.png", PNG + _header(4, 4) + _chunk(b"zTXt", b"key\0\0" + bomb) + END
    yield "profile.png", PNG + _header(4, 4) + _chunk(b"iCCP", b"x\0\0" + b"\xff" * 9) + END
    yield (
        "animated.png",
        PNG + _header(4, 4) + _chunk(b"acTL", struct.pack(">II", 0xFFFFFFFF, 0)) + END,
    )
    transparent = _chunk(b"tRNS", bytes(300))
    yield "transparency.png", PNG + _header(4, 4) + transparent + _chunk(b"IDAT", b"") + END


# GIF


def _gif(width: int, height: int, data: bytes, *, flags: int = 0x80, size: int = 2) -> bytes:
    screen = b"GIF89a" + struct.pack("<HHBBB", width, height, flags, 0, 0)
    colours = b"\0\0\0\xff\xff\xff" if flags & 0x80 else b""
    frame = b"," + struct.pack("<HHHHB", 0, 0, width, height, 0)
    return screen + colours + frame + bytes([size]) + data + b";"


def _gifs() -> Made:
    one = b"\2\x44\1\0"
    yield "odd-one-cell.gif", _gif(1, 1, one)
    yield "odd-no-colours.gif", _gif(1, 1, one, flags=0)
    yield "signature-alone.gif", b"GIF89a"
    yield "no-frame.gif", _gif(1, 1, one)[:19] + b";"
    yield "cut-off.gif", _gif(9, 9, b"\2\x44")
    yield "code-size-0.gif", _gif(9, 9, one, size=0)
    yield "code-size-255.gif", _gif(9, 9, one, size=255)
    yield "zero.gif", _gif(0, 0, one)
    yield "huge.gif", _gif(HUGE, HUGE, one)
    yield "beyond.gif", _gif(0xFFFF, 0xFFFF, one)
    yield "large.gif", _gif(LARGE, LARGE, one)
    outside = _gif(4, 4, one).replace(b",\0\0\0\0\4\0\4\0", b"," + b"\xff" * 8)
    yield "frame-outside.gif", outside
    yield "comment-without-end.gif", _gif(1, 1, one)[:19] + b"!\xfe" + (b"\xff" + b"x" * 255) * 3


# BMP and the portable formats


def _bmp(width: int, height: int, bits: int, packing: int = 0, data: bytes = b"") -> bytes:
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, packing, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) + info + data


def _bitmaps() -> Made:
    yield "odd-bottom-up.bmp", _bmp(1, -1, 24, 0, b"\xff\xff\xff\0")
    yield "signature-alone.bmp", b"BM"
    yield "header-of-12.bmp", b"BM" + struct.pack("<IHHI", 26, 0, 0, 26) + struct.pack("<I", 12)
    yield "header-of-0.bmp", b"BM" + bytes(60)
    yield "bits-7.bmp", _bmp(4, 4, 7, 0, bytes(64))
    yield "packing-99.bmp", _bmp(4, 4, 8, 99, bytes(64))
    yield "no-data.bmp", _bmp(4, 4, 24)
    yield "run-outside.bmp", _bmp(4, 4, 8, 1, b"\xff\1" * 4)
    yield "huge.bmp", _bmp(HUGE, HUGE, 24)
    yield "huge-runs.bmp", _bmp(HUGE, HUGE, 8, 1, b"\0\1")
    yield "beyond.bmp", _bmp(0x7FFFFFFF, 0x7FFFFFFF, 32)
    yield "lowest.bmp", _bmp(1, -0x80000000, 24)
    yield "zero.bmp", _bmp(0, 0, 24)
    yield "odd-remark.pgm", b"P5 # width\n2 1\n255\n\0\xff"
    yield "odd-plain.pbm", b"P1\n3 1\n1 0 1\n"
    yield "values-beyond-the-scale.pgm", b"P5\n2 1\n10\n\0\xff"
    yield "number-alone.pgm", b"P5\n"
    yield "no-height.pgm", b"P5\n4\n"
    yield "no-scale.pgm", b"P5\n4 4\n"
    yield "zero.pgm", b"P5\n0 4\n255\n"
    yield "negative.pgm", b"P5\n-4 4\n255\n" + bytes(16)
    yield "words.pgm", b"P5\nfour 4\n255\n" + bytes(16)
    yield "digits.pgm", b"P5\n" + b"9" * 5000 + b" 1\n255\n"
    yield "scale-0.pgm", b"P5\n4 4\n0\n" + bytes(16)
    yield "scale-beyond.pgm", b"P5\n4 4\n65536\n" + bytes(32)
    yield "cut-off.pgm", b"P5\n4 4\n255\n" + bytes(15)
    yield "plain-too-few.pgm", b"P2\n3 1\n255\n1 2"
    yield "plain-beyond.pgm", b"P2\n2 1\n255\n1 99999999999999999999\n"
    yield "plain-words.pbm", b"P1\n3 1\n1 x 1\n"
    yield "remark-without-end.pgm", b"P5\n#" + b"x" * 2000
    yield "huge.pgm", b"P5\n16384 16384\n255\n"
    yield "huge.pbm", b"P4\n16384 16384\n"
    yield "huge-plain.pbm", b"P1\n16384 16384\n1 0 1\n"
    yield "beyond.ppm", b"P6\n65536 65536\n255\n"
    yield "large.ppm", b"P6\n8191 8191\n255\n"
    yield (
        "segments-cut-off.pgm",
        (b"P5\n# ccl-viewer-grid: grey values are the values of the grid\n4 4\n255\n\1"),
    )


# TIFF


def _tiff(tags: Mapping[int, tuple[int, int, int]], data: bytes = b"", order: str = "<") -> bytes:
    """Return a file of one directory; a tag has a type, a count and a value."""
    start = 8 + len(data)
    mark = b"II*\0" if order == "<" else b"MM\0*"
    entries = b"".join(
        struct.pack(f"{order}HHII", tag, kind, count, value)
        for tag, (kind, count, value) in sorted(tags.items())
    )
    directory = struct.pack(f"{order}H", len(tags)) + entries + bytes(4)
    return mark + struct.pack(f"{order}I", start) + data + directory


def _tags(
    width: int, height: int, packing: int, length: int, bits: int = 8
) -> dict[int, tuple[int, int, int]]:
    return {
        256: (4, 1, width),
        257: (4, 1, height),
        258: (3, 1, bits),
        259: (3, 1, packing),
        262: (3, 1, 1),
        273: (4, 1, 8),
        277: (3, 1, 1),
        278: (4, 1, height),
        279: (4, 1, length),
    }


def _tiffs() -> Made:
    cells = bytes([0, 255] * 8)
    yield "odd-unknown-tag.tif", _tiff({**_tags(4, 4, 1, 16), 34000: (3, 1, 7)}, cells)
    yield "signature-alone.tif", b"II*\0"
    yield "directory-outside.tif", b"II*\0" + struct.pack("<I", 0x7FFFFFFF)
    yield "directory-is-itself.tif", _tiff({}, b"")[:8] + struct.pack("<HI", 0, 8)
    yield "no-tags.tif", _tiff({})
    yield "odd-directory-for-data.tif", _tiff(_tags(4, 4, 1, 16))
    yield "strip-outside.tif", _tiff({**_tags(4, 4, 1, 16), 273: (4, 1, 0x7FFFFFFF)}, cells)
    yield "count-beyond.tif", _tiff({**_tags(4, 4, 1, 16), 273: (4, 0x7FFFFFFF, 8)}, cells)
    yield "bits-beyond.tif", _tiff(_tags(4, 4, 1, 16, bits=77), cells)
    yield "samples-beyond.tif", _tiff({**_tags(4, 4, 1, 16), 277: (3, 1, 60000)}, cells)
    yield "packing-beyond.tif", _tiff(_tags(4, 4, 60000, 16), cells)
    yield "zero.tif", _tiff(_tags(0, 0, 1, 0))
    yield "huge.tif", _tiff(_tags(HUGE, HUGE, 1, 16), cells)
    yield "beyond.tif", _tiff(_tags(0x7FFFFFFF, 0x7FFFFFFF, 1, 16), cells)
    for name, packing in (("lzw", 5), ("deflate", 8), ("zip", 32946), ("bits", 32773), ("jpeg", 7)):
        yield f"{name}-garbage.tif", _tiff(_tags(64, 64, packing, 16), b"\xa5" * 16)
        yield f"{name}-huge.tif", _tiff(_tags(HUGE, HUGE, packing, 16), b"\xa5" * 16)
    yield "odd-fax-3-garbage.tif", _tiff(_tags(64, 64, 3, 32, bits=1), b"\2" * 32)
    yield "fax-4-garbage.tif", _tiff(_tags(64, 64, 4, 32, bits=1), b"\2" * 32)
    yield "fax-4-huge.tif", _tiff(_tags(HUGE, HUGE, 4, 32, bits=1), b"\2" * 32)
    yield "deflate-too-little.tif", _tiff(_tags(64, 64, 8, 15), zlib.compress(b"1234", 0))
    yield "big-endian-cut-off.tif", _tiff(_tags(64, 64, 1, 4096), cells, ">")


# WebP and JPEG


def _riff(*chunks: tuple[bytes, bytes]) -> bytes:
    body = b"".join(
        kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks
    )
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def _webps() -> Made:
    canvas = struct.pack("<I", 0x10) + (16382).to_bytes(3, "little") * 2
    lossless = b"\x2f" + struct.pack("<I", 16382 | 16382 << 14)
    yield "signature-alone.webp", b"RIFF\4\0\0\0WEBP"
    yield "no-frame.webp", _riff((b"VP8X", canvas))
    yield "huge-canvas.webp", _riff((b"VP8X", canvas), (b"VP8L", lossless + bytes(9)))
    yield "huge-lossless.webp", _riff((b"VP8L", lossless + bytes(9)))
    lossy = b"\x30\1\0\x9d\1\x2a" + struct.pack("<HH", 16383, 16383)
    yield "huge-lossy.webp", _riff((b"VP8 ", lossy + bytes(30)))
    yield "lossless-garbage.webp", _riff((b"VP8L", b"\x2f" + b"\xa5" * 40))
    yield "length-beyond.webp", b"RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\x7f\x2f"


_SMALL_JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAP//////////////////////////////////////////////////////////"
    "////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAv/EABQQAQAAAAAAAAAA"
    "AAAAAAAAAAD/2gAIAQEAAD8AT//Z"
)


def _jpegs() -> Made:
    at = _SMALL_JPEG.index(b"\xff\xc0")
    size = slice(at + 5, at + 9)

    def sized(height: int, width: int) -> bytes:
        data = bytearray(_SMALL_JPEG)
        data[size] = struct.pack(">HH", height, width)
        return bytes(data)

    yield "odd-one-cell.jpg", _SMALL_JPEG
    yield "signature-alone.jpg", _SMALL_JPEG[:4]
    yield "no-scan.jpg", _SMALL_JPEG[: at + 13]
    yield "cut-off.jpg", _SMALL_JPEG[:-8]
    yield "huge.jpg", sized(HUGE, HUGE)
    yield "beyond.jpg", sized(65500, 65500)
    yield "zero.jpg", sized(0, 0)
    yield "no-tables.jpg", _SMALL_JPEG[:20] + _SMALL_JPEG[at:]
    yield "components-9.jpg", _SMALL_JPEG[: at + 9] + b"\x09" + _SMALL_JPEG[at + 10 :]


# Grids: arrays, text, RLE


def _npy(header: str | bytes, data: bytes = b"", version: int = 1) -> bytes:
    text = header if isinstance(header, bytes) else header.encode("latin-1")
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def _array(shape: str, kind: str = "|u1", order: str = "False") -> str:
    return f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n"


def _grids() -> Made:
    yield "odd-fortran.npy", _npy(_array("(2, 2)", order="True"), b"\0\1\1\0")
    yield "odd-more-data.npy", _npy(_array("(1, 2)"), b"\0\1\1\0")
    close = struct.pack("<3d", 1.0, 1.0000000000000002, 1.0000000000000004)
    yield "odd-nearly-equal.npy", _npy(_array("(1, 3)", "<f8"), close)
    least = struct.pack("<2d", 5e-324, 1e-323)
    yield "odd-least-numbers.npy", _npy(_array("(1, 2)", "<f8"), least)
    most = struct.pack("<2q", 2**62, 2**62 + 70_000)
    yield "odd-high-numbers.npy", _npy(_array("(1, 2)", "<i8"), most)
    yield "odd-zero-negative.npy", _npy(_array("(1, 2)", "<f8"), struct.pack("<2d", -0.0, 1.0))
    yield "signature-alone.npy", b"\x93NUMPY"
    yield "version-9.npy", _npy(_array("(1, 2)"), b"\0\1", version=9)
    yield "header-cut-off.npy", _npy(_array("(1, 2)"))[:30]
    yield "header-of-code.npy", _npy("__import__('os').system('true')\n")
    yield "header-of-brackets.npy", _npy("(" * 9000 + "\n")
    yield "header-of-minuses.npy", _npy("{'shape': " + "-" * 9000 + "1}\n")
    yield "header-not-text.npy", _npy(b"\xff\xfe\0\1" * 9)
    zeros = b" '<f8', 'fortran_order': False, 'shape': (1, 2), }\n" + bytes(
        9
    )  # SystemError in 3.12
    yield "header-of-zeros.npy", _npy(zeros)
    yield "header-beyond.npy", b"\x93NUMPY\2\0" + struct.pack("<I", 0x7FFFFFFF) + b"{}"
    yield "no-shape.npy", _npy("{'descr': '|u1', 'fortran_order': False}\n")
    yield "shape-of-words.npy", _npy(_array("('a', 'b')"))
    yield "shape-negative.npy", _npy(_array("(-4, -4)"), bytes(16))
    yield "shape-of-one.npy", _npy(_array("(4,)"), bytes(4))
    yield "shape-of-three.npy", _npy(_array("(2, 2, 2)"), bytes(8))
    yield "shape-empty.npy", _npy(_array("(0, 4)"))
    yield "shape-of-digits.npy", _npy(_array(f"({'9' * 4000}, 1)"))
    yield "shape-power.npy", _npy(_array("(9**9**9, 1)"))
    yield "data-cut-off.npy", _npy(_array("(4, 4)"), bytes(15))
    yield "huge.npy", _npy(_array("(16384, 16384)", "<f8"), bytes(64))
    yield "beyond.npy", _npy(_array("(99999999999, 99999999999)"), bytes(64))
    yield "objects.npy", _npy(_array("(1, 1)", "|O"), b"\x80\4N.")
    yield (
        "records.npy",
        _npy("{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (1, 1)}\n"),
    )
    yield "complex.npy", _npy(_array("(1, 1)", "<c16"), bytes(16))
    yield "texts.npy", _npy(_array("(1, 1)", "<U1"), b"a\0\0\0")
    yield "dates.npy", _npy(_array("(1, 1)", "<M8[s]"), bytes(8))
    yield "odd-no-number.npy", _npy(_array("(1, 2)", "<f8"), struct.pack("<2d", float("nan"), 1))
    yield "odd-infinite.npy", _npy(_array("(1, 2)", "<f8"), struct.pack("<2d", float("inf"), 1))
    yield "far-apart.npy", _npy(_array("(1, 2)", "<f8"), struct.pack("<2d", -1.7e308, 1.7e308))

    yield "odd-blanks.txt", b"#. \t\n.#\r\n\n\n"
    yield "odd-mark.txt", b"\xef\xbb\xbf##\n"
    yield "odd-utf-16.txt", "\ufeff#.\n##\n".encode("utf-16-le")
    yield "odd-one-cell.txt", b"#"
    yield "blank.txt", b" \n\n"
    yield "uneven.txt", b"##\n#\n"
    yield "stray.txt", b"##\n#!\n"
    yield "words.txt", b"Dear all,\nthe grid is below.\n"
    yield "accents.txt", "#.\né#\n".encode()
    yield "latin.txt", b"#.\n\xe9#\n"
    yield "utf-16-odd.txt", b"\xff\xfe#\0\n"
    yield "utf-16-halves.txt", b"\xff\xfe\x00\xd8\x00\xd8"
    yield "markup.txt", b"<img src='/dev/stdin'>\n"
    yield "controls.txt", b"#.\n\x1b[2J\n"
    yield "long-line.txt", b"#" * 5000 + b"\n" + b"#" * 4999 + b"\n"
    yield "empty.txt", b""
    yield "formula.csv", b"=1+1,2\n"

    yield "odd-no-runs.rle", b"x = 2, y = 2\n!"
    yield "odd-after-the-end.rle", b"x = 1, y = 1\no! and more"
    yield "odd-rows-skipped.rle", b"x = 1, y = 9\no8$o!"
    yield "odd-last-state.rle", b"x = 1, y = 1, rule = /2/256\nyO!"
    yield "huge.rle", b"x=16384,y=16384\n!"
    yield "beyond.rle", b"x = 9999999999, y = 9999999999\n!"
    yield "size-of-digits.rle", b"x = " + b"9" * 5000 + b", y = 1\n!"
    yield "zero.rle", b"x = 0, y = 0\n!"
    yield "negative.rle", b"x = -3, y = 3\n!"
    yield "no-header.rle", b"bob$2bo$3o!"
    yield "no-end.rle", b"x = 3, y = 1\n3o"
    yield "run-outside.rle", b"x = 3, y = 1\n4o!"
    yield "run-beyond.rle", b"x = 3, y = 3\n9999999999o!"
    yield "run-of-digits.rle", b"x = 3, y = 3\n" + b"9" * 5000 + b"o!"
    yield "rows-beyond.rle", b"x = 3, y = 3\n9999999999$o!"
    yield "stray.rle", b"x = 3, y = 3\no?o!"
    yield "state-beyond.rle", b"x = 1, y = 1\nyP!"
    yield "remarks-alone.rle", b"#C a remark\n" * 50
    yield "not-text.rle", b"x = 3, y = 3\n\xff\xfe!"


# Lessons

_HEAD = 'title = "A lesson"\naims = ["Know something."]\n'
_RUN = '[defaults]\ngrid = "pattern:shibata"\nalgorithm = "ha4"\n'
_SCENE = '[[scene]]\ntitle = "First"\ncaption = "{cells} cells."\n'


def _lessons() -> Made:
    for name, text in _lesson_texts().items():
        yield f"{name}.toml", text.encode()
    yield "latin.toml", b"title = '\xe9'\n"
    yield "utf-16.toml", _HEAD.encode("utf-16")
    yield "nul.toml", b"\0" * 64
    yield "picture.toml", PNG + _header(1, 1)


def _lesson_texts() -> dict[str, str]:
    good = _HEAD + _RUN + _SCENE

    def captioned(caption: str) -> str:
        return good.replace("{cells} cells.", caption)

    return {
        "odd-marks": captioned("**a* *b** ***"),
        "odd-many-marks": captioned("**a " * 900),
        "odd-brackets-in-a-caption": captioned("[" * 3900),
        "odd-more-notes": f"{good}notes = '{'*a ' * 1300}'\n",
        "odd-lines-of-windows": good.replace("\n", "\r\n"),
        "empty": "",
        "blank": "\n \n",
        "words": "Dear all,\nthe lesson is below.\n",
        "markup": "<img src='/dev/stdin'>\n",
        "json": '{"title": "A lesson"}\n',
        "no-scene": _HEAD,
        "no-aims": f'title = "A"\n{_SCENE}',
        "key-of-parts": f"{'a.' * 4000}a = 1\n",
        "key-of-quoted-parts": '"a".' * 2000 + "a = 1\n",
        "table-of-parts": f"[a{'.a' * 4000}]\n",
        "tables-of-parts": f"[[a{'.a' * 4000}]]\n",
        "key-of-letters": f"{'a' * 5000} = 1\n",
        "key-in-quotes": f"'{'a' * 9000}' = 1\n",
        "brackets": f"a = {'[' * 6000}\n",
        "brackets-closed": f"a = {'[' * 3000}{']' * 3000}\n",
        "braces": f"a = {'{a=' * 2000}\n",
        "number-of-digits": f"a = {'1' * 5000}\n",
        "number-of-bits": f"a = 0x{'f' * 5000}\n",
        "number-with-lines": f"a = {'1_' * 2500}1\n",
        "quote-open": f'{_HEAD}a = "words\n\nb = 1\n',
        "quote-open-at-the-end": f"{_HEAD}a = 'words",
        "quotes-open": f'{_HEAD}a = """words\n\nb = 1\n',
        "quote-inside": f'{_HEAD}a = "say "it" now"\n',
        "backslashes": 'a = "' + "\\" * 9999 + "\n",
        "escape": 'a = "\\q"\n',
        "escape-beyond": 'a = "\\UFFFFFFFF"\n',
        "half-a-letter": 'a = "\\ud800"\n',
        "date-beyond": "a = 2024-99-99\n",
        "twice": f"{_HEAD}title = 'again'\n",
        "table-twice": f"{_HEAD}[defaults]\n[defaults]\n",
        "table-and-array": f"{_HEAD}[scene]\n[[scene]]\n",
        "unknown-key": f"{good}colour = 3\n",
        "many-keys": "".join(f"a{i} = 1\n" for i in range(500)),
        "many-scenes": _HEAD + _RUN + "[[scene]]\n" * 300,
        "caption-too-long": captioned("a" * 5000),
        "notes-too-long": f"{good}notes = '{'**a ' * 1500}'\n",
        "text-too-long": f"{good}notes = '{'a' * 20_001}'\n",
        "title-of-a-number": good.replace('"First"', "3"),
        "scene-of-a-number": f"{_HEAD}scene = 3\n",
        "scenes-of-numbers": f"{_HEAD}scene = [1, 2, 3]\n",
        "grid-of-a-number": f"{good}grid = 3\n",
        "grid-unknown": f'{good}grid = "none"\n',
        "default-grid-unknown": good.replace("pattern:shibata", "none"),
        "default-pattern-unknown": good.replace("pattern:shibata", "pattern:shibat"),
        "default-algorithm-unknown": good.replace("ha4", "ha5"),
        "drawn-uneven": f"{good}[grids]\na = '''\n##\n#\n'''\n",
        "cell-of-words": f"{good}pin = ['a', 'b']\n",
        "cell-of-three": f"{good}pin = [1, 2, 3]\n",
        "cells-of-a-number": f"{good}highlight = 3\n",
        "step-of-words": f"{good}step = 'last'\n",
        "strength-beyond": f"{good}show = {{ strength = nan }}\n",
        "show-unknown": f"{good}show = {{ colour = true }}\n",
        "question-unknown": f'{good}question = {{ kind = "why" }}\n',
        "question-without-cell": f'{good}question = {{ kind = "root" }}\n',
    }


if __name__ == "__main__":
    main()

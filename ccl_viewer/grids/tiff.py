"""Read pages of TIFF files, whole or in parts, with the values of the file.

tifffile finds the pages and their tags. Pixels are decoded here, so that every depth, sign, layout
and compression gives the values of the file; Pillow's libtiff decompresses what Python cannot.
"""

from __future__ import annotations

import io
import logging
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError
from ccl_viewer.grids.picture_selector import (
    MAX_COUNTED,
    REDUCED_OR_MASK,
    PicturePosition,
    PictureSelector,
    find_position,
)
from ccl_viewer.grids.pictures import (
    FLIPPED_COLUMNS,
    FLIPPED_ROWS,
    TRANSPOSED,
    Picture,
    Samples,
    compose_picture,
    orient,
)
from ccl_viewer.grids.pillow import call_pillow
from ccl_viewer.grids.tiff_samples import BLACK_IS_ZERO, YCBCR, find_meaning, unpack_bits

STARTS: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
"""First bytes of a TIFF file."""

_WIDTH, _LENGTH, _BITS, _COMPRESSION, _PHOTOMETRIC, _OFFSETS = 256, 257, 258, 259, 262, 273
_ORIENTATION, _SAMPLES, _ROWS, _COUNTS, _PREDICTOR = 274, 277, 278, 279, 317
_FAX_OPTIONS, _EXTRA, _SUBSAMPLING, _JPEG_TABLES = (292, 293), 338, 530, 347
_COLOUR_TAGS: Final = (_JPEG_TABLES, _PREDICTOR, _EXTRA, 529, _SUBSAMPLING, 531, 532)
"""Tags that say how compressed colours are decoded."""

_NONE, _JPEG, _DEFLATE = 1, 7, (8, 32946)
_FAX: Final = (2, 3, 4, 32771)
_OF_BYTES: Final = (5, 32773, 34925, 50000)  # LZW, PackBits, LZMA, Zstandard

_REVERSED: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))

_MOST_COLOURS: Final = 5  # inks, and opacity

MOST_AT_ONCE: Final = 1 << 26
"""Most values of a strip, tile or chunk that is read in one piece."""

# tifffile logs malformed pages, such as one that points at itself, to the terminal.
logging.getLogger("tifffile").addHandler(logging.NullHandler())


@contextmanager
def open_page(
    file: IO[bytes], selector: PictureSelector, *, count_all: bool = True
) -> Iterator[TiffPicture]:
    """Open a picture of a TIFF file; smaller copies of a page and masks do not count.

    Parameters
    ----------
    file : binary file
        Open for reading.
    selector : PictureSelector
        Which picture and channel, if there are several.
    count_all : bool
        Whether to count the pages behind the chosen one, too, which may take a second.

    Raises
    ------
    InputError
        If a picture or a channel has to be chosen, or is not there.
    """
    import tifffile

    # Its description in OME-XML may name other files.
    with tifffile.TiffFile(file, is_ome=False) as opened:
        # Two pages at least, to recognise a stack behind one page.
        needed = max(2, selector.index[0] + 1) if selector.index else 2
        most = max(needed, MAX_COUNTED + 1) if count_all or not selector.index else needed
        once = _stop_at_repeated(opened.pages)
        full_size = (page for page in once if not int(page.subfiletype) & REDUCED_OR_MASK)
        pages = [*islice(full_size, most)] or [opened.pages.first]
        series: Any = opened.series[0] if len(pages) == 1 else None
        if series is not None and len(series.shape) > len(series.keyframe.shape):
            yield _open_behind_one_page(file, series, selector)
            return
        number = selector.page(len(pages), more=len(pages) > MAX_COUNTED)
        position = PicturePosition(len(pages), number)
        yield TiffPicture(file, pages[number], selector, position)


def _open_behind_one_page(file: IO[bytes], series: Any, selector: PictureSelector) -> TiffPicture:
    """Open a picture of a stack that only its first page describes, such as ImageJ's large ones."""
    page = series.keyframe
    before = len(series.shape) - len(page.shape)
    axes, shape = f"{series.axes[:before].lower()}yx", (*series.shape[:before], *page.shape[:2])
    key = selector.key(axes, shape)
    number = 0
    for length, place in zip(shape, key[:before], strict=False):
        number = number * length + int(place)  # type: ignore[arg-type]
    if "c" in axes:
        selector = replace(selector, channel=None)
    if series.dataoffset is None:
        raise ValueError("its pages do not follow each other")
    shift = series.dataoffset + number * page.nbytes - page.dataoffsets[0]
    return TiffPicture(file, page, selector, find_position(axes, shape, key), shift)


def _stop_at_repeated(pages: Any) -> Iterator[Any]:
    """Yield the pages of a TIFF up to the first that repeats: a page may point at itself."""
    offsets = set()
    for page in pages:
        if page.offset in offsets:
            return
        offsets.add(page.offset)
        yield page


class TiffPicture:
    """One page of a TIFF file.

    Parameters
    ----------
    file : binary file
        Open for reading.
    page : tifffile.TiffPage
        The page.
    selector : PictureSelector
        Chooses a channel.
    position : PicturePosition
        Which picture of the file it is.
    shift : int
        Bytes from the data of the page to that of the picture, in a stack behind one page.
    """

    def __init__(
        self,
        file: IO[bytes],
        page: Any,
        selector: PictureSelector,
        position: PicturePosition,
        shift: int = 0,
    ) -> None:
        self._file, self._page, self._shift = file, page, shift
        self._orientation = int(page.tags.valueof(_ORIENTATION, 1))
        self._samples = int(page.samplesperpixel)
        self._separate = int(page.planarconfig) == 2 and self._samples > 1
        self._compression = int(page.compression)
        self._meaning = find_meaning(page).choose(selector)
        self._is_ycbcr = self._meaning.photometric == YCBCR
        if self._is_ycbcr and self._separate:
            raise ValueError("its YCbCr is in separate planes")
        self.layout = self._meaning.layout
        self.position = position
        if self._meaning.kind == "channels":
            number = self._meaning.stored[0]
            self.position = replace(position, channels=self._samples, channel=number)
        height, width = int(page.imagelength), int(page.imagewidth)
        if int(page.imagedepth) > 1:
            raise ValueError("it is a volume")
        self._stored_shape = height, width
        rows = min(int(page.rowsperstrip) or height, height)
        self._segment = (
            (int(page.tilelength), int(page.tilewidth)) if page.is_tiled else (rows, width)
        )
        down, across = self._segment_counts
        planes = self._samples if self._separate else 1
        if min(len(page.dataoffsets), len(page.databytecounts)) < down * across * planes:
            raise ValueError("it is cut off")

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width, as the picture is meant to be seen."""
        return self._as_seen(self._stored_shape)

    @property
    def chunk_shape(self) -> tuple[int, int]:
        """Height and width of what is read in one piece."""
        height, width = self._segment
        return self._as_seen((1 if self._has_rows else height, width))

    def _as_seen(self, shape: tuple[int, int]) -> tuple[int, int]:
        return (shape[1], shape[0]) if self._orientation in TRANSPOSED else shape

    def check_chunk_size(self) -> None:
        """Raise InputError if strips or tiles are too large to be read."""
        height, width = self.chunk_shape
        if height * width * (1 if self._separate else self._samples) > MOST_AT_ONCE:
            raise InputError(
                f"It is stored in pieces of {width} x {height} pixels, too large to read one by "
                "one: save it in smaller chunks or tiles."
            )

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values."""
        return self._meaning.value_dtype

    def read_whole(self) -> Picture:
        """Return the picture."""
        if self._page.is_tiled or self._samples > _MOST_COLOURS:
            self.check_chunk_size()
        return compose_picture(self.read_samples(), self.position, self.layout.top)

    def read_samples(self, block: tuple[slice, slice] = (slice(None), slice(None))) -> Samples:
        """Return the values of a part, by default of the whole picture, as it is meant to be seen.

        Returns
        -------
        ndarray, shape (height, width, samples)
            As the layout says.
        """
        sides = [
            range(*side.indices(length)) for side, length in zip(block, self.shape, strict=True)
        ]
        for axis, flipped in enumerate((FLIPPED_ROWS, FLIPPED_COLUMNS)):
            if self._orientation in flipped:
                length = self.shape[axis]
                sides[axis] = range(length - sides[axis].stop, length - sides[axis].start)
        if self._orientation in TRANSPOSED:
            sides.reverse()
        samples = self._meaning.interpret(self._read_stored(*sides), self._page.colormap)
        return orient(samples, self._orientation)

    # Strips and tiles

    @property
    def _has_rows(self) -> bool:
        """Whether rows of pixels can be read one by one."""
        return (
            self._compression == _NONE
            and not self._page.is_tiled
            and not self._is_ycbcr
            and int(self._page.predictor) == 1
        )

    @property
    def _segment_counts(self) -> tuple[int, int]:
        """Numbers of strips or tiles down and across."""
        (height, width), (down, across) = self._stored_shape, self._segment
        return -(-height // down), -(-width // across)

    def _read_stored(self, rows: range, columns: range) -> Samples:
        """Return the chosen samples of a part, as they are stored."""
        height, width = self._segment
        down, across = self._segment_counts
        chosen = self._meaning.stored
        result: Samples = np.zeros((len(rows), len(columns), len(chosen)), self._meaning.dtype)
        for top in range(rows.start // height * height, rows.stop, height):
            bottom = min(top + height, self._stored_shape[0])
            first, last = max(top, rows.start), min(bottom, rows.stop)
            for left in range(columns.start // width * width, columns.stop, width):
                begin, end = max(left, columns.start), min(left + width, columns.stop)
                index = top // height * across + left // width
                target = result[
                    first - rows.start : last - rows.start,
                    begin - columns.start : end - columns.start,
                ]
                part = slice(first - top, last - top)
                for place, sample in enumerate(chosen if self._separate else (0,)):
                    at = index + (sample * down * across if self._separate else 0)
                    values = self._read_segment(at, bottom - top, part)
                    if values is None:  # left out, as all its values are 0
                        continue
                    values = values[:, begin - left : end - left]
                    if self._separate:
                        target[..., place] = values[..., 0]
                    else:
                        target[:] = values[..., chosen]
        return result

    def _read_segment(self, index: int, height: int, part: slice) -> Samples | None:
        """Return some rows of a strip or tile; `height` is the number of those in the picture."""
        page = self._page
        offset, size = page.dataoffsets[index], page.databytecounts[index]
        if not offset or not size:
            return None
        width = self._segment[1]
        samples = 1 if self._separate else self._samples
        row = -(-width * samples * self._meaning.bits // 8)
        if self._has_rows:
            data = self._read(offset + part.start * row, (part.stop - part.start) * row)
            return self._unpack(data, part.stop - part.start, width, samples)
        if page.is_tiled:
            height = self._segment[0]
        compression = self._compression
        data = self._read(offset, size, turned=compression != _JPEG)
        if compression == _JPEG or self._is_ycbcr:
            return self._decode_colours(data, height, width, samples)[part]
        expected = height * row
        if compression in _DEFLATE:
            data = zlib.decompressobj().decompress(data, expected)
        elif compression in _OF_BYTES:
            tags = {_WIDTH: row, _LENGTH: height, _BITS: 8, _COMPRESSION: compression}
            data = _decode_with_libtiff(data, tags).tobytes()
        elif compression in _FAX:
            tags = {_WIDTH: width, _LENGTH: height, _BITS: 1, _COMPRESSION: compression}
            tags |= _take_tags(page, _FAX_OPTIONS)
            return _decode_with_libtiff(data, tags)[part][..., None]
        elif compression != _NONE:
            raise ValueError(f"nothing here decodes its compression, {page.compression!s}")
        if len(data) < expected:
            raise ValueError("it is cut off")
        return self._unpack(data[:expected], height, width, samples)[part]

    def _read(self, offset: int, size: int, *, turned: bool = True) -> bytes:
        self._file.seek(offset + self._shift)
        data = self._file.read(size)
        if len(data) < size:
            raise ValueError("it is cut off")
        return data.translate(_REVERSED) if turned and int(self._page.fillorder) == 2 else data

    def _decode_colours(self, data: bytes, height: int, width: int, samples: int) -> Samples:
        """Decode JPEG and YCbCr, which become red, green and blue."""
        if self._meaning.bits != 8 or self._meaning.dtype.kind != "u":
            raise ValueError("its colours do not have 8 bits")
        compression = self._compression
        if compression == _NONE:
            data, compression = zlib.compress(data, 1), _DEFLATE[0]
        tags: dict[int, Any] = {
            _WIDTH: width,
            _LENGTH: height,
            _BITS: (8,) * samples,
            _COMPRESSION: compression,
            _PHOTOMETRIC: self._meaning.photometric if samples > 2 else BLACK_IS_ZERO,
            _SAMPLES: samples,
        }
        tags |= _take_tags(self._page, _COLOUR_TAGS)
        if samples == 1:  # the others are in separate planes
            tags.pop(_EXTRA, None)
        return np.atleast_3d(_decode_with_libtiff(data, tags))

    def _unpack(self, data: bytes, height: int, width: int, samples: int) -> Samples:
        """Turn bytes into samples."""
        stored, bits = self._meaning.dtype, self._meaning.bits
        predictor = int(self._page.predictor)
        if bits != 8 * stored.itemsize:
            if predictor != 1:
                raise ValueError(f"nothing here predicts {bits} bits")
            return unpack_bits(data, (height, width, samples), bits, stored)
        if predictor == 3 and stored.kind == "f":
            steps = np.frombuffer(data, np.uint8).reshape(height, -1, samples)
            planes = np.cumsum(steps, axis=1, dtype=np.uint8).reshape(height, stored.itemsize, -1)
            values = np.ascontiguousarray(planes.swapaxes(1, 2)).view(stored.newbyteorder(">"))
            return values.reshape(height, width, samples).astype(stored)
        order = self._page.parent.byteorder
        values = np.frombuffer(data, stored.newbyteorder(order)).astype(stored)
        values = values.reshape(height, width, samples)
        if predictor == 2:
            steps = values.view(f"u{stored.itemsize}")
            values = np.cumsum(steps, axis=1, dtype=steps.dtype).view(stored)
        elif predictor != 1:
            raise ValueError(f"nothing here decodes its predictor, {predictor}")
        return values


def _take_tags(page: Any, numbers: tuple[int, ...]) -> dict[int, Any]:
    return {
        number: page.tags[number].value for number in numbers if page.tags.get(number) is not None
    }


def _decode_with_libtiff(data: bytes, tags: Mapping[int, Any]) -> npt.NDArray[Any]:
    """Decompress a strip or tile, as a picture in a TIFF file of its own."""
    from PIL import Image
    from PIL.TiffImagePlugin import ImageFileDirectory_v2

    directory = ImageFileDirectory_v2()
    directory.tagtype[_JPEG_TABLES] = 7
    for number, value in {
        _PHOTOMETRIC: BLACK_IS_ZERO,
        _SAMPLES: 1,
        _ROWS: tags[_LENGTH],
        _OFFSETS: 0,  # from the end of the directory
        _COUNTS: len(data),
        **tags,
    }.items():
        directory[number] = value
    header = b"II*\0\x08\0\0\0"
    file = io.BytesIO(header + directory.tobytes(len(header)) + data)
    with call_pillow(), Image.open(file, formats=("TIFF",)) as image:
        values = np.asarray(image)
    if values.shape[:2] != (tags[_LENGTH], tags[_WIDTH]):
        raise ValueError("its compressed data has another size")
    return values

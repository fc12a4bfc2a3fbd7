"""Call Pillow's decoders, whose limit, log and errors are global to the process."""

from __future__ import annotations

import ctypes
import logging
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from ccl_viewer.support.forking import hold_while_forking

FORMATS: Final[Mapping[str, tuple[str, ...]]] = {
    "PNG": (".png",),
    "JPEG": (".jpg", ".jpeg"),
    "TIFF": (".tif", ".tiff"),
    "BMP": (".bmp",),
    "PPM": (".pbm", ".pgm", ".ppm"),
    "GIF": (".gif",),
    "WEBP": (".webp",),
}
"""Pillow's names of the formats that are read, with their suffixes. No other decoder is called."""

_lock = threading.Lock()
hold_while_forking(_lock)


@contextmanager
def call_pillow() -> Iterator[None]:
    """Let Pillow decode without its limit of pixels, as ours applies; one thread at a time.

    Its warnings and its log do not appear, since our errors explain the problem.

    Raises
    ------
    ValueError
        If libtiff met errors, which Pillow ignores.
    """
    from PIL import Image

    log, nowhere = logging.getLogger("PIL"), logging.NullHandler()
    with _lock, warnings.catch_warnings():
        # Pillow warns about slightly malformed files, but what it reads from them is good enough.
        warnings.simplefilter("ignore")
        log.addHandler(nowhere)
        limit = Image.MAX_IMAGE_PIXELS
        Image.MAX_IMAGE_PIXELS = None
        try:
            with _libtiff_errors() as errors:
                yield
        finally:
            Image.MAX_IMAGE_PIXELS = limit
            log.removeHandler(nowhere)
    if errors:
        raise ValueError("its compressed data has errors")


_TiffHandler = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)


@contextmanager
def _libtiff_errors() -> Iterator[list[bytes]]:
    """Collect libtiff's errors in a list instead of printing them.

    Pillow does not ask for them. The list stays empty where Pillow hides libtiff's functions, as on
    Windows, where libtiff does not print either.
    """
    from PIL import _imaging

    errors: list[bytes] = []

    def note(_module: bytes | None, sentence: bytes | None, _values: int | None) -> None:
        errors.append(sentence or b"")

    try:
        set_handler = ctypes.CDLL(_imaging.__file__).TIFFSetErrorHandler
    except (AttributeError, OSError):
        yield errors
        return
    set_handler.argtypes, set_handler.restype = [ctypes.c_void_p], ctypes.c_void_p
    handler = _TiffHandler(note)
    before = set_handler(ctypes.cast(handler, ctypes.c_void_p))
    try:
        yield errors
    finally:
        set_handler(before)

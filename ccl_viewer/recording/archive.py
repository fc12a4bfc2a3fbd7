"""The ``.cclrec`` file: a zip of a JSON manifest and NumPy arrays, without pickle.

========================  =====================================================================
``manifest.json``         format, version, what was run, and one entry a step
``image.npy``             ``uint8`` (height, width): the grid
``deltas.npy``            ``int64`` (steps, 3): changed cells, and bytes of each step's two parts
``payload.npy``           ``uint8`` (bytes,): the parts, step after step, as `delta` packs them
``layers/0/deltas.npy``   the same of the first layer, and so on
``layers/0/payload.npy``
``counts/loads/...``      the same of how often cells were loaded, and so on, if that was counted
``ledger.npy``            ``int64`` (places in the code, 32): see `ledgers`; with the counts
========================  =====================================================================

Files are not trusted: sizes are compared with the manifest before anything is allocated, every step
is decoded before the recording is returned, so that a recording that opens can be shown, and small
files that would take much memory or time are refused (`_Limits`).
"""

from __future__ import annotations

import errno
import json
import math
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.lib import format as npy

from ccl_viewer.errors import RecordingFileError, shorten
from ccl_viewer.execution.plan import Array
from ccl_viewer.recording.archive_writer import (
    DELTAS,
    IMAGE,
    LEDGER,
    MANIFEST,
    PAYLOAD,
    delta_folders,
)
from ccl_viewer.recording.data import COUNTS, RecordingData, RunDescription
from ccl_viewer.recording.delta import Delta, where_nbytes
from ccl_viewer.recording.history import LABELS, History
from ccl_viewer.recording.ledgers import COLUMNS, ROW_BYTES, TABLE_TYPE, with_sites
from ccl_viewer.recording.manifest import Manifest, OtherVersionError, from_json
from ccl_viewer.recording.packing import Packed
from ccl_viewer.recording.recording import Recording
from ccl_viewer.storage.files import check_is_no_pipe
from ccl_viewer.support.cancellation import CancelToken, Check
from ccl_viewer.support.units import counted

_MAX_MANIFEST: Final = 1 << 26
_MAX_VALUES: Final = 1 << 22
"""Most values in a manifest: each takes up to 200 bytes of memory, even if it is short. A step has
about 65 values, so a manifest can have some 60,000 steps."""

MAX_BYTES: Final = 3 << 30
"""Memory for image, frames and key frames: HA4's features of 8192 x 8192 cells take 2.6 GiB."""

_MAX_WORK: Final = 1 << 37
"""Cells x steps x arrays: 2,048 steps of 8192 x 8192 cells, or 8,192 of 4096 x 4096."""

_MAX_HEADER: Final = 1 << 10
_MAX_RATIO: Final = 1100  # deflate's highest compression ratio, and a margin

_DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    KeyError,
    OverflowError,
    RecursionError,
    NotImplementedError,
)
"""What the standard library and this module raise for invalid files."""


class _TooLargeError(Exception):
    """A file exceeds a limit; the text names it."""


@dataclass(frozen=True)
class _Limits:
    """Limits for opening a file.

    Parameters
    ----------
    cancel : CancelToken or None
        Stops the work if cancelled.
    trusted : bool
        Whether there are no limits.
    """

    cancel: CancelToken | None
    trusted: bool

    def check(self) -> None:
        """Raise if the work was cancelled."""
        if self.cancel is not None:
            self.cancel.check()

    def refuse_above(self, amount: int, most: int, name: str) -> None:
        """Raise if an amount exceeds a limit; `name` is in the message."""
        if amount > most and not self.trusted:
            raise _TooLargeError(name)


def open_recording(
    path: str | Path, cancel: CancelToken | None = None, *, trusted: bool = False
) -> Recording:
    """Open a recording.

    Parameters
    ----------
    path : str or Path
        A ``.cclrec`` file.
    cancel : CancelToken or None
        Stops the work if cancelled.
    trusted : bool
        Whether the file may take any amount of memory and time, because its origin is known.

    Returns
    -------
    Recording
        The recording as saved.

    Raises
    ------
    RecordingFileError
        If the file is missing, not a recording, damaged or truncated, takes too much memory or
        time, or is of another version.
    InputError
        If it is a pipe or a device.
    CancelledError
        If the token was cancelled.
    """
    path = Path(path)
    check_is_no_pipe(path)
    limits = _Limits(cancel, trusted)
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, limits)
    except _TooLargeError as error:
        raise RecordingFileError(
            f"{shorten(path)} would take {error}: if you know where it comes from, open it in "
            "Python with ccl_viewer.open_recording(path, trusted=True)."
        ) from None
    except OtherVersionError as error:
        raise RecordingFileError(
            f"{shorten(path)} has {error}: update the program, or record the run again."
        ) from None
    except OSError as error:
        if error.errno == errno.EINVAL:  # a seek to an impossible position
            raise _make_damage_error(path, error) from error
        reason = error.strerror or str(error)
        raise RecordingFileError(
            f"{shorten(path)} cannot be opened ({reason}): check the name and that you may read it."
        ) from error
    except MemoryError:
        raise RecordingFileError(
            f"{shorten(path)} needs more memory than there is: open it on a larger machine."
        ) from None
    except _DAMAGE as error:
        raise _make_damage_error(path, error) from error


def _make_damage_error(path: Path, error: Exception) -> RecordingFileError:
    return RecordingFileError(
        f"{shorten(path)} is not a whole recording ({str(error).rstrip('.')}): record or copy it "
        "again."
    )


def _read(archive: zipfile.ZipFile, limits: _Limits) -> Recording:
    _check_member(archive, MANIFEST)
    manifest = _read_manifest(archive, limits)
    counts = () if manifest.ledgers is None else COUNTS
    folders = delta_folders(len(manifest.layers), counts)
    _check_members(archive, folders)
    steps = manifest.steps
    if not steps:
        raise ValueError("it has no steps")
    shape = manifest.height, manifest.width
    if archive.getinfo(IMAGE).file_size < math.prod(shape):
        raise ValueError(f"{IMAGE} has another size than the manifest says")
    _check_arrays(manifest, limits)
    image = _read_array(archive, IMAGE, shape, np.dtype("u1"))
    data = RecordingData(RunDescription(image=image, **manifest.run))
    recording = Recording(data)

    def check() -> None:
        limits.check()
        _check_bytes(recording.nbytes, limits)

    data.start(manifest.layout)
    changed = _read_history(archive, "", data.label_history, len(steps), check)
    if [step.changed for step in steps] != changed:
        raise ValueError("manifest and arrays do not agree")
    for folder, head in zip(folders[1:], manifest.layers, strict=False):
        layer = data.add_layer(head.name, head.background, head.dtype, refers=head.refers)
        _read_history(archive, folder, layer, len(steps), check)
    if manifest.ledgers is not None:
        data.start_counts()
        for name, history in data.counts.items():
            _read_history(archive, f"counts/{name}/", history, len(steps), check)
        _check_member(archive, LEDGER)
        shape = manifest.ledgers.rows, COLUMNS
        table = _read_array(archive, LEDGER, shape, TABLE_TYPE)
        steps = tuple(with_sites(steps, manifest.ledgers, table, limits.check))
    data.steps.extend(steps)
    data.ending, data.failure = manifest.ending, manifest.failure
    data.fault, data.cancelled = manifest.fault, manifest.cancelled
    data.printed = manifest.printed
    data.initial_step, data.uninitialised = manifest.initial_step, manifest.uninitialised
    return recording


def _check_arrays(manifest: Manifest, limits: _Limits) -> None:
    """Raise if frames are too large or too many, before any is allocated."""
    cells = manifest.height * manifest.width
    frames = [LABELS, *(layer.dtype for layer in manifest.layers)]
    rows = 0
    if manifest.ledgers is not None:
        frames += [LABELS] * len(COUNTS)
        rows = manifest.ledgers.rows
    _check_bytes(cells * (1 + sum(frame.itemsize for frame in frames)) + rows * ROW_BYTES, limits)
    work = cells * len(manifest.steps) * len(frames)
    arrays = counted(len(frames), "array")
    limits.refuse_above(
        work,
        _MAX_WORK,
        f"long to open, with {counted(len(manifest.steps), 'step')} of {arrays} of "
        f"{manifest.width} x {manifest.height} cells",
    )


def _check_bytes(amount: int, limits: _Limits) -> None:
    limits.refuse_above(
        amount,
        MAX_BYTES,
        f"{amount / 2**30:.1f} GiB of memory, of which a file may take {MAX_BYTES >> 30}",
    )


def _check_members(archive: zipfile.ZipFile, folders: list[str]) -> None:
    _check_member(archive, IMAGE)
    for folder in folders:
        _check_member(archive, folder + DELTAS)
        _check_member(archive, folder + PAYLOAD)
        if archive.getinfo(folder + PAYLOAD).compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"{folder}{PAYLOAD} is compressed twice")


def _check_member(archive: zipfile.ZipFile, name: str) -> None:
    info = archive.getinfo(name)
    if info.flag_bits & 1:
        raise ValueError(f"{name} is encrypted")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{name} is compressed in an unknown way")
    if info.file_size > _MAX_RATIO * info.compress_size + _MAX_HEADER:
        raise ValueError(f"{name} claims to be larger than it can be")


def _read_manifest(archive: zipfile.ZipFile, limits: _Limits) -> Manifest:
    size = archive.getinfo(MANIFEST).file_size
    limits.refuse_above(size, _MAX_MANIFEST, f"much memory, as its manifest has {size:,} bytes")
    text = archive.read(MANIFEST)
    limits.check()
    values = sum(text.count(mark) for mark in (b",", b"[", b"{"))
    limits.refuse_above(values, _MAX_VALUES, f"much memory, as its manifest has {values:,} values")
    return from_json(json.loads(text, parse_constant=_refuse), limits.check)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def _read_array(
    archive: zipfile.ZipFile, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> Array:
    """Read a member of known shape and type; nothing larger is ever allocated."""
    with archive.open(name) as member:
        _check_header(member, archive.getinfo(name), shape, dtype)
        data = _read_exactly(member, name, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        _check_end(member, name)
    return np.frombuffer(data, dtype).reshape(shape)


def _check_header(
    member: IO[bytes], info: zipfile.ZipInfo, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> None:
    """Compare an array's header with the expected one; it is Python code, so it is not parsed."""
    name = info.filename
    start = _read_exactly(member, name, npy.MAGIC_LEN + 2)
    length = int.from_bytes(start[npy.MAGIC_LEN :], "little")
    if start[: npy.MAGIC_LEN] != npy.magic(1, 0) or length > _MAX_HEADER:
        raise ValueError(f"{name} has an unknown array format")
    description = npy.dtype_to_descr(dtype)
    expected = f"{{'descr': {description!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    if _read_exactly(member, name, length).strip() != expected.encode():
        raise ValueError(f"{name} has another shape or type than the manifest says")
    nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if info.file_size != len(start) + length + nbytes:
        raise ValueError(f"{name} has another size than the manifest says")


def _check_end(member: IO[bytes], name: str) -> None:
    if member.read(1):  # at the end, zipfile also compares the checksum
        raise ValueError(f"{name} is longer than the manifest says")


def _read_history(
    archive: zipfile.ZipFile, folder: str, history: History, count: int, check: Check
) -> list[int]:
    """Append the steps to the history one by one, which checks each; return numbers of changes."""
    table = _read_array(archive, folder + DELTAS, (count, 3), np.dtype("<i8"))
    cells = history.last.size
    changed, sizes = table[:, 0], table[:, 1:]
    if (changed < 0).any() or (changed > cells).any():
        raise ValueError("a step changes more cells than there are")
    limits = [
        (where_nbytes(int(count), cells), int(count) * history.dtype.itemsize) for count in changed
    ]
    if (sizes < 0).any() or (sizes > np.array(limits)).any():
        raise ValueError("a step claims more bytes than it can have")
    total = sum(int(size) for size in sizes.reshape(-1))
    name = folder + PAYLOAD
    with archive.open(name) as member:
        _check_header(member, archive.getinfo(name), (total,), np.dtype("u1"))
        deltas = (
            Delta(
                int(count),
                *(
                    Packed(_read_exactly(member, name, int(size)), full)
                    for size, full in zip((where, values), nbytes, strict=True)
                ),
            )
            for count, (where, values), nbytes in zip(changed, sizes, limits, strict=True)
        )
        history.extend(deltas, check)
        _check_end(member, name)
    counts: list[int] = changed.tolist()
    return counts


def _read_exactly(member: IO[bytes], name: str, size: int) -> bytes:
    data = member.read(size)
    if len(data) != size:
        raise EOFError(f"{name} ends too early")
    return data

"""Writes recordings as ``.cclrec`` files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.lib import format as npy

from ccl_viewer.execution.plan import Array
from ccl_viewer.recording.data import RecordingData
from ccl_viewer.recording.history import History
from ccl_viewer.recording.ledgers import make_head, make_table
from ccl_viewer.recording.manifest import to_json
from ccl_viewer.storage.files import replacing

MANIFEST: Final = "manifest.json"
IMAGE: Final = "image.npy"
DELTAS: Final = "deltas.npy"
PAYLOAD: Final = "payload.npy"
LEDGER: Final = "ledger.npy"


def save_data(data: RecordingData, path: Path, initial_step: int | None = None) -> None:
    """Write a recording.

    Parameters
    ----------
    data : RecordingData
        The recording; its steps so far are written.
    path : Path
        The file; an existing one is replaced when the new one is complete.
    initial_step : int or None
        The step at which it opens; None for the first.

    Raises
    ------
    InputError
        If there is no step yet, or the file cannot be written.
    """
    count = len(data.steps)
    histories = [data.label_history, *data.layers.values(), *data.counts.values()]
    text = json.dumps(to_json(data, count, initial_step), allow_nan=False, separators=(",", ":"))
    with (
        replacing(path) as part,
        zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        archive.writestr(zipfile.ZipInfo(MANIFEST), text, zipfile.ZIP_DEFLATED)
        _write(archive, IMAGE, data.run.image, [data.run.image.tobytes()])
        for folder, history in zip(
            delta_folders(len(data.layers), data.counts), histories, strict=True
        ):
            _write_history(archive, folder, history, count)
        if data.counts:
            table = make_table(data.steps[:count], make_head(data.steps[:count]))
            _write(archive, LEDGER, table, [table.tobytes()])


def delta_folders(layers: int, counts: Iterable[str]) -> list[str]:
    """Return the folders of the deltas: of the labels, each layer, and the counts of cells."""
    return ["", *(f"layers/{each}/" for each in range(layers)), *(f"counts/{c}/" for c in counts)]


def _write_history(archive: zipfile.ZipFile, folder: str, history: History, count: int) -> None:
    deltas = history.deltas(range(count))
    table = np.array(
        [(d.changed, len(d.where.payload), len(d.values.payload)) for d in deltas], dtype="<i8"
    ).reshape(count, 3)
    payload = (part for d in deltas for part in (d.where.payload, d.values.payload))
    _write(archive, folder + DELTAS, table, [table.tobytes()])
    stored = zipfile.ZipInfo(folder + PAYLOAD)  # the parts are already compressed
    size = np.broadcast_to(np.uint8(0), (int(table[:, 1:].sum()),))
    _write(archive, stored, size, payload)


def _write(
    archive: zipfile.ZipFile,
    name: str | zipfile.ZipInfo,
    array: Array,
    parts: Iterable[bytes | memoryview],
) -> None:
    with archive.open(name, "w", force_zip64=True) as member:
        npy.write_array_header_1_0(member, npy.header_data_from_array_1_0(array))
        for part in parts:
            member.write(part)

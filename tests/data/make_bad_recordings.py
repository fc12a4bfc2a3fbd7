"""Writes ``tests/data/bad/recordings``: small recording files, each with a different fault.

Run it from the top folder, ``python tests/data/make_bad_recordings.py``, after a change here or of
the file format, and commit what it writes.
"""

from __future__ import annotations

import bz2
import io
import json
import lzma
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.lib import format as npy

FOLDER = Path(__file__).resolve().parent / "bad" / "recordings"

Members: TypeAlias = dict[str, bytes]
Manifest: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[Manifest], object]

_DEFLATED = ("manifest.json", "image.npy", "deltas.npy")


def good() -> Members:
    """Return the members of a small recording with which nothing is wrong."""
    from support.fakes import picture, recorded

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.cclrec"
        recorded(picture("###.# ..#.# ###.."), passes=1).save(path)
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}


def packed(members: Members, compression: dict[str, int] | None = None) -> bytes:
    """Return members as a zip, which is the same whenever it is made."""
    kinds = dict.fromkeys(_DEFLATED, zipfile.ZIP_DEFLATED) | (compression or {})
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data, kinds.get(name, zipfile.ZIP_STORED), 9)
    return stream.getvalue()


def header(shape: tuple[int, ...], description: str, *, fortran: bool = False) -> bytes:
    """Return the beginning of an array's file."""
    stream = io.BytesIO()
    npy.write_array_header_1_0(
        stream, {"descr": description, "fortran_order": fortran, "shape": shape}
    )
    return stream.getvalue()


def array(values: Any, dtype: str) -> bytes:
    """Return an array's file."""
    numbers = np.asarray(values, dtype)
    return header(numbers.shape, numbers.dtype.str) + numbers.tobytes()


def recording(
    side: int,
    steps: int,
    layers: int = 0,
    where: bytes = b"",
    values: bytes = b"",
    changed: int = 0,
) -> bytes:
    """Return a recording of an empty square, in which every step says that it changes the same."""
    manifest = json.loads(good()["manifest.json"])
    step = manifest["steps"][0] | {"changed": changed, "roots": 0, "arguments": []}
    manifest |= {"height": side, "width": side, "ending": None, "steps": [step] * steps}
    manifest["layout"]["pitch"] = side + manifest["layout"]["margin"]
    manifest["layers"] = [
        {"name": f"layer_{layer}", "background": 0, "bits": 64, "refers": False}
        for layer in range(layers)
    ]
    members = {
        "manifest.json": json.dumps(manifest).encode(),
        "image.npy": header((side, side), "|u1") + bytes(side * side),
    }
    payload = (where + values) * steps
    for folder in ["", *(f"layers/{layer}/" for layer in range(layers))]:
        rows = [(changed, len(where), len(values))] * steps
        members[f"{folder}deltas.npy"] = array(rows, "<i8")
        members[f"{folder}payload.npy"] = header((len(payload),), "|u1") + payload
    return packed(members, {name: zipfile.ZIP_DEFLATED for name in members if "deltas" in name})


def bad_zips() -> Iterator[tuple[str, bytes]]:
    """Give files that are no whole zips, or zips of other things."""
    members = good()
    whole = packed(members)
    yield "empty", b""
    yield "two-letters", b"PK"
    yield "picture", b"GIF89a" + bytes(20)
    yield "empty-zip", b"PK\x05\x06" + bytes(18)
    yield "many-signatures", b"PK\x05\x06" * 300
    yield "half", whole[: len(whole) // 2]
    yield "last-bytes-missing", whole[:-7]
    yield "first-bytes-missing", whole[9:]
    yield "text-in-front", b"#!/bin/sh\n" + whole[:-4]
    for name in members:
        rest = {other: data for other, data in members.items() if other != name}
        yield f"without-{Path(name).stem}", packed(rest)
        marked = bytearray(whole)
        entry = marked.rindex(b"PK\x01\x02", 0, marked.rindex(name.encode()))
        marked[entry + 16] ^= 1
        yield f"checksum-of-{Path(name).stem}", bytes(marked)
    for name, offset, value in (
        ("encrypted", 8, struct.pack("<H", 1)),
        ("huge-member", 24, struct.pack("<I", 2**32 - 2)),
        ("member-beyond-the-end", 42, struct.pack("<I", 2**31)),
        ("unknown-compression", 10, struct.pack("<H", 99)),
        ("newer-zip", 6, struct.pack("<H", 99)),
    ):
        marked = bytearray(whole)
        entry = marked.rindex(b"PK\x01\x02", 0, marked.rindex(b"image.npy"))
        marked[entry + offset : entry + offset + len(value)] = value
        yield name, bytes(marked)
    end = whole.rindex(b"PK\x05\x06")
    yield "directory-beyond-the-end", whole[: end + 16] + struct.pack("<I", 2**32 - 2) + b"\0\0"
    yield "directory-of-nothing", whole[: end + 12] + bytes(10)
    yield "bzip2", packed(members, {"image.npy": zipfile.ZIP_BZIP2})
    yield "lzma", packed(members, {"manifest.json": zipfile.ZIP_LZMA})
    yield "payload-compressed", packed(members, {"payload.npy": zipfile.ZIP_DEFLATED})
    yield "names-with-dots", packed({f"../../{name}": data for name, data in members.items()})
    yield "names-in-capitals", packed({name.upper(): data for name, data in members.items()})
    yield "inside-a-folder", packed({f"run/{name}": data for name, data in members.items()})
    yield "only-a-bzip2", bz2.compress(whole)
    yield "only-an-lzma", lzma.compress(whole)


def bad_manifests() -> Iterator[tuple[str, bytes]]:
    """Yield recordings with a manifest that is not JSON, or nonsense."""
    members = good()
    for name, text in {
        "manifest-empty": b"",
        "manifest-brace": b"{",
        "manifest-null": b"null",
        "manifest-list": b"[]",
        "manifest-number": b"1" * 5000,
        "manifest-utf16": '{"format": "cclrec"}'.encode("utf-16"),
        "manifest-no-utf8": b'{"format": "\xff\xfe"}',
        "manifest-deep": b"[" * 100_000,
        "manifest-deep-objects": b'{"a":' * 50_000,
        "manifest-not-a-number": members["manifest.json"].replace(b'"height":3', b'"height":NaN'),
        "manifest-many-lists": b"[" + b"[]," * 5_000_000 + b"[]]",
        "manifest-twice": members["manifest.json"] * 2,
        "manifest-long-text": b'{"format":"' + b"a" * 3_000_000 + b'"}',
    }.items():
        yield name, packed({**members, "manifest.json": text})
    for name, edit in _edits().items():
        manifest = json.loads(members["manifest.json"])
        edit(manifest)
        yield name, packed({**members, "manifest.json": json.dumps(manifest).encode()})


def _edits() -> dict[str, Edit]:
    def put(key: str, value: object) -> Edit:
        return lambda manifest: manifest.__setitem__(key, value)

    def put_in(part: str, **values: object) -> Edit:
        return lambda manifest: manifest[part].update(values)

    def put_in_step(**values: object) -> Edit:
        return lambda manifest: manifest["steps"][1].update(values)

    layer = {"name": "sizes", "background": 0, "bits": 32, "refers": False}
    return {
        "format": put("format", "zip"),
        "version-0": put("version", 0),
        "version-far-ahead": put("version", 2**31 - 1),
        "version-text": put("version", "3"),
        "height-0": put("height", 0),
        "height-below-0": put("height", -3),
        "height-true": put("height", True),
        "height-huge": put("height", 10**4000),
        "height-fraction": put("height", 3.5),
        "cells-too-many": lambda manifest: manifest.update(height=2**16, width=2**16),
        "cells-more-than-there-are": lambda manifest: manifest.update(
            height=20_000, width=20_000, layout=manifest["layout"] | {"pitch": 20_002}
        ),
        "connectivity-6": put("connectivity", 6),
        "multivalued-1": put("multivalued", 1),
        "algorithm-path": put("algorithm", "../../etc/passwd"),
        "algorithm-unknown": put("algorithm", "dream"),
        "device-markup": put("device", "<b>cuda</b>"),
        "device-title-markup": put("device_title", '<img src="/dev/stdin">'),
        "device-title-formula": put("device_title", '=HYPERLINK("http://example.org")'),
        "device-title-control": put("device_title", "a\x1b]0;title\x07\x00b"),
        "device-title-surrogate": put("device_title", "\ud800"),
        "device-title-long": put("device_title", "long " * 20_000),
        "schedule-number": put("schedule", 7),
        "failure-long": put("failure", "x" * 2_000_000),
        "failure-control": put("failure", "\x1b[2J"),
        "parameters-list": put("parameters", [["passes", 1]]),
        "parameters-fraction": put("parameters", {"passes": 0.5}),
        "parameters-name": put("parameters", {"=1+1": 1}),
        "parameters-many": put("parameters", {f"p{i}": i for i in range(200)}),
        "layout-missing": lambda manifest: manifest.pop("layout"),
        "layout-pitch": put_in("layout", pitch=1),
        "layout-pitch-huge": put_in("layout", pitch=2**31 - 1),
        "layout-margin": put_in("layout", margin=65),
        "layout-origin": put_in("layout", origin=-(2**40)),
        "layers-too-many": put("layers", [layer | {"name": f"l{i}"} for i in range(65)]),
        "layers-missing": put("layers", [layer]),
        "layers-twice": put("layers", [layer, layer]),
        "layers-48-bits": put("layers", [layer | {"bits": 48}]),
        "layers-name": put("layers", [layer | {"name": "../image"}]),
        "layers-background": put("layers", [layer | {"background": 2**31}]),
        "steps-none": put("steps", []),
        "steps-object": put("steps", {"0": 1}),
        "steps-numbers": put("steps", [0] * 100_000),
        "steps-too-few": lambda manifest: manifest["steps"].pop(),
        "step-stage": put_in_step(stage="dream"),
        "step-stage-long": put_in_step(stage="dream " * 1_000),
        "step-kernel-markup": put_in_step(kernel='<img src="/dev/stdin">'),
        "step-module-path": put_in_step(module="../../../../../etc/passwd"),
        "step-module-absolute": put_in_step(module="/etc/passwd"),
        "step-module-long": put_in_step(module="a" * 5_000),
        "step-module-nul": put_in_step(module="ha4\x00"),
        "step-module-unknown": put_in_step(module="no_such_module"),
        "step-macro-name": put_in_step(macros=[["A=1 -include /etc/passwd", 1]]),
        "step-macro-value": put_in_step(macros=[["A", 10**4000]]),
        "step-macros-many": put_in_step(macros=[["A", 1]] * 5_000),
        "step-grid": put_in_step(grid=[1, 1]),
        "step-block": put_in_step(block=[1, 0, 1]),
        "step-iteration": put_in_step(iteration=0),
        "step-level": put_in_step(level=-1),
        "step-milliseconds": put_in_step(milliseconds=-1),
        "step-milliseconds-huge": put_in_step(milliseconds=10**400),
        "step-changed": put_in_step(changed=16),
        "step-changed-otherwise": put_in_step(changed=3),
        "step-roots": put_in_step(roots=16),
        "step-caption-markup": put_in_step(caption="<a href='file:///'>" * 10),
        "step-caption-number": put_in_step(caption=1),
        "step-atomics": put_in_step(atomics=2**63),
        "step-structures-many": lambda manifest: manifest["steps"][1].update(
            structures=manifest["steps"][1]["structures"] * 6
        ),
        "step-structure-0": put_in_step(
            structures=[{"part": "tile", "width": 0, "height": 1, "linear": False, "level": None}]
        ),
        "step-arguments-many": put_in_step(arguments=[["a", "int", 1]] * 257),
        "step-argument-huge": put_in_step(arguments=[["a", "int", 2**64]]),
        "step-argument-short": put_in_step(arguments=[["a"]]),
        "ending-empty": put("ending", {}),
        "ending-found": put_in("ending", found=16),
        "ending-place": put_in("ending", first_wrong=[3, 5]),
        "ending-place-text": put_in("ending", first_wrong="0"),
        "ending-fault": put_in("ending", fault=["a"]),
    }


def bad_arrays() -> Iterator[tuple[str, bytes]]:
    """Give recordings with an array that does not fit the manifest, or cannot be unpacked."""
    members = good()
    steps = 2

    def deltas(*rows: tuple[int, int, int]) -> bytes:
        return array(rows, "<i8")

    def payload(*parts: bytes) -> bytes:
        data = b"".join(parts)
        return header((len(data),), "|u1") + data

    pickled = io.BytesIO()
    np.save(pickled, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    long_header = b"\x93NUMPY\x01\x00\xff\xff" + b"{" * 65_535
    bomb = zlib.compress(bytes(10_000_000), 9)
    for name, changes in {
        "image-shape": {"image": array(np.zeros((5, 3)), "u1")},
        "image-type": {"image": array(np.zeros((3, 5)), "<i2")},
        "image-fortran": {"image": header((3, 5), "|u1", fortran=True) + bytes(15)},
        "image-pickle": {"image": pickled.getvalue()},
        "image-code": {"image": b"\x93NUMPY\x01\x00\x20\x00" + b"__import__('os')".ljust(32)},
        "image-long-header": {"image": long_header},
        "image-version-2": {"image": b"\x93NUMPY\x02\x00" + members["image.npy"][8:]},
        "image-short": {"image": members["image.npy"][:-1]},
        "image-longer": {"image": members["image.npy"] + b"\0"},
        "image-empty": {"image": b""},
        "deltas-below-0": {"deltas": deltas((-1, 0, 0), (0, 0, 0))},
        "deltas-too-many-cells": {"deltas": deltas((16, 2, 64), (0, 0, 0))},
        "deltas-overflow": {"deltas": deltas((15, 2**62, 2**62), (15, 2**62, 2**62))},
        "deltas-huge": {"deltas": deltas((15, 2, 2**40), (0, 0, 0))},
        "deltas-one-step": {"deltas": deltas((0, 0, 0))},
        "deltas-float": {"deltas": array(np.zeros((steps, 3)), "<f8")},
        "payload-short": {"payload": members["payload.npy"][:-3]},
        "payload-flat": {"payload": payload()},
        "payload-turned-round": {
            "payload": members["payload.npy"][:128] + members["payload.npy"][:127:-1]
        },
        "payload-text": {
            "deltas": deltas((9, 2, 36), (0, 0, 0)),
            "payload": payload(b"\xff\xff", b"no labels at all, but thirty-six byte"[:36]),
        },
        "payload-bomb": {
            "deltas": deltas((15, 2, 59), (0, 0, 0)),
            "payload": payload(b"\xff\xfe", bomb[:59]),
        },
        "payload-mask": {
            "deltas": deltas((9, 2, 36), (0, 0, 0)),
            "payload": payload(b"\xff\xff", bytes(36)),
        },
        "payload-ends-inside": {
            "deltas": deltas((15, 2, 8), (0, 0, 0)),
            "payload": payload(b"\xff\xfe", zlib.compress(bytes(60))[:8]),
        },
    }.items():
        changed = {f"{part}.npy": data for part, data in changes.items()}
        yield name, packed({**members, **changed})
    side, one = 200, (1).to_bytes(4, "little")
    far = (side * side).to_bytes(4, "little")
    yield "cell-outside", recording(side, 3, where=far, values=one, changed=1)
    yield "cell-twice", recording(side, 3, where=one + bytes(4), values=one * 2, changed=2)
    yield "roots-of-nothing", recording(side, 3, where=one, values=one, changed=1)
    yield "layers-of-4096-squared", recording(4096, 1, layers=25)


def bad_recordings() -> dict[str, bytes]:
    """Return all files, by name."""
    return {
        f"{name}.cclrec": data
        for part in (bad_zips, bad_manifests, bad_arrays)
        for name, data in part()
    }


def main() -> None:
    """Write the files, and delete obsolete ones."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = bad_recordings()
    for path in FOLDER.iterdir():
        if path.name not in made:
            path.unlink()
    for name, data in made.items():
        (FOLDER / name).write_bytes(data)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()

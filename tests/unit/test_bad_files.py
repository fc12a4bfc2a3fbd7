"""Bad pictures, grids and lessons: each is refused in a sentence, or opened, within limits."""

from __future__ import annotations

import importlib.util
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import tifffile
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from support.limits import run_limited

from ccl_viewer.cli import main
from ccl_viewer.errors import InputError
from ccl_viewer.grids import load_image
from ccl_viewer.lessons.checking import find_faults
from ccl_viewer.lessons.markup import find_markup_faults, to_html, to_plain_text
from ccl_viewer.lessons.reading import parse_lesson

pytest.importorskip("resource", reason="processes cannot be limited here")

DATA = Path(__file__).parents[1] / "data"
FILES = sorted(
    path
    for folder in ("pictures", "grids", "lessons")
    for path in (DATA / "bad" / folder).iterdir()
)

_OPEN_ALL = """
import json, traceback
from pathlib import Path
from ccl_viewer.errors import CCLViewerError, InputError, LessonFileError
from ccl_viewer.grids.files import Picture, load_image, load_segments, read_content
from ccl_viewer.grids.importing import PictureSource, convert, suggest_settings
from ccl_viewer.lessons import checking, read_lesson
from ccl_viewer.lessons.markup import to_html, to_plain_text

def no_run(*_):
    raise InputError("Nothing is run here.")

checking.stage = no_run

def open_lesson(path):
    try:
        opened = read_lesson(str(path))
    finally:
        checking.find_faults(path.read_text("utf-8", errors="replace"))
    for scene in opened.scenes:
        to_html(scene.caption), to_plain_text(scene.notes)

def open_grid(path):
    load_image(path)
    load_segments(path)
    content = read_content(path)
    if isinstance(content, Picture):
        convert(PictureSource(content), suggest_settings(content, array=path.suffix == ".npy"))

ended = {}
for name in sys.argv[1:]:
    path = Path(name)
    try:
        (open_lesson if path.suffix == ".toml" else open_grid)(path)
        ended[name] = ""
    except CCLViewerError as error:
        ended[name] = str(error)
    except BaseException as error:
        ended[name] = f"NO SENTENCE: {error!r}"
        traceback.print_exc()
print(json.dumps(ended))
"""


def test_every_bad_file_is_refused_in_a_sentence_within_limits() -> None:
    assert len(FILES) >= 160
    ended = json.loads(run_limited(_OPEN_ALL, *map(str, FILES), megabytes=1500, seconds=60))
    for path in FILES:
        sentence = ended[str(path)]
        if path.name.startswith("odd-"):
            assert sentence == "", path
        else:
            assert sentence.endswith((".", "wrong")), (path, sentence)
            assert path.name in sentence, (path, sentence)


def test_the_bad_files_are_those_that_the_script_makes() -> None:
    spec = importlib.util.spec_from_file_location("make_bad_files", DATA / "make_bad_files.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = script.files()
    assert {path.relative_to(DATA / "bad").as_posix() for path in FILES} == set(made)
    for name, data in made.items():
        assert (DATA / "bad" / name).read_bytes() == data, name
    assert sum(map(len, made.values())) < 300_000


_LONG_WORK = """
import io
from pathlib import Path
from PIL import Image
from ccl_viewer.errors import InputError
from ccl_viewer.grids import load_image

file = io.BytesIO()
Image.new("L", (2048, 2048), 128).save(file, "JPEG", progressive=True)
jpeg = file.getvalue()
last_scan = jpeg[jpeg.rindex(b"\\xff\\xda") : -2]
header = b"x = 9, y = 9\\n"
for name, data, told in (
    ("scans.jpg", jpeg[:-2] + last_scan * 2000 + jpeg[-2:], "scans"),
    ("fill.jpg", jpeg[:2] + b"\\xff" * 20_000_000 + jpeg[2:], "too many parts"),
    ("remarks.pgm", b"P2\\n5 5\\n9\\n" + b"#\\n" * 500_000 + b"1 " * 25, ""),
    ("remarks.txt", b"#\\n" * 600_000 + header + b"!", "Line 600001"),
    ("runs.txt", header + b"0b" * 15_000_000 + b"!", ""),
    ("row.txt", b"#" * (2**26 + 1), "67108865 x 1 cells take"),
):
    path = Path(sys.argv[1], name)
    path.write_bytes(data)
    try:
        load_image(path)
    except InputError as error:
        assert told and told in str(error), (name, error)
    else:
        assert not told, name
"""


def test_a_file_of_few_bytes_is_no_work_for_minutes(tmp_path: Path) -> None:
    """Pictures of many scans or parts, and texts of many remarks or runs, took minutes."""
    run_limited(_LONG_WORK, str(tmp_path), megabytes=1500, seconds=14)


@pytest.mark.parametrize("name", ["key-of-parts", "brackets", "quotes-open", "many-scenes"])
def test_lessons_are_refused_in_one_line(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "--text", str(DATA / "bad" / "lessons" / f"{name}.toml")]) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1


_BAD_ZARR = """
import contextlib, io, json
from pathlib import Path
from ccl_viewer.cli import main

folder, arrays = Path(sys.argv[1]), json.loads(sys.argv[2])
ended = {}
for name, file, metadata in arrays:
    path = folder / f"{name}.zarr"
    path.mkdir()
    (path / file).write_text(json.dumps(metadata))
    for out in ("out.npy", "out.zarr"):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            code = main(["label", str(path), "-o", str(folder / out), "--force"])
        ended[f"{name} {out}"] = (code, said.getvalue())
print(json.dumps(ended))
"""


def _zarr_2(**changes: object) -> dict[str, object]:
    plain = {"zarr_format": 2, "shape": [12, 20], "chunks": [5, 7], "dtype": "|u1"}
    return plain | {"compressor": None, "fill_value": 0, "order": "C", "filters": None} | changes


def _zarr_3(
    shape: list[int], chunk: list[int], inner: list[int] | None = None
) -> dict[str, object]:
    codecs: list[dict[str, object]] = [{"name": "bytes"}]
    if inner is not None:
        sharding = {"chunk_shape": inner, "codecs": codecs, "index_codecs": codecs}
        codecs = [{"name": "sharding_indexed", "configuration": sharding}]
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": shape,
        "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": codecs,
    }


def test_zarr_arrays_of_impossible_sizes_are_refused_in_a_sentence(tmp_path: Path) -> None:
    """A chunk with a side of 0 hung the program; millions of chunks of a pixel took hours."""
    side = 1 << 13
    versions_2: dict[str, dict[str, object]] = {
        "rows-0": {"chunks": [0, 7]},
        "columns-0": {"chunks": [5, 0]},
        "negative": {"chunks": [-5, 7]},
        "pixels": {"chunks": [1, 1], "shape": [side, side]},
        "narrow": {"shape": [1 << 26, 1]},
        "wide": {"shape": [1, (1 << 31) - 2]},
        "beyond": {"shape": [1 << 40, 1 << 40]},
        "memory": {"chunks": [1 << 20, 1 << 20]},
        "words": {"chunks": ["5", "7"]},
        "objects": {"dtype": "|O"},
        "one": {"shape": [240], "chunks": [7]},
    }
    versions_3 = {
        "rows-0": ([12, 20], [0, 7]),
        "huge": ([1 << 62, 1 << 62], [1 << 62, 1 << 62]),
        "inner-0": ([12, 20], [4, 4], [0, 2]),
        "inner-pixels": ([side, side], [side, side], [1, 1]),
        "shard": ([12, 20], [1 << 20, 1 << 20], [16, 16]),
    }
    arrays = [
        *((f"2-{name}", ".zarray", _zarr_2(**change)) for name, change in versions_2.items()),
        *((f"3-{name}", "zarr.json", _zarr_3(*sizes)) for name, sizes in versions_3.items()),
    ]
    ended = json.loads(
        run_limited(_BAD_ZARR, str(tmp_path), json.dumps(arrays), megabytes=2000, seconds=30)
    )
    for name, (code, said) in ended.items():
        assert code == 2, (name, said)
        assert said.count("\n") == 1, (name, said)
        assert f"{name.split()[0]}.zarr" in said


def test_a_zarr_array_with_a_bad_chunk_is_refused_without_a_traceback(tmp_path: Path) -> None:
    """Zarr's tasks for the other chunks wrote tracebacks when the program ended."""
    path = tmp_path / "in.zarr"
    path.mkdir()
    (path / ".zarray").write_text(json.dumps(_zarr_2(chunks=[1, 7])))
    for row in range(12):
        for column in range(3):
            (path / f"{row}.{column}").write_bytes(bytes(35))
    out = str(tmp_path / "out.npy")
    ended = subprocess.run(
        [sys.executable, "-m", "ccl_viewer", "label", str(path), "-o", out],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1, ended.stderr
    assert "in.zarr cannot be read" in ended.stderr


_LESSON = 'title = "A"\naims = ["A."]\n[defaults]\ngrid = "pattern:shibata"\nalgorithm = "ha4"\n'
_LONG_LESSONS = """
import json
from ccl_viewer.lessons.checking import find_faults
from ccl_viewer.lessons.markup import find_markup_faults, to_html, to_plain_text

before, pieces = json.loads(sys.argv[1])
for piece in pieces:
    text = piece * (60_000 // len(piece))
    scene = f"{before}[[scene]]\\ncaption = '''{text}'''"
    for faults in (find_faults(text + "a = 1"), find_faults(scene)):
        assert faults and all(str(fault) for fault in faults), piece
    list(find_markup_faults(text)), to_plain_text(text), to_html(text)
"""
_PIECES = [
    *("a.", "[a.", "[[", "[", "{a=", "{", "a=", '"', "'", '"""', "'''", "\\", '"\\', "#", "\n"),
    *(
        "**a ",
        "*a ",
        "**",
        "*",
        "`a",
        "`",
        "![",
        "[a](",
        "](",
        "<",
        "- ",
        "|",
        "\n \n",
        "{{",
        "{a}",
    ),
    *(
        "1",
        "1_",
        "a=1\n",
        "[a]\n[[b]]\n",
        "[[scene]]\n",
        "a.b=1\n",
        " ",
        "\t",
        "\r\n",
        "é",
        "**a** ",
    ),
]


def test_long_lessons_take_time_that_grows_with_their_length_alone() -> None:
    """A key of 60,000 parts took 7 GB; marks and brackets that are left open took minutes."""
    run_limited(_LONG_LESSONS, json.dumps([_LESSON, _PIECES]), megabytes=1000, seconds=40)


_texts = st.lists(st.sampled_from([*_PIECES, "a", "=", "[[scene]]", "]", "}", ","]), max_size=30)


@settings(deadline=None)
@given(_texts.map("".join))
def any_text_is_a_lesson_or_has_faults(text: str) -> None:
    reading = parse_lesson(text, "key")
    assert reading.faults  # nothing of this is a lesson
    for fault in reading.faults:
        assert 1 <= fault.line <= len(text.split("\n"))
    list(find_markup_faults(text))
    assert len(to_plain_text(text)) <= len(text)
    assert to_html(text).count("<b>") == to_html(text).count("</b>")
    assert isinstance(find_faults(text), tuple)


_changes = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), max_size=4)


@settings(deadline=None)
@given(path=st.sampled_from([path for path in FILES if path.suffix != ".toml"]), changes=_changes)
def changed_files_are_opened_or_refused_in_a_sentence(
    path: Path, changes: list[tuple[float, int]]
) -> None:
    data = bytearray(path.read_bytes())
    for place, value in changes:
        if data:
            data[int(place * (len(data) - 1))] = value
    with TemporaryDirectory() as folder:
        changed = Path(folder, path.name)
        changed.write_bytes(data)
        told = changed.name
        try:
            load_image(changed)
        except InputError as error:
            told = str(error)
        assert changed.name in told


def good_files() -> dict[str, dict[str, bytes]]:
    """Small good files of every reader, by name; an array of Zarr has several."""
    grey = ((np.indices((13, 17)).sum(0) % 3 > 0) * 200).astype(np.uint8)
    image, colours = Image.fromarray(grey), Image.merge("RGB", [Image.fromarray(grey)] * 3)
    two = image.convert("1")

    def saved(picture: Image.Image, kind: str, **options: Any) -> bytes:
        stream = io.BytesIO()
        picture.save(stream, kind, **options)
        return stream.getvalue()

    def tiff(values: npt.NDArray[Any], **options: Any) -> bytes:
        stream = io.BytesIO()
        tifffile.imwrite(stream, values, **options)
        return stream.getvalue()

    def npy(values: npt.NDArray[Any]) -> bytes:
        stream = io.BytesIO()
        np.save(stream, values)
        return stream.getvalue()

    files = {
        "a.png": saved(image, "PNG"),
        "palette.png": saved(image.convert("P"), "PNG"),
        "a.jpg": saved(image, "JPEG"),
        "scans.jpg": saved(colours, "JPEG", progressive=True),
        "a.bmp": saved(image, "BMP"),
        "a.gif": saved(image, "GIF", save_all=True, append_images=[two]),
        "a.webp": saved(colours, "WEBP", lossless=True),
        "a.pgm": saved(image, "PPM"),
        "a.pbm": saved(two, "PPM"),
        "plain.pgm": b"P2\n3 2\n255\n1 2 3\n200 255 9\n",
        "a.tif": tiff(grey),
        "tiles.tif": tiff(grey, tile=(16, 16), compression="zlib"),
        "stack.tif": tiff(np.stack([grey, grey]), photometric="minisblack"),
        "fax.tif": saved(two, "TIFF", compression="group4"),
        "a.npy": npy(grey),
        "columns.npy": npy(np.asfortranarray(grey * 0.5)),
        "stack.npy": npy(np.stack([grey, grey])),
        "a.rle": b"x = 6, y = 3\n2bo$pA3B$o!\n",
        "a.txt": b"#.#.\n.##.\n",
        "a.csv": b"0,1,2\n3,0,255\n",
    }
    found = {name: {"": data} for name, data in files.items()}
    with TemporaryDirectory() as folder:
        for version in (2, 3):
            path = Path(folder, f"{version}.zarr")
            zarr.create_array(path, data=grey, chunks=(5, 7), zarr_format=version)
            parts = [part for part in path.rglob("*") if part.is_file()]
            found[path.name] = {str(part.relative_to(path)): part.read_bytes() for part in parts}
    return found


GOOD = good_files()
_numbers = st.sampled_from([0, 1, 127, 128, 255]) | st.integers(0, 255)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(
    name=st.sampled_from(sorted(GOOD)),
    part=st.floats(0, 1, exclude_max=True),
    place=st.integers(0, 200) | st.floats(0, 1, exclude_max=True),
    value=_numbers | st.none(),
)
def good_files_with_a_changed_byte_or_a_missing_end_are_opened_or_refused(
    name: str, part: float, place: float, value: int | None
) -> None:
    parts = dict(GOOD[name])
    changed = sorted(parts)[int(part * len(parts))]
    data = bytearray(parts[changed])
    at = int(place * len(data)) if isinstance(place, float) else place % len(data)
    if value is None:
        del data[at:]
    else:
        data[at] = value
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        for inner, content in {**parts, changed: bytes(data)}.items():
            (path / inner).parent.mkdir(parents=True, exist_ok=True)
            (path / inner).write_bytes(content)
        told = name
        try:
            load_image(path, index=0)
        except InputError as error:
            told = str(error)
            assert told.endswith(".")
        assert name in told


@pytest.mark.parametrize(
    "held",
    [
        any_text_is_a_lesson_or_has_faults,
        changed_files_are_opened_or_refused_in_a_sentence,
        good_files_with_a_changed_byte_or_a_missing_end_are_opened_or_refused,
    ],
)
def test_what_holds_within_limits(held: Callable[[], None]) -> None:
    code = "import runpy; runpy.run_path(sys.argv[1])[sys.argv[2]]()"
    run_limited(code, __file__, held.__name__, megabytes=2000, seconds=60)

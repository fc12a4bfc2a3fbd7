"""``ccl-viewer components``: the largest on the terminal, all in a file."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from support.limits import run_limited

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.large_images import streaming

NOISE = "pattern:noise?width=90&height=70"


def run(*arguments: object) -> int:
    return main(["components", *map(str, arguments), "-d", "emulator"])


def read_rows(path: Path) -> list[tuple[str, ...]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)]


def test_the_largest_are_printed_and_all_are_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, table = tmp_path / "table.csv", ccl.components(NOISE, device="emulator")
    assert run(NOISE, "-o", out) == 0
    headings, *rows = read_rows(out)
    assert headings == table.dtype.names
    assert [tuple(map(float, row)) for row in rows] == [tuple(row) for row in table.tolist()]
    first, columns, *lines, rest = capsys.readouterr().out.splitlines()
    assert first.endswith(f"table.csv: {table.size:,} components, 4-connected.")
    assert columns.split()[:4] == ["number", "area", "perimeter", "box"]
    areas = [int(line.split()[1].replace(",", "")) for line in lines]
    assert areas == sorted(table["area"].tolist(), reverse=True)[:20]
    assert rest == f"and {table.size - 20:,} that are not larger."


def test_of_equally_large_ones_the_first_stands_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("#.##.#\n......\n##.#.#\n")
    assert run(tmp_path / "a.txt") == 0
    numbers = [int(line.split()[0]) for line in capsys.readouterr().out.splitlines()[2:]]
    assert numbers == [2, 4, 1, 3, 5, 6]


def test_small_components_can_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table.json"
    assert run(NOISE, "-c", 8, "--minimum-area", 5, "-o", out) == 0
    saved = json.loads(out.read_text(encoding="utf-8"))
    assert (saved["width"], saved["height"], saved["connectivity"]) == (90, 70, 8)
    table = ccl.components(NOISE, connectivity=8, device="emulator")
    large = table[table["area"] >= 5]
    assert [row["label"] for row in saved["components"]] == large["label"].tolist()
    assert [row["perimeter"] for row in saved["components"]] == large["perimeter"].tolist()
    assert f"{large.size} of 5 cells or more" in capsys.readouterr().out


def test_an_array_in_chunks_is_read_a_block_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "BLOCK_PIXELS", 1 << 10)
    image = np.random.default_rng(0).integers(0, 2, (70, 90), np.uint8)
    array = zarr.create_array(
        str(tmp_path / "in.zarr"), shape=image.shape, chunks=(16, 32), dtype="u1"
    )
    array[:] = image
    np.save(tmp_path / "in.npy", image)
    for source in ("in.zarr", "in.npy"):
        assert run(tmp_path / source, "-o", tmp_path / f"{source}.csv") == 0
    first, second = (read_rows(tmp_path / f"in.{kind}.csv") for kind in ("zarr", "npy"))
    assert first[0] == second[0]
    one, other = (np.array(rows[1:], np.float64) for rows in (first, second))
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_an_image_without_components_has_an_empty_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("pattern:empty", "-o", tmp_path / "table.csv") == 0
    assert len(read_rows(tmp_path / "table.csv")) == 1
    assert "0 components" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pattern:spiral", "-o", "table.xlsx"], "saved as .csv or .json"),
        (["pattern:spiral", "-o", "table"], "not as table: name it so"),
        (["pattern:spiral", "--workers", "2"], "leave out --workers"),
        (["pattern:spiral", "-a", "copy:mine"], "leave out -a"),
        (["pattern:nothing"], "pattern"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "BLOCK_PIXELS", 1 << 10)
    monkeypatch.setattr(streaming, "ROWS_AT_ONCE", 40)


def save_zarr(path: Path, image: Any) -> Path:
    array = zarr.create_array(str(path), shape=image.shape, chunks=(16, 32), dtype=image.dtype)
    array[:] = image
    return path


@pytest.mark.usefixtures("_small_pieces")
def test_capital_letters_name_the_same_formats(tmp_path: Path) -> None:
    for suffix in (".csv", ".CSV", ".json", ".Json"):
        assert run("pattern:spiral", "-o", tmp_path / f"{suffix[1:]}{suffix}") == 0
    assert (tmp_path / "CSV.CSV").read_bytes() == (tmp_path / "csv.csv").read_bytes()
    assert (tmp_path / "Json.Json").read_bytes() == (tmp_path / "json.json").read_bytes()


@pytest.mark.parametrize("kind", ["csv", "json"])
@pytest.mark.parametrize(
    "options", [(), ("-c", 8, "--minimum-area", 4), ("--multivalued",)], ids=["4", "8", "values"]
)
def test_a_file_has_the_table_and_the_words_of_the_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, options: tuple[Any, ...]
) -> None:
    image = np.random.default_rng(1).integers(0, 3, (100, 130), np.uint8)
    image[50:52] = 1
    if options[:1] != ("--multivalued",):
        image = np.minimum(image, 1)
    save_zarr(tmp_path / "in.zarr", image)
    np.save(tmp_path / "in.npy", image)
    said, printed = [], []
    for source in ("in.zarr", "in.npy"):
        out = tmp_path / f"{source}.{kind}"
        assert run(tmp_path / source, "-o", out, *options) == 0
        said.append(capsys.readouterr().out.replace(str(out), "OUT"))
        assert run(tmp_path / source, *options) == 0
        printed.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert printed[0] == printed[1]
    first, second = (tmp_path / f"in.{source}.{kind}" for source in ("zarr", "npy"))
    if kind == "json":
        one, other = (json.loads(path.read_text(encoding="utf-8")) for path in (first, second))
        tables = [[[*row.values()] for row in each.pop("components")] for each in (one, other)]
        assert one | {"source": ""} == other | {"source": ""}
    else:
        tables = [[[*map(float, row)] for row in read_rows(path)[1:]] for path in (first, second)]
    np.testing.assert_allclose(tables[0], tables[1], rtol=1e-9, atol=1e-9)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["in.npy", "in.zarr", first.name, second.name]
    )


def test_json_is_written_as_its_module_writes_it(tmp_path: Path) -> None:
    for minimum in (1, 10**6):
        assert run(NOISE, "-o", tmp_path / "table.json", "--minimum-area", minimum) == 0
        text = (tmp_path / "table.json").read_text(encoding="utf-8")
        assert text == json.dumps(json.loads(text), indent=1) + "\n"


_LARGE = """
import json, resource, sys
from pathlib import Path
import numpy as np, zarr
import ccl_viewer as ccl
from ccl_viewer.large_images import streaming
from ccl_viewer.cli import main

streaming.BLOCK_PIXELS, streaming.ROWS_AT_ONCE = 1 << 18, 1 << 14
folder = Path(sys.argv[1])
side = 512
array = zarr.create_array(str(folder / "in.zarr"), shape=(4 * side, 4 * side), chunks=(side, side),
                          dtype="bool")
generator = np.random.default_rng(0)

def fill(rows):
    for row in rows:
        for column in range(4):
            array[row * side : (row + 1) * side, column * side : (column + 1) * side] = (
                generator.random((side, side)) < 0.5
            )

def run(out):
    assert main(["components", str(folder / "in.zarr"), "-o", str(folder / out), "-d", "emulator",
                 "--workers", "1", "-q"]) == 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

fill([0])
before = run("first.csv")
fill(range(1, 4))
after = run("second.csv")
print(json.dumps([(folder / "second.csv").stat().st_size >> 20, (after - before) >> 10]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_memory_does_not_grow_with_the_table(tmp_path: Path) -> None:
    *_, told = run_limited(_LARGE, str(tmp_path), megabytes=2000, seconds=120).splitlines()
    written, megabytes = json.loads(told)
    assert written > 15
    assert megabytes < 25  # with the whole table in memory 58

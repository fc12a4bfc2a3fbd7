"""``ccl-viewer components``: the largest on the terminal, all in a file, also of large images."""

from __future__ import annotations

import csv
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import ccl_viewer as ccl
from ccl_viewer.cli import main
from ccl_viewer.large_images import streaming
from ccl_viewer.support.cancellation import CancelToken

NOISE = "pattern:noise?width=90&height=70"


def run(*arguments: object) -> int:
    return main(["components", *map(str, arguments), "-d", "emulator"])


def read_rows(path: Path) -> list[tuple[str, ...]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [tuple(row) for row in csv.reader(file)]


def save_zarr(path: Path, image: Any) -> Path:
    array = zarr.create_array(str(path), shape=image.shape, chunks=(16, 32), dtype=image.dtype)
    array[:] = image
    return path


def test_the_largest_are_printed_and_all_are_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, table = tmp_path / "table.csv", ccl.components(NOISE, device="emulator")
    assert run(NOISE, "-o", out) == 0
    headings, *rows = read_rows(out)
    assert headings == table.dtype.names
    assert [tuple(map(float, row)) for row in rows] == [tuple(row) for row in table.tolist()]
    _, _, *lines, rest = capsys.readouterr().out.splitlines()
    areas = [int(line.split()[1].replace(",", "")) for line in lines]
    assert areas == sorted(table["area"].tolist(), reverse=True)[:20]
    assert rest.startswith(f"and {table.size - 20:,} that are not larger")


def test_small_components_can_be_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "table.json"
    assert run(NOISE, "-c", 8, "--minimum-area", 5, "-o", out) == 0
    text = out.read_text(encoding="utf-8")
    saved = json.loads(text)
    assert text == json.dumps(saved, indent=1) + "\n"
    assert (saved["width"], saved["height"], saved["connectivity"]) == (90, 70, 8)
    table = ccl.components(NOISE, connectivity=8, device="emulator")
    large = table[table["area"] >= 5]
    assert [row["label"] for row in saved["components"]] == large["label"].tolist()
    assert [row["perimeter"] for row in saved["components"]] == large["perimeter"].tolist()
    assert f"{large.size} of 5 cells or more" in capsys.readouterr().out


def test_an_array_in_chunks_has_the_table_and_the_words_of_the_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = np.random.default_rng(1).integers(0, 2, (100, 130), np.uint8)
    np.save(tmp_path / "in.npy", image)
    save_zarr(tmp_path / "in.zarr", image)
    said, tables, described = [], [], []
    for source in ("in.zarr", "in.npy"):
        assert run(tmp_path / source, "-o", tmp_path / "out.csv") == 0
        said.append(capsys.readouterr().out)
        tables.append([[*map(float, row)] for row in read_rows(tmp_path / "out.csv")[1:]])
        assert run(tmp_path / source, "-o", tmp_path / "out.json", "-q") == 0
        described.append(json.loads((tmp_path / "out.json").read_text("utf-8")))
    assert said[0] == said[1]
    np.testing.assert_allclose(tables[0], tables[1], rtol=1e-9, atol=1e-9)
    for row, other in zip(described[0].pop("components"), tables[0], strict=True):
        np.testing.assert_allclose([*row.values()], other, rtol=1e-9, atol=1e-9)
    described[1].pop("components")
    assert described[0] | {"source": ""} == described[1] | {"source": ""}


@pytest.mark.parametrize(
    ("connectivity", "multivalued", "minimum"), [(4, False, 1), (8, False, 4), (4, True, 1)]
)
def test_a_table_found_in_small_blocks_is_that_of_the_whole(
    tmp_path: Path, connectivity: int, multivalued: bool, minimum: int
) -> None:
    image = np.random.default_rng(1).integers(0, 3 if multivalued else 2, (100, 130), np.uint8)
    image[50:52] = 1
    options: Any = {
        "connectivity": connectivity,
        "device": "emulator",
        "multivalued": multivalued,
    }
    (tmp_path / "rows").mkdir()
    found = streaming.tabulate_file(
        streaming.open_source(save_zarr(tmp_path / "in.zarr", image)),
        tmp_path / "rows",
        partial(ccl.label, **options),
        partial(ccl.components, **options),
        connectivity,
        streaming.make_thread_runner(2, CancelToken(), lambda _: None),
        multivalued=multivalued,
        minimum_area=minimum,
        block_pixels=1 << 10,
        rows_at_once=40,
    )
    parts = list(found.parts)
    assert max(part.size for part in parts) < 130
    table = np.concatenate(parts)
    whole = ccl.components(image, **options)
    assert found.count == whole.size
    large = whole[whole["area"] >= minimum]
    for name in large.dtype.names or ():
        np.testing.assert_allclose(table[name], large[name], rtol=1e-9, atol=1e-9, err_msg=name)

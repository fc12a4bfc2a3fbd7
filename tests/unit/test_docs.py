"""The commands on the pages of docs/ run as they are written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ccl_viewer import exercises, lessons
from ccl_viewer.cli import main

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(
    path
    for path in DOCS.rglob("*.md")
    if "```console" in path.read_text("utf-8") and "algorithms" not in path.parts
)


def commands(page: Path) -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert all(line.startswith("$ ccl-viewer ") for line in lines)
    return [shlex.split(line)[2:] for line in lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "allowed.json"))
    cells = np.random.default_rng(1).random((24, 32)) < 0.4
    Image.fromarray(np.where(cells, 255, 0).astype(np.uint8)).save("photo.png")
    for command in commands(page):
        assert main(command) == 0, command


@pytest.mark.parametrize("page", ["guides/library", "own_algorithm", "large"])
def test_python_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CCL_VIEWER_ALGORITHMS", str(tmp_path / "allowed.json"))
    cells = (np.random.default_rng(1).random((12, 16)) < 0.5).astype(np.uint8)
    names: dict[str, object] = {"image": cells, "segments": cells * 2}
    if page == "large":
        pytest.importorskip("zarr").save_array("image.zarr", cells)
        pytest.importorskip("dask")
    if page == "own_algorithm":
        assert main(["new", "mine"]) == 0
    text = (DOCS / f"{page}.md").read_text("utf-8")
    blocks = [
        block
        for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        if "gpu_cluster" not in block
    ]
    assert blocks
    for block in blocks:
        exec(block, names)  # noqa: S102  (it is the page's own)


def test_every_page_belongs_to_the_site() -> None:
    listed = set()
    for page in DOCS.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}(.*?)```", page.read_text("utf-8"), re.DOTALL):
            names = [line for line in block.split() if not line.startswith(":")]
            listed |= {(page.parent / f"{name}.md").resolve() for name in names}
    pages = {path.resolve() for path in DOCS.rglob("*.md") if "algorithms" not in path.parts}
    assert pages - listed == {DOCS / "index.md"}


_WORDS = {10: "ten", 11: "eleven", 12: "twelve", 13: "thirteen", 14: "fourteen", 15: "fifteen"}


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", "docs/index.md", "docs/teaching.md"])
def test_pages_count_lessons_and_exercises_right(page: str) -> None:
    text = (DOCS.parent / page).read_text(encoding="utf-8").casefold()
    for noun, names in (
        ("lessons", lessons.lesson_names()),
        ("exercises", exercises.exercise_names()),
    ):
        counted = re.findall(rf"\b({'|'.join(_WORDS.values())}) {noun}", text)
        assert set(counted) <= {_WORDS[len(names)]}

"""The README keeps up with the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from ccl_viewer.algorithms import ALGORITHMS
from ccl_viewer.cli import main
from ccl_viewer.grids import save_grid

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_algorithm_is_named(key: str) -> None:
    assert f"`{key}`" in TEXT


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) < 120


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)]+)\)", TEXT))))
def test_every_link_leads_to_a_file(link: str) -> None:
    assert (ROOT / link).is_file()


def test_the_moving_picture_is_small() -> None:
    assert (ROOT / "docs/images/spreading.webp").stat().st_size < 600_000


def test_its_commands_are_understood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_grid("photo.png", np.eye(9, 12, dtype=np.uint8))
    commands = {line: shlex.split(line)[1:] for line in re.findall(r"`(ccl-viewer [^`]+)`", TEXT)}
    codes = {
        line: main([*words, "--text"] if words[0] == "lesson" else words)
        for line, words in commands.items()
    }
    # What a paper forgot is found: 1 says that something is wrong.
    broken = [line for line in codes if line.startswith("ccl-viewer check")]
    assert codes == {line: int(line in broken) for line in codes}
    assert len(broken) == 1
    assert (tmp_path / "race.html").is_file()


def test_its_python_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {"image": np.eye(4, dtype=np.uint8)}
    exec(code, names)  # noqa: S102  (it is the README's own)
    assert names["count"] == 4

"""docs/design.md describes the tree as it is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ccl_viewer"
DESIGN = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
SOURCE_TREE = DESIGN.split("## The source tree")[1].split("```")[1]


def test_layers_are_those_that_are_held() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
        "importlinter"
    ]["contracts"]
    held = [set(layer.split(" | ")) for layer in contracts[0]["layers"]]
    (line,) = re.findall(r"Imports run down only: `([^`]+)`", DESIGN)
    said = [set(re.split(r", | \| ", layer)) for layer in line.split(" → ")]
    assert said == [layer for layer in held if layer != {"__main__"}]


def test_every_module_that_is_named_is_there() -> None:
    folders = (PACKAGE, ROOT / "tests", ROOT / "benchmarks")
    files = {path.as_posix() for folder in folders for path in folder.rglob("*.py")}
    named = set(re.findall(r"\b((?:\w+/)*\w+\.py)\b", DESIGN)) - {"window/FEATURE/model.py"}
    missing = [name for name in named if not any(file.endswith(f"/{name}") for file in files)]
    assert missing == []


def test_every_package_and_module_at_the_top_is_described() -> None:
    names = [path.name for path in PACKAGE.iterdir() if path.suffix == ".py"]
    names += [f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")]
    assert [name for name in names if name not in {"__main__.py"} and name not in SOURCE_TREE] == []

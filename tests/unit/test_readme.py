"""The README keeps up with the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from ccl_viewer.algorithms import ALGORITHMS

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_algorithm_is_named(key: str) -> None:
    assert f"`{key}`" in README.read_text(encoding="utf-8")

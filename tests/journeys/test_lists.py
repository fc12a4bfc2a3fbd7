"""The list of what people can do names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_each_line_names_a_test_of_the_window() -> None:
    text = (HERE / "window.md").read_text("utf-8")
    rows = re.findall(r"^\| (?!\*\*|what|---)(.+) \| (\w+\.py)::(\w+) \|$", text, re.MULTILINE)
    assert len(rows) == sum(line.count("::") for line in text.splitlines()) > 60
    missing = [
        f"{what}: {file}::{name}"
        for what, file, name in rows
        if f"def {name}(" not in (HERE.parent / "window" / file).read_text("utf-8")
    ]
    assert missing == []

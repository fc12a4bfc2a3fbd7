"""Numbers with their nouns."""

from __future__ import annotations

from ccl_viewer.counted import counted


def test_one_is_not_several() -> None:
    assert counted(1, "cell") == "1 cell"
    assert counted(0, "cell") == "0 cells"
    assert counted(1024, "cell") == "1,024 cells"
    assert counted(2, "pass", "passes") == "2 passes"

"""Texts that are longer than their place."""

from __future__ import annotations

import pytest

from ccl_viewer.views.elided import whole_parts


@pytest.mark.parametrize(
    ("room", "shown"), [(40, "one, two, three"), (9, "one, two"), (7, "one"), (1, "one")]
)
def test_parts_are_shown_whole_or_not_at_all(room: int, shown: str) -> None:
    assert whole_parts("one, two, three", ", ", lambda text: len(text) <= room) == shown

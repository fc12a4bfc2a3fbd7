"""What was remembered: taken where it fits its field, and left out where it does not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import pytest

from ccl_viewer.support.dataclass_json import from_json


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True)
class Choices:
    side: Side = Side.LEFT
    seconds: float | None = 2.0
    on: bool = False
    theme: Literal["dark", "light"] = "dark"


def test_what_fits_is_taken() -> None:
    values = {"side": "right", "seconds": None, "on": True, "theme": "light", "other": 3}
    assert from_json(Choices(), values) == Choices(Side.RIGHT, None, True, "light")


@pytest.mark.parametrize("damage", ["?", [], {"a": 1}, 1, float("nan"), {}])
def test_what_is_damaged_is_left_out(damage: object) -> None:
    assert from_json(Choices(), dict.fromkeys(vars(Choices()), damage)) == Choices()
    assert from_json(Choices(), damage) == Choices()

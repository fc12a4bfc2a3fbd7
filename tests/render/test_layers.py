"""The rows of layers: what they name exists, for the window and for pages."""

from __future__ import annotations

import re
from dataclasses import fields

import pytest

from ccl_viewer.render.layers import DIFFERENCE, SWITCHES, Layers, LayerSwitch
from ccl_viewer.render.legend import SAMPLES, LegendContents
from ccl_viewer.render.step_view import StepView
from ccl_viewer.storage.resources import assets_folder

ROWS = {**SWITCHES, "difference": DIFFERENCE}


def names_of(kind: type) -> set[str]:
    return {one.name for one in fields(kind)}


def test_each_layer_has_a_row() -> None:
    switched = {one.name for one in fields(Layers) if one.type == "bool"}
    assert set(SWITCHES) == switched


@pytest.mark.parametrize(("name", "row"), ROWS.items())
def test_a_row_names_its_icon_and_its_samples(name: str, row: LayerSwitch) -> None:
    assert (assets_folder() / "icons" / f"{row.icon or name}.svg").is_file()
    style = (assets_folder() / "page" / "player.css").read_text("utf-8")
    for line in row.legend:
        for sample in filter(None, (line.sample, line.small)):
            assert re.search(rf"\.sample\.{sample}\b", style)
            assert name == "difference" or sample in SAMPLES
        assert not line.array or line.array in names_of(LegendContents) & names_of(StepView)
    if row.legend and name in SWITCHES:
        assert row.needs in names_of(StepView)


def test_keys_are_those_of_one_layer() -> None:
    for keys in (
        [row.key for row in ROWS.values() if row.key],
        [row.page_key for row in ROWS.values() if row.page_key],
    ):
        assert len(keys) == len(set(keys))

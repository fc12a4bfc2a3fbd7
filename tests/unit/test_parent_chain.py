"""The way from a cell to its root: the same however cells are looked up, and with few looks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from ccl_viewer.plan import LabelLayout
from ccl_viewer.session.showing import parent_chain as module
from ccl_viewer.session.showing.parent_chain import parent_chain
from ccl_viewer.session.state import Cell

LAYOUTS = [LabelLayout(5, 7, 7, background=-1), LabelLayout(5, 7, 9, margin=1)]

Labels = npt.NDArray[np.int32]


def followed(labels: Labels, layout: LabelLayout, cell: Cell) -> tuple[Cell, ...]:
    """Follow a chain in the plainest way."""
    parents = layout.parents(labels)
    chain: list[Cell] = []
    while 0 <= (parent := int(parents[cell[1], cell[0]])) < labels.size:
        above = (parent % layout.width, parent // layout.width)
        if above in chain:
            break
        chain.append(above)
        if above == cell:
            break
        cell = above
    return tuple(chain)


@pytest.mark.parametrize("layout", LAYOUTS, ids=["bare", "padded"])
@pytest.mark.parametrize("near", [0, 1, 2, 32])
@given(data=st.data())
def test_any_labels_are_followed_to_the_end(
    data: st.DataObject, layout: LabelLayout, near: int
) -> None:
    labels = data.draw(st_numpy.arrays(np.int32, (5, 7), elements=st.integers(-2, 70)))
    cell = data.draw(st.tuples(st.integers(0, 6), st.integers(0, 4)))
    flat = labels.reshape(-1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_NEAR", near)
        found = parent_chain(lambda cells: flat[cells], layout, cell)
    assert found == followed(labels, layout, cell)


@pytest.mark.parametrize("step", [1, 3_000], ids=["along a row", "along a column"])
def test_long_chains_of_small_steps_take_few_looks(step: int) -> None:
    layout = LabelLayout(3_000, 3_000, 3_000, background=-1)
    looks = []

    def labels(cells: npt.NDArray[np.int64]) -> Labels:
        looks.append(cells.size)
        return np.maximum(cells - step, 0).astype(np.int32)

    chain = parent_chain(labels, layout, (2_999 if step == 1 else 0, 0 if step == 1 else 2_999))
    assert len(chain) == 2_999
    assert chain[-1] == (0, 0)
    assert len(looks) < 100
    assert looks[0] == 1, "most chains are short"

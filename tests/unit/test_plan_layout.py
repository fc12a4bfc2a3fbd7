"""What label values mean: addresses, padding, background."""

from __future__ import annotations

import numpy as np

from ccl_viewer.execution.plan import LabelLayout


def test_padded_addresses_become_linear_indices() -> None:
    layout = LabelLayout(2, 3, pitch=5, margin=1)
    raw = np.zeros((4, 5), np.uint32)
    raw[1, 1:4] = (6, 6, 8)
    raw[2, 1:4] = (0, 8, 13)
    labels = layout.crop(raw)
    np.testing.assert_array_equal(labels, [[6, 6, 8], [0, 8, 13]])
    np.testing.assert_array_equal(layout.parents(labels), [[0, 0, 2], [-1, 2, 5]])


def test_address_zero_is_a_label_where_background_is_minus_one() -> None:
    layout = LabelLayout(1, 3, pitch=3, background=-1)
    labels = np.array([[0, 0, -1]], np.int32)
    np.testing.assert_array_equal(layout.parents(labels), [[0, 0, -1]])


def test_an_origin_shifts_addresses() -> None:
    layout = LabelLayout(2, 2, pitch=2, origin=1)
    labels = np.array([[1, 1], [0, 4]], np.int32)
    np.testing.assert_array_equal(layout.parents(labels), [[0, 0], [-1, 3]])


def test_addresses_are_the_labels_that_lead_back_to_their_cells() -> None:
    layout = LabelLayout(3, 5, pitch=9, margin=2, origin=-100, background=-200)
    cells = np.arange(15)
    labels = layout.addresses(cells).astype(np.int32)
    np.testing.assert_array_equal(layout.parents(labels), cells)
    assert layout.addresses(0) == 2 * 9 + 2 - 100
    assert [layout.addresses(cell) for cell in range(15)] == labels.tolist()

"""Texts of a settings file are read back as they were written, and damaged ones are refused."""

from __future__ import annotations

import pytest

from ccl_viewer.settings_text import read_number, read_truth, truth_text


@pytest.mark.parametrize("value", [True, False])
def test_truth_comes_back(value: bool) -> None:
    assert read_truth(truth_text(value)) is value
    assert read_truth(str(value)) is value


@pytest.mark.parametrize("text", ["", "1", "yes", "true "])
def test_what_is_neither_true_nor_false_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="neither"):
        read_truth(text)


def test_numbers_come_back() -> None:
    assert read_number(str(0.1)) == 0.1


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-inf"])
def test_what_is_no_finite_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"finite|convert"):
        read_number(text)

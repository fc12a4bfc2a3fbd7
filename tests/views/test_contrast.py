"""Texts on colours have the contrast that WCAG 2 asks for, 4.5 to 1."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from ccl_viewer.render.stages import STAGE_COLORS
from ccl_viewer.views.canvas.cell_colours import DIMMED
from ccl_viewer.views.canvas.style import style_of
from ccl_viewer.views.looks.theme import DARK, LIGHT, Theme, text_on


def luminance(colour: str) -> float:
    made = QColor(colour)
    parts = (made.redF(), made.greenF(), made.blueF())
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_names_of_stages_can_be_read() -> None:
    for colour in STAGE_COLORS.values():
        assert contrast(colour, text_on(colour)) >= 4.5


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_numbers_in_cells_can_be_read(theme: Theme) -> None:
    style = style_of(theme, 1.0)
    for shade, ink in list(zip(style.shades, style.inks, strict=True))[:DIMMED]:
        assert contrast(shade, ink) > 4.49, shade  # one shade of the depths is as near as can be


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_texts_of_the_window_can_be_read(theme: Theme) -> None:
    for ground in (theme.window, theme.surface, theme.raised):
        for ink in (theme.text, theme.dim, theme.accent, theme.ok, theme.warning, theme.error):
            assert contrast(ground, ink) >= 4.5, (ground, ink)
    for ground in (theme.ok, theme.warning, theme.error):
        assert contrast(ground, text_on(ground)) >= 4.5
    assert contrast(theme.accent, theme.on_accent) >= 4.5

"""Colours of labels differ visibly under the three colour-vision deficiencies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from ccl_viewer.render.themes import DOTS, FIRST_COLOUR, HUES, LABEL_COLOURS, THEMES, CanvasTheme

Colours = npt.NDArray[np.float64]

# What is left of linear red, green and blue, without one kind of cones.
# Source: G. M. Machado, M. M. Oliveira, L. A. F. Fernandes: A physiologically-based model for
# simulation of color vision deficiency. IEEE Trans. Vis. Comput. Graph. 15 (2009), severity 1
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def lab(colours: npt.ArrayLike, vision: str) -> Colours:
    """Colours as CIELAB has them, for somebody who sees that way."""
    share = np.array(colours, np.float64) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ VISIONS[vision].T, 0, 1)
    xyz = seen @ TO_XYZ.T / np.array([0.95047, 1, 1.08883])
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1
    )


def least_distance(colours: npt.ArrayLike, vision: str) -> float:
    seen = lab(colours, vision)
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    return float(apart[~np.eye(len(seen), dtype=bool)].min())


@pytest.mark.parametrize("vision", VISIONS)
def test_any_two_colours_of_labels_can_be_told_apart(vision: str) -> None:
    """A just noticeable difference is about 2.3."""
    assert least_distance(HUES, vision) > 16
    assert least_distance(LABEL_COLOURS, vision) > 11


@pytest.mark.parametrize("vision", VISIONS)
def test_dots_stand_out_from_their_colour(vision: str) -> None:
    dotted = LABEL_COLOURS[len(HUES) :]
    assert len(dotted) == len(DOTS)
    for colour, dot in zip(dotted, DOTS, strict=True):
        assert least_distance([colour, LABEL_COLOURS[dot - FIRST_COLOUR]], vision) > 14


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_colours_stand_out_from_the_background(theme: CanvasTheme, vision: str) -> None:
    for colour in LABEL_COLOURS:
        assert least_distance([colour, theme.background], vision) > 15

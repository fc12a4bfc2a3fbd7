"""Colours that everybody can distinguish, for labels and for the values of grids."""

from __future__ import annotations

from typing import Final, TypeAlias

Rgb: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

OKABE_ITO: Final[tuple[Rgb, ...]] = (
    (230, 159, 0),
    (86, 180, 233),
    (0, 158, 115),
    (240, 228, 66),
    (0, 114, 178),
    (213, 94, 0),
    (204, 121, 167),
)
"""Okabe and Ito's colours, which remain distinct under the three colour-vision deficiencies."""

"""Makes the sample photo, ``assets/samples/coins.jpg``: coins on a cloth, in slanting light.

Run it from the checkout: ``python docs/images/sample_photo.py``. Otsu's threshold finds every coin;
two of them touch.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageFilter

SIZE = (360, 480)
METALS = ((232, 204, 110), (205, 205, 210), (226, 168, 134))
GAP = 7


def places(random: np.random.Generator) -> list[tuple[float, float, float]]:
    """Return row, column and radius of coins that do not overlap; the last two touch."""
    coins: list[tuple[float, float, float]] = [(70, 90, 34)]
    for _ in range(4000):
        radius = float(random.choice((19, 24, 29, 34)))
        row, column = random.uniform(radius + 8, [side - radius - 8 for side in SIZE])
        if all(np.hypot(row - r, column - c) > radius + other + GAP for r, c, other in coins):
            coins.append((row, column, radius))
    row, column, radius = coins.pop()
    near = min(coins, key=lambda coin: np.hypot(coin[0] - row, coin[1] - column) - coin[2])
    away = np.hypot(row - near[0], column - near[1])
    share = (near[2] + radius - 1) / away
    moved = near[0] + (row - near[0]) * share, near[1] + (column - near[1]) * share
    return [*coins, (*moved, radius)]


def photo() -> Image.Image:
    """Return the picture."""
    random = np.random.default_rng(7)
    rows, columns = np.indices(SIZE)
    weave = 5 * (np.sin(rows * 2.1) * np.sin(columns * 2.1)) + random.normal(0, 4, SIZE)
    light = 1.1 - 0.14 * rows / SIZE[0] - 0.12 * columns / SIZE[1]
    picture = np.array((38, 62, 58)) + weave[..., None]
    for row, column, radius in places(random):
        down, along = rows - row, columns - column
        far = np.hypot(down, along) / radius
        shadow = np.hypot(down - 3, along - 4) / radius < 1
        picture[shadow] *= 0.55
        rim = np.where((far > 0.84) & (far < 0.9), 0.86, 1.0)
        turn = random.uniform(0, 2 * np.pi)
        spokes = np.cos(int(random.integers(3, 7)) * (np.arctan2(down, along) - turn))
        relief = np.where(far < 0.7, 1 + 0.05 * spokes * np.sin(far * 9), 1.0)
        slope = 1 - 0.12 * (down + along) / radius * far**2
        metal = np.array(METALS[int(random.integers(len(METALS)))])
        coin = metal * (rim * relief * slope)[..., None]
        edge = np.clip((1 - far) * radius + 0.5, 0, 1)[..., None]
        picture = picture * (1 - edge) + coin * edge
    picture = picture * light[..., None] + random.normal(0, 2, (*SIZE, 3))
    made = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    return made.filter(ImageFilter.GaussianBlur(0.6))


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[2] / "assets" / "samples" / "coins.jpg"
    photo().save(path, quality=85)

"""In how many columns lanes lie, so that cells are as large as can be; without a widget."""

from __future__ import annotations


def places_of(
    lanes: int, width: float, height: float, shape: tuple[int, int], extra: float = 0.0
) -> int:
    """Return the columns in which grids side by side are largest.

    Parameters
    ----------
    lanes : int
        How many there are, 1 or more.
    width, height : float
        Room for all of them.
    shape : tuple of int
        (height, width) of the grid, in cells.
    extra : float
        Height that each lane needs beside its grid.

    Returns
    -------
    int
        From 1 to `lanes`. Of choices that are as good, the one with the fewest places left empty,
        and then with the most columns.
    """

    def worth(columns: int) -> tuple[int, int, int]:
        rows = -(-lanes // columns)
        across = width / columns / shape[1]
        down = max(height / rows - extra, 1.0) / shape[0]
        return round(200 * min(across, down)), lanes - rows * columns, columns

    return max(range(1, lanes + 1), key=worth)

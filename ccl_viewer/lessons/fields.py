"""Reads the fields of a lesson's file by type, and collects faults."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final, TypeVar

from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.faults import Fault, did_you_mean
from ccl_viewer.lessons.positions import Path, Positions

_T = TypeVar("_T")

_MAX_INTEGER: Final = 2**31 - 1


class FaultList:
    """The faults of a text, each with its line.

    Parameters
    ----------
    positions : Positions
        The lines of keys and elements.
    """

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._faults: set[Fault] = set()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults so far, from the top."""
        return tuple(sorted(self._faults))

    def add(self, path: Path, text: str) -> None:
        """Add a fault of the value at a path."""
        self._faults.add(Fault(self._positions.line(path), text))


class TableReader:
    """A table of the file; checks each value that is read from it.

    Parameters
    ----------
    data : mapping
        Its keys and values.
    path : tuple
        Its position in the file.
    faults : FaultList
        Receives the faults.
    """

    def __init__(self, data: Mapping[str, Any], path: Path, faults: FaultList) -> None:
        self._data = data
        self._path = path
        self._faults = faults

    def __contains__(self, key: str) -> bool:
        return key in self._data

    @property
    def keys(self) -> tuple[str, ...]:
        """Its keys, in the order of the file."""
        return tuple(self._data)

    def lacks(self, key: str) -> bool:
        """Whether a key is missing, or has an empty array."""
        return key not in self._data or self._data[key] == []

    def add_fault(self, key: str, text: str) -> None:
        """Add a fault of one key."""
        self._faults.add((*self._path, key), text)

    def refuse_unknown(self, known: Collection[str]) -> None:
        """Add a fault for each key that is not known."""
        for key in self._data:
            if key not in known:
                self.add_fault(key, f"There is no key {key!r} here: {did_you_mean(key, known)}")

    def text(self, key: str, usual: str | None = None, most: int | None = None) -> str:
        """Return a text of at most `most` characters; it is required if it has no usual value."""
        value = self._of_type(key, str, "a text in quotes", "" if usual is None else usual)
        if usual is None and not value.strip():
            if key not in self._data:
                self.add_fault(key, f'The key {key!r} is missing: write {key} = "...".')
            elif isinstance(self._data[key], str):
                self.add_fault(key, f"{key} is empty: say something.")
        if most is not None and len(value) > most:
            self.add_fault(key, f"{key} has {len(value)} characters: write at most {most}.")
            return value[:most]
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return an array of texts."""
        values = self._of_type(key, list, 'an array of texts, ["...", "..."]', [])
        for index, value in enumerate(values):
            if not isinstance(value, str) or not value.strip():
                self._faults.add((*self._path, key, index), f"{key} holds texts, not {value!r}.")
        return tuple(value for value in values if isinstance(value, str))

    def integer(
        self, key: str, usual: int, least: int = -_MAX_INTEGER, most: int = _MAX_INTEGER
    ) -> int:
        """Return a whole number from `least` to `most`."""
        value = self._of_type(key, int, "a whole number", usual)
        if least <= value <= most:
            return value
        bounds = f"from {least}" if most == _MAX_INTEGER and least >= 0 else f"{least} to {most}"
        self.add_fault(key, f"{key} is a number {bounds}, not {value}.")
        return usual

    def switch(self, key: str, usual: bool) -> bool:
        """Return true or false."""
        return self._of_type(key, bool, "true or false", usual)

    def grid_cell(self, key: str) -> Cell | None:
        """Return the column and row of a cell; None if there is none."""
        if key not in self._data:
            return None
        return self._read_cell(self._data[key], (*self._path, key), key)

    def grid_cells(self, key: str) -> tuple[Cell, ...]:
        """Return columns and rows of cells."""
        cells = []
        for index, value in enumerate(self._of_type(key, list, "an array of cells [x, y]", [])):
            cell = self._read_cell(value, (*self._path, key, index), key)
            if cell is not None:
                cells.append(cell)
        return tuple(cells)

    def table(self, key: str) -> TableReader:
        """Return a table inside this one; an empty one if there is none."""
        data = self._of_type(key, dict, f"a table: write [{key}], or {key} = {{ ... }}", {})
        return TableReader(data, (*self._path, key), self._faults)

    def tables(self, key: str) -> tuple[TableReader, ...]:
        """Return the tables of an array of tables."""
        readers = []
        for index, data in enumerate(self._of_type(key, list, f"written as [[{key}]]", [])):
            if isinstance(data, dict):
                readers.append(TableReader(data, (*self._path, key, index), self._faults))
            else:
                self._faults.add((*self._path, key, index), f"{key} holds tables, not {data!r}.")
        return tuple(readers)

    def to_dict(self) -> dict[str, Any]:
        """Return the keys and values as the file has them."""
        return dict(self._data)

    def _read_cell(self, value: object, path: Path, key: str) -> Cell | None:
        match value:
            case [int(x), int(y)] if not isinstance(x, bool) and not isinstance(y, bool):
                return x, y
        self._faults.add(path, f"{key} needs a cell, column and row as [x, y], not {value!r}.")
        return None

    def _of_type(self, key: str, kind: type[_T], name: str, usual: _T) -> _T:
        value = self._data.get(key, usual)
        if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
            return value
        self.add_fault(key, f"{key} is {name}, not {value!r}.")
        return usual

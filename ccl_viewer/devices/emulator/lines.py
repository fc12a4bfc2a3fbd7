"""Map addresses in a compiled module to places in the kernels' source.

On Linux, the traced build has line tables (DWARF), which pyelftools reads. On other systems, and
without that library, places are unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ccl_viewer.devices.emulator.compiler import KERNELS_IN_LINES
from ccl_viewer.execution.source_location import SourceLocation

_SHARED = "__emutls_v."
_LAST_NAME = re.compile(r"^_Z(?:.*E)?L?(\d+)(\w+)")  # L means static


@dataclass(frozen=True)
class _Scope:
    """An inlined function, with the file and line of the call."""

    depth: int
    begin: int
    end: int
    function: str
    call: tuple[int, int]


class LineTable:
    """The debug information of a compiled module.

    Parameters
    ----------
    path : Path
        The shared library; it is read immediately.

    Raises
    ------
    ImportError
        If pyelftools is not installed.
    OSError, ValueError
        If the file cannot be read, or has no line tables.
    """

    def __init__(self, path: Path) -> None:
        from elftools.common.exceptions import DWARFError, ELFError
        from elftools.elf.elffile import ELFFile

        self._symbols: dict[str, int] = {}
        self._functions: list[tuple[int, int, str]] = []  # begin, end and name
        self._rows: list[tuple[int, int, int]] = []  # address, file (0: none) and line
        self._scopes: list[_Scope] = []
        self._files: list[str | None] = []
        try:
            with path.open("rb") as stream:
                self._read(ELFFile(stream))
        except (ELFError, DWARFError, KeyError, AttributeError, StopIteration) as error:
            raise ValueError(f"{path.name} has no line tables") from error

    def find_symbol(self, name: str) -> int:
        """Return the address of a symbol in the file."""
        return self._symbols[name]

    def shared_variable(self, address: int) -> str:
        """Return the name of the shared variable with a control object at an address, or ``""``."""
        for name, value in self._symbols.items():
            if value == address and name.startswith(_SHARED):
                return _plain(name.removeprefix(_SHARED))
        return ""

    def find_frames(self, address: int) -> tuple[SourceLocation, ...]:
        """Return the places in kernel source from which an instruction was compiled.

        Parameters
        ----------
        address : int
            Address of the instruction in the file.

        Returns
        -------
        tuple of SourceLocation
            The place itself, then the place where its function was inlined, and so on.
        """
        row = bisect_right(self._rows, (address, 1 << 62, 0)) - 1
        # Line 0: the compiler merged code of several lines. The preceding row is close.
        while row > 0 and self._rows[row][1] and not self._rows[row][2]:
            row -= 1
            address = self._rows[row][0]
        if row < 0:
            return ()
        number, line = self._rows[row][1:]
        locations = []
        scopes = [scope for scope in self._scopes if scope.begin <= address < scope.end]
        for scope in sorted(scopes, key=lambda scope: -scope.depth):
            file = self._files[number]
            if file is not None and line:
                locations.append(SourceLocation(file, line, scope.function))
            number, line = scope.call
        file = self._files[number]
        if file is not None and line:
            locations.append(SourceLocation(file, line, self._function(address)))
        return tuple(locations)

    def _function(self, address: int) -> str:
        names = (name for begin, end, name in self._functions if begin <= address < end)
        return _plain(next(names, ""))

    def _read(self, module: Any) -> None:
        for symbol in module.get_section_by_name(".symtab").iter_symbols():
            begin = symbol["st_value"]
            self._symbols[symbol.name] = begin
            if symbol["st_info"]["type"] == "STT_FUNC":
                self._functions.append((begin, begin + symbol["st_size"], symbol.name))
        info = module.get_dwarf_info()
        unit = next(info.iter_CUs())
        program = info.line_program_for_CU(unit)
        self._files = _list_kernel_files(program)
        for entry in program.get_entries():
            state = entry.state
            if state is not None:
                file = 0 if state.end_sequence else state.file
                self._rows.append((state.address, file, state.line))
        self._rows.sort()
        top = unit.get_top_DIE()
        self._scopes = list(_find_scopes(top, info.range_lists(), _number(top, "DW_AT_low_pc"), 0))


def _list_kernel_files(program: Any) -> list[str | None]:
    """Return the name of each file in the tables; None for headers of the runtime.

    Kernels are in the folder of the module's file, the only one with the suffix .cu, or in the
    folder of the built-in kernels, as the includes of a copy are.
    """
    folders = ["", *(folder.decode(errors="replace") for folder in program["include_directory"])]
    files = [
        PurePosixPath(folders[entry.dir_index]) / entry.name.decode(errors="replace")
        for entry in program["file_entry"]
    ]
    roots = [file.parent for file in files if file.suffix == ".cu"][:1]
    roots.append(PurePosixPath(KERNELS_IN_LINES))

    def name(file: PurePosixPath) -> str | None:
        return next((str(file.relative_to(r)) for r in roots if file.is_relative_to(r)), None)

    return [None, *map(name, files)]


def _find_scopes(entry: Any, ranges: Any, base: int, depth: int) -> Iterator[_Scope]:
    for child in entry.iter_children():
        if child.tag == "DW_TAG_inlined_subroutine":
            call = _number(child, "DW_AT_call_file"), _number(child, "DW_AT_call_line")
            for begin, end in _find_extents(child, ranges, base):
                yield _Scope(depth, begin, end, _name(child), call)
        yield from _find_scopes(child, ranges, base, depth + 1)


def _find_extents(entry: Any, ranges: Any, base: int) -> Iterator[tuple[int, int]]:
    if "DW_AT_ranges" in entry.attributes:
        for part in ranges.get_range_list_at_offset(_number(entry, "DW_AT_ranges"), entry.cu):
            if hasattr(part, "base_address"):
                base = part.base_address
            else:
                yield base + part.begin_offset, base + part.end_offset
    elif "DW_AT_low_pc" in entry.attributes:
        low = _number(entry, "DW_AT_low_pc")
        yield low, low + _number(entry, "DW_AT_high_pc")  # DWARF 4: distance from low_pc


def _number(entry: Any, name: str) -> int:
    attribute = entry.attributes.get(name)
    return 0 if attribute is None else int(attribute.value)


def _name(entry: Any) -> str:
    while "DW_AT_abstract_origin" in entry.attributes:
        entry = entry.get_DIE_from_attribute("DW_AT_abstract_origin")
    attribute = entry.attributes.get("DW_AT_name")
    return "" if attribute is None else attribute.value.decode(errors="replace")


def _plain(symbol: str) -> str:
    """Return the name of a function or local variable from its symbol."""
    match = _LAST_NAME.match(symbol)
    return symbol if match is None else match[2][: int(match[1])]

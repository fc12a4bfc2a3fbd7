"""Names in a compiled kernel module, as the symbol table of its file tells them.

Read where modules are ELF files, as on Linux; elsewhere no name is known.
"""

from __future__ import annotations

import re
import struct
from functools import cached_property
from pathlib import Path
from typing import Final

_HEADER: Final = struct.Struct("<16s2HI3QI6H")
_SECTION: Final = struct.Struct("<2I4Q2I2Q")
_SYMBOL: Final = struct.Struct("<I2BHQQ")
_SYMBOL_TABLE: Final = 2
_ENTRY: Final = "ccl_launch"
_CONTROL: Final = "__emutls_v."


class Symbols:
    """The symbol table of a module.

    Parameters
    ----------
    path : Path
        The shared library.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def variable_at(self, control: int) -> str | None:
        """Return the name of a shared variable.

        Parameters
        ----------
        control : int
            Address of its control object, from that of ``ccl_launch``.
        """
        return self._variables.get(control)

    @cached_property
    def _variables(self) -> dict[int, str]:
        try:
            symbols = _read(self._path.read_bytes())
        except (OSError, struct.error, IndexError):
            return {}
        origin = symbols.get(_ENTRY)
        if origin is None:
            return {}
        return {
            address - origin: variable_name(name.removeprefix(_CONTROL))
            for name, address in symbols.items()
            if name.startswith(_CONTROL)
        }


def variable_name(mangled: str) -> str:
    """Return the name of a variable as the source writes it, from the compiler's name for it.

    Parameters
    ----------
    mangled : str
        ``"table"``, or ``"_ZZ4tileE5table"`` of a variable of a function.
    """
    name = mangled
    for match in re.finditer(r"E(\d+)", mangled):  # the last that is a length is the variable's
        length = int(match[1])
        if length <= len(mangled) - match.end():
            name = mangled[match.end() : match.end() + length]
    return name


def _read(data: bytes) -> dict[str, int]:
    """Return the addresses of all symbols of an ELF file by name; none of another file."""
    if data[:6] != b"\x7fELF\x02\x01":
        return {}
    header = _HEADER.unpack_from(data)
    table, entry, count = header[6], header[11], header[12]
    sections = [_SECTION.unpack_from(data, table + i * entry) for i in range(count)]
    symbols = {}
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        names = sections[link][4]
        for at in range(offset, offset + size, _SYMBOL.size):
            name, _, _, _, address, _ = _SYMBOL.unpack_from(data, at)
            end = data.index(b"\0", names + name)
            symbols[data[names + name : end].decode("ascii", "replace")] = address
    return symbols

"""Make copies of whole structs visible to the traced build.

The compiler copies a struct by an intrinsic ``memcpy``, which SanitizerCoverage does not trace, and
a small one as a single number, which could be misaligned. A GPU loads and stores pieces that are as
wide as the type's alignment, up to 16 bytes. So these copies are replaced, in the compiler's
intermediate code before it is optimised, by such loads and stores.
"""

from __future__ import annotations

import re

_MOST_PIECE_BYTES = 16
_MOST_PIECES = 256
# Not a copy from a constant: that fills a local array, which the compiler then removes.
_COPY = re.compile(
    r"@llvm\.memcpy\.p0\.p0\.i64(?=\(ptr (?:\w+ )*?align (?P<to>\d+) .+?, "
    r"ptr (?:\w+ )*?align (?P<from>\d+) (?!@).+?, i64 (?P<bytes>\d+), i1 false\))"
)


def split_struct_copies(code: str) -> str:
    """Return LLVM's intermediate code with loads and stores in place of copies of structs.

    Parameters
    ----------
    code : str
        The text of a module that is not optimised yet.
    """
    functions: dict[str, str] = {}

    def name_copy(match: re.Match[str]) -> str:
        width = min(int(match["to"]), int(match["from"]), _MOST_PIECE_BYTES)
        size = int(match["bytes"])
        if size > width * _MOST_PIECES:
            return match[0]
        name = f"@ccl.copy.{size}.{width}"
        functions[name] = _copy_function(name, size, width)
        return name

    return "\n".join((_COPY.sub(name_copy, code), *functions.values()))


def _copy_function(name: str, size: int, width: int) -> str:
    """Return a function that loads all pieces and then stores them."""
    loads, stores, at = [], [], 0
    while at < size:
        while width > size - at:
            width //= 2
        kind = f"i{8 * width}"
        loads += [
            f"%from.{at} = getelementptr i8, ptr %from, i64 {at}",
            f"%value.{at} = load {kind}, ptr %from.{at}, align {width}",
        ]
        stores += [
            f"%to.{at} = getelementptr i8, ptr %to, i64 {at}",
            f"store {kind} %value.{at}, ptr %to.{at}, align {width}",
        ]
        at += width
    head = (
        f"define internal void {name}(ptr %to, ptr %from, i64 %0, i1 %1) alwaysinline nounwind {{"
    )
    return "\n".join((head, *loads, *stores, "ret void", "}", ""))

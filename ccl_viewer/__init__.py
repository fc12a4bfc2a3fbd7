"""Watch GPUs label connected components.

Importing this package loads nothing heavy: the names below are fetched when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ccl_viewer.api import (
        add_algorithm,
        clear_cache,
        components,
        label,
        open_recording,
        record,
        time_run,
    )

__version__ = "1.0.0"
__all__ = [
    "add_algorithm",
    "clear_cache",
    "components",
    "label",
    "open_recording",
    "record",
    "time_run",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        from ccl_viewer import api

        globals()[name] = getattr(api, name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

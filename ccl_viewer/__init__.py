"""Watch GPUs label connected components.

Importing this package loads nothing heavy: the names below are fetched when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ccl_viewer.support import notebook as _notebook

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
    from ccl_viewer.recording import Recording

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


def _make_notebook_bundle(recording: Recording) -> dict[str, str]:
    from ccl_viewer.export.page_notebook import notebook_bundle  # only to show it

    return notebook_bundle(recording)


_notebook.make_bundle = _make_notebook_bundle


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

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
        from ccl_viewer.recording import Recording

        Recording.notebook_view = staticmethod(_notebook_view)
        globals()[name] = getattr(api, name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


def _notebook_view(recording: Recording) -> dict[str, str]:
    """Return what a notebook shows of a recording; what draws it is loaded only now."""
    from ccl_viewer.export.page_notebook import notebook_bundle

    return notebook_bundle(recording)

"""The only code that knows where ``kernels/`` and ``assets/`` lie.

In a checkout (and an editable install) they stand beside the package; a wheel carries them inside
it. The checkout is looked at first: an editable install also leaves a copy in site-packages, which
goes stale at the first edit.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ccl_viewer.errors import CCLViewerError

_PACKAGE = Path(__file__).resolve().parent


@cache
def _folder(name: str, marker: str) -> Path:
    for folder in (_PACKAGE.parent / name, _PACKAGE / name):
        if (folder / marker).is_file():
            return folder
    raise CCLViewerError(
        f"The folder {name}/ is missing beside {_PACKAGE}: install ccl-viewer again."
    )


def kernels_folder() -> Path:
    """Return the folder that holds the CUDA sources."""
    return _folder("kernels", "README.md")


def assets_folder() -> Path:
    """Return the folder that holds icons, images and other data files."""
    return _folder("assets", "README.md")


def kernel_path(module: str) -> Path:
    """Return the source file of a kernel module.

    Recordings name modules too, so a name is looked up among those that are there and never made
    into a path.

    Parameters
    ----------
    module : str
        Name of the module, for example ``"label_equivalence"``.

    Raises
    ------
    CCLViewerError
        If there is no such module.
    """
    if module.startswith("copy:"):
        raise CCLViewerError(
            f"{module} is a copy that you may edit, and runs in a process of its own only: record "
            "it, or choose a built-in algorithm."
        )
    path = _kernels().get(module)
    if path is None:
        raise CCLViewerError(
            f"There is no kernel source {module}.cu in {kernels_folder()}: install ccl-viewer "
            "again."
        )
    return path


@cache
def _kernels() -> dict[str, Path]:
    """Return the source files by module: looking at the folder took a tenth of a short run."""
    return {path.stem: path for path in kernels_folder().glob("*.cu")}

"""Locate ``kernels/`` and ``assets/``; no other module does.

In a checkout or an editable install they are next to the package; in a wheel they are inside it.
Next to an installed package are other packages, and their folders are ignored.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

from ccl_viewer.errors import CCLViewerError

_PACKAGE = Path(__file__).resolve().parents[1]


@cache
def _folder(name: str, marker: str) -> Path:
    parents = (_PACKAGE.parent, _PACKAGE) if _is_checkout(_PACKAGE.parent) else (_PACKAGE,)
    for parent in parents:
        if (parent / name / marker).is_file():
            return parent / name
    raise CCLViewerError(f"The folder {name}/ is missing in {_PACKAGE}: install ccl-viewer again.")


def _is_checkout(folder: Path) -> bool:
    """Return whether a folder's pyproject.toml is this project's."""
    with suppress(OSError, ValueError):
        return '\nname = "ccl-viewer"\n' in (folder / "pyproject.toml").read_text("utf-8")
    return False


def kernels_folder() -> Path:
    """Return the folder that holds the CUDA sources."""
    return _folder("kernels", "README.md")


def assets_folder() -> Path:
    """Return the folder that holds icons, images and other data files."""
    return _folder("assets", "README.md")


def sample_photo() -> Path:
    """Return a sample photo: 38 coins; two of them touch."""
    return assets_folder() / "samples" / "coins.jpg"


def kernel_path(module: str) -> Path:
    """Return the source file of a kernel module.

    Names may come from untrusted recordings, so they are looked up among the existing modules and
    never used as a path.

    Parameters
    ----------
    module : str
        Name of the module, for example ``"label_equivalence"``.

    Raises
    ------
    CCLViewerError
        If there is no such module.
    """
    if ":" in module:
        raise CCLViewerError(
            f"{module} is your own code and runs in a separate process only: record it, or "
            "choose a built-in algorithm."
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
    """Return the source files by module, cached: listing the folder took a tenth of a short run."""
    return {path.stem: path for path in kernels_folder().glob("*.cu")}

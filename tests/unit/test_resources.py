"""Where kernels and assets are looked for: in the checkout, or in the package's own folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ccl_viewer
from ccl_viewer.grids.specs import open_grid
from ccl_viewer.storage.resources import assets_folder, kernels_folder, sample_photo

PACKAGE = Path(ccl_viewer.__file__).parent

_LOOK = """
from ccl_viewer.storage.resources import assets_folder, kernel_path, kernels_folder
print(kernels_folder(), assets_folder(), kernel_path("ha4"), sep="\\n")
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of packages, as a wheel fills it, with others that have such folders too."""
    place = tmp_path / "site-packages"
    for path in (*PACKAGE.rglob("*.py"), PACKAGE / "py.typed"):
        copied = place / "ccl_viewer" / path.relative_to(PACKAGE)
        shutil.copy(path, _made(copied.parent) / copied.name)
    for name, found in (("kernels", kernels_folder()), ("assets", assets_folder())):
        (_made(place / name) / "README.md").write_text("Another package's.")
        shutil.copytree(found, place / "ccl_viewer" / name)
    (place / "pyproject.toml").write_text('[project]\nname = "another"\n')
    return place


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def look(place: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _LOOK],
        cwd=place,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(place)},
    )


def test_an_installed_package_looks_into_its_own_folders(installed: Path) -> None:
    own = installed / "ccl_viewer"
    done = look(installed)
    kernels, assets, kernel = done.stdout.splitlines()
    assert (kernels, assets) == (str(own / "kernels"), str(own / "assets"))
    assert Path(kernel).is_relative_to(own)


def test_it_says_so_if_they_are_missing(installed: Path) -> None:
    shutil.rmtree(installed / "ccl_viewer" / "assets")
    done = look(installed)
    assert done.returncode
    assert f"The folder assets/ is missing in {installed / 'ccl_viewer'}" in done.stderr


def test_a_checkout_is_looked_at_first(installed: Path) -> None:
    """An editable installation leaves an outdated copy behind."""
    (installed / "pyproject.toml").write_text('[project]\nname = "ccl-viewer"\nversion = "1"\n')
    for name, found in (("kernels", kernels_folder()), ("assets", assets_folder())):
        shutil.copytree(found, installed / name, dirs_exist_ok=True)
    assert look(installed).stdout.splitlines()[:2] == [
        str(installed / "kernels"),
        str(installed / "assets"),
    ]


def test_the_sample_photo_has_38_coins_of_which_two_touch() -> None:
    assert ccl_viewer.label(open_grid(str(sample_photo())).grid)[1] == 37

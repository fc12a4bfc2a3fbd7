"""``ccl-viewer doctor``: what works on this machine, and how to fix what does not."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from ccl_viewer import __version__
from ccl_viewer.cli.reporting import print_lines
from ccl_viewer.errors import CCLViewerError

_PACKAGES = ("numpy", "PySide6-Essentials", "pyqtgraph", "Pillow", "platformdirs", "Pygments")
_COMPILER = "ziglang"
_CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")


@dataclass(frozen=True)
class Diagnosis:
    """One line of the report.

    Parameters
    ----------
    topic, text : str
        What was tested, with the result.
    good : bool
        Whether it works.
    """

    topic: str
    text: str
    good: bool = True


def doctor(arguments: argparse.Namespace) -> int:
    """Print the report, for people or as JSON; the exit code is 1 if no device can label.

    Each device labels a small grid.
    """
    findings = [*_program(), *_packages(), *_folders(), *_display()]
    devices = list(_devices())
    every = [*findings, *devices]
    if arguments.json:
        print(json.dumps([asdict(finding) for finding in every], indent=1))
        every = []
    for finding in every:
        mark = "ok" if finding.good else "no"
        print_lines(f"{mark:<4}{finding.topic:<20}{finding.text}")
    return 0 if any(finding.good for finding in devices) else 1


def _program() -> list[Diagnosis]:
    return [
        Diagnosis("ccl-viewer", __version__),
        Diagnosis("Python", f"{platform.python_version()} on {platform.platform()}"),
    ]


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _packages() -> list[Diagnosis]:
    findings = []
    for package in (*_PACKAGES, _COMPILER):
        version = _version(package)
        findings.append(
            Diagnosis(package, version)
            if version
            else Diagnosis(package, f"install it: pip install {package}", good=False)
        )
    versions = [f"{name} {version}" for name in _CUPY if (version := _version(name))]
    findings.append(Diagnosis("CuPy", ", ".join(versions) or "not installed; only a GPU needs it"))
    return findings


def _folders() -> list[Diagnosis]:
    from ccl_viewer.devices.emulator.build import MAX_CACHE_BYTES, measure_cache, modules_folder
    from ccl_viewer.storage.resources import assets_folder, kernels_folder

    findings = []
    for topic, find in (
        ("kernels", kernels_folder),
        ("assets", assets_folder),
        ("compiled kernels", modules_folder),
    ):
        try:
            folder = find()
            size = ""
            if find is modules_folder:
                used, most = measure_cache(folder) / 2**20, MAX_CACHE_BYTES >> 20
                size = f"; {used:.0f} MiB, of at most {most}"
            findings.append(Diagnosis(topic, f"{folder}{size}"))
        except CCLViewerError as error:
            findings.append(Diagnosis(topic, str(error), good=False))
    return [*findings, *_find_cache_problem()]


def _find_cache_problem() -> list[Diagnosis]:
    from ccl_viewer.storage.cache import cache_folder

    with suppress(OSError):  # already reported for the folder of compiled kernels
        refused = cache_folder().refused
        return [Diagnosis("cache folder", refused, good=False)] if refused else []
    return []


def _display() -> list[Diagnosis]:
    from ccl_viewer.window.app import require_display, require_qt

    try:
        require_display(sys.platform, os.environ)
        require_qt()
    except CCLViewerError as error:
        return [Diagnosis("display", str(error), good=False)]
    return [Diagnosis("display", "the window can open")]


def _devices() -> list[Diagnosis]:
    from ccl_viewer.devices.registry import report_devices

    findings = []
    for report in report_devices():
        if not report.available:
            findings.append(Diagnosis(f"device {report.key}", report.detail, good=False))
            continue
        try:
            _try(report.key)
        except CCLViewerError as error:
            findings.append(Diagnosis(f"device {report.key}", str(error), good=False))
        else:
            findings.append(Diagnosis(f"device {report.key}", f"{report.detail}; labels correctly"))
    return findings


def _try(key: Literal["cuda", "emulator"]) -> None:
    """Label a small grid and compare; raise the error if it fails."""
    import numpy as np

    from ccl_viewer import api
    from ccl_viewer.errors import WrongLabelsError
    from ccl_viewer.reference import label_reference

    image = np.random.default_rng(0).random((40, 70)) < 0.5
    labels, count = api.label(image, device=key)
    expected, components = label_reference(image, 4)
    if count != components or not np.array_equal(labels, expected):
        raise WrongLabelsError(f"The device {key} labels wrongly: please report it.")

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
from ccl_viewer.errors import CCLViewerError

_PACKAGES = ("numpy", "PySide6-Essentials", "pyqtgraph", "Pillow", "platformdirs", "Pygments")
_COMPILER = "ziglang"
_CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")


@dataclass(frozen=True)
class Finding:
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

    Each device is really tried: it labels a small grid.
    """
    findings = [*_program(), *_packages(), *_folders(), *_display()]
    devices = list(_devices())
    every = [*findings, *devices]
    if arguments.json:
        print(json.dumps([asdict(finding) for finding in every], indent=1))
        every = []
    for finding in every:
        mark = "ok" if finding.good else "no"
        print(f"{mark:<4}{finding.topic:<20}{finding.text}")
    return 0 if any(finding.good for finding in devices) else 1


def _program() -> list[Finding]:
    return [
        Finding("ccl-viewer", __version__),
        Finding("Python", f"{platform.python_version()} on {platform.platform()}"),
    ]


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _packages() -> list[Finding]:
    findings = []
    for package in (*_PACKAGES, _COMPILER):
        version = _version(package)
        findings.append(
            Finding(package, version)
            if version
            else Finding(package, f"install it: pip install {package}", good=False)
        )
    versions = [f"{name} {version}" for name in _CUPY if (version := _version(name))]
    findings.append(Finding("CuPy", ", ".join(versions) or "not installed; only a GPU needs it"))
    return findings


def _folders() -> list[Finding]:
    from ccl_viewer.devices.emulator.build import modules_folder
    from ccl_viewer.storage.resources import assets_folder, kernels_folder

    findings = []
    for topic, find in (
        ("kernels", kernels_folder),
        ("assets", assets_folder),
        ("compiled kernels", modules_folder),
    ):
        try:
            findings.append(Finding(topic, str(find())))
        except CCLViewerError as error:
            findings.append(Finding(topic, str(error), good=False))
    return [*findings, *_cache_problem()]


def _cache_problem() -> list[Finding]:
    from ccl_viewer.storage.cache import cache_folder

    with suppress(OSError):  # already reported for the folder of compiled kernels
        refused = cache_folder().refused
        return [Finding("cache folder", refused, good=False)] if refused else []
    return []


def _display() -> list[Finding]:
    from ccl_viewer.window.app import require_display, require_qt

    try:
        require_display(sys.platform, os.environ)
        require_qt()
    except CCLViewerError as error:
        return [Finding("display", str(error), good=False)]
    return [Finding("display", "the window can open")]


def _devices() -> list[Finding]:
    from ccl_viewer.devices.registry import device_reports

    findings = []
    for report in device_reports():
        if not report.available:
            findings.append(Finding(f"device {report.key}", report.detail, good=False))
            continue
        try:
            _try(report.key)
        except CCLViewerError as error:
            findings.append(Finding(f"device {report.key}", str(error), good=False))
        else:
            findings.append(Finding(f"device {report.key}", f"{report.detail}; labels correctly"))
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

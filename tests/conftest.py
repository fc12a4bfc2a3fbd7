"""What this machine can test: a GPU, Qt; the rest is skipped or left out, with the reason."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

# One folder of compiled kernels for all workers and all runs, and not the user's own; and one for
# the key that they are sealed with. Nor are the user's copies of kernels, and algorithms.
_KEPT = Path(tempfile.gettempdir()) / f"ccl-viewer-tests-{getattr(os, 'getuid', os.getpid)()}"
os.environ.setdefault("CCL_VIEWER_CACHE", str(_KEPT))
os.environ.setdefault("XDG_STATE_HOME", f"{_KEPT}-state")
os.environ.setdefault("CCL_VIEWER_COPIES", f"{_KEPT}-copies")
os.environ.setdefault("CCL_VIEWER_ALGORITHMS", f"{_KEPT}-algorithms.json")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Many tests start programs: keep what Python compiles, also where the user keeps nothing.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A busy machine takes any time: no test asserts how long an example takes. Each run of the tests
# draws other examples.
settings.register_profile("untimed", deadline=None, max_examples=50)
settings.load_profile("untimed")


@cache
def missing_gpu() -> str | None:
    """Why GPU tests cannot run here; None if they can."""
    from ccl_viewer.devices.cuda.device import CudaDevice
    from ccl_viewer.errors import DeviceUnavailableError

    try:
        CudaDevice()
    except DeviceUnavailableError as error:
        return str(error)
    return None


@cache
def missing_qt() -> str | None:
    """Why views cannot be tested here; None if they can."""
    try:
        import PySide6.QtWidgets  # noqa: F401  (whether it can be)
        import pytestqt.plugin  # noqa: F401  (as above)
    except ImportError as error:
        return f"Qt cannot be loaded ({error}); the README names the system libraries it needs"
    return None


# pytest-qt loads Qt as soon as pytest starts, which would end the run where Qt's system libraries
# are missing; pyproject.toml keeps it from doing so.
if missing_qt() is None:
    pytest_plugins = ["pytestqt.plugin"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-transcripts",
        action="store_true",
        help="write the kept sessions of tests/journeys/terminal anew, as they answer today",
    )


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if missing_qt() is not None and "window" in collection_path.parts:
        return True
    return None


def pytest_collection_finish() -> None:
    # Thousands of tests and what they import stay: the collector need not look at them each time.
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reason = missing_qt()
    if reason is not None:
        terminalreporter.write_line(f"tests/window left out: {reason}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") is not None:
        reason = missing_gpu()
        if reason is not None:
            pytest.skip(reason)

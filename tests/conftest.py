"""Skips GPU tests, with the reason, where there is no GPU."""

from __future__ import annotations

from functools import cache

import pytest


@cache
def missing_gpu() -> str | None:
    """Why GPU tests cannot run here; None if they can."""
    from ccl_viewer.devices.cuda import CudaDevice
    from ccl_viewer.errors import DeviceUnavailableError

    try:
        CudaDevice()
    except DeviceUnavailableError as error:
        return str(error)
    return None


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") is not None:
        reason = missing_gpu()
        if reason is not None:
            pytest.skip(reason)

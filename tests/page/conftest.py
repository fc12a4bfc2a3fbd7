"""One browser for all tests of pages, where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from support.browser import Browser, chromium, missing_browser

REQUIRED = os.environ.get("CCL_VIEWER_BROWSER") == "required"


@pytest.fixture(scope="session")
def _chromium() -> Iterator[Browser]:
    reason = missing_browser()
    if reason is not None:
        if REQUIRED:
            pytest.fail(reason)
        pytest.skip(reason)
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(_chromium: Browser) -> Iterator[Browser]:
    """A browser of usual size on a dark system; a page must have nothing to complain of."""
    _chromium.resize(1280, 800)
    _chromium.emulate(prefers_color_scheme="dark")
    _chromium.messages()
    yield _chromium
    assert _chromium.messages() == []

"""Folders without permission, also for tests that run as root."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest


def deny_access(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let access to everything in a folder fail, as without permission."""
    look = os.stat

    def stat(path: Any, *rest: Any, **how: Any) -> os.stat_result:
        if isinstance(path, str | Path) and folder in Path(path).parents:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return look(path, *rest, **how)

    monkeypatch.setattr(os, "stat", stat)

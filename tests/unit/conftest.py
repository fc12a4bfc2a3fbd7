"""Sessions without a window, for tests of what a window shows."""

from __future__ import annotations

from support.session_fixtures import labelled, recording, runner, session

__all__ = ["labelled", "recording", "runner", "session"]

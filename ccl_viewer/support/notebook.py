"""What a notebook shows of a recording: the package sets the function, as exports lie above."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

make_bundle: Callable[[Any], dict[str, str]]
"""Returns the representations of a recording, by media type."""

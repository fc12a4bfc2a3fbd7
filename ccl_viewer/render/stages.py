"""A colour and a shape for each stage, so that neither is the only cue."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ccl_viewer.plan import Stage

STAGE_COLORS: Final[Mapping[Stage, str]] = MappingProxyType(
    {
        Stage.INIT: "#8d99ae",
        Stage.PROPAGATE: "#2fa98c",
        Stage.SCAN: "#3f9be0",
        Stage.ANALYSIS: "#e0912f",
        Stage.LABEL: "#b9a41e",
        Stage.TILE: "#6a8fd8",
        Stage.MERGE: "#d0628f",
        Stage.FLATTEN: "#a5763f",
        Stage.STRIP: "#3f9be0",
        Stage.STRIP_MERGE: "#d8683c",
        Stage.RELABEL: "#3fae5c",
        Stage.FEATURES: "#9270d6",
    }
)
"""Colour of each stage, readable under white and black text and on both themes."""

_RING: Final = "M2 50a48 48 0 1 0 96 0a48 48 0 1 0-96 0z"

STAGE_PATHS: Final[Mapping[Stage, str]] = MappingProxyType(
    {
        Stage.INIT: _RING,
        Stage.PROPAGATE: "M8 0L100 50L8 100z",
        Stage.SCAN: "M50 2L100 95H0z",
        Stage.ANALYSIS: "M50 -4L104 50L50 104L-4 50z",
        Stage.LABEL: "M8 8h84v84h-84z",
        Stage.TILE: "M0 0h43v43h-43zM57 0h43v43h-43zM0 57h43v43h-43zM57 57h43v43h-43z",
        Stage.MERGE: "M0 0L50 40L100 0V100L50 60L0 100z",
        Stage.FLATTEN: "M0 34h100v32h-100z",
        Stage.STRIP: "M0 2h100v22h-100zM0 39h100v22h-100zM0 76h100v22h-100z",
        Stage.STRIP_MERGE: "M0 2h100v22h-100zM39 24h22v52h-22zM0 76h100v22h-100z",
        Stage.RELABEL: _RING + "M26 50a24 24 0 1 0 48 0a24 24 0 1 0-48 0z",
        Stage.FEATURES: "M50 0L63 36H100L71 59L82 96L50 74L18 96L29 59L0 36H37z",
    }
)
"""Outline of each stage's mark as SVG writes paths, in a square of size 100, filled even-odd."""

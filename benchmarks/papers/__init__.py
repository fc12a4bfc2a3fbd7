"""What each paper claims about its tables and figures, beside the presets that measure them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ccl_viewer.bench.presets import PRESETS
from papers import hennequin, kalentev, playne, shibata, stava_benes
from papers.experiment import Experiment

_BY_KEY: Final = {
    key: experiment
    for paper in (kalentev, stava_benes, hennequin, shibata, playne)
    for key, experiment in paper.EXPERIMENTS.items()
}

EXPERIMENTS: Final[Mapping[str, Experiment]] = {key: _BY_KEY[key] for key in PRESETS}
"""All experiments by the key of their preset."""

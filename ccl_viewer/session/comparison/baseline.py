"""A run that was kept to compare later ones with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ccl_viewer.algorithms import algorithm
from ccl_viewer.recording import Recording


@dataclass(frozen=True, eq=False)
class Baseline:
    """The run.

    Parameters
    ----------
    recording : Recording
        It has come to its end.
    """

    recording: Recording

    @property
    def title(self) -> str:
        """Name of its algorithm."""
        return algorithm(self.recording.algorithm).title

    def fits(self, recording: Recording) -> bool:
        """Return whether another run is of the same grid."""
        own, image = self.recording.image, recording.image
        same = own is image or (own.shape == image.shape and np.array_equal(own, image))
        return same and self.recording.multivalued == recording.multivalued

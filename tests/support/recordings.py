"""Recordings made from explicit frames, without a device."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ccl_viewer.execution.plan import LabelLayout, Stage
from ccl_viewer.recording import Recording
from ccl_viewer.recording.data import Ending, RecordingData, RunDescription, Step
from support.oracle import compare_parents, count_roots


def played(
    image: npt.NDArray[np.uint8],
    frames: Sequence[npt.ArrayLike],
    connectivity: int = 4,
    *,
    finished: bool = True,
    milliseconds: Sequence[float] | None = None,
) -> Recording:
    """Return a recording with given parents after each step; -1 is no label.

    A step takes a millisecond unless times are given.
    """
    height, width = image.shape
    data = RecordingData(
        RunDescription(image, "naive", "emulator", "Written down", "sequential", connectivity, {})
    )
    data.start(LabelLayout(height, width, pitch=width, background=-1))
    for index, frame in enumerate(frames):
        labels = np.array(frame, np.int32).reshape(height, width)
        data.steps.append(
            Step(
                index=index,
                stage=Stage.MERGE,
                kernel="merge",
                module="naive",
                iteration=None,
                level=None,
                grid=(1, 1, 1),
                block=(1, 1, 1),
                milliseconds=1.0 if milliseconds is None else milliseconds[index],
                changed=data.label_history.append(labels),
                roots=count_roots(labels, image, data.layout),
                caption="",
            )
        )
    if finished:
        parents = data.layout.parents(data.label_history.last)
        data.ending = Ending(True, 0, compare_parents(parents, image, connectivity))
    return Recording(data)

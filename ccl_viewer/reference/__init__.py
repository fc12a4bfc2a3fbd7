"""The oracle: correct labellings, and verdicts on the results of runs."""

from ccl_viewer.reference.forest import find_roots
from ccl_viewer.reference.labelling import Labels, label_reference
from ccl_viewer.reference.verdict import (
    Verdict,
    compare,
    find_wrong_cells,
    judge_parents,
    number_classes,
    number_trees,
)

__all__ = [
    "Labels",
    "Verdict",
    "compare",
    "find_roots",
    "find_wrong_cells",
    "judge_parents",
    "label_reference",
    "number_classes",
    "number_trees",
]

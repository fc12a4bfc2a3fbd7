"""The oracle: correct labellings, and verdicts on the results of runs."""

from ccl_viewer.reference.forest import find_roots
from ccl_viewer.reference.labelling import Labels, label_reference, two_pass_union_find
from ccl_viewer.reference.verdict import (
    Verdict,
    canonical,
    compare,
    compare_parents,
    find_wrong_cells,
    judge_parents,
    number_trees,
)

__all__ = [
    "Labels",
    "Verdict",
    "canonical",
    "compare",
    "compare_parents",
    "find_roots",
    "find_wrong_cells",
    "judge_parents",
    "label_reference",
    "number_trees",
    "two_pass_union_find",
]

"""The oracle: correct labellings, and verdicts on the results of runs."""

from ccl_viewer.reference.forest import roots_of
from ccl_viewer.reference.labelling import Labels, label_reference, two_pass_union_find
from ccl_viewer.reference.verdict import (
    Verdict,
    canonical,
    compare,
    compare_parents,
    find_wrong_cells,
    judge_parents,
    partition_of,
)

__all__ = [
    "Labels",
    "Verdict",
    "canonical",
    "compare",
    "compare_parents",
    "find_wrong_cells",
    "judge_parents",
    "label_reference",
    "partition_of",
    "roots_of",
    "two_pass_union_find",
]

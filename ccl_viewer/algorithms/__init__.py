"""The host sides of the algorithms: one module for each file of ``kernels/``, and one table."""

from ccl_viewer.algorithms.base import Algorithm, Parameter
from ccl_viewer.algorithms.table import (
    ALGORITHMS,
    check_multivalued,
    choose_algorithm,
    copied_algorithms,
    default_algorithm,
    find_algorithm,
    own_algorithms,
    parse_algorithm,
)

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "Parameter",
    "check_multivalued",
    "choose_algorithm",
    "copied_algorithms",
    "default_algorithm",
    "find_algorithm",
    "own_algorithms",
    "parse_algorithm",
]

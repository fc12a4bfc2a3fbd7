"""Exercises: kernels with gaps, goals, and the judge of students' kernels."""

from ccl_viewer.exercises.catalogue import exercise_names, load_exercise, student_source
from ccl_viewer.exercises.judging import GoalResult, Judgement, judge
from ccl_viewer.exercises.model import Budget, Exercise, Goal

__all__ = [
    "Budget",
    "Exercise",
    "Goal",
    "GoalResult",
    "Judgement",
    "exercise_names",
    "judge",
    "load_exercise",
    "student_source",
]

"""Lessons: data files that lead a class through recordings, scene by scene."""

from ccl_viewer.lessons.model import Answer, Lesson, Question, QuestionKind, Scene

__all__ = ["Answer", "Lesson", "Question", "QuestionKind", "Scene"]

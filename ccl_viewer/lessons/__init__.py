"""Lessons: data files that lead a class through recordings, scene by scene."""

from ccl_viewer.lessons.catalogue import (
    LESSONS,
    lesson_names,
    lesson_path,
    read_lesson,
    title_and_aims,
)
from ccl_viewer.lessons.model import Answer, Lesson, Question, QuestionKind, Scene
from ccl_viewer.lessons.playing import PreparedScene, prepare_scene
from ccl_viewer.lessons.predicting import pick_question
from ccl_viewer.lessons.questions import Feedback, answer, answer_in_words, judge, prompt
from ccl_viewer.lessons.scene_runs import open_scene_grid, record_scene
from ccl_viewer.lessons.templates import fill

__all__ = [
    "LESSONS",
    "Answer",
    "Feedback",
    "Lesson",
    "PreparedScene",
    "Question",
    "QuestionKind",
    "Scene",
    "answer",
    "answer_in_words",
    "fill",
    "judge",
    "lesson_names",
    "lesson_path",
    "open_scene_grid",
    "pick_question",
    "prepare_scene",
    "prompt",
    "read_lesson",
    "record_scene",
    "title_and_aims",
]

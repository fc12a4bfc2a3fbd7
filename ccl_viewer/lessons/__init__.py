"""Lessons: data files that lead a class through recordings, scene by scene."""

from ccl_viewer.lessons.catalogue import LESSONS, lesson, lesson_path, names, title_and_aims
from ccl_viewer.lessons.model import Answer, Cell, Lesson, Question, QuestionKind, Scene
from ccl_viewer.lessons.playing import PlayedScene, play
from ccl_viewer.lessons.predicting import ask_any
from ccl_viewer.lessons.questions import Feedback, answer, judge, prompt, revealed
from ccl_viewer.lessons.scene_runs import grid_of, record_scene
from ccl_viewer.lessons.templates import fill

__all__ = [
    "LESSONS",
    "Answer",
    "Cell",
    "Feedback",
    "Lesson",
    "PlayedScene",
    "Question",
    "QuestionKind",
    "Scene",
    "answer",
    "ask_any",
    "fill",
    "grid_of",
    "judge",
    "lesson",
    "lesson_path",
    "names",
    "play",
    "prompt",
    "record_scene",
    "revealed",
    "title_and_aims",
]

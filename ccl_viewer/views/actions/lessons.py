"""Actions of the menu Lessons."""

from ccl_viewer.session import Session
from ccl_viewer.views.actions.spec import Group, Section, Spec


def _lesson_open(session: Session) -> bool:
    return session.lesson.is_open


def _asked(session: Session) -> bool:
    asking = session.quiz.asking
    return asking is not None and asking.pending


_SCENES = Section(
    (
        Spec(
            "open_lesson",
            "&Open lesson…",
            "Open a lesson from a file",
            icon="open",
            do=lambda host: host.lesson_docks.open_file(),
        ),
        Spec(
            "next_scene",
            "&Next scene",
            "Show the next scene of the lesson",
            ("Ctrl+Right",),
            do=lambda host: host.session.lesson.next(),
            can=lambda session: session.lesson.can_go_on,
        ),
        Spec(
            "previous_scene",
            "&Back",
            "Show the scene before",
            ("Ctrl+Left",),
            do=lambda host: host.session.lesson.back(),
            can=lambda session: session.lesson.can_go_back,
        ),
        Spec(
            "resume_lesson",
            "Go on where you le&ft off",
            "Show the scene at which this lesson was left",
            ("Ctrl+Shift+Right",),
            do=lambda host: host.session.lesson.resume(),
            can=lambda session: session.lesson.left_at is not None,
        ),
        Spec(
            "reset_scene",
            "&Reset scene",
            "Show the scene as it was at first",
            ("Ctrl+Backspace",),
            do=lambda host: host.session.lesson.reset(),
            can=lambda session: session.lesson.away,
        ),
        Spec(
            "keep_grid",
            "&Keep this grid",
            "Close the lesson, and go on with the grid as it was drawn",
            do=lambda host: host.session.lesson.take_along(),
            can=lambda session: session.lesson.altered,
        ),
        Spec(
            "presenter_notes",
            "&Presenter's notes",
            "Notes for the presenter, in a window of their own",
            ("Ctrl+Shift+P",),
            "notes",
            switch=lambda host, on: host.lesson_docks.show_notes(on=on),
            on=lambda host: host.lesson_docks.notes_shown,
            can=_lesson_open,
        ),
        Spec(
            "lesson_settings",
            "S&ettings of the run",
            "Algorithm, schedule and the like above the lesson, to try others with this scene",
            ("Ctrl+Shift+A",),
            "settings",
            switch=lambda host, on: host.lesson_docks.show_settings(on=on),
            on=lambda host: host.lesson_docks.settings_shown,
            can=_lesson_open,
        ),
        Spec(
            "close_lesson",
            "&Close lesson",
            "Close the lesson: your own grid comes back as it was",
            ("Ctrl+W",),
            "close",
            do=lambda host: host.session.lesson.close(),
            can=_lesson_open,
        ),
    )
)

_QUESTIONS = Section(
    (
        Spec(
            "predict",
            "Pre&dict the next step",
            "Be asked what the next step will do, whenever you step forward",
            ("Shift+P",),
            "help",
            switch=lambda host, on: host.session.predictor.switch(on),
            on=lambda host: host.session.predictor.on,
            can=lambda session: not session.lesson.is_open,
        ),
        Spec(
            "stop_predicting",
            "Stop predictin&g",
            "Ask no more questions",
            (),
            "close",
            do=lambda host: host.session.predictor.switch(on=False),
            can=lambda session: session.predictor.on,
        ),
        Spec(
            "answer",
            "Ans&wer",
            "Check the answer, or go to its field",
            ("Ctrl+K",),
            do=lambda host: host.lesson_docks.answer(),
            can=_asked,
        ),
        Spec(
            "skip_question",
            "&Skip question",
            "Go on without an answer",
            ("Ctrl+J",),
            do=lambda host: host.session.quiz.skip(),
            can=_asked,
        ),
        Spec(
            "explain_answer",
            "Wh&y?",
            "Show the answer, and the step that it is about",
            ("Ctrl+Shift+K",),
            do=lambda host: host.session.quiz.explain(),
            can=lambda session: session.quiz.asking is not None,
        ),
    )
)

LESSONS = Group("Lessons", (_SCENES, _QUESTIONS))

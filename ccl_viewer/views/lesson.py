"""The lesson beside the canvas: scenes, caption, question, feedback, presenter's notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from PySide6.QtCore import (
    QEvent,
    QFileSystemWatcher,
    QRegularExpression,
    QSignalBlocker,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QPaintEvent,
    QRegularExpressionValidator,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QButtonGroup,
    QComboBox,
    QFileDialog,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from ccl_viewer import lessons
from ccl_viewer.errors import LessonFileError
from ccl_viewer.lessons.code import SceneCode
from ccl_viewer.lessons.comparing import ComparedTable
from ccl_viewer.lessons.markup import plain, to_html
from ccl_viewer.phases.text import details
from ccl_viewer.render.phase_picture import PhasePicture, draw_phase
from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.session.lesson_player import LessonPlayer, SceneSummary
from ccl_viewer.session.predictor import Predictor
from ccl_viewer.session.questions import AskedQuestion, QuestionOutcome
from ccl_viewer.views import style
from ccl_viewer.views.action_spec import ActionSpec, has_recording
from ccl_viewer.views.launch_phases import PhaseCanvas
from ccl_viewer.views.source_text import SourceText
from ccl_viewer.views.widgets import (
    Dialog,
    action_button,
    hbox,
    icon_button,
    labelled,
    scrolled,
    text_button,
    vbox,
)

if TYPE_CHECKING:
    from ccl_viewer.session.session import Session
    from ccl_viewer.views.main_window import MainWindow

_MAX_DIGITS: Final = 10
_NO_NOTES: Final = "There are no notes for this scene."
_AIMS: Final = "After this lesson you can"
_ALTERED: Final = "This is a copy to draw on; your own grid is put away."
_AWAY: Final = "Another step than the scene's is shown."
_CODE_LINES: Final = 12
_WIDTH: Final = 330  # pixels at the usual size of text
_WIDE: Final = 560  # beside source, a phase or a table
_WIDEST: Final = 0.45  # of the window
_CODE_SIZE: Final = 0.84  # of the type, against that of other text
_SHORT_CHOICES: Final = 36  # characters of all choices that stand side by side
_TABLE_AFTER: Final = "The table is shown once the question is answered."

_HEADINGS: Final = {
    QuestionOutcome.RIGHT: ("\N{CHECK MARK} Right", "ok"),
    QuestionOutcome.WRONG: ("\N{BALLOT X} Not quite", "error"),
    QuestionOutcome.SKIPPED: ("Skipped", "info"),
    QuestionOutcome.SHOWN: ("The answer", "info"),
}
_SCENE_MARKS: Final[dict[QuestionOutcome | None, str]] = {
    QuestionOutcome.RIGHT: "\N{CHECK MARK}",
    QuestionOutcome.WRONG: "\N{BALLOT X}",
}

Quiz: TypeAlias = LessonPlayer | Predictor
"""What asks questions."""


class QtLessonPlayer(QWidget):
    """Shows the scene, and moves through the lesson."""

    def __init__(
        self, session: Session, actions: Mapping[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._player = session.lessons
        self._notes: QtNotes | None = None
        self._shown: object = None
        self._asked: object = None
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_file_changed)
        self._watcher.directoryChanged.connect(self._on_file_changed)
        self.setAccessibleName("Lesson")
        self._make_scene(session)
        self._make_cards()
        self._lay_out(actions)
        self._player.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the scene."""
        self._show_notes()
        player, played = self._player, self._player.played
        self._watch()
        if played is None:
            self._shown = None
            self.setMinimumWidth(0)
            return
        scene = played.scene
        wide = scene.lines is not None or scene.phase is not None or bool(scene.compare)
        most = int(self.window().width() * _WIDEST)
        self.setMinimumWidth(min(style.scaled(_WIDE), most) if wide else style.scaled(_WIDTH))
        self._show_scenes(player.scenes)
        self._show_texts()
        self._show_left()
        self._show_end()
        self.question.refresh()
        self.question_card.setVisible(player.question is not None)
        self.away_card.setVisible(player.away)
        self.away.setText(_ALTERED if player.altered else _AWAY)
        self.keep.setVisible(player.altered)
        self.back.setEnabled(player.can_go_back)
        self.replay.setEnabled(played.step > 0)
        question = player.question
        asked = None if question is None else (question.outcome, question.tries)
        if played is not self._shown:
            self._shown = played
            self._area.verticalScrollBar().setValue(0)
            self._show_code(played.code)
        elif asked != self._asked:  # after the layout has placed the verdict
            QTimer.singleShot(0, self, lambda: self._area.ensureWidgetVisible(self.question_card))
        self._asked = asked

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh()

    def _show_scenes(self, scenes: tuple[SceneSummary, ...]) -> None:
        titles = [_scene_title(number, scene) for number, scene in enumerate(scenes, 1)]
        with QSignalBlocker(self.scenes):
            self.scenes.clear()
            self.scenes.addItems(titles)
            self.scenes.setCurrentIndex(self._player.index)
        view = self.scenes.view()
        view.setMinimumWidth(view.sizeHintForColumn(0) + style.scaled(24))
        right, answered = self._player.score
        self.score.setText(f"{right} of {answered} right" if answered else "")

    def _show_left(self) -> None:
        """Offer at the first scene to go on where the lesson was left."""
        index = self._player.left_at
        self.left_card.setVisible(index is not None)
        self.left.setText(f"Last time you stopped at scene {self.scenes.itemText(index or 0)}.")

    def _show_end(self) -> None:
        """Show the recap after the last scene, and what comes next."""
        player = self._player
        self.next.setText("Next" if player.can_go_on else "Recap")
        self.next.setEnabled(player.can_go_on or player.at_end)
        self.end_card.setVisible(player.at_end)
        self.next_lesson.setVisible(player.next_lesson is not None)
        if player.at_end and player.lesson is not None:
            self.end.setText(rich_text(recap(player.lesson.aims, player.scenes, player.score)))

    def _show_code(self, code: SceneCode | None) -> None:
        """Show the lines of source that go with the scene."""
        self.code_card.setVisible(code is not None)
        if code is None:
            return
        first, last = code.first + 1, code.last + 1
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        self.code_title.setText(f"{code.file}, {lines}")
        self.code.show_source(code.text)
        self.code.mark((code.first, code.last))
        self.code.go_to_line(code.first)
        shown = max(_CODE_LINES, min(code.last - code.first + 4, 2 * _CODE_LINES))
        frame = 2 * self.code.frameWidth()
        self.code.setFixedHeight(shown * self.code.fontMetrics().lineSpacing() + frame)

    def _watch(self) -> None:
        """Follow the lesson's file, and its folder, since editors often write a new file."""
        lesson = self._player.lesson
        path = None if lesson is None or self._player.played is None else lesson.path
        wanted = [] if path is None else [str(path), str(path.parent)]
        known = [*self._watcher.files(), *self._watcher.directories()]
        if old := [one for one in known if one not in wanted]:
            self._watcher.removePaths(old)
        if new := [one for one in wanted if one not in known]:
            self._watcher.addPaths(new)

    def _on_file_changed(self, _path: str) -> None:
        self._watch()
        self._player.reload()

    def _show_texts(self) -> None:
        played, lesson = self._player.played, self._player.lesson
        if played is None or lesson is None:
            return
        self.title.setText(played.scene.title)
        self.caption.setText(rich_text(played.caption))
        self.caption.setAccessibleDescription(plain(played.caption))
        table, asked = played.table, self._player.question
        self.table.setVisible(table is not None)
        if table is not None:
            if asked is not None and asked.pending:
                table = table.before(asked.question)
            self.table.setText(_TABLE_AFTER if table is None else _table_html(table))
        self.phase.setVisible(played.phase is not None)
        self.phase.refresh()
        told = () if played.phase is None else details(played.phase)
        self.phase.setAccessibleDescription("\n".join(told))
        self.aims_card.setVisible(self._player.index == 0 and bool(lesson.aims))
        aims = "\n".join(f"- {aim}" for aim in lesson.aims)
        self.aims.setText(rich_text(f"**{_AIMS}**\n\n{aims}"))

    def _draw_phase(self, width: int, px: float) -> PhasePicture | None:
        """Return the picture of the scene's phase, if it shows one."""
        played = self._player.played
        if played is None or played.phase is None:
            return None
        theme = canvas_theme(style.theme().name)
        return draw_phase(played.phase, None, None, width, theme, px=px)

    def _show_notes(self) -> None:
        """Show the presenter's notes with a lesson, if they are wanted."""
        wanted = self._player.notes and self._player.is_open
        if wanted and self._notes is None:
            self._notes = QtNotes(self._player, self.window())
        if self._notes is not None:
            self._notes.setVisible(wanted)

    def _go_on(self) -> None:
        """Show the next scene, or after the last one what was learned."""
        if self._player.can_go_on:
            self._player.next()
        else:
            self._area.ensureWidgetVisible(self.end_card, 0, self._area.height())

    def _open_next_lesson(self) -> None:
        if self._player.next_lesson is not None:
            self._player.open(self._player.next_lesson)

    def _make_scene(self, session: Session) -> None:
        self.title = labelled("", "title", wrap=True)
        self.caption = _text_label("prose")
        self.caption.setAccessibleName("Caption")
        self.caption.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.table = _text_label()
        self.table.setAccessibleName("Comparison")
        self.code_title = labelled("", "dim")
        self.code = SourceText(_CODE_SIZE)
        self.code.set_wrapped(True)
        self.code_card = QWidget()
        self.code_card.setLayout(vbox(self.code_title, self.code, margins=(0, 0, 0, 0), spacing=2))
        self.phase = PhaseCanvas(self._draw_phase)
        self.question = QtQuestion(session, self._player)
        self.question_card = _card("busy", self.question)
        self.aims = _text_label("dim")
        self.aims_card = _card("info", self.aims)

    def _make_cards(self) -> None:
        """Make what is said where a lesson was left, where it ends, and on other steps."""
        player = self._player
        self.left = _wrapped("")
        resume = text_button("Go on from there", player.resume, primary=True)
        self.left_card = _card("busy", self.left, resume)
        self.end = _text_label()
        self.next_lesson = text_button("Next lesson", self._open_next_lesson, primary=True)
        close = text_button("Close lesson", player.close_lesson)
        self.end_card = _card("info", self.end, self.next_lesson, close)
        self.away = _wrapped("dim")
        reset = text_button("Reset scene", player.reset, "Show the scene as it was at first")
        tip = "Close the lesson, and go on with its grid as it was drawn"
        self.keep = text_button("Keep this grid", player.keep_grid, tip)
        self.away_card = _card("info", self.away, reset, self.keep)

    def _lay_out(self, actions: Mapping[str, QAction]) -> None:
        player = self._player
        self.scenes = _SceneBox()
        self.scenes.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.scenes.activated.connect(player.go_to)
        self.score = labelled("", "dim")
        self.back = text_button("Back", player.back, "The scene before (Ctrl+Left)")
        tip = "Play this run from its first step to the scene's"
        self.replay = text_button("Play steps", player.replay, tip)
        self.next = text_button("Next", self._go_on, "The next scene (Ctrl+Right)", primary=True)
        buttons = [action_button(actions[name]) for name in ("presenter_notes", "close_lesson")]
        cards = (self.question_card, self.aims_card, self.end_card)
        self._area = reading_area(
            "Scene",
            self.left_card,
            self.title,
            self.caption,
            self.code_card,
            self.table,
            self.phase,
            *cards,
            spacing=8,
        )
        self.setLayout(
            vbox(
                hbox(self.scenes, self.score, 1, *buttons),
                (self._area, 1),
                self.away_card,
                hbox(self.back, self.replay, 1, self.next),
                margins=(10, 6, 8, 8),
                spacing=6,
            )
        )


class _SceneBox(QComboBox):
    """Lists the scenes by their titles; closed, it says which of them is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Scenes")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(len("Scene 10 of 10"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the number of the scene in place of its title."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = f"Scene {self.currentIndex() + 1} of {self.count()}"
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()


def reading_area(name: str, *parts: QWidget, spacing: int = -1) -> QScrollArea:
    """Return an area that scrolls down through widgets; `name` is for screen readers."""
    content = QWidget()
    content.setLayout(vbox(*parts, 1, margins=(2, 2, 8, 2), spacing=spacing))
    # As high as its texts are at this width, and not as they would be at the least one.
    content.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
    return scrolled(content, name, down=True)


class QtQuestion(QFrame):
    """A question with its field and buttons, and what became of it."""

    def __init__(self, session: Session, quiz: Quiz) -> None:
        super().__init__()
        self._session = session
        self._quiz = quiz
        self._question: AskedQuestion | None = None
        self.setAccessibleName("Question")
        self.prompt = _text_label("title")
        self.field = QLineEdit(placeholderText="Number", maxLength=_MAX_DIGITS)
        self.field.setAccessibleName("Your answer")
        self.field.setMinimumWidth(style.scaled(60))
        self.field.setMaximumWidth(style.scaled(120))
        digits = QRegularExpression(r"\d*")
        self.field.setValidator(QRegularExpressionValidator(digits, self.field))
        self.field.textChanged.connect(self._on_typed)
        self.field.returnPressed.connect(quiz.check)
        self.chosen = _wrapped("dim")
        self.choices = QWidget()
        self._choices = vbox(margins=(0, 0, 0, 0), spacing=6)
        self.choices.setLayout(self._choices)
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._on_chosen)
        self.check = text_button("Check", quiz.check, primary=True)
        self.skip = text_button("Skip", quiz.skip)
        self.why = text_button("Why?", quiz.explain)
        self.heading = labelled("", "title")
        self.feedback = _text_label()
        self.feedback.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.verdict = _card("info", vbox(self.heading, self.feedback, spacing=8))
        self._answer = hbox(hbox(self.field, self.check, 1), hbox(self.skip, self.why, 1))
        parts = (self.prompt, self.choices, self.chosen, self.verdict, self._answer)
        self.setLayout(vbox(*parts, margins=(0, 0, 0, 0), spacing=8))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set all buttons in one row if there is room."""
        super().resizeEvent(event)
        roomy = event.size().width() >= style.scaled(400)
        way = QBoxLayout.Direction
        self._answer.setDirection(way.LeftToRight if roomy else way.TopToBottom)

    def refresh(self) -> None:
        """Show the question that is asked now."""
        question = self._quiz.question
        if question is not self._question:
            self._question = question
            number = None if question is None else question.number
            with QSignalBlocker(self.field):
                self.field.setText("" if number is None else str(number))
            self._fill_choices(() if question is None else question.choices, number)
        self.setVisible(question is not None)
        if question is None:
            return
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        pending = question.pending
        self.prompt.setText(rich_text(question.prompt))
        self.setAccessibleDescription(plain(question.prompt))
        self.field.setVisible(pending and not question.wants_cells and not question.choices)
        self.choices.setEnabled(pending)
        if question.number is not None and question.choices:
            self._group.button(question.number).setChecked(True)
        self.chosen.setVisible(question.picks)
        self.chosen.setText(_chosen_text(question))
        self.check.setText("Try again" if question.tries else "Check")
        self.check.setVisible(pending)
        self.check.setEnabled(question.answered)
        self.skip.setVisible(pending and not question.tries)
        self._show_why(question)
        self._show_verdict(question)
        if had_focus and not pending:
            self.window().setFocus()  # the field with the focus went away

    def begin_to_answer(self) -> bool:
        """Put the focus where a number is typed; return whether one is asked for."""
        question = self._question
        if question is None or question.wants_cells or not question.pending:
            return False
        if question.choices:
            self._group.button(question.number or 1).setFocus(Qt.FocusReason.ShortcutFocusReason)
            return True
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        return True

    def _show_why(self, question: AskedQuestion) -> None:
        elsewhere = question.next_step not in {None, self._session.display.index}
        explained = not question.pending and question.outcome is not QuestionOutcome.SKIPPED
        self.why.setText("Show the next step" if explained and elsewhere else "Show the answer")
        self.why.setVisible(elsewhere or not explained)

    def _show_verdict(self, question: AskedQuestion) -> None:
        told = question.outcome is not QuestionOutcome.PENDING
        self.verdict.setVisible(told)
        if not told:
            return
        heading, kind = _HEADINGS[question.outcome]
        self.heading.setText(heading)
        self.feedback.setText(rich_text(question.feedback))
        self.feedback.setVisible(bool(question.feedback))
        self.verdict.setAccessibleName(f"{heading}. {plain(question.feedback)}")
        style.set_role(self.verdict, kind, "message")

    def _fill_choices(self, choices: tuple[str, ...], number: int | None) -> None:
        for button in self._group.buttons():
            self._group.removeButton(button)
            button.deleteLater()
        way = QBoxLayout.Direction
        short = sum(map(len, choices)) <= _SHORT_CHOICES
        self._choices.setDirection(way.LeftToRight if short else way.TopToBottom)
        for place, text in enumerate(choices, 1):
            button = _ChoiceButton(text)
            button.setChecked(place == number)
            self._group.addButton(button, place)
            self._choices.addWidget(button)
        self.choices.setVisible(bool(choices))

    def _on_chosen(self, number: int) -> None:
        if self._question is not None:
            self._question.set_number(number)

    def _on_typed(self, text: str) -> None:
        if self._question is not None:
            self._question.set_number(int(text) if text else None)


class _ChoiceButton(QPushButton):
    """An answer to choose, whose text wraps."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setAccessibleName(plain(text))
        self.setProperty("choice", "true")
        self._label = _text_label()
        self._label.setText(rich_text(text))
        self._label.setAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
        self._label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._inside = vbox(self._label, margins=(10, 7, 10, 7))
        self.setLayout(self._inside)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        """Return true: a narrow text is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height that the text needs."""
        return self._inside.heightForWidth(width)

    def sizeHint(self) -> QSize:
        """Return the size of the text."""
        return self._inside.sizeHint()


class QtPredictor(QWidget):
    """Asks what the next step will do, while predict mode is on."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._predictor = predictor = session.predictor
        self.setAccessibleName("Predict")
        off = icon_button("close", "Stop predicting", lambda: predictor.switch(False))
        self.score = labelled("", "dim")
        self.hint = _wrapped("dim")
        tip = "Go to the first step, and be asked from there"
        self.begin = text_button("From the first step", predictor.begin, tip)
        tip = "Be asked about the step after this one"
        self.more = text_button("Next question", predictor.ask_next, tip)
        self.question = QtQuestion(session, predictor)
        self.setLayout(
            vbox(
                hbox((labelled("Predict the next step", "title"), 1), off),
                (reading_area("Question", self.hint, self.question), 1),
                hbox(self.begin, self.more, 1, self.score),
                margins=(10, 6, 8, 8),
                spacing=6,
            )
        )
        self.setMinimumWidth(style.scaled(260))
        predictor.changed.connect(self.refresh)
        session.display.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the question, or what to do to be asked one."""
        predictor = self._predictor
        if not predictor.active:
            return
        question = predictor.question
        right, answered = predictor.score
        self.score.setText(f"{right} of {answered} right" if answered else "")
        self.question.refresh()
        self.hint.setVisible(question is None)
        self.hint.setText(predictor.hint)
        self.begin.setVisible(question is None and predictor.can_begin)
        self.more.setVisible(question is not None and not question.pending)


class QtNotes(Dialog):
    """The presenter's notes, in a small window for a screen that the class cannot see."""

    def __init__(self, player: LessonPlayer, parent: QWidget) -> None:
        super().__init__("Presenter's notes", parent, kept=True)
        self.setWindowFlags(Qt.WindowType.Tool)
        self.setModal(False)
        self._player = player
        self.title = labelled("", "heading", wrap=True)
        self.text = _text_label()
        self.following = _wrapped("dim")
        parts = (self.title, (scrolled(self.text, "Notes"), 1), self.following)
        self.setLayout(vbox(*parts, margins=(16, 14, 16, 14), spacing=10))
        self.resize_with_text(420, 300)
        player.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the notes of the scene."""
        player, played = self._player, self._player.played
        if played is None:
            return
        self.title.setText(f"{player.index + 1}. {played.scene.title}")
        self.text.setText(rich_text(played.notes or _NO_NOTES))
        following = player.scenes[player.index + 1 :]
        self.following.setText(f"Next: {following[0].title}" if following else "The last scene.")

    def reject(self) -> None:
        """Show no notes any more, as with the window's own button."""
        self._player.set_notes(False)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Show no notes any more."""
        super().closeEvent(event)
        if self._player.is_open:
            self._player.set_notes(False)


def recap(aims: Iterable[str], scenes: Iterable[SceneSummary], score: tuple[int, int]) -> str:
    """Return the aims of a lesson, and how each of its questions went, in Markdown."""
    asked = [(number, scene) for number, scene in enumerate(scenes, 1) if scene.asks]
    lines = ["**What you have learned**", "\n".join(f"- {aim}" for aim in aims)]
    if asked:
        lines.append(f"**Questions: {score[0]} of {len(asked)} right**")
        lines.append("\n".join(f"- {_recalled(number, scene)}" for number, scene in asked))
    return "\n\n".join(lines)


def _recalled(number: int, scene: SceneSummary) -> str:
    told: dict[QuestionOutcome | None, str] = {
        QuestionOutcome.RIGHT: "right" if scene.tries == 1 else f"right at try {scene.tries}",
        QuestionOutcome.WRONG: "not right yet",
        QuestionOutcome.SKIPPED: "skipped",
        QuestionOutcome.SHOWN: "answer shown",
    }
    return f"{number}. {scene.title}: {told.get(scene.outcome, 'open')}"


def _table_html(table: ComparedTable) -> str:
    theme = style.theme()
    return (
        "<style>td, th { padding: 2px 8px 2px 0; text-align: right; }"
        f"p {{ color: {theme.dim}; margin: 4px 0 0 0; }}</style>{table.html}"
    )


def rich_text(markdown: str) -> str:
    """Return a text of a lesson for a label: prose with room between its lines.

    Whatever is not the Markdown of lessons is shown as it is written.
    """
    theme = style.theme()
    back = style.mixed(theme.surface, theme.text, 0.12)
    html = to_html(markdown)
    last = html.rfind("<p>")
    if last >= 0 and html.endswith("</p>"):  # no space below the last paragraph
        html = f'{html[:last]}<p class="last">{html[last + 3 :]}'
    return (
        "<style>p { margin: 0 0 9px 0; line-height: 125%; } p.last { margin-bottom: 0; }"
        "ul { margin: 0 0 9px 18px; -qt-list-indent: 0; }"
        "li { margin-bottom: 4px; line-height: 125%; }"
        f"code {{ background-color: {back}; font-family: monospace; }}</style>{html}"
    )


def _text_label(role: str = "") -> QLabel:
    """Return a label for what :func:`rich_text` made, in which every part is escaped."""
    label = _wrapped(role)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


def _wrapped(role: str) -> QLabel:
    label = labelled("", role, wrap=True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label


def _card(kind: str, first: QWidget | QLayout, *others: QWidget) -> QFrame:
    """Return a frame around widgets: the first above, the others in a row below."""
    card = QFrame()
    card.setProperty("message", kind)
    parts = (first, hbox(*others, 1)) if others else (first,)
    card.setLayout(vbox(*parts, margins=(12, 10, 12, 10), spacing=8))
    return card


def _scene_title(number: int, scene: SceneSummary) -> str:
    new = "" if scene.seen else "(new)"
    mark = _SCENE_MARKS.get(scene.outcome, "?") if scene.asks else new
    return f"{number}. {scene.title}  {mark}".rstrip()


def _chosen_text(question: AskedQuestion) -> str:
    if not question.chosen:
        return "Click on the grid, or move there with Shift and the arrows and press Enter."
    cells = ", ".join(f"x = {x}, y = {y}" for x, y in question.chosen[:4])
    more = f" and {len(question.chosen) - 4} more" if len(question.chosen) > 4 else ""
    return f"Chosen: {cells}{more}. Click one again to take it back."


def quiz_of(session: Session) -> Quiz:
    """Return what asks questions now: the lesson, or else predict mode."""
    return session.lessons if session.lessons.is_open else session.predictor


def _open_lesson_file(window: MainWindow) -> None:
    dialog = QFileDialog(window, "Open lesson", "", "Lessons (*.toml);;All files (*)")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(window.session.lessons.open)
    dialog.open()


def _answer(window: MainWindow) -> None:
    """Check the answer; where no number was typed yet, go to its field."""
    quiz = quiz_of(window.session)
    if quiz.question is not None and quiz.question.answered:
        quiz.check()
    else:
        for panel in window.findChildren(QtQuestion):
            if panel.isVisible() and panel.begin_to_answer():
                return


def _asks(session: Session) -> bool:
    question = quiz_of(session).question
    return question is not None and question.pending


def _lesson_row(number: int, key: str) -> ActionSpec:
    try:
        title, aims = lessons.title_and_aims(key)
    except LessonFileError as error:  # opening it says the same
        title, aims = key, (str(error),)
    digits = f"{number // 10 or ''}&{number % 10}"
    return ActionSpec(
        f"lesson_{number}", f"{digits}  {title.replace('&', '&&')}", "Lessons",
        lambda window: window.session.lessons.open(key), icon="lesson",
        tip=" ".join(plain(aim) for aim in aims),
    )  # fmt: skip


# fmt: off
ACTIONS: Final = (
    *(_lesson_row(number, key) for number, key in enumerate(lessons.names(), 1)),
    ActionSpec(
        "open_lesson", "&Open lesson\N{HORIZONTAL ELLIPSIS}", "Lessons", _open_lesson_file,
        icon="open", tip="Open a lesson from a file",
    ),
    ActionSpec(
        "next_scene", "&Next", "Lessons", lambda window: window.session.lessons.next(),
        ("Ctrl+Right",), enabled=lambda session: session.lessons.can_go_on, group=1,
        tip="Show the next scene of the lesson",
    ),
    ActionSpec(
        "previous_scene", "&Back", "Lessons", lambda window: window.session.lessons.back(),
        ("Ctrl+Left",), enabled=lambda session: session.lessons.can_go_back, group=1,
        tip="Show the scene before",
    ),
    ActionSpec(
        "reset_scene", "&Reset scene", "Lessons", lambda window: window.session.lessons.reset(),
        enabled=lambda session: session.lessons.away, group=1,
        tip="Show the scene as it was at first",
    ),
    ActionSpec(
        "presenter_notes", "&Presenter's notes", "Lessons",
        lambda window: window.session.lessons.set_notes(not window.session.lessons.notes),
        icon="notes", checked=lambda session: session.lessons.notes, group=1,
        tip="Show notes for the presenter in a window of their own during lessons",
    ),
    ActionSpec(
        "close_lesson", "&Close lesson", "Lessons",
        lambda window: window.session.lessons.close_lesson(),
        icon="close", enabled=lambda session: session.lessons.is_open, group=1,
        tip="Close the lesson; your own grid comes back as it was",
    ),
    ActionSpec(
        "answer", "Ans&wer", "Lessons", _answer, enabled=_asks, group=2,
        tip="Check the answer, or go to its field",
    ),
    ActionSpec(
        "predict", "Pre&dict the next step", "Lessons",
        lambda window: window.session.predictor.switch(not window.session.predictor.on),
        icon="help", enabled=has_recording, checked=lambda session: session.predictor.on, group=3,
        tip="Be asked what the next step will do, whenever you step forward",
    ),
)
# fmt: on

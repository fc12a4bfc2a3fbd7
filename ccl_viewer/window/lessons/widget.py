"""The lesson beside the canvas: scenes, caption, question, feedback, presenter's notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QFileSystemWatcher, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from ccl_viewer.diagnostics.phases.text import detail_lines
from ccl_viewer.lessons.code import SceneCode
from ccl_viewer.lessons.comparing import ComparisonTable
from ccl_viewer.lessons.markup import to_plain_text
from ccl_viewer.render.diagram_picture import draw_diagram
from ccl_viewer.render.phase_picture import draw_phase
from ccl_viewer.render.sheet import AnnotatedPicture
from ccl_viewer.render.themes import canvas_theme
from ccl_viewer.window.core.questions import QuestionOutcome
from ccl_viewer.window.lessons.model import LessonPlayer, SceneSummary
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.buttons import make_action_button, make_text_button
from ccl_viewer.window.widgets.dialogs import Dialog
from ccl_viewer.window.widgets.labels import make_label, name_widget
from ccl_viewer.window.widgets.layouts import hbox, make_container, make_scroll_area, vbox
from ccl_viewer.window.widgets.phase_canvas import PhaseCanvas
from ccl_viewer.window.widgets.question import QtQuestion
from ccl_viewer.window.widgets.reading import (
    make_card,
    make_text_label,
    make_wrapped_label,
    reading_area,
    rich_text,
)
from ccl_viewer.window.widgets.source_text import SourceText

if TYPE_CHECKING:
    from ccl_viewer.window.core.run_display import RunDisplay

_NO_NOTES: Final = "There are no notes for this scene."
_AIMS: Final = "After this lesson you can"
_ALTERED: Final = "This is a copy to draw on. Closing the lesson brings your grid back."
_AWAY: Final = "You are looking at a different step."
_CODE_LINES: Final = 12
_FEWER_LINES: Final = 8  # below a diagram
_WIDTH: Final = 330  # pixels at the usual size of text
_WIDE: Final = 560  # beside source, a phase or a table
_WIDEST: Final = 0.45  # of the window
_CODE_SIZE: Final = 0.84  # of the type, against that of other text
_PROSE_SIZE: Final = 1.25  # of prose; in full screen also of code, tables and pictures
_TABLE_AFTER: Final = "The table is shown once the question is answered."

_SCENE_MARKS: Final = {
    QuestionOutcome.RIGHT: "\N{CHECK MARK}",
    QuestionOutcome.WRONG: "\N{BALLOT X}",
}
_RECALLED: Final = {
    QuestionOutcome.RIGHT: "right",
    QuestionOutcome.WRONG: "not right yet",
    QuestionOutcome.SKIPPED: "skipped",
    QuestionOutcome.SHOWN: "answer shown",
    QuestionOutcome.PENDING: "open",
}


class QtLessonPlayer(QWidget):
    """Shows the scene, and moves through the lesson."""

    def __init__(
        self,
        display: RunDisplay,
        player: LessonPlayer,
        actions: Mapping[str, QAction],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._player = player
        self._notes: QtNotes | None = None
        self._shown: object = None
        self._asked: object = None
        self._follows_recap = False  # since Recap was pressed, until the user scrolls
        self._watcher = QFileSystemWatcher(self)
        self._watcher.fileChanged.connect(self._on_file_changed)
        self._watcher.directoryChanged.connect(self._on_file_changed)
        self.setAccessibleName("Lesson")
        self._make_scene(display)
        self._make_cards()
        self._lay_out(actions)
        self._player.changed.connect(self.refresh)
        bar = self._area.verticalScrollBar()
        bar.valueChanged.connect(self._show_next)
        bar.rangeChanged.connect(self._follow_recap)
        bar.actionTriggered.connect(self._stop_following)
        self.refresh()

    def refresh(self) -> None:
        """Show the scene."""
        self._show_notes()
        player, played = self._player, self._player.scene
        self._watch()
        if played is None:
            self._shown = None
            return
        self._show_place()
        self._show_texts()
        self._show_resume()
        self._show_end()
        self.question.refresh()
        self.question_card.setVisible(player.question is not None)
        self.away_card.setVisible(player.off_scene)
        self.away.setText(_ALTERED if player.altered else _AWAY)
        self.keep.setVisible(player.altered)
        self.back.setEnabled(player.can_go_back)
        self.replay.setEnabled(played.step > 0)
        question = player.question
        attempt = None if question is None else (question.outcome, question.tries)
        if played is not self._shown:
            self._shown = played
            self._follows_recap = False
            self._area.verticalScrollBar().setValue(0)
            self._show_code(played.code, _CODE_LINES if played.diagram is None else _FEWER_LINES)
        elif attempt != self._asked:  # after the layout has placed the verdict
            QTimer.singleShot(0, self, lambda: self._area.ensureWidgetVisible(self.question_card))
        self._asked = attempt
        QTimer.singleShot(0, self, self._show_next)

    def minimumSizeHint(self) -> QSize:
        """Return the width that the scene needs, in the window as it is."""
        hint, played = super().minimumSizeHint(), self._player.scene
        if played is not None:
            scene, most = played.scene, int(self.window().width() * _WIDEST)
            wide = any((scene.lines, scene.phase, scene.diagram, played.table))
            hint.setWidth(min(style.scaled(_WIDE), most) if wide else style.scaled(_WIDTH))
        return hint

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Enlarge code, tables and pictures in full screen, so that a class can read them."""
        super().resizeEvent(event)
        large = self.window().isFullScreen()
        self.code.set_type_size(_PROSE_SIZE if large else _CODE_SIZE)
        for picture in (self.phase, self.diagram):
            picture.set_text_size(_PROSE_SIZE / _CODE_SIZE if large else 1.0)
        style.set_role(self.table, "prose" if large else "")

    def changeEvent(self, event: QEvent) -> None:
        """Use the colours of another theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.refresh()

    def _fill_menu(self) -> None:
        """List the scenes by their titles; the one that is shown is ticked."""
        self._menu.clear()
        for index, scene in enumerate(self._player.scenes):
            title = _scene_title(index, scene).replace("&", "&&")
            row = self._menu.addAction(title, partial(self._player.go_to, index))
            row.setCheckable(True)
            row.setChecked(index == self._player.index)

    def _show_place(self) -> None:
        """Show the number of the scene, and the number of right answers."""
        text = f"Scene {self._player.index + 1} of {len(self._player.scenes)}"
        self.scenes.setText(f"{text}  \N{BLACK DOWN-POINTING SMALL TRIANGLE}")
        right, answered = self._player.score
        self.score.setText(f"{right} of {answered} right" if answered else "")

    def _show_resume(self) -> None:
        """On the first scene, offer to continue where the lesson was left."""
        index = self._player.resume_index
        self.resume_card.setVisible(index is not None)
        if index is not None:
            title = self._player.scenes[index].title
            self.resume_note.setText(
                f"Last time you stopped at scene {index + 1}: \u201c{title}\u201d"
            )

    def _show_end(self) -> None:
        """Show the recap after the last scene, and what comes next."""
        player = self._player
        self._show_next()
        self.end_card.setVisible(player.finished)
        self.next_lesson.setVisible(player.next_lesson is not None)
        if player.finished and player.lesson is not None:
            self.end.setText(rich_text(make_recap(player.lesson.aims, player.scenes, player.score)))

    def _show_next(self) -> None:
        """Offer the next scene, or after the last one the recap, unless it is visible."""
        player, card, area = self._player, self.end_card, self._area.viewport()
        self.next.setText("Next" if player.can_go_on else "Recap")
        top = card.mapTo(area, card.rect().topLeft()).y()
        # A card that is higher than the column counts as visible when its top reaches the edge.
        below = top > 0 and top + card.height() > area.height()
        self.next.setVisible(player.can_go_on or (player.finished and below))

    def _show_code(self, code: SceneCode | None, most: int) -> None:
        """Show the lines of source that go with the scene."""
        self.code_card.setVisible(code is not None)
        if code is None:
            return
        first, last = code.first + 1, code.last + 1
        lines = f"line {first}" if first == last else f"lines {first} to {last}"
        self.code_title.setText(f"{code.file}, {lines}")
        self.code.show_source(code.text)
        self.code.mark(range(code.first, code.last + 1))
        self.code.go_to_line(code.first)
        self.code.set_height_in_lines(max(most, min(code.last - code.first + 4, 2 * _CODE_LINES)))

    def _watch(self) -> None:
        """Follow the lesson's file, and its folder, since editors often write a new file."""
        lesson = self._player.lesson
        path = None if lesson is None or self._player.scene is None else lesson.path
        paths = [] if path is None else [str(path), str(path.parent)]
        watched = [*self._watcher.files(), *self._watcher.directories()]
        if old := [one for one in watched if one not in paths]:
            self._watcher.removePaths(old)
        if new := [one for one in paths if one not in watched]:
            self._watcher.addPaths(new)

    def _on_file_changed(self, _path: str) -> None:
        self._watch()
        self._player.reload()

    def _show_texts(self) -> None:
        played, lesson = self._player.scene, self._player.lesson
        if played is None or lesson is None:
            return
        self.title.setText(played.scene.title)
        self.caption.setText(rich_text(played.caption))
        self.caption.setAccessibleDescription(to_plain_text(played.caption))
        self.unfold.setVisible(bool(played.more))
        self.more.setText(rich_text(played.more))
        self.more.setVisible(bool(played.more) and self.unfold.isChecked())
        table, question = played.table, self._player.question
        self.table.setVisible(table is not None)
        if table is not None:
            if question is not None and question.pending:
                table = table.without_answer(question.question)
            self.table.setText(_TABLE_AFTER if table is None else _table_html(table))
        self.phase.setVisible(played.phase is not None)
        self.phase.refresh()
        details = () if played.phase is None else detail_lines(played.phase)
        self.phase.setAccessibleDescription("\n".join(details))
        self.diagram.setVisible(played.diagram is not None)
        self.diagram.refresh()
        lines = () if played.diagram is None else played.diagram.lines
        self.diagram.setAccessibleDescription("\n".join(lines))
        self.aims_card.setVisible(self._player.index == 0 and bool(lesson.aims))
        aims = "\n".join(f"- {aim}" for aim in lesson.aims)
        self.aims.setText(rich_text(f"**{_AIMS}**\n\n{aims}"))

    def _unfold(self, on: bool) -> None:
        """Unfold or fold the text under More; later scenes keep the state."""
        arrow = Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow
        self.unfold.setArrowType(arrow)
        self.more.setVisible(on and not self.unfold.isHidden())

    def _draw_phase(self, width: int, px: float) -> AnnotatedPicture | None:
        """Return the picture of the scene's phase, if it shows one."""
        played = self._player.scene
        if played is None or played.phase is None:
            return None
        theme = canvas_theme(style.theme().name)
        return draw_phase(played.phase, None, None, width, theme, px=px)

    def _draw_diagram(self, width: int, px: float) -> AnnotatedPicture | None:
        """Return the picture of the scene's diagram, if it shows one."""
        played = self._player.scene
        if played is None or played.diagram is None:
            return None
        return draw_diagram(played.diagram, width, canvas_theme(style.theme().name), px=px)

    def _show_notes(self) -> None:
        """Show the presenter's notes with a lesson, if they are wanted."""
        visible = self._player.notes and self._player.is_open
        if visible and self._notes is None:
            self._notes = QtNotes(self._player, self.window())
            self._notes.move_beside(self.window())
        if self._notes is not None:
            self._notes.setVisible(visible)

    def _go_on(self) -> None:
        """Show the next scene, or after the last one the recap."""
        if self._player.can_go_on:
            self._player.next()
        else:
            self._follows_recap = True
            self._follow_recap()

    def _follow_recap(self) -> None:
        """Keep the recap at the edge of the column when the texts above it grow."""
        content = self._area.widget()
        if self._follows_recap and content is not None:
            top = self.end_card.mapTo(content, self.end_card.rect().topLeft()).y()
            self._area.verticalScrollBar().setValue(top)
        self._show_next()

    def _stop_following(self) -> None:
        self._follows_recap = False

    def _open_next_lesson(self) -> None:
        if self._player.next_lesson is not None:
            self._player.open(self._player.next_lesson)

    def _make_scene(self, display: RunDisplay) -> None:
        self.title = make_label("", "title", wrap=True)
        self.caption = name_widget(make_text_label("prose"), "Caption")
        self.caption.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.more = name_widget(make_text_label("prose"), "More")
        self.more.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.unfold = name_widget(QToolButton(autoRaise=True), "More")
        self.unfold.setText("More")
        self.unfold.setCheckable(True)
        self.unfold.setToolTip("Show what helps to read this scene")
        self.unfold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.unfold.toggled.connect(self._unfold)
        self._unfold(False)
        self.table = name_widget(make_text_label(), "Comparison")
        self.code_title = make_label("", "dim")
        self.code = SourceText(_CODE_SIZE)
        self.code.set_wrapped(True)
        self.code_card = make_container(vbox(self.code_title, self.code, spacing=2))
        self.phase = PhaseCanvas(self._draw_phase)
        self.diagram = name_widget(PhaseCanvas(self._draw_diagram), "Diagram")
        self.question = QtQuestion(display, self._player)
        self.question_card = make_card("busy", self.question)
        self.aims = make_text_label("dim")
        self.aims_card = make_card("info", self.aims)

    def _make_cards(self) -> None:
        """Make the cards for resuming, for the end, and for other steps."""
        player = self._player
        self.resume_note = make_wrapped_label("")
        resume = make_text_button("Go on from there", player.resume, primary=True)
        self.resume_card = make_card("busy", self.resume_note, resume)
        self.end = make_text_label()
        self.next_lesson = make_text_button("Next lesson", self._open_next_lesson, primary=True)
        close = make_text_button("Close lesson", player.close_lesson)
        self.end_card = make_card("info", self.end, self.next_lesson, close)
        self.away = make_wrapped_label("dim")
        reset = make_text_button("Reset scene", player.reset, "Show the scene as it was at first")
        tip = "Close the lesson and keep its grid, with your changes"
        self.keep = make_text_button("Keep this grid", player.keep_grid, tip)
        self.away_card = make_card("info", self.away, reset, self.keep)

    def _lay_out(self, actions: Mapping[str, QAction]) -> None:
        player = self._player
        instant = QToolButton.ToolButtonPopupMode.InstantPopup
        self.scenes = name_widget(QToolButton(popupMode=instant), "Scenes")
        self._menu = QMenu(self.scenes)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.scenes.setMenu(self._menu)
        self.score = make_label("", "dim")
        self.back = make_text_button("Back", player.back, "The previous scene (Ctrl+Left)")
        tip = "Play this run from its first step to the scene's"
        self.replay = make_text_button("Play steps", player.replay, tip)
        self.next = make_text_button(
            "Next", self._go_on, "The next scene (Ctrl+Right)", primary=True
        )
        buttons = [
            make_action_button(actions[name]) for name in ("presenter_notes", "close_lesson")
        ]
        cards = (self.question_card, self.aims_card, self.end_card)
        self._area = reading_area(
            "Scene",
            self.resume_card,
            make_container(hbox((self.title, 1), self.unfold)),
            self.caption,
            self.more,
            self.diagram,
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
                self.question.answer_row,  # always in sight
                self.away_card,
                hbox(self.back, self.replay, 1, self.next),
                margins=(10, 6, 8, 8),
                spacing=6,
            )
        )


class QtNotes(Dialog):
    """The presenter's notes, in a small window for a screen that the class cannot see."""

    def __init__(self, player: LessonPlayer, parent: QWidget) -> None:
        super().__init__("Presenter's notes", parent, modal=False)
        self.setWindowFlags(Qt.WindowType.Tool)
        self._player = player
        self.title = make_label("", "heading", wrap=True)
        self.text = make_text_label()
        self.following = make_wrapped_label("dim")
        parts = (self.title, (make_scroll_area(self.text, "Notes"), 1), self.following)
        self.setLayout(vbox(*parts, margins=(16, 14, 16, 14), spacing=10))
        self.resize_with_text(_WIDTH, 300)
        player.changed.connect(self.refresh)
        self.refresh()

    def move_beside(self, window: QWidget) -> None:
        """Move to another screen, or beside a window, or else over its lower right corner."""
        others = [screen for screen in QGuiApplication.screens() if screen is not window.screen()]
        room = (others[0] if others else window.screen()).availableGeometry()
        window_frame, frame = window.frameGeometry(), QRect(QPoint(), self.size())
        frame.moveTopLeft(QPoint(window_frame.right() + 1, window_frame.top()))
        if others:
            frame.moveCenter(room.center())
        elif not room.contains(frame):
            frame.moveTopRight(QPoint(window_frame.left() - 1, window_frame.top()))
        if not room.contains(frame):
            frame.moveBottomRight(window_frame.bottomRight())
        self.move(frame.topLeft())

    def refresh(self) -> None:
        """Show the notes of the scene."""
        player, played = self._player, self._player.scene
        if played is None:
            return
        self.title.setText(f"{player.index + 1}. {played.scene.title}")
        self.text.setText(rich_text(played.notes or _NO_NOTES))
        following = player.scenes[player.index + 1 :]
        self.following.setText(f"Next: {following[0].title}" if following else "The last scene.")

    def reject(self) -> None:
        """Hide the notes, however the window was closed."""
        if self._player.is_open:
            self._player.set_notes_shown(False)
        else:
            super().reject()


def make_recap(aims: Iterable[str], scenes: Iterable[SceneSummary], score: tuple[int, int]) -> str:
    """Return the aims of a lesson, and how each of its questions went, in Markdown."""
    questions = [(number, scene) for number, scene in enumerate(scenes, 1) if scene.asks]
    lines = ["**What you have learned**", "\n".join(f"- {aim}" for aim in aims)]
    if questions:
        lines.append(f"**Questions: {score[0]} of {len(questions)} right**")
        lines.append("\n".join(f"- {_recalled(number, scene)}" for number, scene in questions))
    return "\n\n".join(lines)


def _recalled(number: int, scene: SceneSummary) -> str:
    text = _RECALLED[scene.outcome]
    if scene.outcome is QuestionOutcome.RIGHT and scene.asked is not None and scene.asked.tries > 1:
        text += f" at try {scene.asked.tries}"
    return f"{number}. {scene.title}: {text}"


def _table_html(table: ComparisonTable) -> str:
    theme = style.theme()
    return (
        "<style>td, th { padding: 2px 8px 2px 0; text-align: right; }"
        f"p {{ color: {theme.dim}; margin: 4px 0 0 0; }}</style>{table.html}"
    )


def _scene_title(index: int, scene: SceneSummary) -> str:
    mark = _SCENE_MARKS.get(scene.outcome, "?") if scene.asks else "" if scene.seen else "(new)"
    return f"{index + 1}. {scene.title}  {mark}".rstrip()

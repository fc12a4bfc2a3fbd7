"""The lesson beside the canvas: chapters, caption, question, progress."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ccl_viewer.lessons.markup import plain, to_html
from ccl_viewer.session import Session
from ccl_viewer.views.docks.projector import keep_away
from ccl_viewer.views.lessons.dots import ProgressDots
from ccl_viewer.views.lessons.question import QuestionCard
from ccl_viewer.views.lessons.text import styled
from ccl_viewer.views.looks.theme import DARK, Theme
from ccl_viewer.views.widgets.boxes import ChoiceBox
from ccl_viewer.views.widgets.flat_button import action_button
from ccl_viewer.views.widgets.flow import FlowLayout

_LARGE = 1.3
"""How many times as large as the window's text captions are."""

_QUESTION = 1.15
"""The same for questions, whose buttons are as large as all others."""

_AIMS = "After this lesson you can"
_ALTERED = "This is a copy to draw on: your own grid is put away."
_AWAY = "Another step than the scene's is on display."


class LessonPanel(QWidget):
    """Shows the scene on display, and moves through the lesson.

    Parameters
    ----------
    session : Session
        Which plays the lesson.
    actions : dict of str to QAction
        The window's actions.
    """

    def __init__(self, session: Session, actions: dict[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self._player = session.lesson
        self._theme = DARK
        self._scene: object = None
        self.setAccessibleName("Lesson")
        self._make_head(actions)
        self._make_scene(actions)
        self._make_cards(actions)
        self._make_foot(actions)
        self._lay_out()
        self._player.changed.connect(self.refresh)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of a theme, and the size of its text."""
        self._theme = theme
        font = self.font()
        font.setPointSizeF(max(font.pointSizeF() * _LARGE, 1.0))
        self.caption.setFont(font)
        bold = self.font()
        bold.setBold(True)
        self.chapters.setFont(bold)
        self.question.set_theme(theme, _QUESTION)
        self.dots.set_theme(theme)
        self._show_texts()

    def refresh(self) -> None:
        """Show the scene on display."""
        player = self._player
        chosen, played = player.lesson, player.played
        if chosen is None or played is None:
            self._scene = None
            return
        chapters = player.chapters
        with QSignalBlocker(self.chapters):
            titles = [f"{index + 1}. {chapter.title}" for index, chapter in enumerate(chapters)]
            if titles != [self.chapters.itemText(i) for i in range(self.chapters.count())]:
                self.chapters.clear()
                self.chapters.addItems(titles)
            self.chapters.setCurrentIndex(player.index)
        self.chapters.setToolTip(titles[player.index])
        self.dots.show_chapters(chapters, player.index)
        self._show_left(titles)
        self._show_end()
        self._show_texts()
        self.question.refresh()
        self.question_card.setVisible(player.asking is not None)
        self.stray_card.setVisible(player.away)
        self.keep.setVisible(player.altered)
        self.strayed.setText(_ALTERED if player.altered else _AWAY)
        if played is not self._scene:
            self._scene = played
            self._area.verticalScrollBar().setValue(0)

    def sizeHint(self) -> QSize:
        """Return a size at which captions read well."""
        return QSize(430, 560)

    def _show_left(self, titles: list[str]) -> None:
        """Offer at the first scene to go on where the lesson was left."""
        index = self._player.left_at
        self.left_card.setVisible(index is not None)
        if index is not None:
            self.left.setText(f"Last time you stopped at {titles[index]}.")

    def _show_end(self) -> None:
        """Say at the last scene how the questions went, and what comes next."""
        player = self._player
        last, (right, answered) = not player.can_go_on, player.score
        self.next.setVisible(not last)
        self.end_card.setVisible(last)
        told = f" {right} of {answered} answers were right." if answered else ""
        self.ended.setText(f"<b>The end of the lesson.</b>{told}")
        self.more.setVisible(player.following is not None)

    def _open_following(self) -> None:
        following = self._player.following
        if following is not None:
            self._player.open(following)

    def _show_texts(self) -> None:
        player = self._player
        chosen, played = player.lesson, player.played
        if chosen is None or played is None:
            return
        self.caption.setText(styled(to_html(played.caption), self._theme))
        self.caption.setAccessibleDescription(plain(played.caption))
        self.aims_card.setVisible(player.index == 0 and bool(chosen.aims))
        aims = "\n".join(f"- {aim}" for aim in chosen.aims)
        heading = f"<p><b>{_AIMS}</b></p>"
        self.aims.setText(styled(heading + to_html(aims), self._theme))

    def _make_head(self, actions: dict[str, QAction]) -> None:
        self.chapters = _chapters()
        self.chapters.activated.connect(self._player.go_to)
        self.close_button = action_button(actions["close_lesson"])
        self.notes_button = action_button(actions["presenter_notes"])
        self.settings_button = action_button(actions["lesson_settings"])
        keep_away(self.settings_button)

    def _make_scene(self, actions: dict[str, QAction]) -> None:
        self.aims = _label("dim", rich=True)
        self.aims_card = _card("info", self.aims)
        self.caption = _label(rich=True)
        self.caption.setAccessibleName("Caption")
        self.caption.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.question = QuestionCard(self._session, actions)
        self.question_card = _card("busy", self.question)

    def _make_cards(self, actions: dict[str, QAction]) -> None:
        """Make what is said where a lesson was left, where it ends, and on other steps."""
        self.left = _label()
        self.resume = _button(actions["resume_lesson"], primary=True)
        self.left_card = _card("busy", self.left, self.resume)
        self.ended = _label()
        self.finish = _button(actions["close_lesson"])
        self.more = _primary("Next lesson")
        self.more.clicked.connect(self._open_following)
        self.end_card = _card("info", self.ended, self.more, self.finish)
        self.strayed = _label("dim")
        self.reset = _button(actions["reset_scene"])
        self.keep = _button(actions["keep_grid"])
        self.stray_card = _card("info", self.strayed, self.reset, self.keep)

    def _make_foot(self, actions: dict[str, QAction]) -> None:
        self.dots = ProgressDots(self._player.go_to)
        self.back = _button(actions["previous_scene"])
        self.next = _button(actions["next_scene"], primary=True)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self.chapters, 1)
        head.addWidget(self.settings_button)
        head.addWidget(self.notes_button)
        head.addWidget(self.close_button)
        content = QWidget()
        text = QVBoxLayout(content)
        text.setContentsMargins(2, 4, 10, 4)
        text.setSpacing(12)
        cards = self.left_card, self.question_card, self.aims_card, self.end_card
        for widget in (self.caption, *cards):
            text.addWidget(widget)
        text.addStretch(1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QScrollArea.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(content)
        self._area.setAccessibleName("Scene")
        self._area.setProperty("stop", "true")
        foot = QHBoxLayout()
        foot.setSpacing(6)
        foot.addWidget(self.back)
        foot.addWidget(self.dots, 1)
        foot.addWidget(self.next)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 2, 6, 8)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self._area, 1)
        layout.addWidget(self.stray_card)
        layout.addLayout(foot)


def _chapters() -> QComboBox:
    box = ChoiceBox()
    box.setAccessibleName("Scenes")
    box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return box


def _label(role: str = "", *, rich: bool = False) -> QLabel:
    label = QLabel()
    if rich:
        label.setTextFormat(Qt.TextFormat.RichText)
    if role:
        label.setProperty("role", role)
    label.setWordWrap(True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label


def _card(kind: str, *widgets: QWidget) -> QFrame:
    """Return a frame around widgets: the first above, the others in a row below."""
    card = QFrame()
    card.setProperty("message", kind)
    layout = QVBoxLayout(card)
    layout.setContentsMargins(12, 10, 12, 10)
    layout.setSpacing(8)
    layout.addWidget(widgets[0])
    if len(widgets) > 1:
        row = FlowLayout(6, 6)
        for widget in widgets[1:]:
            row.addWidget(widget)
        layout.addLayout(row)
    return card


def _primary(text: str) -> QPushButton:
    button = QPushButton(text)
    button.setProperty("role", "primary")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def _button(action: QAction, *, primary: bool = False) -> QPushButton:
    """Return a button that does what an action does, and can be pressed when that can be done."""
    button = _primary(action.iconText()) if primary else QPushButton(action.iconText())
    button.setToolTip(action.toolTip())
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.clicked.connect(action.trigger)
    action.changed.connect(lambda: button.setEnabled(action.isEnabled()))
    button.setEnabled(action.isEnabled())
    return button

"""Reading text: rich text from Markdown, cards, and the area in which it scrolls."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QLayout, QScrollArea, QSizePolicy, QWidget

from ccl_viewer.lessons.markup import to_html
from ccl_viewer.window.widgets import style
from ccl_viewer.window.widgets.labels import make_label
from ccl_viewer.window.widgets.layouts import hbox, make_container, make_scroll_area, vbox


def reading_area(name: str, *parts: QWidget, spacing: int = -1) -> QScrollArea:
    """Return an area that scrolls widgets vertically; `name` is for screen readers."""
    content = make_container(vbox(*parts, 1, margins=(2, 2, 8, 2), spacing=spacing))
    # The height follows from the texts at this width, instead of the minimum width.
    content.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
    return make_scroll_area(content, name, down=True)


def rich_text(markdown: str) -> str:
    """Return a text of a lesson for a label: prose with space between its lines.

    Anything but the Markdown of lessons is shown literally.
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


def make_text_label(role: str = "") -> QLabel:
    """Return a label for the result of :func:`rich_text`, which has every part escaped."""
    label = make_wrapped_label(role)
    label.setTextFormat(Qt.TextFormat.RichText)
    return label


def make_wrapped_label(role: str) -> QLabel:
    label = make_label("", role, wrap=True)
    label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    return label


def make_card(kind: str, first: QWidget | QLayout, *others: QWidget) -> QFrame:
    """Return a frame around widgets: the first above, the rest in a row below."""
    frame = QFrame()
    frame.setProperty("message", kind)
    parts = (first, hbox(*others, 1)) if others else (first,)
    frame.setLayout(vbox(*parts, margins=(12, 10, 12, 10), spacing=8))
    return frame

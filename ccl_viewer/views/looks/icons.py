"""Icons from ``assets/icons``, drawn in the colours of the theme and sharp at any scale."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QWidget

from ccl_viewer.resources import assets_folder

_FAINT = 0.4
"""Opacity of disabled icons that have no colour for it."""


@cache
def icon(name: str, color: str, disabled: str | None = None) -> QIcon:
    """Return an icon, which is drawn when it is seen, at the sizes at which it is.

    Parameters
    ----------
    name : str
        Stem of the file.
    color : str
        Colour of its strokes, as ``#rrggbb``.
    disabled : str or None
        Colour while the action is disabled; None for a fainter one.
    """
    return QIcon(_Strokes(name, color, disabled))


class _Strokes(QIconEngine):
    """Draws an icon in one colour, and in another while it is disabled."""

    def __init__(self, name: str, color: str, disabled: str | None) -> None:
        super().__init__()
        self._name, self._color, self._disabled = name, color, disabled
        self._clones: list[_Strokes] = []
        self._drawn: dict[tuple[int, int, bool], QPixmap] = {}

    def clone(self) -> QIconEngine:
        """Return another engine for the same icon; Qt asks for it before it changes one."""
        made = _Strokes(self._name, self._color, self._disabled)
        self._clones.append(made)  # Python would delete it under Qt, which takes it for its own
        return made

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        """Return the icon at a size, which is drawn once."""
        off = mode is QIcon.Mode.Disabled
        key = size.width(), size.height(), off
        if key not in self._drawn:
            color = QColor((self._disabled or self._color) if off else self._color)
            if off and self._disabled is None:
                color.setAlphaF(_FAINT)
            self._drawn[key] = _tinted(_shape(self._name, size.width(), size.height()), color)
        return self._drawn[key]

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw the icon into a rectangle."""
        size = rect.size() * painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(size, mode, state))


def draw_icons(root: QWidget) -> None:
    """Draw the icons of all buttons that can be seen in a widget, before it is painted."""
    for button in root.findChildren(QAbstractButton):
        if button.isVisible():
            mode = QIcon.Mode.Normal if button.isEnabled() else QIcon.Mode.Disabled
            button.icon().pixmap(button.iconSize(), button.devicePixelRatioF(), mode)


def program_icon() -> QIcon:
    """Return the icon of the program."""
    renderer = QSvgRenderer(str(assets_folder() / "icons" / "ccl-viewer.svg"))
    made = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        made.addPixmap(_drawn(renderer, QSize(size, size)))
    return made


def write_colored(name: str, color: str, folder: Path) -> str:
    """Write an icon in one colour into a folder, for stylesheets; return its path for them."""
    path = folder / f"{name}-{color.lstrip('#')}.svg"
    with suppress(OSError):  # on a full disk, fields lack their arrows, and nothing else
        path.write_text(_colored(name, color), encoding="utf-8")
    return path.as_posix()


def _colored(name: str, color: str) -> str:
    text = (assets_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    return text.replace("currentColor", color)


@cache
def _shape(name: str, width: int, height: int) -> QPixmap:
    """Return an icon at a size, drawn once for all colours."""
    return _drawn(_renderer(name), QSize(width, height))


@cache
def _renderer(name: str) -> QSvgRenderer:
    renderer = QSvgRenderer(QByteArray(_colored(name, "#000000").encode()))
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    return renderer


def _tinted(shape: QPixmap, color: QColor) -> QPixmap:
    """Return a shape in another colour: much quicker than to draw it again."""
    pixmap = shape.copy()
    painter = QPainter(pixmap)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), color)
    painter.end()
    return pixmap


def _drawn(renderer: QSvgRenderer, size: QSize) -> QPixmap:
    pixmap = QPixmap(size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    return pixmap

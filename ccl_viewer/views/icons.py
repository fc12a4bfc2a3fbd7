"""Icons from ``assets/icons``, drawn in the colours of the theme and sharp at any scale."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from ccl_viewer.resources import assets_folder

_SIZES = (18, 20, 36, 40, 60, 80)
"""Pixels at which icons are drawn: of the usual text, of larger text, and of finer screens."""


@cache
def icon(name: str, color: str, disabled: str | None = None) -> QIcon:
    """Return an icon, which is drawn once for each colour.

    Parameters
    ----------
    name : str
        Stem of the file.
    color : str
        Colour of its strokes, as ``#rrggbb``.
    disabled : str or None
        Colour while the action is disabled; None leaves that to the style.
    """
    made = QIcon()
    variants = [(QIcon.Mode.Normal, color)]
    if disabled is not None:
        variants.append((QIcon.Mode.Disabled, disabled))
    for mode, shade in variants:
        for shape in _shapes(name):
            made.addPixmap(_tinted(shape, shade), mode)
    return made


def program_icon() -> QIcon:
    """Return the icon of the program."""
    renderer = QSvgRenderer(str(assets_folder() / "icons" / "ccl-viewer.svg"))
    made = QIcon()
    for size in (16, 24, 32, 48, 64, 128, 256):
        made.addPixmap(_drawn(renderer, size))
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
def _shapes(name: str) -> tuple[QPixmap, ...]:
    """Return an icon at all sizes, drawn once for all colours."""
    renderer = QSvgRenderer(QByteArray(_colored(name, "#000000").encode()))
    return tuple(_drawn(renderer, size) for size in _SIZES)


def _tinted(shape: QPixmap, color: str) -> QPixmap:
    """Return a shape in another colour: much quicker than to draw it again."""
    pixmap = shape.copy()
    painter = QPainter(pixmap)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(pixmap.rect(), QColor(color))
    painter.end()
    return pixmap


def _drawn(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    return pixmap

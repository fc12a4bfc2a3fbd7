"""The look of the window: themes with colour roles, palette, style sheet, icons, text size.

The whole application has one theme and one text scale. A widget with its own painting reads
:func:`theme` while it paints, and Qt repaints it when the palette changes. Icons are tinted when
they are painted, so a change of theme needs no new icons.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any, Final

from PySide6.QtCore import QByteArray, QEvent, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QIcon,
    QIconEngine,
    QImage,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget

from ccl_viewer.render import themes
from ccl_viewer.storage.resources import assets_folder
from ccl_viewer.storage.temporaries import temporary_folder
from ccl_viewer.support.label_colours import Rgb

TIMES: Final = "\N{MULTIPLICATION SIGN}"
DASH: Final = "\N{EN DASH}"
DOT: Final = "   \N{MIDDLE DOT}   "
_DISABLED_OPACITY: Final = 0.4  # opacity of the icon of a disabled action


@dataclass(frozen=True)
class Theme:
    """Colour roles of one theme, as ``#rrggbb``; its name is ``"dark"`` or ``"light"``.

    `surface` is for cards and fields, `raised` for buttons, `hover` for those under the mouse,
    `dim` for less important text, `accent` for what leads on, `canvas` for the area around the
    grid. The colours from `keyword` on are for kernel sources.
    """

    name: str
    window: str
    surface: str
    raised: str
    hover: str
    border: str
    text: str
    dim: str
    accent: str
    on_accent: str
    selection: str
    ok: str
    warning: str
    error: str
    canvas: str
    keyword: str
    string: str
    comment: str
    number: str
    function: str

    @property
    def faint(self) -> str:
        """Text that cannot be used now."""
        return mixed(self.dim, self.surface, 0.45)

    def color(self, role: str) -> QColor:
        return QColor(getattr(self, role))


_COLORS: Final = {
    "window": ("#15171c", "#eceff3"),
    "surface": ("#1c1f26", "#ffffff"),
    "raised": ("#282c35", "#f6f7f9"),
    "hover": ("#343a46", "#e3e8ef"),
    "border": ("#363c48", "#c9cfd8"),
    "text": ("#e6e9ee", "#1a1e26"),
    "dim": ("#a0a9b8", "#566070"),
    "accent": ("#5aa9ff", "#1763c6"),
    "on_accent": ("#08131f", "#ffffff"),
    "selection": ("#2b4a6b", "#cfe2fa"),
    "ok": ("#4fd199", "#0f7a45"),
    "warning": ("#f5bf56", "#8a5800"),
    "error": ("#ff7b7b", "#c22626"),
    "canvas": ("#0d0f12", "#d9dee5"),
    "keyword": ("#7cb8ff", "#1a56b0"),
    "string": ("#9fd89a", "#23722b"),
    "comment": ("#8a94a6", "#667085"),
    "number": ("#f0b27a", "#a04a00"),
    "function": ("#e5d37f", "#7a5b00"),
}
"""The colours of each role, in the dark theme and in the light one."""

DARK = Theme(name="dark", **{role: dark for role, (dark, _) in _COLORS.items()})
LIGHT = Theme(name="light", **{role: light for role, (_, light) in _COLORS.items()})
THEMES: Final = {theme.name: theme for theme in (DARK, LIGHT)}


def theme() -> Theme:
    """Return the theme in use."""
    return _look.theme


def text_scale() -> float:
    """Return the text scale of the window, as a multiple of the system's."""
    return _look.scale


def scaled(pixels: float) -> int:
    """Convert a length in pixels from normal text size to the one in use."""
    return round(pixels * _look.scale)


def apply(
    application: QApplication, theme: Theme, scale: float = 1.0, *, sheet: bool = True
) -> None:
    """Set the application's theme and text scale; a window is built faster without the sheet."""
    if _look.points is None:
        _look.points = application.font().pointSizeF()
    _look.theme, _look.scale = theme, scale
    rules = _make_sheet(theme, scale, _look.points * scale) if sheet else ""
    restyled = sheet and application.styleSheet() != rules
    if restyled:
        # Replacing a sheet styles each widget again for each of its parents.
        application.setStyleSheet("")
    font = application.font()
    if font.pointSizeF() != _look.points * scale:
        font.setPointSizeF(_look.points * scale)
        application.setFont(font)
    application.setPalette(make_palette(theme))
    if restyled:
        application.setStyleSheet(rules)


def mixed(first: str, second: str, share: float) -> str:
    """Return a mix of two colours; `share` of the way from the first to the second."""
    return QColor(*themes.mix_colours(_rgb(first), _rgb(second), share)).name()


def text_on(background: str) -> str:
    """Return black or white, whichever contrasts more with a colour."""
    return QColor(*themes.ink_over(_rgb(background))).name()


def _rgb(name: str) -> Rgb:
    color = QColor(name)
    return color.red(), color.green(), color.blue()


def fixed_font(points: float | None = None) -> QFont:
    """Return the system's fixed-width font; of the application's size by default."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(points or QApplication.font().pointSizeF())
    return font


def set_role(widget: QWidget, role: str, name: str = "role") -> None:
    """Set a property that the style sheet uses, and restyle the widget."""
    if widget.property(name) != role:
        widget.setProperty(name, role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
        # A label that has measured its text would miss the padding of its new role.
        QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))


def make_palette(theme: Theme) -> QPalette:
    """Return the Qt palette of a theme."""
    palette = QPalette()
    role = QPalette.ColorRole
    colors = (
        (theme.window, (role.Window,)),
        (theme.surface, (role.Base,)),
        (theme.raised, (role.AlternateBase, role.Button, role.ToolTipBase, role.Midlight)),
        (theme.text, (role.WindowText, role.Text, role.ButtonText, role.ToolTipText)),
        (theme.text, (role.HighlightedText,)),
        (theme.dim, (role.PlaceholderText,)),
        (theme.error, (role.BrightText,)),
        (theme.selection, (role.Highlight,)),
        (theme.accent, (role.Link, role.Accent)),
        (theme.hover, (role.Light,)),
        (theme.border, (role.Mid, role.Dark)),
        ("#000000", (role.Shadow,)),
    )
    for color, roles in colors:
        for each in roles:
            palette.setColor(each, QColor(color))
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, each, QColor(theme.faint))
    return palette


@cache  # never freed: Qt does not report when it no longer needs a clone of an engine
def icon(name: str, role: str = "text") -> QIcon:
    """Return an icon that is painted in a colour of the theme in use.

    `name` is the stem of a file in ``assets/icons``; `role` is one of :class:`Theme`, or a colour.
    """
    return QIcon(_TintedIcon(name, role))


class _TintedIcon(QIconEngine):
    """Draws an SVG file in one colour of the theme."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name, self._role = name, role
        self._clones: list[_TintedIcon] = []

    def clone(self) -> QIconEngine:
        clone = _TintedIcon(self._name, self._role)
        self._clones.append(clone)  # Python would delete it while Qt uses it
        return clone

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        if size.isEmpty():  # a button that has no room
            return QPixmap()
        faint = mode is QIcon.Mode.Disabled
        # On the accent colour, a disabled item loses that background.
        role = "text" if faint and self._role == "on_accent" else self._role
        color = role if role.startswith("#") else getattr(theme(), role)
        return _tinted(self._name, size.width(), size.height(), color, faint)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        size = rect.size() * painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(size, mode, state))


@cache
def _tinted(name: str, width: int, height: int, color: str, faint: bool) -> QPixmap:
    return render_svg(_colored(name, color), width, height, _DISABLED_OPACITY if faint else 1.0)


def fit_image(image: QImage, room: QSize, ratio: float, most: int = 1 << 14) -> QPixmap:
    """Return a picture that fits into a size; enlarged only by whole factors, to stay sharp.

    `ratio` is screen pixels per Qt pixel, and `most` the largest factor.
    """
    room = room * ratio
    factor = min(room.width() // image.width(), room.height() // image.height(), most)
    modes = Qt.TransformationMode
    mode = modes.FastTransformation if factor else modes.SmoothTransformation
    size = image.size() * factor if factor else room
    pixmap = QPixmap.fromImage(image.scaled(size, Qt.AspectRatioMode.KeepAspectRatio, mode))
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def render_svg(svg: str, width: int, height: int, opacity: float = 1.0) -> QPixmap:
    pixmap = QPixmap(width, height)
    pixmap.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(opacity)
        renderer.render(painter)
    return pixmap


@cache
def _colored(name: str, color: str) -> str:
    path = assets_folder() / "icons" / f"{name}.svg"
    return path.read_text(encoding="utf-8").replace("currentColor", color)


def program_icon() -> QIcon:
    result = QIcon()
    for size in (16, 32, 48, 64, 128, 256):
        result.addPixmap(_tinted("ccl-viewer", size, size, "#000000", faint=False))
    return result


class PlainTextStyle(QProxyStyle):
    """Qt's style Fusion, except that every label shows its text literally.

    By default Qt interprets text that looks like HTML, and opens the files that it names: a tag in
    a recording or in the name of a file is enough. Tooltips and the boxes of Qt's own dialogs are
    labels too. A label for rich text says so explicitly, and escapes its parts.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, target: Any) -> Any:
        """Prepare a widget, an application or a palette; make the text of labels plain."""
        if isinstance(target, QLabel) and target.textFormat() is Qt.TextFormat.AutoText:
            target.setTextFormat(Qt.TextFormat.PlainText)
        return super().polish(target)


def _make_sheet(theme: Theme, scale: float, points: float) -> str:
    box, ring = round(14 * scale), round(4 * scale)
    template = Template((assets_folder() / "window.qss").read_text(encoding="utf-8"))
    return template.substitute(
        {field.name: getattr(theme, field.name) for field in fields(theme)},
        faint=theme.faint,
        veil=f"#b3{theme.window[1:]}",  # seven tenths opaque
        accent_hover=mixed(theme.accent, theme.text, 0.2),
        on_error=text_on(theme.error),
        error_back=mixed(theme.surface, theme.error, 0.16),
        ok_back=mixed(theme.surface, theme.ok, 0.14),
        warning_back=mixed(theme.surface, theme.warning, 0.14),
        small=f"{points * 0.88:.1f}",
        large=f"{points * 1.25:.1f}",
        arrow_up=_symbol("arrow-up", theme.dim),
        arrow_down=_symbol("arrow-down", theme.dim),
        arrow_left=_symbol("arrow-left", theme.text),
        arrow_right=_symbol("arrow-right", theme.text),
        check=_symbol("tick", theme.on_accent),
        tick=_symbol("tick", theme.text),
        line=round(22 * scale),
        arrow=round(12 * scale),
        drop=round(22 * scale),
        spin=round(18 * scale),
        tip=round(10 * scale),
        box=box,
        inner=box - 2,
        round=box // 2 + 1,
        ring=ring,
        dot=box + 2 - 2 * ring,
        picture=round(16 * scale),
        tool=round(18 * scale),
        radius=(round(22 * scale) + 14) // 2,  # half of its side; a larger one has no effect
    )


def _symbol(name: str, color: str) -> str:
    """Return the path of an icon in one colour; style sheets take pictures only from files."""
    if _look.folder is None:
        _look.folder = temporary_folder()
    path = Path(_look.folder.name) / f"{name}-{color.lstrip('#')}.svg"
    if not path.exists():
        with suppress(OSError):  # on a full disk, only the arrows of fields are missing
            path.write_text(_colored(name, color), encoding="utf-8")
    return path.as_posix()


@dataclass
class _AppliedLook:
    theme: Theme = DARK
    scale: float = 1.0
    points: float | None = None  # of the system's font
    folder: TemporaryDirectory[str] | None = None  # of the pictures in the style sheet


_look = _AppliedLook()

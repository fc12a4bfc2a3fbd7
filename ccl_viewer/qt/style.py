"""How the window looks: themes with colour roles, palette, style sheet, icons, size of text.

One theme and one text scale belong to the whole application. A widget that paints by itself reads
:func:`theme` while it paints, and is repainted by Qt when the palette changes. Icons are tinted
when they are painted, so nobody has to set them again.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory
from typing import Any, Final

from PySide6.QtCore import QByteArray, QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QIcon,
    QIconEngine,
    QPainter,
    QPalette,
    QPixmap,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QLabel, QProxyStyle, QWidget

from ccl_viewer.resources import assets_folder
from ccl_viewer.temporaries import temporary_folder

TIMES: Final = "\N{MULTIPLICATION SIGN}"
DASH: Final = "\N{EN DASH}"
DOT: Final = "   \N{MIDDLE DOT}   "
_FAINT: Final = 0.4  # opacity of the icon of a disabled action


@dataclass(frozen=True)
class Theme:
    """Colour roles of one theme, as ``#rrggbb``.

    Attributes
    ----------
    name : str
        ``"dark"`` or ``"light"``.
    window, surface, raised, hover, border : str
        Of the window, of cards and fields, of buttons, of those under the mouse, and of lines.
    text, dim : str
        Of text, and of text that matters less.
    accent, on_accent, selection : str
        Of what leads on, of text on it, and of what is selected.
    ok, warning, error : str
        How something went.
    canvas : str
        Around the grid.
    keyword, string, comment, number, function : str
        In kernel sources.
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
        """Of text that cannot be used now."""
        return mixed(self.dim, self.surface, 0.45)

    def color(self, role: str) -> QColor:
        """Return the colour of a role by its name, such as ``"accent"``."""
        return QColor(getattr(self, role))


DARK = Theme(
    name="dark",
    window="#15171c",
    surface="#1c1f26",
    raised="#282c35",
    hover="#343a46",
    border="#363c48",
    text="#e6e9ee",
    dim="#a0a9b8",
    accent="#5aa9ff",
    on_accent="#08131f",
    selection="#2b4a6b",
    ok="#4fd199",
    warning="#f5bf56",
    error="#ff7b7b",
    canvas="#0d0f12",
    keyword="#7cb8ff",
    string="#9fd89a",
    comment="#8a94a6",
    number="#f0b27a",
    function="#e5d37f",
)

LIGHT = Theme(
    name="light",
    window="#eceff3",
    surface="#ffffff",
    raised="#f6f7f9",
    hover="#e3e8ef",
    border="#c9cfd8",
    text="#1a1e26",
    dim="#566070",
    accent="#1763c6",
    on_accent="#ffffff",
    selection="#cfe2fa",
    ok="#0f7a45",
    warning="#8a5800",
    error="#c22626",
    canvas="#d9dee5",
    keyword="#1a56b0",
    string="#23722b",
    comment="#667085",
    number="#a04a00",
    function="#7a5b00",
)

THEMES: Final = {theme.name: theme for theme in (DARK, LIGHT)}


def theme() -> Theme:
    """Return the theme in use."""
    return _look.theme


def text_scale() -> float:
    """Return how many times as large as the system's text that of the window is."""
    return _look.scale


def scaled(pixels: float) -> int:
    """Return what a length in pixels at the usual size of text is at the one in use."""
    return round(pixels * _look.scale)


def apply(application: QApplication, theme: Theme, scale: float = 1.0) -> None:
    """Give the application a theme and a text scale.

    Parameters
    ----------
    application : QApplication
        The application.
    theme : Theme
        The colours.
    scale : float
        How many times as large as the system's text the window's is.
    """
    if _look.points is None:
        _look.points = application.font().pointSizeF()
    _look.theme, _look.scale = theme, scale
    font = application.font()
    if font.pointSizeF() != _look.points * scale:
        font.setPointSizeF(_look.points * scale)
        application.setFont(font)
    application.setPalette(make_palette(theme))
    application.setStyleSheet(_make_sheet(theme, scale, _look.points * scale))


def mixed(first: str, second: str, share: float) -> str:
    """Return a colour between two, `share` of the way from the first to the second."""
    a, b = QColor(first), QColor(second)
    return QColor(
        round(a.red() + (b.red() - a.red()) * share),
        round(a.green() + (b.green() - a.green()) * share),
        round(a.blue() + (b.blue() - a.blue()) * share),
    ).name()


def text_on(background: str) -> str:
    """Return black or white, whichever contrasts more with a colour."""
    color = QColor(background)
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#000000" if luminance > 0.179 else "#ffffff"


def fixed_font(points: float | None = None) -> QFont:
    """Return the system's fixed-width font; of the application's size by default."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(points or QApplication.font().pointSizeF())
    return font


def set_role(widget: QWidget, role: str, name: str = "role") -> None:
    """Set a property that the style sheet looks at, and style the widget again."""
    if widget.property(name) != role:
        widget.setProperty(name, role)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def make_palette(theme: Theme) -> QPalette:
    """Return the Qt palette of a theme."""
    palette = QPalette()
    roles = {
        QPalette.ColorRole.Window: theme.window,
        QPalette.ColorRole.Base: theme.surface,
        QPalette.ColorRole.AlternateBase: theme.raised,
        QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.BrightText: theme.error,
        QPalette.ColorRole.ToolTipBase: theme.raised,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.dim,
        QPalette.ColorRole.Highlight: theme.selection,
        QPalette.ColorRole.HighlightedText: theme.text,
        QPalette.ColorRole.Link: theme.accent,
        QPalette.ColorRole.Accent: theme.accent,
        QPalette.ColorRole.Light: theme.hover,
        QPalette.ColorRole.Midlight: theme.raised,
        QPalette.ColorRole.Mid: theme.border,
        QPalette.ColorRole.Dark: theme.border,
        QPalette.ColorRole.Shadow: "#000000",
    }
    for role, color in roles.items():
        palette.setColor(role, QColor(color))
    faint = QColor(theme.faint)
    for role in (
        QPalette.ColorRole.WindowText,
        QPalette.ColorRole.Text,
        QPalette.ColorRole.ButtonText,
    ):
        palette.setColor(QPalette.ColorGroup.Disabled, role, faint)
    return palette


@cache  # and so kept for good: Qt does not say when it is done with a clone of an engine
def icon(name: str, role: str = "text") -> QIcon:
    """Return an icon that is tinted with a colour of the theme in use when it is painted.

    Parameters
    ----------
    name : str
        Stem of a file in ``assets/icons``.
    role : str
        A colour role of :class:`Theme`, or a colour as ``#rrggbb``.
    """
    return QIcon(_TintedIcon(name, role))


class _TintedIcon(QIconEngine):
    """Draws an SVG file in one colour of the theme."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name, self._role = name, role
        self._clones: list[_TintedIcon] = []

    def clone(self) -> QIconEngine:
        """Return another engine for the same icon."""
        made = _TintedIcon(self._name, self._role)
        self._clones.append(made)  # Python would delete it while Qt uses it
        return made

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        """Return the icon at a size."""
        color = self._role if self._role.startswith("#") else getattr(theme(), self._role)
        faint = mode is QIcon.Mode.Disabled
        return _tinted(self._name, size.width(), size.height(), color, faint)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw the icon into a rectangle."""
        size = rect.size() * painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(size, mode, state))


@cache
def _tinted(name: str, width: int, height: int, color: str, faint: bool) -> QPixmap:
    pixmap = QPixmap(width, height)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(_FAINT if faint else 1.0)
    _renderer(name, color).render(painter)
    painter.end()
    return pixmap


@cache
def _renderer(name: str, color: str) -> QSvgRenderer:
    renderer = QSvgRenderer(QByteArray(_colored(name, color).encode()))
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    return renderer


@cache
def _colored(name: str, color: str) -> str:
    path = assets_folder() / "icons" / f"{name}.svg"
    return path.read_text(encoding="utf-8").replace("currentColor", color)


def program_icon() -> QIcon:
    """Return the icon of the program."""
    made = QIcon()
    for size in (16, 32, 48, 64, 128, 256):
        made.addPixmap(_tinted("ccl-viewer", size, size, "#000000", faint=False))
    return made


class PlainTextStyle(QProxyStyle):
    """Qt's style Fusion, in which every label shows its text as it is written.

    Qt takes text that looks like HTML for HTML, and then opens the files that it names: a tag in a
    recording or in the name of a file is enough. Tooltips and the boxes of Qt's own dialogs are
    labels too. A label that is to show rich text says so itself, and escapes its parts.
    """

    def __init__(self) -> None:
        super().__init__("Fusion")

    def polish(self, what: Any) -> Any:
        """Prepare a widget, an application or a palette; make the text of labels plain."""
        if isinstance(what, QLabel) and what.textFormat() is Qt.TextFormat.AutoText:
            what.setTextFormat(Qt.TextFormat.PlainText)
        return super().polish(what)


def _make_sheet(theme: Theme, scale: float, points: float) -> str:
    box, ring = round(14 * scale), round(4 * scale)
    return _SHEET.substitute(
        {field.name: getattr(theme, field.name) for field in fields(theme)},
        faint=theme.faint,
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
        radius=round(10 * scale) + 8,
    )


def _symbol(name: str, color: str) -> str:
    """Return the path of an icon in one colour; style sheets take pictures from files alone."""
    if _look.folder is None:
        _look.folder = temporary_folder()
    path = Path(_look.folder.name) / f"{name}-{color.lstrip('#')}.svg"
    if not path.exists():
        with suppress(OSError):  # on a full disk, fields lack their arrows, and nothing else
            path.write_text(_colored(name, color), encoding="utf-8")
    return path.as_posix()


@dataclass
class _Look:
    theme: Theme = DARK
    scale: float = 1.0
    points: float | None = None  # of the system's font
    folder: TemporaryDirectory[str] | None = None  # of the pictures in the style sheet


_look = _Look()

_SHEET = Template(
    """
QWidget { outline: 0; }
QDialog { background: $window; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QMenuBar { background: $window; padding: 2px 6px; }
QMenuBar::item { padding: 5px 9px; border-radius: 5px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $surface; border: 1px solid $border; padding: 5px; }
QMenu::item { padding: 6px 26px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: $selection; color: $text; }
QMenu::item:disabled { color: $faint; }
QMenu::separator { height: 1px; background: $border; margin: 5px 8px; }
QMenu::icon { padding-left: 8px; }
QMenu::icon:checked { background: $selection; border: 1px solid $accent; border-radius: 4px; }
QMenu { icon-size: ${picture}px; }
QMenu::right-arrow { image: url("$arrow_right"); width: ${tip}px; height: ${tip}px;
    margin-right: 4px; }
QMenu::indicator { width: ${tip}px; height: ${tip}px; padding-left: 10px; }
QMenu::indicator:checked { image: url("$tick"); }
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 6px 8px; }

QFrame[role="bar"] { background: $surface; border: 0; border-bottom: 1px solid $border; }
QFrame[role="card"] { background: $surface; border: 1px solid $border; border-radius: 8px; }
QFrame[role="strip"] { background: transparent; border: 0; }
QFrame[role="lane"] { background: transparent; border: 0; border-left: 3px solid transparent; }
QFrame[role="lane"]:hover { background: $hover; }
QFrame[role="lane"][active="true"] { background: $selection; border-left-color: $accent; }
QFrame[role="divider"] { background: $border; border: 0; }
QLabel { background: transparent; }
QLabel[role="caption"] { color: $dim; font-size: ${small}pt; font-weight: 600; }
QLabel[role="dim"] { color: $dim; }
QLabel[role="title"] { font-weight: 600; }
QLabel[role="failed"] { color: $error; }
QLabel[current] { border-left: 3px solid transparent; padding-left: 4px; }
QLabel[current="true"] { border-left-color: $accent; }
QLabel[role="heading"] { font-size: ${large}pt; font-weight: 600; }
QLabel[role="prose"] { font-size: ${large}pt; }
QLabel[role="ok"] { color: $ok; font-weight: 600; }
QLabel[role="warning"] { color: $warning; font-weight: 600; }
QLabel[role="error"] { background: $error; color: $on_error; font-weight: 700;
    border-radius: 4px; padding: 1px 8px; }

QPushButton, QToolButton { background: $raised; color: $text; border: 1px solid $border;
    border-radius: 6px; padding: 5px 10px; min-height: 20px; }
QPushButton:hover, QToolButton:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed { background: $selection; }
QPushButton:focus, QToolButton:focus, QComboBox:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QLineEdit:focus { border: 2px solid $accent; padding-left: 9px; }
QSpinBox:focus, QDoubleSpinBox:focus { padding-left: 7px; }
QPushButton:disabled, QToolButton:disabled { color: $faint; background: $surface; }
QToolButton::menu-indicator { image: none; }
QLineEdit QToolButton { background: transparent; border: 0; padding: 0; min-height: 0; }
QToolButton:checked { background: $selection; border-color: $accent; }
QToolButton[flat="true"] { background: transparent; border: 1px solid transparent; padding: 4px; }
QToolButton[flat="true"]:hover { background: $hover; }
QToolButton[flat="true"]:checked { background: $selection; }
QToolButton[flat="true"]:focus { border: 2px solid $accent; padding: 3px; }
QToolButton[low="true"] { min-height: 0; padding: 0 4px; }
QToolButton[low="true"]:focus { padding: 0 3px; }
QToolButton[bare="true"] { min-height: 0; padding: 0; }
QToolButton[segment="left"] { border-top-right-radius: 0; border-bottom-right-radius: 0; }
QToolButton[segment="right"] { border-top-left-radius: 0; border-bottom-left-radius: 0;
    border-left: 0; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent;
    font-weight: 600; padding: 5px 16px; }
QPushButton[role="primary"]:hover { background: $accent_hover; }
QPushButton[role="primary"]:focus { border: 2px solid $text; }
QPushButton[role="primary"]:disabled { background: $raised; color: $faint;
    border-color: $border; }
QPushButton[role="link"] { background: transparent; border: 1px solid transparent;
    text-align: left; padding: 3px 8px; }
QPushButton[role="link"]:hover { background: $hover; }
QPushButton[role="link"]:focus { border: 1px solid $accent; padding: 3px 8px; }
QToolButton[role="play"] { background: $accent; border-color: $accent; border-radius: ${radius}px;
    min-width: ${line}px; min-height: ${line}px; padding: 6px; }
QToolButton[role="play"]:hover { background: $accent_hover; }
QToolButton[role="play"]:focus { border: 2px solid $text; padding: 5px; }
QToolButton[role="play"]:disabled { background: $raised; border-color: $border; }

QComboBox, QSpinBox, QDoubleSpinBox, QLineEdit { background: $raised; color: $text;
    border: 1px solid $border; border-radius: 6px; padding: 5px 10px; min-height: 20px;
    selection-background-color: $accent; selection-color: $on_accent; }
QSpinBox, QDoubleSpinBox { padding: 5px 4px 5px 8px; }
QComboBox:hover, QSpinBox:hover, QDoubleSpinBox:hover { background: $hover; }
QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled,
QLineEdit:disabled { color: $faint; }
QLineEdit, QTextEdit, QPlainTextEdit { placeholder-text-color: $dim; }
QComboBox::drop-down { border: 0; width: ${drop}px; }
QComboBox::down-arrow { image: url("$arrow_down"); width: ${arrow}px; height: ${arrow}px; }
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button,
QDoubleSpinBox::down-button { border: 0; width: ${spin}px; background: transparent; }
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("$arrow_up"); width: ${tip}px;
    height: ${tip}px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow { image: url("$arrow_down"); width: ${tip}px;
    height: ${tip}px; }
QCheckBox, QRadioButton { spacing: 8px; }
QCheckBox::indicator, QRadioButton::indicator { width: ${box}px; height: ${box}px;
    border: 1px solid $dim; background: $raised; }
QCheckBox::indicator { border-radius: 4px; }
QRadioButton::indicator { border-radius: ${round}px; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url("$check"); }
QRadioButton::indicator:checked { background: $on_accent; border: ${ring}px solid $accent;
    width: ${dot}px; height: ${dot}px; }
QCheckBox::indicator:disabled, QRadioButton::indicator:disabled { border-color: $border; }
QCheckBox:focus, QRadioButton:focus { color: $accent; }
QCheckBox::indicator:focus { border: 2px solid $accent; width: ${inner}px; height: ${inner}px; }
QCheckBox::indicator:checked:focus { border-color: $text; }
QRadioButton::indicator:focus { border: 2px solid $accent; width: ${inner}px; height: ${inner}px;
    border-radius: ${round}px; }
QRadioButton::indicator:checked:focus { border: ${ring}px solid $text; width: ${dot}px;
    height: ${dot}px; }
QPushButton:checked { background: $selection; border-color: $accent; }
QSlider { min-height: 18px; }
QSlider::groove:horizontal { height: 4px; background: $border; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { width: 14px; height: 14px; margin: -5px 0; border-radius: 7px;
    background: $text; }
QSlider::handle:horizontal:focus { background: $accent; border: 2px solid $text;
    width: 10px; height: 10px; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $border; padding: 4px;
    selection-background-color: $selection; selection-color: $text; }

QFrame[role="bar"] QComboBox, QFrame[role="bar"] QSpinBox, QFrame[role="bar"] QToolButton,
QFrame[role="bar"] QPushButton { min-height: ${line}px; max-height: ${line}px;
    padding-top: 2px; padding-bottom: 2px; }

QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $dim; border: 0; padding: 4px 10px 5px 10px;
    border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; background: $hover; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:selected:focus { background: $selection; }
QTabBar QToolButton { background: $raised; border: 1px solid $border; border-radius: 4px;
    margin: 3px 1px; padding: 0; }
QTabBar QToolButton::left-arrow { image: url("$arrow_left"); width: 12px; height: 12px; }
QTabBar QToolButton::right-arrow { image: url("$arrow_right"); width: 12px; height: 12px; }
QTableView { background: $surface; alternate-background-color: $surface; border: 1px solid $border;
    border-radius: 8px; gridline-color: transparent; selection-background-color: $selection;
    selection-color: $text; }
QTableView:focus { border: 1px solid $accent; }
QTableView::item { padding: 2px 6px; border: 0; }
QTableView::item:hover { background: $raised; }
QTableView::item:selected { background: $selection; color: $text; }
QHeaderView { background: $surface; border: 0; border-top-left-radius: 7px; }
QHeaderView::section { background: transparent; color: $dim; border: 0;
    border-bottom: 1px solid $border; padding: 6px; font-size: ${small}pt; font-weight: 600; }
QPlainTextEdit, QTextBrowser, QListView, QListWidget { background: $surface; color: $text;
    border: 1px solid $border; border-radius: 8px; selection-background-color: $selection;
    selection-color: $text; }
QPlainTextEdit:focus, QListWidget:focus { border: 1px solid $accent; }
QListWidget::item { padding: 4px; border-radius: 4px; }
QListWidget::item:selected { background: $selection; color: $text; }
QGraphicsView, QScrollArea[stop="true"] { border: 1px solid transparent; }
QGraphicsView:focus, QScrollArea[stop="true"]:focus { border: 1px solid $accent; }
QScrollBar { background: transparent; border: 0; margin: 0; }
QScrollBar:vertical { width: 11px; }
QScrollBar:horizontal { height: 11px; }
QScrollBar::handle { background: $hover; border-radius: 4px; margin: 2px; min-height: 24px;
    min-width: 24px; }
QScrollBar::handle:hover { background: $dim; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QStatusBar { background: $window; border-top: 1px solid $border; }
QStatusBar::item { border: 0; }
QProgressBar { background: $raised; border: 0; border-radius: 3px; max-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QProgressBar[finished="true"]::chunk { background: $ok; }
QFrame[message="error"] { background: $error_back; border: 1px solid $error; border-radius: 6px; }
QFrame[message="wrong"] { background: $error; border: 1px solid $error; border-radius: 6px; }
QFrame[message="wrong"] QLabel { color: $on_error; font-weight: 600; }
QFrame[message="wrong"] QPushButton { background: transparent; color: $on_error;
    border-color: $on_error; }
QFrame[message="warning"] { background: $warning_back; border: 1px solid $warning;
    border-radius: 6px; }
QFrame[message="ok"] { background: $ok_back; border: 1px solid $ok; border-radius: 6px; }
QFrame[message="info"] { background: $raised; border: 1px solid $border; border-radius: 6px; }
QFrame[message="busy"] { background: $raised; border: 1px solid $accent; border-radius: 6px; }
"""
)

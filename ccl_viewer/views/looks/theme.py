"""The colours of the window: two themes, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette

from ccl_viewer.render.inks import ink_over


@dataclass(frozen=True)
class Theme:
    """Colours of one theme, as ``#rrggbb``.

    Parameters
    ----------
    name : str
        ``"dark"`` or ``"light"``.
    window, surface, raised, hover, border : str
        Of the window, of cards and fields on it, of buttons, of those under the mouse, and of the
        lines around them.
    text, dim : str
        Of text, and of what matters less.
    accent, on_accent, selection : str
        Of what is led to, of text on that, and of what is chosen.
    ok, warning, error : str
        How something went.
    canvas : str
        Around the grid.
    keyword, string, comment, number, function : str
        In the kernels' source.
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

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


def mixed(first: str, second: str, share: float) -> str:
    """Return a colour between two, `share` of the way from the first to the second."""
    a, b = QColor(first), QColor(second)
    return QColor(
        round(a.red() + (b.red() - a.red()) * share),
        round(a.green() + (b.green() - a.green()) * share),
        round(a.blue() + (b.blue() - a.blue()) * share),
    ).name()


def text_on(background: str) -> str:
    """Return black or white, whichever contrasts more with a colour, as exports have it."""
    colour = QColor(background)
    return QColor(*ink_over((colour.red(), colour.green(), colour.blue()))).name()


def fixed_font(points: float) -> QFont:
    """Return the system's fixed-width font at a size in points."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(points)
    return font


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

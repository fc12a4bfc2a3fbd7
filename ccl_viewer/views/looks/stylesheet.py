"""The stylesheet of the window, in the colours of a theme and at a size of text."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template

from PySide6.QtWidgets import QApplication

from ccl_viewer.views.looks.theme import Theme, mixed, text_on

_STYLE = Template(
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
QFrame[role="divider"] { background: $border; border: 0; }
QLabel { background: transparent; }
QLabel[role="caption"] { color: $dim; font-size: ${small}pt; font-weight: 600; }
QLabel[role="dim"] { color: $dim; }
QLabel[role="title"] { font-weight: 600; }
QLabel[role="failed"] { color: $error; }
QLabel[current] { border-left: 3px solid transparent; padding-left: 4px; }
QLabel[current="true"] { border-left-color: $accent; }
QLabel[role="heading"] { font-size: ${large}pt; font-weight: 600; }
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
QFrame[role="bar"] QPushButton { min-height: ${line}px; max-height: ${line}px; }

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
QDockWidget > QWidget { background: $surface; }
QDockWidget > DockTitle { background: $window; }
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
NoticeText { background: transparent; border: 0; padding: 0; }
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


WINDOW_STYLE = """
QMainWindow { background: palette(window); }
QMainWindow::separator { background: palette(window); width: 6px; height: 6px; }
QMainWindow::separator:hover { background: palette(light); }
"""
"""The style of the window itself, in the colours of whatever palette it has."""


@dataclass(frozen=True)
class Symbols:
    """Files of the small pictures in fields, in the colours of a theme.

    Parameters
    ----------
    up, down, left, right : str
        Arrows.
    check, tick : str
        A tick, on the accent and on other ground.
    """

    up: str
    down: str
    left: str
    right: str
    check: str
    tick: str


def make_style(theme: Theme, symbols: Symbols, scale: float = 1.0) -> str:
    """Return the stylesheet of a theme.

    Parameters
    ----------
    theme : Theme
        The colours.
    symbols : Symbols
        Files of the small pictures in fields.
    scale : float
        How many times as large as usual text is.
    """
    size = QApplication.font().pointSizeF()
    box = round(14 * scale)
    return _STYLE.substitute(
        vars(theme),
        faint=theme.faint,
        accent_hover=mixed(theme.accent, theme.text, 0.2),
        on_error=text_on(theme.error),
        error_back=mixed(theme.surface, theme.error, 0.16),
        ok_back=mixed(theme.surface, theme.ok, 0.14),
        warning_back=mixed(theme.surface, theme.warning, 0.14),
        small=f"{size * 0.88:.1f}",
        large=f"{size * 1.25:.1f}",
        arrow_up=symbols.up,
        arrow_down=symbols.down,
        arrow_left=symbols.left,
        arrow_right=symbols.right,
        check=symbols.check,
        tick=symbols.tick,
        line=round(22 * scale),
        arrow=round(12 * scale),
        drop=round(22 * scale),
        spin=round(18 * scale),
        tip=round(10 * scale),
        box=box,
        inner=box - 2,
        round=box // 2 + 1,
        ring=round(4 * scale),
        dot=box + 2 - 2 * round(4 * scale),
        picture=round(16 * scale),
        radius=round(10 * scale) + 8,
    )

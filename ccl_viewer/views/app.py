"""Starts the window, or draws it into a file; says clearly why it cannot."""

from __future__ import annotations

import atexit
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ccl_viewer.errors import CCLViewerError, InputError
from ccl_viewer.views.clipboard.end import empty_own_clipboard
from ccl_viewer.views.options import WindowOptions
from ccl_viewer.views.process.display import require_display
from ccl_viewer.views.process.priority import keep_what_lasts, share_evenly

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from ccl_viewer.views.main_window import MainWindow
    from ccl_viewer.views.process.stop_signals import StopSignals

FIRST_SOURCE = "pattern:spiral"
"""What is shown when nothing was asked for."""


def run(options: WindowOptions) -> int:
    """Show the window until it is closed; with `options.screenshot`, draw it into a file instead.

    Parameters
    ----------
    options : WindowOptions
        How the window begins.

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    CCLViewerError
        If there is no display, or Qt cannot be loaded; says what to install or run instead.
    InputError
        If what a screenshot is to show cannot be opened or run.
    KeyboardInterrupt
        If Ctrl+C, or another signal that asks to end, came before the window was there.
    """
    from ccl_viewer.views.process.stop_signals import StopSignals

    signals = StopSignals()
    try:
        code = _run(options, signals)
    finally:
        signals.close()
    if code is None:
        raise KeyboardInterrupt
    return code


def _run(options: WindowOptions, signals: StopSignals) -> int | None:
    """Do what :func:`run` does; return None if a signal came before the window was there."""
    if options.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    else:
        require_display(sys.platform, os.environ)
    application = make_application()
    if signals.came():
        return None
    if options.screenshot is not None:
        return _draw(options, options.screenshot, signals)
    from ccl_viewer.views.process.faults import Faults

    window = open_window(options)
    if signals.came():
        end(window, again=True)
        return None
    sys.excepthook = Faults(window.session.confess)
    window.show()
    keep_what_lasts()
    signals.answer(partial(end, window))
    window.unsaved.offer()
    return application.exec()


def end(window: MainWindow, again: bool) -> None:
    """Close the window because a signal asks for it.

    Parameters
    ----------
    window : MainWindow
        The window.
    again : bool
        Whether it is not the first time: then nobody is asked about a drawing, which is offered at
        the next start.
    """
    if again:
        window.leave()
    else:
        window.close()


def make_application() -> QApplication:
    """Return the application object, made with the project's name if there is none yet.

    Raises
    ------
    CCLViewerError
        If Qt's libraries cannot be loaded or the system has no font.
    """
    try:
        from PySide6.QtGui import QFontDatabase, QGuiApplication
        from PySide6.QtWidgets import QApplication

        from ccl_viewer.views.looks.text import PlainTextStyle
    except ImportError as error:
        raise CCLViewerError(
            f"Qt cannot be loaded ({error}): install the system libraries that it needs (on "
            "Debian and Ubuntu: apt install libegl1 libgl1 libxkbcommon0 libdbus-1-3 "
            "libfontconfig1)."
        ) from error
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    QGuiApplication.setDesktopFileName("ccl-viewer")
    share_evenly()
    application = QApplication(["ccl-viewer"])
    application.setApplicationName("ccl-viewer")
    application.setApplicationDisplayName("CCL Viewer")
    application.setStyle(PlainTextStyle())
    atexit.register(empty_own_clipboard)
    if not QFontDatabase.families():
        raise CCLViewerError(
            "No font is installed, so no text could be shown: install one (on Debian and Ubuntu: "
            "apt install fonts-dejavu-core)."
        )
    return application


def open_window(options: WindowOptions, settings_file: Path | None = None) -> MainWindow:
    """Return a window that opens and runs what was asked for; it is not shown yet.

    Parameters
    ----------
    options : WindowOptions
        How it begins.
    settings_file : Path or None
        Where choices are remembered; None for the user's own file.

    Raises
    ------
    InputError
        If there is no such algorithm, or it does not have the connectivity or a parameter.
    """
    from ccl_viewer.algorithms import algorithm
    from ccl_viewer.session.settings import Settings
    from ccl_viewer.views.main_window import MainWindow

    connectivity = options.connectivity
    if options.algorithm is not None:
        row = algorithm(options.algorithm)
        connectivity = row.check_connectivity(connectivity or row.connectivities[0])
    window = MainWindow(Settings(settings_file))
    if options.size is not None:
        window.resize(*options.size)
    if options.theme is not None:
        window.set_theme(options.theme)
    window.session.configure(
        algorithm_key=options.algorithm,
        connectivity=connectivity,
        parameters=options.parameters or None,
        device=options.device,
        schedule=options.schedule,
    )
    if options.lesson is not None:
        window.session.lesson.open(options.lesson)
    else:
        # Who has asked for nothing sees labels before they come together, and can play them.
        first = None if options.source else 0
        window.session.open(
            options.source or FIRST_SOURCE,
            step=first if options.step is None else options.step,
            threshold=options.threshold,
            invert=options.invert,
            large=options.large,
        )
    window.ask_for_devices()
    return window


def _draw(options: WindowOptions, path: Path, signals: StopSignals) -> int | None:
    from ccl_viewer.files import check_writable
    from ccl_viewer.session import MessageKind
    from ccl_viewer.temporaries import temporary_folder
    from ccl_viewer.views.plots.saving import write_picture
    from ccl_viewer.views.rest import wait_until_at_rest

    check_writable(path)
    with temporary_folder() as folder:
        window = open_window(options, Path(folder) / "settings.json")
        session = window.session
        window.show()
        if options.size is not None and window.size().toTuple() != options.size:
            least = window.minimumSize()
            window.close()
            raise InputError(
                f"The window cannot be {options.size[0]} x {options.size[1]} pixels: give a size "
                f"of {least.width()} x {least.height()} or more."
            )
        wait_until_at_rest(window, signals.came)
        message = session.message
        try:
            if signals.came():
                return None
            if message is not None and message.kind is MessageKind.ERROR:
                if session.grid is None:
                    raise InputError(message.text)
                if session.recording is None or not session.recording.complete:
                    raise CCLViewerError(message.text)
            elif session.recording is not None and options.step is not None:
                session.recording.step(options.step)
            write_picture(window.grab().toImage(), path)
            return 0
        finally:
            window.close()

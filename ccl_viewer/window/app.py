"""Starts the window, or draws it into a file."""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

from ccl_viewer.errors import CCLViewerError, InputError

if TYPE_CHECKING:
    from PySide6.QtCore import QSocketNotifier
    from PySide6.QtWidgets import QApplication

    from ccl_viewer.execution.plan import ParameterValue
    from ccl_viewer.grids.picture_selector import PictureSelector
    from ccl_viewer.grids.thresholds import Threshold
    from ccl_viewer.window.main_window import MainWindow

_XCB_LIBRARIES: Final = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
_QT: Final = "PySide6-Essentials"
_QT_LIBRARIES: Final = {
    "apt": "apt install libegl1 libgl1 libxkbcommon0 libdbus-1-3 libfontconfig1",
    "dnf": "dnf install mesa-libEGL mesa-libGL libxkbcommon dbus-libs fontconfig",
}
_WITHOUT_QT: Final = "use ccl-viewer label, record or export, which do not need it"
_SHARED: Final = ("xcb", "wayland", "windows", "cocoa")
_INSTEAD: Final = (
    "use ccl-viewer label, record or export, ccl-viewer lesson NAME --text, or ccl-viewer "
    "--screenshot OUT.png, none of which needs a display"
)


_SWITCH_SECONDS: Final = 0.0005
"""How long a thread keeps Python's lock while others wait. A run takes the lock again after each
GPU call, and would otherwise wait 5 ms each time while the window paints."""


@dataclass(frozen=True)
class WindowOptions:
    """How the window starts; None means the last choice, or the default."""

    source: str | None = None  # a file, or pattern:NAME?key=value; None for the start page
    screenshot: Path | None = None  # draw the window into this PNG file and quit; needs no display
    step: int | None = None  # step to show, from 0 or from -1 backwards; None for the last
    size: tuple[int, int] | None = None  # width and height of the window in pixels
    algorithm: str | None = None
    connectivity: int | None = None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)
    beside: Sequence[tuple[str, Mapping[str, ParameterValue]]] = ()  # algorithms to compare with
    device: str = "auto"  # device and schedule are as for open_device
    schedule: str = "auto"
    seconds: float | None = None  # time limit of a copy's kernels
    consecutive: bool = False
    theme: str | None = None
    threshold: Threshold = "otsu"  # how grey values are divided, as for load_image
    invert: bool = False
    large: bool = False  # read the source even if it takes gigabytes of memory
    selector: PictureSelector | None = None  # which picture of a file with several
    lesson: str | None = None  # key or file of a lesson to open instead


class StopSignals:
    """Notes signals that ask the program to end, and lets Qt's event loop answer them.

    Python answers a signal between two Python instructions, but executes none while Qt waits. The
    signal's number therefore comes through a socket, which Qt watches. An exception while Qt is
    imported or calls back would crash the program, so signals are only noted from here on. This
    class imports no Qt.
    """

    def __init__(self) -> None:
        self.last: int | None = None
        """The last signal that came."""
        self._again = False
        self._stop: Callable[[bool], object] = bool
        self._notifier: QSocketNotifier | None = None
        self._reader, self._writer = socket.socketpair()
        for end in (self._reader, self._writer):
            end.setblocking(False)
        self._wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        # Ctrl+C, the request to end, and the end of the terminal, which Windows does not have.
        names = ("SIGINT", "SIGTERM", "SIGHUP")
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        # If the parent process ignores a signal, as nohup does, keep ignoring it.
        self._before = {
            number: signal.signal(number, self._note)
            for number in numbers
            if signal.getsignal(number) is not signal.SIG_IGN
        }

    def stop_requested(self) -> bool:
        return self.last is not None

    def connect(self, stop: Callable[[bool], object]) -> None:
        """Call a function in the event loop after each signal, including earlier ones.

        Its argument is whether an earlier signal came before.
        """
        from PySide6.QtCore import QSocketNotifier

        self._stop = stop
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._answer)

    def close(self) -> None:
        """Restore the earlier signal handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        if self._notifier is not None:
            self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _answer(self) -> None:
        # Every signal that Python answers comes through here, including those of child processes.
        if set(self._reader.recv(1024)) & self._before.keys():
            again, self._again = self._again, True
            self._stop(again)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self.last = number


def run(options: WindowOptions) -> int:
    """Show the window until it is closed, or draw it into a file; return the exit code.

    Raises CCLViewerError, which says what to do instead, if there is no display, Qt cannot be
    loaded, or the source of a screenshot cannot be opened or run. Raises KeyboardInterrupt if a
    signal asked to end.
    """
    signals = StopSignals()
    try:
        code = _run(options, signals)
    finally:
        signals.close()
    if signals.last is not None:
        signal.raise_signal(signals.last)  # the earlier handler chooses the exit code
        raise KeyboardInterrupt
    return code


def make_application() -> QApplication:
    """Return the application object; raise if Qt cannot be loaded or there is no font."""
    require_qt()
    from PySide6.QtGui import QFontDatabase, QGuiApplication
    from PySide6.QtWidgets import QApplication

    from ccl_viewer.window.widgets.style import PlainTextStyle, program_icon

    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    sys.setswitchinterval(_SWITCH_SECONDS)
    QGuiApplication.setDesktopFileName("ccl-viewer")
    application = QApplication(["ccl-viewer"])
    application.setApplicationName("ccl-viewer")
    application.setApplicationDisplayName("CCL Viewer")
    application.setStyle(PlainTextStyle())
    application.setWindowIcon(program_icon())
    atexit.register(_empty_own_clipboard)
    if not QFontDatabase.families():
        raise CCLViewerError(
            "No font is installed, so no text could be shown: install one (on Debian and Ubuntu: "
            "apt install fonts-dejavu-core)."
        )
    return application


def require_qt() -> None:
    """Raise CCLViewerError, which says what to do, if Qt cannot be loaded."""
    try:
        import PySide6.QtGui
        import PySide6.QtWidgets  # noqa: F401  (whether it can be)
    except ModuleNotFoundError as error:
        raise CCLViewerError(
            f"Qt is not installed ({error.name} is missing): run pip install '{_qt_needed()}', or "
            f"{_WITHOUT_QT}."
        ) from error
    except ImportError as error:
        do = f"install it again (pip install --force-reinstall '{_qt_needed()}')"
        if sys.platform.startswith("linux"):
            do = (
                f"install the system libraries that it needs ({_QT_LIBRARIES['apt']} on Debian and "
                f"Ubuntu, {_QT_LIBRARIES['dnf']} on Fedora and RHEL)"
            )
        raise CCLViewerError(f"Qt cannot be loaded ({error}): {do}, or {_WITHOUT_QT}.") from error


def _qt_needed() -> str:
    """Return the requirement for pip, with the versions that work."""
    with suppress(PackageNotFoundError):
        for needed in requires("ccl-viewer") or ():
            if needed.lower().startswith(_QT.lower()):
                return needed
    return _QT


def _empty_own_clipboard() -> None:
    """Empty the clipboard before Python ends, if only this program can see it.

    Where programs do not share the clipboard, as offscreen, Qt destroys its data after Python has
    ended; for data that was made in Python, that is too late, and the process crashes.
    """
    from PySide6.QtGui import QGuiApplication

    if QGuiApplication.instance() is None:
        return
    if not QGuiApplication.platformName().startswith(_SHARED):
        QGuiApplication.clipboard().clear()


def require_display(platform: str, environment: Mapping[str, str]) -> None:
    """Raise if no window can be shown; otherwise Qt would end the program.

    `platform` is as :data:`sys.platform`; only Linux is checked.
    """
    if not platform.startswith("linux") or environment.get("QT_QPA_PLATFORM"):
        return
    if environment.get("WAYLAND_DISPLAY"):
        return
    if not environment.get("DISPLAY"):
        raise CCLViewerError(
            "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): start the program "
            "in a graphical session, install xvfb and run xvfb-run ccl-viewer, or "
            f"{_INSTEAD}."
        )
    missing = [package for library, package in _XCB_LIBRARIES.items() if not _loads(library)]
    if missing:
        raise CCLViewerError(
            f"The window needs system libraries that are missing: apt install "
            f"{' '.join(missing)} (names on Debian and Ubuntu); or {_INSTEAD}."
        )


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def prepare_window(options: WindowOptions, settings_file: Path | None = None) -> MainWindow:
    """Return a window that opens and runs what was requested; it is not shown yet.

    Choices are remembered in the settings file; None is the user's. Raises InputError if there is
    no such algorithm, it lacks the connectivity or a parameter, or there are too many to compare.
    """
    from ccl_viewer.window.core.settings import Settings
    from ccl_viewer.window.main_window import MainWindow

    connectivity = _connectivity(options)
    window = MainWindow(Settings(settings_file))
    try:
        _prepare(window, options, connectivity)
    except CCLViewerError:
        window.close_without_asking()
        window.deleteLater()
        raise
    return window


def _connectivity(options: WindowOptions) -> int | None:
    """Return the requested connectivity, or else the algorithm's; None for the last choice."""
    from ccl_viewer.algorithms import find_algorithm

    if options.algorithm is None:
        return options.connectivity
    for key in dict(options.beside):
        find_algorithm(key).resolve_connectivity(options.connectivity)
    return find_algorithm(options.algorithm).resolve_connectivity(options.connectivity)


def _prepare(window: MainWindow, options: WindowOptions, connectivity: int | None) -> None:
    """Make a window open and run what was requested."""
    if options.size is not None:
        window.resize(*options.size)
    if options.theme is not None:
        window.appearance.set_theme(options.theme)
    session = window.session
    session.runs.configure(
        algorithm=options.algorithm,
        connectivity=connectivity,
        parameters=options.parameters or None,
        device=options.device,
        schedule=options.schedule,
        consecutive=options.consecutive,
        seconds=options.seconds,
    )
    if options.beside:
        session.comparison.compare_with(options.beside, options.connectivity)
    if options.lesson is not None:
        from ccl_viewer.window.lessons.model import LessonPlayer

        window.find_model(LessonPlayer).open(options.lesson)
    elif options.source is not None:
        from ccl_viewer.grids.picture_selector import (
            ONLY,  # loads NumPy, which --help does not need
        )

        session.files.open(
            options.source,
            step=options.step,
            threshold=options.threshold,
            invert=options.invert,
            large=options.large,
            selector=options.selector or ONLY,
        )


def close_on_signal(window: MainWindow, again: bool) -> None:
    """Close the window because a signal requests it.

    The second time, no question is asked about a drawing; the next start offers it.
    """
    if again:
        window.close_without_asking()
    else:
        window.close()


def _run(options: WindowOptions, signals: StopSignals) -> int:
    """Return the exit code, which means nothing if a signal came."""
    if options.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    else:
        require_display(sys.platform, os.environ)
    application = make_application()
    if signals.stop_requested():
        return 0
    if options.screenshot is not None:
        return _draw(options, options.screenshot, signals)
    from ccl_viewer.window.main_window import ErrorReporter

    window = prepare_window(options)
    if signals.stop_requested():
        close_on_signal(window, again=True)
        return 0
    sys.excepthook = ErrorReporter(window.report_error)
    window.show()
    signals.connect(partial(close_on_signal, window))
    window.session.files.look_for_recovery_file()
    return application.exec()


def _draw(options: WindowOptions, path: Path, signals: StopSignals) -> int:
    """Draw the window into a PNG file, unless a signal interrupts it; return the exit code."""
    from ccl_viewer.storage.files import check_writable
    from ccl_viewer.storage.temporaries import temporary_folder
    from ccl_viewer.window.core.messages import MessageKind

    check_writable(path)
    with temporary_folder() as folder:
        window = prepare_window(options, Path(folder) / "settings.json")
        try:
            window.show()
            _check_size(options, window)
            wait_until_idle(window, signals.stop_requested)
            if signals.stop_requested():
                return 0
            session = window.session
            message, recording = session.messages.problem, session.display.recording
            if message is not None and message.kind is MessageKind.ERROR:
                if session.document.grid is None:
                    raise InputError(message.text)
                if recording is None or not recording.complete:
                    raise CCLViewerError(message.text)
            elif recording is not None and options.step is not None:
                recording.step(options.step)
            _write_picture(window, path)
            return 0
        finally:
            window.close_without_asking()
            window.deleteLater()


def _check_size(options: WindowOptions, window: MainWindow) -> None:
    if options.size is not None and (window.width(), window.height()) != options.size:
        least = window.minimumSize()
        raise InputError(
            f"The window cannot be {options.size[0]} x {options.size[1]} pixels: give a size "
            f"of {least.width()} x {least.height()} or more."
        )


def wait_until_idle(window: MainWindow, stopped: Callable[[], bool] = lambda: False) -> None:
    """Run a window until it shows all that was requested, or until it is stopped."""
    from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer

    from ccl_viewer.window.widgets.canvas.canvas import QtCanvas
    from ccl_viewer.window.widgets.tables import CopyableTable

    loop, clock = QEventLoop(), QTimer(interval=10)
    quiet = 0

    def look() -> None:
        nonlocal quiet
        # Followers of a model may start work in the next turn, so wait until it stays idle.
        parts: list[QtCanvas | CopyableTable] = [
            *window.findChildren(QtCanvas),
            *window.findChildren(CopyableTable),
        ]
        pending = window.pending or any(part.isVisible() and part.pending for part in parts)
        quiet = quiet + 1 if window.session.tasks.idle and not pending else 0
        if stopped() or quiet > 3:
            loop.quit()

    clock.timeout.connect(look)
    clock.start()
    loop.exec()
    clock.stop()
    QCoreApplication.processEvents()


def _write_picture(window: MainWindow, path: Path) -> None:
    from PySide6.QtCore import QBuffer, QIODevice
    from PySide6.QtGui import QImageWriter

    from ccl_viewer.errors import shorten
    from ccl_viewer.storage.files import replacing

    # Qt does not report a full disk when it closes a file, so Qt only compresses.
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, b"png").write(window.grab().toImage()):
        raise InputError(
            f"{shorten(path)} cannot be written: the picture is too large for the memory."
        )
    with replacing(path) as beside:
        beside.write_bytes(buffer.data().data())

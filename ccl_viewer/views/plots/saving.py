"""Writes pictures of the window and of plots; of plots away from the window's thread."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock

from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QImage, QImageWriter

from ccl_viewer.errors import CCLViewerError, InputError, cut
from ccl_viewer.files import replacing
from ccl_viewer.session import Job, MessageKind, Runner


def write_picture(picture: QImage, path: Path) -> None:
    """Write a picture as PNG.

    Qt does not say that a disk was full when a file was closed, so it only compresses the picture.

    Parameters
    ----------
    picture : QImage
        The picture.
    path : Path
        Where to; an existing file is replaced once the new one is whole.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, b"png").write(picture):
        raise InputError(f"{cut(path)} cannot be written: the picture is too large for the memory.")
    with replacing(path) as beside:
        beside.write_bytes(buffer.data().data())


class PictureWork:
    """Writes a picture as PNG, once; compressing it takes some 20 ms.

    Parameters
    ----------
    picture : QImage
        The picture, which nobody paints on any more.
    path : Path
        Where to; an existing file is replaced once the new one is whole.
    """

    def __init__(self, picture: QImage, path: Path) -> None:
        self._picture = picture
        self._path = path
        self._lock = Lock()
        self._begun = False
        self._error: CCLViewerError | None = None

    def perform(self, _job: Job | None = None, /) -> None:
        """Write it; wait for that, if another thread is at it, and fail as it did.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        with self._lock:
            if not self._begun:
                self._begun = True
                try:
                    write_picture(self._picture, self._path)
                except CCLViewerError as error:
                    self._error = error
            if self._error is not None:
                raise self._error


class Saving:
    """Saves one picture after the other, and says of each how it went.

    Parameters
    ----------
    runner : Runner
        Writes them.
    say : callable
        Given what to tell the user, and how grave it is.
    """

    def __init__(self, runner: Runner, say: Callable[[MessageKind, str], object]) -> None:
        self._runner = runner
        self._say = say
        self._waiting: list[PictureWork] = []

    def save(self, picture: QImage, path: Path) -> None:
        """Write a picture, after those that were to be written before."""
        work = PictureWork(picture, path)
        self._waiting.append(work)

        def ended(kind: MessageKind, text: str) -> None:
            self._waiting.remove(work)
            self._say(kind, text)

        self._runner.start(
            Job(
                f"Saving {cut(path)}",
                work.perform,
                done=lambda: ended(MessageKind.INFO, f"Saved {cut(path)}."),
                failed=lambda error: ended(MessageKind.ERROR, str(error)),
            )
        )

    def finish(self) -> None:
        """Write at once what was not written yet: the runner has no time for it any more."""
        for work in self._waiting:
            try:
                work.perform()
            except CCLViewerError as error:  # of which no window will tell
                if sys.stderr is not None:
                    sys.stderr.write(f"{error}\n")
        self._waiting.clear()

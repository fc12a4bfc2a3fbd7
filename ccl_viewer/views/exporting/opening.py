"""Opens the export dialog on what the window shows, and remembers what was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QFileInfo, QStandardPaths
from PySide6.QtWidgets import QWidget

from ccl_viewer.session.exporting.choices import FASTEST, Choices, Subject, named
from ccl_viewer.session.exporting.exporting import Exporting
from ccl_viewer.session.exporting.subject import sources_of, subject_of
from ccl_viewer.views.exporting.controls import ExportControls
from ccl_viewer.views.exporting.dialog import ExportDialog
from ccl_viewer.views.memory.parts import Memory

if TYPE_CHECKING:
    from ccl_viewer.views.host import Host

_USUAL: Final = ".gif"
_REMEMBERED: Final = (*Choices(path="run.gif").to_values(), "folder")


class Exports:
    """Asks how a run is exported.

    Parameters
    ----------
    window : QWidget
        The window that asks.
    host : Host
        What is exported.
    """

    def __init__(self, window: QWidget, host: Host) -> None:
        self._window = window
        self._host = host
        self._values: dict[str, str] = {}

    def memories(self) -> Iterator[Memory]:
        """Return what is to be remembered."""
        for name in _REMEMBERED:
            yield Memory(
                f"export/{name}",
                partial(self._recall, name),
                partial(self._values.__setitem__, name),
            )

    def ask(self) -> None:
        """Ask how the run on display is exported, and export it."""
        host = self._host
        subject = subject_of(host.session)
        if subject is None:
            return
        controls = ExportControls(subject, host.appearance.theme)
        if not host.intake.take_turn(controls):
            return
        if host.session.recording is not subject.recording:  # another run came meanwhile
            controls.deleteLater()
            self.ask()
            return
        side = host.intake.side
        exporting = Exporting(subject, self.first_choices(subject), side)
        dialog = ExportDialog(
            exporting,
            partial(sources_of, host.session),
            controls,
            theme=host.appearance.theme,
            still=host.appearance.reduced_motion,
            parent=self._window,
        )
        side.listener = dialog.poll
        host.intake.run(dialog)
        side.listener = None
        self._values |= exporting.choices.to_values()
        self._values["folder"] = str(Path(exporting.choices.path).parent)

    def first_choices(self, subject: Subject) -> Choices:
        """Return what was chosen last, for another run."""
        session = self._host.session
        folder = self._values.get("folder") or _documents()
        stem = Path(session.title).stem or "run"
        choices = Choices(
            path=named(str(Path(folder) / stem), _USUAL),
            end=len(subject.recording) - 1,
            step=subject.position,
            fps=min(session.playback.rate, FASTEST),
            theme=self._host.appearance.theme.name,
            layers=subject.layers,
            sync=subject.sync,
        )
        if subject.section is not None:
            choices = choices.with_steps(subject.section.start, subject.section.end)
        return choices.recalled({key: text for key, text in self._values.items() if text})

    def _recall(self, name: str) -> str:
        return self._values.get(name, "")


def _documents() -> str:
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return found if found and QFileInfo(found).isDir() else str(Path.home())

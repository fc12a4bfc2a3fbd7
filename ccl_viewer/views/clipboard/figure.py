"""The step on display for other programs, of one run or of all: a picture, and as vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from ccl_viewer.export import ExportOptions
from ccl_viewer.session import MessageKind
from ccl_viewer.session.exporting.choices import figure_options
from ccl_viewer.session.exporting.subject import pinned_component
from ccl_viewer.session.files.work import FigureWork

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.host import Host

PNG: Final = "image/png"
SVG: Final = "image/svg+xml"


def copy_figure(host: Host) -> None:
    """Copy the step on display, with the layers on the canvas and in the theme of the window.

    While runs are compared, that is the step of the lane that has the focus or had it last.
    """
    session, lane = host.session, host.canvas_panel.compare.area.current.lane
    if lane is None or lane.recording is None:
        session.output.figure(_options(host, session.playback.position), partial(_offer, session))
        return
    options = _options(host, lane.playback.position)
    take = partial(_offer, session, of=f" of {lane.title}")
    session.output.figure(options, take, (lane.recording,))


def copy_all(host: Host) -> None:
    """Copy the steps of all runs that are compared, side by side."""
    session = host.session
    runs = session.comparison.recordings
    options = _options(host, session.playback.position)
    take = partial(_offer, session, of=f" of {len(runs)} runs")
    session.output.figure(options, take, runs, session.comparison.moments.steps[: len(runs)])


def mime_data(work: FigureWork) -> QMimeData:
    """Return a figure as programs take it over: as an image, as PNG, and as SVG."""
    data = QMimeData()
    data.setImageData(QImage.fromData(work.png))
    data.setData(PNG, work.png)
    data.setData(SVG, work.svg)
    return data


def _options(host: Host, step: int) -> ExportOptions:
    session = host.session
    pin = pinned_component(session)
    theme, follow = host.appearance.theme.name, session.pointing.marks.follow
    return figure_options(session.look.layers, pin, step, theme, follow=follow)


def _offer(session: Session, work: FigureWork, of: str = "") -> None:
    QGuiApplication.clipboard().setMimeData(mime_data(work))
    session.say(
        MessageKind.INFO,
        f"The figure{of} is on the clipboard, as a picture (PNG) and as vectors (SVG).",
    )

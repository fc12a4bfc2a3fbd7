"""The step on display for other programs: a picture, and the same as vectors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from ccl_viewer.session import MessageKind
from ccl_viewer.session.export_choices import figure_options
from ccl_viewer.session.export_subject import pinned_component
from ccl_viewer.session.work import FigureWork

if TYPE_CHECKING:
    from ccl_viewer.session import Session
    from ccl_viewer.views.host import Host

PNG: Final = "image/png"
SVG: Final = "image/svg+xml"


def copy_figure(host: Host) -> None:
    """Copy the step on display, with the layers on the canvas and in the theme of the window."""
    session = host.session
    options = figure_options(
        session.look.layers,
        pinned_component(session),
        session.playback.position,
        host.appearance.theme.name,
    )
    session.output.figure(options, partial(_offer, session))


def mime_data(work: FigureWork) -> QMimeData:
    """Return a figure as programs take it over: as an image, as PNG, and as SVG."""
    data = QMimeData()
    data.setImageData(QImage.fromData(work.png))
    data.setData(PNG, work.png)
    data.setData(SVG, work.svg)
    return data


def _offer(session: Session, work: FigureWork) -> None:
    QGuiApplication.clipboard().setMimeData(mime_data(work))
    session.say(
        MessageKind.INFO, "The figure is on the clipboard, as a picture (PNG) and as vectors (SVG)."
    )

"""The legend of what is drawn over the cells: a sample of each line, and what it is."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from ccl_viewer.plan import Part
from ccl_viewer.render.structure import LegendEntry
from ccl_viewer.views.canvas.card import TOO_SMALL, CardItem
from ccl_viewer.views.canvas.structure import padding_brushes, pens_of
from ccl_viewer.views.canvas.style import CanvasStyle

_SAMPLE: Final = 26.0
_SAMPLE_BEGINS: Final = 0.6
"""Share of the first dash that a sample leaves out, so that it shows a gap."""


def legend_items(entries: Sequence[LegendEntry]) -> tuple[CardItem, ...]:
    """Return the samples that a card shows of entries."""
    return tuple(
        CardItem(
            entry.text if entry.seen else entry.text + TOO_SMALL,
            _SAMPLE,
            partial(_paint_sample, entry=entry),
            dim=not entry.seen,
            shorter=_shorter(entry.text),
        )
        for entry in entries
    )


def _shorter(text: str) -> tuple[str, ...]:
    """Return what says the same in less room, as on the narrow canvases of four lanes."""
    block = text.removeprefix("thread ")  # what the cells are divided into
    cells = block.replace(" consecutive", "")
    return block, cells, cells.rpartition(" of ")[2].partition(",")[0]


def _paint_sample(
    painter: QPainter, room: QRectF, style: CanvasStyle, *, entry: LegendEntry
) -> None:
    at, box = QPointF(room.left(), room.center().y()), room.adjusted(0, 2, 0, -2)
    if entry.part is None:
        for brush in padding_brushes(style, 0.6):
            painter.fillRect(box, brush)
    elif entry.part is Part.RUN:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in pens_of(entry.part, style):
            painter.setPen(pen)
            painter.drawRoundedRect(box.adjusted(0, 0.5, 0, 0.5), 5, 5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    else:
        for pen in pens_of(entry.part, style, rank=entry.rank):
            if pen.style() is Qt.PenStyle.CustomDashLine:
                pen.setDashOffset(_SAMPLE_BEGINS * pen.dashPattern()[0])
            painter.setPen(pen)
            painter.drawLine(QLineF(at, at + QPointF(_SAMPLE, 0)))

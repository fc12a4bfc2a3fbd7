"""On screens with more pixels than the window counts, all is drawn sharp and hit where it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccl_viewer.views.canvas.geometry import CellRange, Viewpoint, fitted

RATIOS = (1.0, 1.25, 1.5, 1.75, 2.0, 3.0)

LOOK = """
import json, sys
from pathlib import Path
from tempfile import TemporaryDirectory
import numpy as np
from PySide6.QtCore import QCoreApplication, QEventLoop, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from ccl_viewer.views.app import make_application, open_window
from ccl_viewer.views.patterns.gallery import thumbnail
from ccl_viewer.views.options import WindowOptions

application = make_application()
with TemporaryDirectory() as folder:
    options = WindowOptions("pattern:shibata", size=(1280, 720), device="emulator", step=-1)
    window = open_window(options, Path(folder) / "settings.json")
    window.show()
    loop, session, canvas = QEventLoop(), window.session, window.canvas
    session.busy_changed.connect(lambda: None if session.busy else loop.quit())
    if session.busy:
        loop.exec()
    QCoreApplication.processEvents()
    found = {"ratio": window.devicePixelRatioF()}
    shot = window.grab()
    found["shot"] = (shot.width(), shot.height())
    parts = {"canvas": canvas, "timeline": window.step_panel.timeline,
             "tool": window.canvas_panel.tools.buttons["tool_line"]}
    sharp = {}
    for name, part in parts.items():
        image = part.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)
        # Enlarged pictures have twice the same rows and columns at every other place.
        same = [(rows[i] == rows[i + 1]).all() for i in range(0, len(rows) - 1, 2)]
        other = [(rows[i] == rows[i + 1]).all() for i in range(1, len(rows) - 1, 2)]
        sharp[name] = not (all(same) or all(other))
    found["sharp"] = sharp
    icon = window.canvas_panel.tools.buttons["tool_line"].icon()
    found["icon"] = icon.pixmap(18, 18).width()
    found["thumbnail"] = max(size.width() for size in thumbnail(
        "spiral", window.theme).availableSizes())
    scale, edges = canvas.view.scale * found["ratio"], []
    for cell in ((0, 0), (3, 7), (9, 9)):
        x, y = canvas.view.corner(*cell)
        edges += [x * found["ratio"], y * found["ratio"]]
    found["scale"], found["edges"] = scale, edges
    hit = []
    for cell in ((0, 0), (3, 7), (9, 9)):
        left, top = canvas.view.corner(*cell)
        inside, size = 0.51 / found["ratio"], canvas.view.scale
        for dx in (inside, size / 2, size - inside):
            hit.append(canvas.cell_at(QPointF(left + dx, top + dx)) == cell)
        hit.append(canvas.cell_at(QPointF(left - inside, top - inside)) != cell)
    found["hit"] = hit
    before = session.grid.copy()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.centre_of((0, 0)).toPoint())
    changed = np.argwhere(session.grid != before).tolist()
    found["drawn"] = changed
    window.close()
print(json.dumps(found))
"""


def look(factor: float) -> dict[str, Any]:
    environment = os.environ | {
        "QT_QPA_PLATFORM": "offscreen",
        "QT_SCALE_FACTOR": str(factor),
        "QT_SCALE_FACTOR_ROUNDING_POLICY": "PassThrough",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("factor", [1.5, 2.0])
def test_all_is_sharp_and_hit_where_it_is_drawn(factor: float) -> None:
    found = look(factor)
    assert found["ratio"] == factor
    assert found["shot"] == [1280 * factor, 720 * factor]
    assert found["sharp"] == {"canvas": True, "timeline": True, "tool": True}
    assert found["icon"] == 18 * factor
    assert found["thumbnail"] == 40 * factor
    assert found["scale"] == pytest.approx(round(found["scale"]))
    assert found["edges"] == pytest.approx([round(edge) for edge in found["edges"]])
    assert all(found["hit"])
    assert found["drawn"] == [[0, 0]]


@given(
    st.sampled_from(RATIOS),
    st.integers(1, 300),
    st.integers(1, 300),
    st.integers(240, 2000),
    st.integers(80, 1200),
)
def test_cells_cover_whole_pixels_of_any_screen(
    ratio: float, columns: int, rows: int, width: int, height: int
) -> None:
    view = fitted(CellRange(0, 0, columns, rows), width, height, 6, ratio)
    fine = view.scale * ratio
    if fine >= 1:
        assert fine == pytest.approx(round(fine))
    for changed in (view, view.moved(3.3, -7.9, ratio), view.zoomed(1.25, 50.2, 17.7, ratio)):
        for place in (changed.x, changed.y):
            assert place * ratio == pytest.approx(round(place * ratio))


@given(st.sampled_from(RATIOS), st.integers(1, 60), st.integers(-99, 99), st.integers(-99, 99))
def test_every_pixel_of_the_screen_hits_the_cell_that_covers_it(
    ratio: float, side: int, column: int, row: int
) -> None:
    view = Viewpoint(side / ratio, 5 / ratio, -3 / ratio)
    for pixel in {0, side // 2, side - 1}:
        x = (5 + column * side + pixel + 0.5) / ratio
        y = (-3 + row * side + pixel + 0.5) / ratio
        assert view.to_cell(x, y) == (column, row)

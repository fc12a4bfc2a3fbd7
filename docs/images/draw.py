"""Draws the window at the most telling step of each algorithm, and the pictures of the site.

Run it from the checkout, without a display: ``python docs/images/draw.py FOLDER`` draws every
scene at both sizes and in both themes; ``python docs/images/draw.py`` those of the site and the
moving picture of the README alone.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from PIL import Image
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QImage

from ccl_viewer.render.layers import CellColours

if TYPE_CHECKING:
    from ccl_viewer.window.main_window import MainWindow

Size = tuple[int, int]

SIZES: Final[tuple[Size, ...]] = ((1280, 720), (1920, 1080))
THEMES: Final = ("dark", "light")


@dataclass(frozen=True)
class Scene:
    """One step of one run, and how it is looked at.

    Parameters
    ----------
    algorithm : str
        Its key.
    pattern : str
        The grid, without ``pattern:``.
    step : int
        From 0, or from -1 backwards.
    layers : mapping
        What is drawn other than at first, by the names that the layers have.
    pin : tuple of int or None
        Column and row of a cell whose component is pinned.
    panel : str
        The panel that is in front; empty for the one that is there at first.
    """

    algorithm: str
    pattern: str
    step: int
    layers: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    pin: tuple[int, int] | None = None
    panel: str = ""


_TREES: Final = MappingProxyType({"structure": True, "colours": CellColours.TREE})
_SPREAD: Final = MappingProxyType({"colours": CellColours.TREE})
_ARROWS: Final = MappingProxyType({"arrows": True})
_STRUCTURE: Final = MappingProxyType({"structure": True})
_BOTH: Final = MappingProxyType({"arrows": True, "structure": True})

SCENES: Final[Mapping[str, Scene]] = MappingProxyType(
    {
        "label_equivalence": Scene(
            "label_equivalence", "noise?width=12&height=9&density=0.6", 3, _ARROWS
        ),
        "label_equivalence_sizes": Scene(
            "label_equivalence_sizes",
            "noise?width=12&height=8",
            -1,
            MappingProxyType({"numbers": "layer:sizes"}),
        ),
        "label_equivalence_hawick": Scene(
            "label_equivalence_hawick",
            "noise?width=12&height=9&density=0.6",
            4,
            MappingProxyType({"numbers": "layer:references", "arrows": True}),
        ),
        "row_col_unify": Scene("row_col_unify", "spiral?size=9", 2, _STRUCTURE),
        "stava_benes": Scene("stava_benes", "blobs?width=64&height=32&grain=5", 1, _TREES),
        "two_pass": Scene("two_pass", "noise?width=12&height=9&density=0.4", 6, _BOTH),
        "ha4": Scene("ha4", "noise?width=32&height=16&density=0.6", 1, _STRUCTURE),
        "ha4_64": Scene("ha4_64", "noise?width=64&height=20&density=0.55", 0, _STRUCTURE),
        "ha4_features": Scene(
            "ha4_features",
            "noise?width=20&height=10&density=0.5",
            2,
            MappingProxyType({"numbers": "layer:count", "structure": True}),
        ),
        "ha8": Scene("ha8", "noise?width=24&height=12&density=0.4", 1, _STRUCTURE),
        "playne": Scene("playne", "noise?width=12&height=9&density=0.6", 2, _ARROWS),
        "playne_block": Scene("playne_block", "noise?width=64&height=24&density=0.6", 1, _TREES),
        "komura": Scene("komura", "noise?width=12&height=9&density=0.6", 0, _ARROWS),
        "cabaret": Scene("cabaret", "noise?width=64&height=24&density=0.6", 1, _TREES),
        "bke": Scene("bke", "noise?width=16&height=12&density=0.4", 2, _BOTH),
        "shibata_naive": Scene("shibata_naive", "shibata", 4),
        "shibata_slow": Scene("shibata_slow", "shibata", 2),
        "shibata_fast": Scene("shibata_fast", "shibata", 3, _ARROWS),
        "spiral": Scene("label_equivalence", "spiral?size=31", 2),
    }
)

PICTURES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "spiral": ("spiral", "dark"),
        "ha4": ("ha4", "light"),
        "numbers": ("shibata_slow", "dark"),
        "blocks": ("bke", "dark"),
    }
)
"""The site's pictures: the scene and the theme of each."""

FILM: Final = Scene("label_equivalence", "maze?width=43&height=25", 0, _SPREAD)
"""The README's moving picture, from this step on."""

_FILM_SIZE: Final = (1000, 640)
_SECONDS: Final = (0.9, 2.5)  # of a step, and of the last


def draw(scene: Scene, path: Path, size: Size, theme: str) -> None:
    """Draw the window with a scene into a PNG file."""
    with _opened(scene, size, theme) as window:
        path.parent.mkdir(parents=True, exist_ok=True)
        window.grab().save(str(path), "PNG")


def film(scene: Scene, path: Path) -> None:
    """Draw the steps of a scene, from its own on, into an animated WebP file."""
    from ccl_viewer.window.app import wait_until_at_rest

    frames = []
    with _opened(scene, _FILM_SIZE, "light") as window:
        for step in range(scene.step, window.session.playback.count):
            window.session.playback.go_to(step)
            wait_until_at_rest(window)
            image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
            data = image.constBits().tobytes()
            size = (image.width(), image.height())
            frames.append(Image.frombytes("RGB", size, data, "raw", "RGB", image.bytesPerLine()))
    times = [*[round(_SECONDS[0] * 1000)] * (len(frames) - 1), round(_SECONDS[1] * 1000)]
    first, *others = frames
    first.save(
        path, save_all=True, append_images=others, duration=times, loop=0, lossless=True, method=6
    )


@contextmanager
def _opened(scene: Scene, size: Size, theme: str) -> Iterator[MainWindow]:
    """Open a window that shows a scene, and close it afterwards."""
    from ccl_viewer.window.app import WindowOptions, open_window, wait_until_at_rest

    options = WindowOptions(
        source=f"pattern:{scene.pattern}",
        step=scene.step,
        size=size,
        algorithm=scene.algorithm,
        device="emulator",
        theme=theme,
    )
    with TemporaryDirectory(prefix="ccl-viewer-") as folder:
        window = open_window(options, Path(folder) / "settings.json")
        window.session.view.show_layers(**scene.layers)
        window.show()
        wait_until_at_rest(window)
        if scene.pin is not None:
            window.session.view.pin_cell(scene.pin, component=True)
        if scene.panel:
            window.side_panel.show_panel(scene.panel)
        wait_until_at_rest(window)
        yield window
        window.close_without_asking()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _pictures(folder: Path | None, names: Sequence[str]) -> Iterator[tuple[Scene, Path, Size, str]]:
    """Return the site's pictures, or those of the scenes with these names in a folder."""
    if folder is None:
        here = Path(__file__).parent
        for name, (scene, theme) in PICTURES.items():
            yield SCENES[scene], here / f"{name}.png", SIZES[0], theme
        return
    for name, size, theme in product(names or SCENES, SIZES, THEMES):
        yield SCENES[name], folder / f"{name}-{size[0]}-{theme}.png", size, theme


def main() -> None:
    """Read the arguments and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="where to draw all scenes")
    parser.add_argument("--only", nargs="*", default=[], choices=SCENES, help="scenes to draw")
    arguments = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

    from ccl_viewer.window.app import make_application

    _application = make_application()
    for picture in _pictures(arguments.folder, arguments.only):
        draw(*picture)
    if arguments.folder is None:
        film(FILM, Path(__file__).parent / "spreading.webp")


if __name__ == "__main__":
    main()

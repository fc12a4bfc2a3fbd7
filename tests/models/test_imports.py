"""Pictures on their way to becoming the grid: offered, previewed, imported, imported again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from support.models import HeldExecutor, inline_session

from ccl_viewer.grids import save_grid
from ccl_viewer.grids.files import GridContent
from ccl_viewer.grids.import_settings import Channel, Crop, ImportKind, ImportSettings
from ccl_viewer.grids.pattern_table import PATTERNS
from ccl_viewer.grids.picture_selector import PicturePosition, PictureSelector
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.grids.thresholds import Threshold
from ccl_viewer.reference import label_reference
from ccl_viewer.window.core.imports import PREVIEW_SIDE, QUICK_PIXELS, Imports
from ccl_viewer.window.core.session import Session

GREY = (np.arange(12, dtype=np.uint8) * 20).reshape(3, 4)


@pytest.fixture
def session() -> Iterator[Session]:
    made = inline_session()
    yield made
    made.close()


@pytest.fixture
def imports(session: Session) -> Imports:
    return session.imports


@pytest.fixture
def photo(tmp_path: Path) -> str:
    path = tmp_path / "photo.png"
    Image.fromarray(GREY).save(path)
    return str(path)


def take(imports: Imports, *, ask: bool = True, **changes: object) -> None:
    """Import the picture on offer with some settings."""
    assert imports.pending is not None
    imports.configure(**changes)
    imports.accept(ask=ask)


def has_values(session: Session) -> bool:
    return session.document.multivalued


def threshold(imports: Imports) -> Threshold:
    return imports.settings.threshold


def said(session: Session) -> str:
    return "" if session.messages.message is None else session.messages.message.text


def fact(imports: Imports) -> str:
    return "" if imports.unconfirmed is None else imports.unconfirmed.fact


def stack(tmp_path: Path, *pages: np.ndarray[Any, Any]) -> str:
    path = tmp_path / "stack.tif"
    first, *others = (Image.fromarray(page) for page in pages)
    first.save(path, save_all=True, append_images=others)
    return str(path)


def test_a_threshold_between_decimals_stays_from_page_to_page(
    session: Session, tmp_path: Path
) -> None:
    page = np.linspace(0.2, 0.9, 12, dtype=np.float32).reshape(3, 4)
    session.files.open_or_import(stack(tmp_path, page, page[::-1].copy()))
    session.imports.configure(threshold=0.5)
    session.imports.turn_to(1)
    assert threshold(session.imports) == 0.5


def test_channels_are_chosen_before_one_is_imported(session: Session, tmp_path: Path) -> None:
    imports, path = session.imports, tmp_path / "five.zarr"
    zarr = pytest.importorskip("zarr")
    channels = np.stack([GREY, 255 - GREY, (GREY > 100).astype(np.uint8)])
    group = zarr.open_group(str(path), mode="w")
    group.create_array("0", data=np.stack([channels, channels[:, ::-1]]))
    group.attrs["ome"] = {
        "multiscales": [
            {"axes": [{"name": name} for name in "tcyx"], "datasets": [{"path": "0"}]},
        ]
    }
    session.files.open(str(path))  # as at a start that names neither
    assert imports.pending is not None
    assert imports.pending.position_in_file == PicturePosition(2, 0, 3, 0)
    imports.turn_to(channel=1)
    imports.turn_to(index=1)
    assert imports.pending.position_in_file == PicturePosition(2, 1, 3, 1)
    take(imports, threshold=100)
    np.testing.assert_array_equal(session.document.grid, 255 - GREY[::-1] > 100)
    imports.repeat()
    assert imports.pending.position_in_file == PicturePosition(2, 1, 3, 1)
    imports.turn_to(channel=2)  # which holds nothing but 0 and 1
    imports.accept()
    np.testing.assert_array_equal(session.document.grid, GREY[::-1] > 100)


def test_a_page_that_cannot_be_read_leaves_the_one_before(session: Session, tmp_path: Path) -> None:
    path = stack(tmp_path, GREY, GREY)
    session.files.open_or_import(path)
    Path(path).unlink()
    session.imports.turn_to(1)
    assert session.imports.pending is not None
    assert (session.imports.pending.position_in_file.index, session.imports.turning) == (0, False)
    assert session.imports.preview.converted is not None
    assert not session.imports.preview.counting
    assert "cannot be opened" in said(session)


def test_pages_without_a_choice_are_offered_too(session: Session, tmp_path: Path) -> None:
    """A black and white picture has nothing else to choose, so there is no further question."""
    path = stack(tmp_path, (GREY > 100) * np.uint8(255), (GREY > 200) * np.uint8(255))
    session.imports.ask = False
    session.files.open_or_import(path)
    session.imports.turn_to(1)
    session.imports.accept()
    np.testing.assert_array_equal(session.document.grid, GREY > 200)


def test_a_start_with_several_pages_offers_them_unless_one_is_named(
    session: Session, tmp_path: Path
) -> None:
    path = stack(tmp_path, GREY, 255 - GREY)
    session.files.open(path)
    assert session.imports.pending is not None
    session.imports.decline()
    session.files.open(path, selector=PictureSelector((1,)), threshold=100)
    np.testing.assert_array_equal(session.document.grid, 255 - GREY > 100)
    session.files.open(path, selector=PictureSelector((2,)))
    assert "no picture 2" in said(session)
    assert session.imports.pending is None


def test_choices_can_be_kept_and_are_fitted_to_the_picture(
    session: Session, imports: Imports, photo: str, tmp_path: Path
) -> None:
    imports.open(photo)
    take(imports, ask=False, threshold=50.0, invert=True, crop=Crop(0, 0, 1, 1))
    other = tmp_path / "other.png"
    Image.fromarray(GREY[::-1]).save(other)
    imports.open(str(other))
    assert imports.pending is None
    np.testing.assert_array_equal(session.document.grid, GREY[::-1] <= 50)
    imports.ask = True
    imports.open(photo)
    assert imports.settings == ImportSettings(threshold=50, invert=True)
    take(imports, threshold=200.0)
    imports.open_content(Picture(GREY.astype(np.uint16) * 257), "a program")
    assert threshold(imports) == 200
    imports.open_content(Picture((GREY / 255).astype(np.float32)), "a program")
    assert threshold(imports) == "otsu"
    colours = np.stack([GREY, GREY[::-1], GREY], axis=2)
    imports.open_content(Picture(colours), "a program")
    take(imports, channel=Channel.GREEN)
    imports.open(photo)
    assert imports.settings.channel is Channel.LUMA


def test_a_picture_from_the_command_line_can_be_imported_again(
    session: Session, imports: Imports, photo: str
) -> None:
    session.files.open(photo, threshold=30, invert=True)
    assert imports.last is not None
    imports.repeat()
    assert imports.settings == ImportSettings(threshold=30, invert=True)
    take(imports, kind=ImportKind.LEVELS)
    assert has_values(session)


def test_a_picture_from_the_clipboard_can_be_imported_again(imports: Imports) -> None:
    imports.open_content(Picture(GREY), "the clipboard")
    imports.accept()
    imports.repeat()
    assert imports.pending is not None
    assert imports.pending.name == "the clipboard"


def test_a_file_that_says_what_each_cell_is_leaves_nothing_to_import_again(
    session: Session, imports: Imports, tmp_path: Path
) -> None:
    save_grid(tmp_path / "a.npy", np.eye(3, dtype=np.uint8))
    session.files.open_or_import(str(tmp_path / "a.npy"))
    imports.repeat()
    assert imports.pending is None
    assert session.messages.message is not None


@pytest.mark.parametrize("suffix", ["png", "pbm", "npy", "txt", "rle"])
def test_what_leaves_no_choice_opens_at_once(session: Session, tmp_path: Path, suffix: str) -> None:
    grid = PATTERNS["shibata"].make()
    save_grid(tmp_path / f"a.{suffix}", grid)
    session.files.open_or_import(str(tmp_path / f"a.{suffix}"))
    np.testing.assert_array_equal(session.document.grid, grid)
    assert not has_values(session)


def test_black_and_white_of_8_bits_leaves_no_choice(session: Session, tmp_path: Path) -> None:
    for mode in ("L", "RGB"):
        Image.fromarray((GREY > 90).astype(np.uint8) * 255).convert(mode).save(tmp_path / "a.png")
        session.files.open_or_import(str(tmp_path / "a.png"))
        np.testing.assert_array_equal(session.document.grid, GREY > 90)


@pytest.mark.parametrize("suffix", ["pgm", "png", "rle", "txt", "npy"])
def test_saved_values_come_back_as_values(session: Session, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    session.files.open("pattern:voronoi?width=12&height=9")
    grid = np.array(session.document.grid)
    session.files.save(path)
    session.files.open("pattern:shibata")
    session.files.open_or_import(str(path))
    if session.imports.pending is not None:
        session.imports.accept()
    assert has_values(session)
    np.testing.assert_array_equal(session.document.grid, grid)


def test_cells_that_come_from_elsewhere_are_taken(session: Session, imports: Imports) -> None:
    imports.open_content(GridContent(np.array([[0, 1]], np.uint8), ""), "the clipboard")
    np.testing.assert_array_equal(session.document.grid, [[0, 1]])
    assert session.document.title == "the clipboard"


@pytest.mark.parametrize("ask", [True, False])
def test_how_cells_are_made_follows_from_each_file(
    imports: Imports, session: Session, photo: str, tmp_path: Path, ask: bool
) -> None:
    """After an array of many labels, a photo is divided by a threshold as before."""
    labels = tmp_path / "labels.npy"
    np.save(labels, np.arange(400, dtype=np.int32).reshape(20, 20) // 2)
    colours = tmp_path / "colours.png"
    noise = np.random.RandomState(0).randint(0, 256, (60, 60, 3), np.uint8)
    Image.fromarray(noise).save(colours)
    imports.open(str(labels))
    take(imports, kind=ImportKind.VALUES, ask=ask)
    assert session.document.grid is not None
    assert session.document.grid.max() == 199
    imports.open(str(colours))
    if ask:
        assert imports.settings.kind is ImportKind.BINARY
        assert imports.preview.error == ""
        take(imports)
    assert said(session) == ""
    assert session.document.grid.shape == (60, 60)
    assert session.document.grid.max() == 1


def test_pictures_are_imported_as_the_last_one_where_nobody_wants_to_be_asked(
    imports: Imports, session: Session, photo: str
) -> None:
    imports.open(photo)
    take(imports, kind=ImportKind.LEVELS, levels=3, ask=False)
    imports.open(photo)
    assert imports.pending is None
    assert session.document.grid is not None
    assert session.document.grid.max() == 2
    imports.ask = True
    imports.open(photo)
    assert imports.settings == ImportSettings(levels=3)


# The preview


@pytest.mark.parametrize(
    ("values", "shades"),
    [
        ([np.inf, np.inf], [255, 255]),
        ([np.nan, np.nan], [0, 0]),
        ([0.0, np.nan, 10.0, np.inf, -np.inf], [0, 0, 255, 255, 0]),
        ([-1e308, 1e308], [0, 255]),
        ([3.0, 3.0], [0, 0]),
    ],
)
def test_arrays_of_any_numbers_have_a_thumbnail(
    imports: Imports, values: list[float], shades: list[int]
) -> None:
    imports.open_content(Picture(np.array([values])), "a program")
    assert imports.pending is not None
    assert imports.pending.thumbnail[0, :, 0].tolist() == shades


def test_a_large_picture_is_converted_on_the_queue() -> None:
    executor = HeldExecutor()
    session = inline_session(executor)
    imports = session.imports
    noise = np.random.RandomState(0).randint(0, 256, (QUICK_PIXELS // 1024 + 50, 1100), np.uint8)
    imports.open_content(Picture(noise, np.full_like(noise, 255)), "a program")
    executor.work()
    imports.configure(crop=Crop(50, 25, 1000, 600), factor=-2)
    waiting = imports.preview
    assert waiting.cells is None, "those of another part would mislead"
    assert waiting.counting
    executor.work()
    found = imports.preview
    assert found.converted is not None
    assert found.converted.grid.shape == (300, 500)
    assert found.cells is not None
    assert max(found.cells.shape) <= PREVIEW_SIDE
    assert imports.pending is not None
    assert imports.pending.thumbnail.shape == (537, 550, 3)
    _, count = label_reference(found.converted.grid, 4)
    assert found.component_count == count
    imports.configure(factor=1)
    assert imports.preview.cells is not None, "they stay until there are new ones"
    imports.accept()  # before it is converted
    executor.work()
    assert session.document.shape == (600, 1000)
    session.close()

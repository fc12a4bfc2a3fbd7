"""The session's way from files and pixels to its grid, without a window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from support.runners import AtOnce, Later

from ccl_viewer.grids import save_grid
from ccl_viewer.grids.files import Cells
from ccl_viewer.grids.import_settings import Channel, Crop, ImportSettings, Kind
from ccl_viewer.grids.importing import Source, convert
from ccl_viewer.grids.patterns import PATTERNS
from ccl_viewer.grids.pictures import Picture
from ccl_viewer.reference import label_reference
from ccl_viewer.session import MessageKind, Session
from ccl_viewer.session.files.import_preview import SIDE, ImportPreview, _stretched

GREY = (np.arange(12, dtype=np.uint8) * 20).reshape(3, 4)


def offered(session: Session) -> list[ImportSettings]:
    """The settings with which pictures were offered so far."""
    settings: list[ImportSettings] = []

    def note() -> None:
        assert session.importing.offer is not None
        settings.append(session.importing.offer.settings)

    session.importing.offered.connect(note)
    return settings


@pytest.fixture
def session() -> Session:
    return Session(AtOnce())


@pytest.fixture
def photo(tmp_path: Path) -> str:
    path = tmp_path / "photo.png"
    Image.fromarray(GREY).save(path)
    return str(path)


@pytest.mark.parametrize("suffix", ["npy", "pgm", "png", "rle", "txt"])
def test_values_come_back_from_every_kind_of_file(
    session: Session, photo: str, tmp_path: Path, suffix: str
) -> None:
    session.importing.open(photo)
    session.importing.accept(ImportSettings(threshold=100))  # which says nothing of a grid
    session.open("pattern:mosaic")
    assert session.grid is not None
    grid, asked = session.grid.copy(), offered(session)
    session.save(tmp_path / f"grid.{suffix}")
    session.importing.open(str(tmp_path / f"grid.{suffix}"))
    assert len(asked) == (suffix == "npy")
    if asked:
        session.importing.accept(asked[0])
    np.testing.assert_array_equal(session.grid, grid)
    assert session.settings.multivalued


def test_a_grey_picture_is_offered_and_imported_as_chosen(session: Session, photo: str) -> None:
    asked = offered(session)
    session.importing.open(photo)
    assert asked == [ImportSettings()]
    assert session.grid is None
    session.importing.accept(ImportSettings(threshold=100, crop=Crop(0, 0, 4, 2)))
    np.testing.assert_array_equal(session.grid, GREY[:2] > 100)
    assert session.source == photo
    assert session.recording is not None
    assert not session.settings.multivalued


def test_what_is_converted_already_is_taken_at_once(session: Session, photo: str) -> None:
    session.importing.open(photo)
    offer = session.importing.offer
    assert offer is not None
    settings = ImportSettings(threshold=7)
    session.importing.accept(settings, convert(offer.source, settings))
    np.testing.assert_array_equal(session.grid, GREY > 7)
    assert session.importing.offer is None


def test_a_declined_picture_changes_nothing(session: Session, photo: str) -> None:
    session.open("pattern:shibata")
    grid = session.grid
    session.importing.open(photo)
    session.importing.decline()
    session.importing.accept(ImportSettings())
    assert session.grid is grid
    assert session.source == "pattern:shibata"


def test_choices_can_be_kept(session: Session, photo: str, tmp_path: Path) -> None:
    asked = offered(session)
    session.importing.open(photo)
    kept = ImportSettings(threshold=50, invert=True, crop=Crop(0, 0, 1, 1))
    session.importing.accept(kept, ask=False)
    other = tmp_path / "other.png"
    Image.fromarray(GREY[::-1]).save(other)
    session.importing.open(str(other))
    np.testing.assert_array_equal(session.grid, GREY[::-1] <= 50)
    assert len(asked) == 1
    session.importing.open(photo, always=True)
    assert asked[1:] == [ImportSettings(threshold=50, invert=True)]
    session.importing.accept(ImportSettings())
    session.importing.open(photo)
    assert len(asked) == 3


def test_kept_choices_are_fitted_to_the_picture(session: Session, photo: str) -> None:
    asked = offered(session)
    colours = np.stack([GREY, GREY[::-1], GREY], axis=2)
    session.importing.bring(Picture(colours), "a program")
    session.importing.accept(ImportSettings(channel=Channel.GREEN, threshold=3))
    session.importing.open(photo)
    assert asked[1] == ImportSettings()
    session.importing.accept(ImportSettings(threshold=9))
    session.importing.bring(Picture(GREY.astype(np.uint16)), "a program")
    assert asked[2].threshold is None


def test_the_last_picture_can_be_imported_again(session: Session, photo: str) -> None:
    before = session.importing.can_repeat
    session.importing.open(photo)
    chosen = ImportSettings(threshold=9, crop=Crop(1, 1, 2, 2))
    session.importing.accept(chosen)
    asked = offered(session)
    assert (before, session.importing.can_repeat) == (False, True)
    session.importing.repeat()
    assert asked == [chosen]
    session.importing.accept(ImportSettings(threshold=100))
    np.testing.assert_array_equal(session.grid, GREY > 100)


@pytest.mark.parametrize("suffix", ["png", "pbm", "npy", "txt", "rle"])
def test_what_leaves_no_choice_opens_directly(
    session: Session, tmp_path: Path, suffix: str
) -> None:
    grid = PATTERNS["shibata"].make()
    save_grid(tmp_path / f"a.{suffix}", grid)
    asked = offered(session)
    session.importing.open(str(tmp_path / f"a.{suffix}"))
    np.testing.assert_array_equal(session.grid, grid)
    assert asked == []
    assert not session.settings.multivalued


def test_black_and_white_of_8_bits_leaves_no_choice(session: Session, tmp_path: Path) -> None:
    for mode in ("L", "RGB"):
        Image.fromarray((GREY > 90).astype(np.uint8) * 255).convert(mode).save(tmp_path / "a.png")
        session.importing.open(str(tmp_path / "a.png"))
        np.testing.assert_array_equal(session.grid, GREY > 90)


@pytest.mark.parametrize("suffix", ["png", "rle", "txt"])
def test_saved_values_come_back_as_values(session: Session, tmp_path: Path, suffix: str) -> None:
    grid = PATTERNS["voronoi"].make(width=12, height=9)
    path = tmp_path / f"a.{suffix}"
    session.open("pattern:voronoi?width=12&height=9")
    assert session.settings.multivalued
    session.save(path)
    session.open("pattern:shibata")
    session.importing.open(str(path))
    assert session.settings.multivalued
    np.testing.assert_array_equal(session.grid, grid)


def test_segments_take_an_algorithm_that_tells_values_apart(session: Session) -> None:
    session.configure(algorithm_key="ha4")
    session.importing.bring(Picture(GREY), "a program")
    session.importing.accept(ImportSettings(kind=Kind.LEVELS, levels=3))
    assert session.settings.multivalued
    assert session.settings.algorithm == "label_equivalence"
    assert session.message is not None
    assert "HA4 does not tell values apart" in session.message.text
    session.importing.bring(Picture(GREY), "a program")
    session.importing.accept(ImportSettings())
    assert not session.settings.multivalued


def test_a_pattern_of_segments_is_foreground_to_what_cannot_tell_values_apart(
    session: Session,
) -> None:
    session.configure(algorithm_key="ha4")
    session.open("pattern:tiles?width=20&height=20")
    assert session.settings.algorithm == "ha4"
    assert session.grid is not None
    assert session.grid.min() == session.grid.max() == 1


@pytest.mark.parametrize("content", [b"", b"hello", b"\x89PNG\r\n\x1a\n", b"x = 3, y = 1\n4o!"])
def test_broken_files_give_a_sentence_and_lose_nothing(
    session: Session, tmp_path: Path, content: bytes
) -> None:
    session.open("pattern:shibata")
    grid, recording = session.grid, session.recording
    path = tmp_path / "broken"
    path.write_bytes(content)
    asked = offered(session)
    session.importing.open(str(path))
    assert session.message is not None
    assert session.message.kind is MessageKind.ERROR
    assert str(path) in session.message.text
    assert session.grid is grid
    assert session.recording is recording
    assert asked == []


def test_cells_that_come_from_elsewhere_are_taken(session: Session) -> None:
    session.importing.bring(Cells(np.array([[0, 1]], np.uint8), ""), "the clipboard")
    np.testing.assert_array_equal(session.grid, [[0, 1]])
    assert session.title == "the clipboard"


# The preview


def preview_of(source: Source, settings: ImportSettings, runner: AtOnce | Later) -> ImportPreview:
    return ImportPreview(source, settings, 4, runner)


def test_a_preview_knows_all_there_is_to_know() -> None:
    preview = preview_of(Source(Picture(GREY)), ImportSettings(), AtOnce())
    preview.update(ImportSettings(threshold=100))
    found = preview.preview
    assert found.components == 1
    assert found.otsu == 110
    assert found.converted is not None
    np.testing.assert_array_equal(found.converted.grid, GREY > 100)
    np.testing.assert_array_equal(found.cells, GREY > 100)
    assert found.thumbnail is not None
    np.testing.assert_array_equal(found.thumbnail[..., 1], GREY)
    assert found.bars is not None
    assert found.bars.sum() == GREY.size


def test_only_the_newest_settings_are_shown() -> None:
    later = Later()
    preview = preview_of(Source(Picture(GREY)), ImportSettings(), later)
    seen: list[float | None] = []
    for threshold in (10.0, 20.0, 30.0):
        preview.update(ImportSettings(threshold=threshold))
    preview.changed.connect(lambda: seen.append(preview.preview.settings.threshold))
    busy = preview.busy
    later.work()
    assert (busy, preview.busy) == (True, False)
    assert set(seen) == {30.0}
    assert preview.preview.converted is not None
    assert preview.preview.converted.threshold == 30


def test_a_mistake_is_a_sentence_and_the_next_settings_are_fine() -> None:
    many = np.arange(400, dtype=np.uint16).reshape(20, 20)
    preview = preview_of(Source(Picture(many)), ImportSettings(), AtOnce())
    preview.update(ImportSettings(kind=Kind.VALUES))
    assert "more than 255 values" in preview.preview.error
    assert preview.preview.converted is None
    preview.update(ImportSettings(kind=Kind.LEVELS))
    assert preview.preview.error == ""
    assert preview.preview.components == 3


def test_a_large_picture_is_shown_small_and_converted_whole() -> None:
    noise = np.random.RandomState(0).randint(0, 256, (900, 1400), np.uint8)
    alpha = np.full_like(noise, 255)
    preview = preview_of(Source(Picture(noise, alpha)), ImportSettings(), AtOnce())
    settings = ImportSettings(crop=Crop(100, 50, 1200, 800), factor=-2)
    preview.update(settings)
    found = preview.preview
    assert found.cells is not None
    assert max(found.cells.shape) <= SIDE
    assert found.converted is not None
    assert found.converted.grid.shape == (400, 600)
    assert found.thumbnail is not None
    assert max(found.thumbnail.shape) == SIDE
    _, count = label_reference(found.converted.grid, 4)
    assert found.components == count


def test_a_closed_preview_says_nothing_more() -> None:
    later = Later()
    preview = preview_of(Source(Picture(GREY)), ImportSettings(), later)
    preview.update(ImportSettings(threshold=1))
    told: list[int] = []
    preview.changed.connect(lambda: told.append(1))
    preview.close()
    later.work()
    preview.poll()
    assert told == []


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
def test_arrays_of_any_numbers_have_a_thumbnail(values: list[float], shades: list[int]) -> None:
    assert _stretched(np.array(values)).tolist() == shades


def test_what_takes_gigabytes_is_read_once_it_is_confirmed(
    session: Session, tmp_path: Path
) -> None:
    path = str(tmp_path / "large.pgm")
    Path(path).write_bytes(b"P5\n16384 16384\n255\n")
    importing, asked = session.importing, []
    importing.too_large.connect(lambda: asked.append(importing.unconfirmed))
    importing.open(path, always=True)
    (found,) = asked
    assert found is not None
    assert (found.path, found.always) == (path, True)
    assert "16384 x 16384 cells take up to 3.2 GB" in found.fact
    before = session.message
    assert before is None
    importing.open(path, large=True)
    assert importing.unconfirmed is None
    assert session.message is not None
    assert "is damaged" in session.message.text  # as it was read


def test_the_command_line_confirms_what_the_window_opens(session: Session, tmp_path: Path) -> None:
    path = str(tmp_path / "large.pgm")
    Path(path).write_bytes(b"P5\n16384 16384\n255\n")
    for large, sentence in ((False, "with --large on the command line"), (True, "is damaged")):
        session.open(path, large=large)
        assert session.message is not None
        assert sentence in session.message.text

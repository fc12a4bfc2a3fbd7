"""Choose a picture in a file that holds several: pages, frames, channels, levels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index as whole
from typing import Any, Final, TypeAlias

import numpy as np

from ccl_viewer.errors import InputError, SeveralPicturesError, shorten
from ccl_viewer.support.units import counted

Key: TypeAlias = tuple[int | slice, ...]

MAX_COUNTED: Final = 4096
"""Most pages that are counted, since a file of a few bytes may claim any number."""

REDUCED_OR_MASK: Final = 0b101
"""Bits of TIFF's NewSubfileType: a smaller copy of another page, or a mask."""

_CHANNELS: Final = "cs"
_MAX_COLOURS: Final = 4  # a last axis of up to this length is colours
COLOUR_CHANNELS: Final = (3, 4)
"""Numbers of channels with which an array of bytes is a colour picture."""

_OTHERS: Final = "ijklmnop"  # letters for unnamed axes that an index counts
_SPELLED: Final = dict.fromkeys(("channel", "band"), "c") | {
    **dict.fromkeys(("height", "row", "rows", "lat", "latitude"), "y"),
    **dict.fromkeys(("width", "column", "columns", "lon", "longitude"), "x"),
    "sample": "s",
}


@dataclass(frozen=True)
class PictureSelector:
    """Which picture of a file to read, if there are several.

    Parameters
    ----------
    index : tuple of int
        Its number from 0 among all pictures, or one number for each axis. Empty if not given, which
        suffices if there is only one picture.
    channel : int or None
        Which channel of it, counted from 0.
    first : bool
        Whether to use the first picture if `index` is empty.
    """

    index: tuple[int, ...] = ()
    channel: int | None = None
    first: bool = False

    @classmethod
    def of(
        cls, index: int | Sequence[int] | None = None, channel: int | None = None
    ) -> PictureSelector:
        """Return the selector with these numbers; None where a number is not given.

        Raises
        ------
        InputError
            If one is not a whole number.
        """
        alone = isinstance(index, str) or not isinstance(index, Iterable)
        several: Any = (index,) if alone else index
        try:
            return cls(
                () if index is None else tuple(whole(number) for number in several),
                None if channel is None else whole(channel),
            )
        except TypeError:
            raise InputError(
                "An index is a whole number from 0, or one for each axis, and a channel is a whole "
                f"number from 0: not {shorten(repr(index))} and {shorten(repr(channel))}."
            ) from None

    def check_alone(self, what: str) -> None:
        """Raise if anything but the first picture was chosen, for files that hold only one."""
        if any(self.index) or self.channel:
            raise InputError(f"{what} is one picture: leave out the index and the channel.")

    def page(self, count: int, *, more: bool = False) -> int:
        """Return the number of the chosen picture.

        Parameters
        ----------
        count : int
            Number of pictures in the file.
        more : bool
            Whether it may hold more than were counted.

        Raises
        ------
        InputError
            If there are several and none was chosen, or the chosen one does not exist.
        """
        if self.first and not self.index:
            return 0
        return _resolve_number(self.index, (count,), ("i",), more=more and not self.index)

    def key(self, axes: str, shape: tuple[int, ...]) -> Key:
        """Return the key that cuts the picture out of an array: numbers, and two full slices.

        Parameters
        ----------
        axes : str
            A letter for each axis: ``y`` and ``x`` for rows and columns, ``c`` or ``s`` for
            channels, any other for what an index counts.
        shape : tuple of int
            Lengths of the axes.

        Raises
        ------
        InputError
            If there is a choice and it was not made, or if the chosen picture does not exist.
        """
        lengths = dict(zip(axes, shape, strict=True))
        counted = [axis for axis in axes if axis not in f"yx{_CHANNELS}"]
        long = [axis for axis in counted if lengths[axis] != 1]
        index = self.index
        if len(index) == len(counted):  # numbers of axes of length 1 may be given, too
            index = tuple(
                position
                for axis, position in zip(counted, index, strict=True)
                if position or axis in long or len(counted) == 1
            )
        if self.first and not index:
            index = (0,)
        number = _resolve_number(index, tuple(lengths[axis] for axis in long), tuple(long))
        positions = dict.fromkeys(counted, 0)
        if long:
            indices = np.unravel_index(number, [lengths[axis] for axis in long])
            positions |= {axis: int(position) for axis, position in zip(long, indices, strict=True)}
        channels = [axis for axis in axes if axis in _CHANNELS]
        if channels:
            count = math.prod(lengths[axis] for axis in channels)
            channel = 0 if self.first and self.channel is None else self.channel
            indices = np.unravel_index(
                resolve_channel(channel, count), [lengths[axis] for axis in channels]
            )
            positions |= {
                axis: int(position) for axis, position in zip(channels, indices, strict=True)
            }
        elif self.channel:
            resolve_channel(self.channel, 1)
        return tuple(positions[axis] if axis in positions else slice(None) for axis in axes)


ONLY: Final = PictureSelector()
"""The only picture of a file."""

FIRST: Final = PictureSelector(first=True)
"""The first picture and channel of a file."""


@dataclass(frozen=True)
class PicturePosition:
    """Position of a picture in its file: the number of pictures, and its index, from 0."""

    count: int = 1
    index: int = 0
    channels: int = 1
    channel: int = 0

    @property
    def alone(self) -> bool:
        """Whether the file holds only this picture."""
        return self.count == self.channels == 1

    @property
    def selector(self) -> PictureSelector:
        """The selector that reads this picture again."""
        return PictureSelector((self.index,), self.channel if self.channels > 1 else None)


ALONE: Final = PicturePosition()
"""The position of a file's only picture, which has one channel or colours."""


def _resolve_number(
    index: tuple[int, ...], lengths: tuple[int, ...], axes: tuple[str, ...], *, more: bool = False
) -> int:
    """Return the number among all pictures; their count is the product of `lengths`."""
    count = math.prod(lengths)
    if not count:
        raise InputError("The file holds no picture: choose another one.")
    if not index and count == 1:
        return 0
    if len(index) == len(lengths):
        if all(0 <= position < length for position, length in zip(index, lengths, strict=True)):
            return int(np.ravel_multi_index(index, lengths))
    elif len(index) == 1 and 0 <= index[0] < count:
        return index[0]
    missing = f"There is no picture {','.join(map(str, index))}, as t" if index else "T"
    if count == 1:
        raise InputError(f"{missing}he file holds one, which is number 0.")
    sides = " x ".join(f"{axis}: {length:,}" for axis, length in zip(axes, lengths, strict=True))
    several = f"{'at least ' if more else ''}{count:,} pictures"
    choice = f"its index, 0 to {count - 1}"
    if len(lengths) > 1:
        several = f"{several} ({sides})"
        choice = f"its index, {','.join(axes).upper()} or a number from 0 to {count - 1}"
    raise SeveralPicturesError(f"{missing}he file holds {several}: choose one by {choice}.")


def resolve_channel(channel: int | None, count: int) -> int:
    """Return the number of the chosen channel.

    Raises
    ------
    InputError
        If there are several and none was chosen, or the chosen one does not exist.
    """
    numbers = "0" if count == 1 else f"0 to {count - 1}"
    if channel is None:
        if count == 1:
            return 0
        raise SeveralPicturesError(
            f"The picture has {count} channels: choose a channel, {numbers}."
        )
    if not 0 <= channel < count:
        has = "1 channel" if count == 1 else f"{count} channels"
        raise InputError(f"There is no channel {channel}: the picture has {has}, {numbers}.")
    return channel


def name_axes(shape: tuple[int, ...], names: Sequence[object] | None = None) -> str:
    """Return a letter for each axis of an array, as :meth:`PictureSelector.key` takes them.

    Parameters
    ----------
    shape : tuple of int
        Lengths of the axes.
    names : sequence or None
        Their names, such as ``("t", "c", "y", "x")``, in any order. If they are unknown or do not
        name rows and columns, a short last axis of three or more is taken for colours.
    """
    if names is not None and len(names) == len(shape):
        axes = _name_letters(names)
        if axes.count("y") == axes.count("x") == 1:
            return axes
    coloured = len(shape) > 2 and shape[-1] <= _MAX_COLOURS
    before = len(shape) - 2 - coloured
    if not 0 <= before <= len(_OTHERS):
        raise InputError(
            f"The array has {counted(len(shape), 'dimension')}, and a picture has two dimensions, "
            "height and width: save it as a picture, or as a stack of pictures."
        )
    return f"{_OTHERS[:before]}yx{'c' * coloured}"


def find_position(axes: str, shape: tuple[int, ...], key: Key) -> PicturePosition:
    """Return the position in an array of the picture that a key cuts out."""
    numbers: list[int] = []
    for chosen in (False, True):
        count, number = 1, 0
        for axis, length, position in zip(axes, shape, key, strict=False):
            if isinstance(position, int) and (axis in _CHANNELS) == chosen:
                count, number = count * length, number * length + position
        numbers += count, number
    return PicturePosition(*numbers)


def _name_letters(names: Sequence[object]) -> str:
    """Return a letter for each name; names that are no known ones get any letter that is left."""
    texts = [str(name).lower() for name in names]
    letters = [_SPELLED.get(text, text if len(text) == 1 else "") for text in texts]
    for place, text in enumerate(texts):
        letters[place] = letters[place] or next(
            letter
            for letter in (*text[:1], *_OTHERS)
            if letter not in letters and letter not in f"yx{_CHANNELS}"
        )
    return "".join(letters)

"""The plain values that a session holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]
"""Column and row of a cell, from 0."""

AUTOMATIC_CELLS = 128 * 128
"""Grids up to this many cells are labelled again by themselves after an edit."""


@dataclass(frozen=True)
class RunSettings:
    """How the next run is to be done.

    Parameters
    ----------
    algorithm : str
        Key of the algorithm.
    connectivity : int
        4 or 8.
    device, schedule : str
        As for :func:`ccl_viewer.devices.registry.open_device`.
    parameters : mapping
        Values of the algorithm's own parameters that differ from the defaults.
    multivalued : bool
        Whether only cells of equal value connect, instead of all that are not 0.
    """

    algorithm: str = "label_equivalence"
    connectivity: int = 4
    device: str = "auto"
    schedule: str = "auto"
    parameters: Mapping[str, int | None] = field(default_factory=dict)
    multivalued: bool = False


class MessageKind(StrEnum):
    """How much a message matters."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class Message:
    """A sentence for the user, shown until it is dismissed or overtaken.

    Parameters
    ----------
    kind : MessageKind
        How much it matters.
    text : str
        The sentence.
    details : str
        What someone who is to help needs to know; empty if nobody has to.
    """

    kind: MessageKind
    text: str
    details: str = ""


class Standing(StrEnum):
    """How the shown run stands, for the colour of its verdict."""

    NONE = "none"
    BUSY = "busy"
    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class RunStatus:
    """What there is to say of the run on display.

    Parameters
    ----------
    standing : Standing
        Whether it is well.
    text : str
        The sentence.
    brief : str
        The same in a few words, for where there is little room; empty if there are no fewer.
    """

    standing: Standing
    text: str
    brief: str = ""

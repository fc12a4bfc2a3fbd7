"""The part of a recording file that is not arrays, to and from JSON, and checked on the way in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from ccl_viewer.plan import Dim3, LabelLayout, Stage
from ccl_viewer.recording.history import FrameType
from ccl_viewer.recording.tape import Ending, Step, Tape
from ccl_viewer.reference import Verdict

Json: TypeAlias = dict[str, Any]

FORMAT: Final = "cclrec"
VERSION: Final = 2
"""Version 1 knew neither multi-valued grids nor layers: its recordings are binary, without any."""

_LIMIT = 2**31
_MOST_MARGIN = 64  # cells of padding: more than any plan has
_MOST_LAYERS = 64


class NewerVersionError(ValueError):
    """The file's version is higher than :data:`VERSION`."""


@dataclass(frozen=True)
class LayerHead:
    """What a manifest says of a layer.

    Parameters
    ----------
    name : str
        Its name.
    background : int
        Value of its cells before the first step.
    dtype : numpy dtype
        Type of its values.
    """

    name: str
    background: int
    dtype: FrameType


@dataclass(frozen=True)
class Manifest:
    """What a manifest says.

    Parameters
    ----------
    height, width : int
        Size of the grid.
    subject : mapping
        Arguments of :class:`Subject`, without the image.
    layout : LabelLayout
        Of the labels.
    layers : tuple of LayerHead
        The arrays beside the labels.
    steps : tuple of Step
        All steps.
    ending : Ending or None
        How the run ended, if it did.
    failure : str or None
        Why it broke off, if it did.
    """

    height: int
    width: int
    subject: Mapping[str, Any]
    layout: LabelLayout
    layers: tuple[LayerHead, ...]
    steps: tuple[Step, ...]
    ending: Ending | None
    failure: str | None


def to_json(tape: Tape, count: int) -> Json:
    """Return the manifest of the first `count` steps of a tape."""
    subject, layout = tape.subject, tape.layout
    height, width = subject.image.shape
    return {
        "format": FORMAT,
        "version": VERSION,
        "height": height,
        "width": width,
        "algorithm": subject.algorithm,
        "connectivity": subject.connectivity,
        "parameters": dict(subject.parameters),
        "multivalued": subject.multivalued,
        "device": subject.device,
        "device_title": subject.device_title,
        "schedule": subject.schedule,
        "layout": {
            "pitch": layout.pitch,
            "margin": layout.margin,
            "origin": layout.origin,
            "background": layout.background,
        },
        "layers": [
            {"name": name, "background": layer.background, "bits": 8 * layer.dtype.itemsize}
            for name, layer in tape.layers.items()
        ],
        "steps": [_step_to_json(step) for step in tape.steps[:count]],
        "ending": None if tape.ending is None else _ending_to_json(tape.ending),
        "failure": tape.failure,
    }


def from_json(data: object) -> Manifest:
    """Read a manifest.

    Parameters
    ----------
    data : object
        What the JSON holds, whatever it is.

    Returns
    -------
    Manifest
        Every value in it has the right type and lies within its bounds.

    Raises
    ------
    NewerVersionError
        If a newer program wrote it.
    ValueError
        If anything else is wrong with it.
    """
    node = _Node(data, "manifest")
    if node.text("format") != FORMAT:
        raise ValueError("the manifest names another format")
    version = node.whole("version", 1)
    if version > VERSION:
        raise NewerVersionError(f"format {version}")
    height, width = node.whole("height", 1), node.whole("width", 1)
    cells = height * width
    if cells >= _LIMIT:
        raise ValueError("the grid has 2^31 cells or more")
    connectivity = node.whole("connectivity", 4, 8)
    if connectivity not in (4, 8):
        raise ValueError("the connectivity is neither 4 nor 8")
    steps = node.items("steps")
    return Manifest(
        height=height,
        width=width,
        subject={
            "algorithm": node.text("algorithm"),
            "connectivity": connectivity,
            "parameters": node.node("parameters").whole_or_none_values(),
            "multivalued": version > 1 and node.truth("multivalued"),
            "device": node.text("device"),
            "device_title": node.text("device_title"),
            "schedule": node.text("schedule"),
        },
        layout=_layout_from_json(node.node("layout"), height, width),
        layers=_layers_from_json(node.items("layers")) if version > 1 else (),
        steps=tuple(_step_from_json(step, index, cells) for index, step in enumerate(steps)),
        ending=None if node.absent("ending") else _ending_from_json(node.node("ending"), cells),
        failure=None if node.absent("failure") else node.text("failure"),
    )


def _step_to_json(step: Step) -> Json:
    return {
        "stage": step.stage.value,
        "kernel": step.kernel,
        "module": step.module,
        "macros": [list(macro) for macro in step.macros],
        "iteration": step.iteration,
        "level": step.level,
        "grid": list(step.grid),
        "block": list(step.block),
        "milliseconds": None if math.isnan(step.milliseconds) else step.milliseconds,
        "changed": step.changed,
        "roots": step.roots,
        "caption": step.caption,
    }


def _step_from_json(node: _Node, index: int, cells: int) -> Step:
    return Step(
        index=index,
        stage=Stage(node.text("stage")),
        kernel=node.text("kernel"),
        module=node.text("module"),
        macros=tuple(_macro(macro) for macro in node.items("macros")),
        iteration=None if node.absent("iteration") else node.whole("iteration", 1),
        level=None if node.absent("level") else node.whole("level", 1),
        grid=_dim3(node, "grid"),
        block=_dim3(node, "block"),
        milliseconds=math.nan if node.absent("milliseconds") else node.duration("milliseconds"),
        changed=node.whole("changed", 0, cells),
        roots=node.whole("roots", 0, cells),
        caption=node.text("caption"),
    )


def _macro(node: _Node) -> tuple[str, int]:
    match node.value:
        case [str(name), int(value)]:
            return name, value
    raise ValueError("a macro is not a name and a whole number")


def _dim3(node: _Node, key: str) -> Dim3:
    x, y, z = node.wholes(key, 3, 1)
    return x, y, z


def _layout_from_json(node: _Node, height: int, width: int) -> LabelLayout:
    margin = node.whole("margin", 0, _MOST_MARGIN)
    return LabelLayout(
        height,
        width,
        pitch=node.whole("pitch", width + margin, width + 2 * _MOST_MARGIN),
        margin=margin,
        origin=node.whole("origin", -_LIMIT),
        background=node.whole("background", -_LIMIT),
    )


def _layers_from_json(nodes: list[_Node]) -> tuple[LayerHead, ...]:
    if len(nodes) > _MOST_LAYERS:
        raise ValueError(f"there are more than {_MOST_LAYERS} layers")
    layers = tuple(_layer_from_json(node) for node in nodes)
    if len({layer.name for layer in layers}) < len(layers):
        raise ValueError("two layers have the same name")
    return layers


def _layer_from_json(node: _Node) -> LayerHead:
    bits = node.whole("bits", 32, 64)
    if bits not in (32, 64):
        raise ValueError("a layer has values of neither 32 nor 64 bits")
    limit = 1 << (bits - 1)
    return LayerHead(
        node.text("name"),
        node.whole("background", -limit, limit - 1),
        np.dtype(np.int32) if bits == 32 else np.dtype(np.int64),
    )


def _ending_to_json(ending: Ending) -> Json:
    verdict = ending.verdict
    return {
        "converged": ending.converged,
        "iterations": ending.iterations,
        "correct": verdict.correct,
        "expected": verdict.expected,
        "found": verdict.found,
        "wrong_cells": verdict.wrong_cells,
        "first_wrong": None if verdict.first_wrong is None else list(verdict.first_wrong),
        "fault": verdict.fault,
    }


def _ending_from_json(node: _Node, cells: int) -> Ending:
    first_wrong = None
    if not node.absent("first_wrong"):
        y, x = node.wholes("first_wrong", 2, 0)
        first_wrong = (y, x)
    verdict = Verdict(
        correct=node.truth("correct"),
        expected=node.whole("expected", 0, cells),
        found=node.whole("found", 0, cells),
        wrong_cells=node.whole("wrong_cells", 0, cells),
        first_wrong=first_wrong,
        fault=None if node.absent("fault") else node.text("fault"),
    )
    return Ending(node.truth("converged"), node.whole("iterations", 0), verdict)


@dataclass(frozen=True)
class _Node:
    """A piece of JSON that is asked for what it should hold."""

    value: object
    name: str

    def text(self, key: str) -> str:
        value = self._get(key)
        if not isinstance(value, str):
            raise ValueError(f"{key} in the {self.name} is not text")  # noqa: TRY004
        value.encode()  # half a surrogate pair is a ValueError here, not where it is shown
        return value

    def truth(self, key: str) -> bool:
        value = self._get(key)
        if not isinstance(value, bool):
            raise ValueError(f"{key} in the {self.name} is not true or false")  # noqa: TRY004
        return value

    def whole(self, key: str, least: int, most: int = _LIMIT - 1) -> int:
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"{key} in the {self.name} is not a whole number in bounds")
        return value

    def wholes(self, key: str, count: int, least: int) -> list[int]:
        numbers = self._get(key)
        if not isinstance(numbers, list) or len(numbers) != count:
            raise ValueError(f"{key} in the {self.name} does not have {count} numbers")
        return [_Node({key: number}, self.name).whole(key, least) for number in numbers]

    def duration(self, key: str) -> float:
        value = self._get(key)
        if not isinstance(value, float | int) or isinstance(value, bool) or not 0 <= value < 1e15:
            raise ValueError(f"{key} in the {self.name} is not a time")
        return float(value)

    def absent(self, key: str) -> bool:
        return self._get(key) is None

    def node(self, key: str) -> _Node:
        return _Node(self._get(key), key)

    def items(self, key: str) -> list[_Node]:
        value = self._get(key)
        if not isinstance(value, list):
            raise ValueError(f"{key} in the {self.name} is not a list")  # noqa: TRY004
        return [_Node(item, f"{key} entry") for item in value]

    def whole_or_none_values(self) -> dict[str, int | None]:
        return {
            key: None if self.absent(key) else self.whole(key, -(2**63), 2**63)
            for key in self._mapping()
        }

    def _get(self, key: str) -> object:
        mapping = self._mapping()
        if key not in mapping:
            raise ValueError(f"{key} is missing in the {self.name}")
        return mapping[key]

    def _mapping(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            raise ValueError(f"the {self.name} is not an object")  # noqa: TRY004
        return self.value

"""The manifest of a recording file: conversion to JSON, and from untrusted JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from ccl_viewer.algorithms.table import ALGORITHMS, check_multivalued
from ccl_viewer.errors import sanitise_message, shorten
from ccl_viewer.execution.plan import LabelLayout
from ccl_viewer.recording.data import (
    MAX_PRINTED,
    Ending,
    RecordingData,
    RunFault,
    Step,
    UninitialisedCells,
)
from ccl_viewer.recording.history import FrameType
from ccl_viewer.recording.json_node import LIMIT, JsonNode
from ccl_viewer.recording.ledgers import LedgerHead, head_from_json, make_head
from ccl_viewer.recording.step_entries import step_from_json, step_to_json
from ccl_viewer.reference import Verdict
from ccl_viewer.support.cancellation import Check, never_cancel

Json: TypeAlias = dict[str, Any]

FORMAT: Final = "cclrec"
VERSION: Final = 4
"""The first version that was released, and the only one that is read."""

_MAX_MARGIN = 64  # cells of padding, more than in any plan
_MAX_LAYERS = 64


class OtherVersionError(ValueError):
    """The file's version is not :data:`VERSION`; the text names both."""


@dataclass(frozen=True)
class LayerHead:
    """A layer in a manifest.

    Parameters
    ----------
    name : str
        Its name.
    background : int
        Value of its cells before the first step.
    dtype : numpy dtype
        Type of its values.
    refers : bool
        Whether its values name cells.
    """

    name: str
    background: int
    dtype: FrameType
    refers: bool


@dataclass(frozen=True)
class Manifest:
    """The content of a manifest.

    Parameters
    ----------
    height, width : int
        Size of the grid.
    run : mapping
        Arguments of :class:`~ccl_viewer.recording.data.RunDescription`, without the image.
    layout : LabelLayout
        Layout of the labels.
    layers : tuple of LayerHead
        The arrays beside the labels.
    steps : tuple of Step
        All steps.
    ledgers : LedgerHead or None
        Head of the counts of memory accesses; None if nothing was counted.
    ending : Ending or None
        The end of the run, if it finished.
    failure : str or None
        Why it was broken off, if it was.
    fault : RunFault or None
        The kernel's fault, if that was the reason.
    uninitialised : UninitialisedCells or None
        Cells of the labels that steps used uninitialised.
    printed : tuple of str
        What kernels printed.
    cancelled : bool
        Whether it was cancelled.
    initial_step : int or None
        The step at which it opens.
    """

    height: int
    width: int
    run: Mapping[str, Any]
    layout: LabelLayout
    layers: tuple[LayerHead, ...]
    steps: tuple[Step, ...]
    ledgers: LedgerHead | None
    ending: Ending | None
    failure: str | None
    fault: RunFault | None
    uninitialised: UninitialisedCells | None
    printed: tuple[str, ...]
    cancelled: bool
    initial_step: int | None


def to_json(data: RecordingData, count: int, initial_step: int | None = None) -> Json:
    """Return the manifest of the first `count` steps of a recording."""
    run, layout = data.run, data.layout
    height, width = run.image.shape
    return {
        "format": FORMAT,
        "version": VERSION,
        "height": height,
        "width": width,
        "algorithm": run.algorithm,
        "connectivity": run.connectivity,
        "parameters": dict(run.parameters),
        "multivalued": run.multivalued,
        "device": run.device,
        "device_title": run.device_title,
        "schedule": run.schedule,
        "layout": {
            "pitch": layout.pitch,
            "margin": layout.margin,
            "origin": layout.origin,
            "background": layout.background,
        },
        "layers": [
            {
                "name": name,
                "background": layer.background,
                "bits": 8 * layer.dtype.itemsize,
                "refers": name in data.references,
            }
            for name, layer in data.layers.items()
        ],
        "steps": [step_to_json(step) for step in data.steps[:count]],
        **({"ledgers": asdict(make_head(data.steps[:count]))} if data.counts else {}),
        "ending": None if data.ending is None else _ending_to_json(data.ending),
        "failure": data.failure,
        "fault": None if data.fault is None else _fault_to_json(data.fault),
        **({} if data.uninitialised is None else {"uninitialised": asdict(data.uninitialised)}),
        **({"printed": [{"text": line} for line in data.printed]} if data.printed else {}),
        "cancelled": data.cancelled,
        **({} if initial_step is None else {"opening": initial_step}),
    }


def from_json(data: object, check: Check = never_cancel) -> Manifest:
    """Read a manifest.

    Parameters
    ----------
    data : object
        The parsed JSON, untrusted.
    check : callable
        Called before each step; may raise to stop the work.

    Returns
    -------
    Manifest
        Every value in it has the right type and is within its bounds.

    Raises
    ------
    OtherVersionError
        If it is of another version.
    ValueError
        If anything else is wrong with it.
    """
    node = JsonNode(data, "manifest")
    if node.text("format") != FORMAT:
        raise ValueError("the manifest names another format")
    version = node.integer("version", 1)
    if version != VERSION:
        raise OtherVersionError(f"format {version}, while this CCL Viewer reads format {VERSION}")
    height, width = node.integer("height", 1), node.integer("width", 1)
    cells = height * width
    if cells >= LIMIT:
        raise ValueError("the grid has 2^31 cells or more")
    steps: list[Step] = []
    for entry in node.items("steps"):
        check()
        steps.append(step_from_json(entry, len(steps), cells))
    ending = None if node.is_null("ending") else node.node("ending")
    return Manifest(
        height=height,
        width=width,
        run={
            **_request_from_json(node),
            "device": node.name_at("device"),
            "device_title": node.text("device_title"),
            "schedule": node.text("schedule"),
        },
        layout=_layout_from_json(node.node("layout"), height, width),
        layers=_layers_from_json(node.items("layers")),
        steps=tuple(steps),
        ledgers=head_from_json(node.node("ledgers"), len(steps)) if node.has("ledgers") else None,
        ending=None if ending is None else _ending_from_json(ending, height, width),
        failure=None if node.is_null("failure") else sanitise_message(node.text("failure")),
        fault=None
        if node.is_null("fault")
        else _fault_from_json(node.node("fault"), height, width),
        uninitialised=_uninitialised_from_json(node.node("uninitialised"), height, width, steps)
        if node.has("uninitialised")
        else None,
        printed=tuple(
            sanitise_message(line.text("text")) for line in node.items("printed")[:MAX_PRINTED]
        )
        if node.has("printed")
        else (),
        cancelled=node.truth("cancelled"),
        initial_step=node.integer("opening", 0, len(steps) - 1) if node.has("opening") else None,
    )


def _request_from_json(node: JsonNode) -> Json:
    """Return what was asked of the algorithm, checked by the algorithm if it is a known one."""
    key = node.module_at("algorithm")
    connectivity = node.integer("connectivity", 4, 8)
    if connectivity not in (4, 8):
        raise ValueError("the connectivity is neither 4 nor 8")
    parameters = node.node("parameters").parameter_values()
    multivalued = node.truth("multivalued")
    algorithm = ALGORITHMS.get(key)
    if algorithm is not None:
        algorithm.resolve_connectivity(connectivity)
        check_multivalued(algorithm, multivalued)
        parameters = algorithm.complete(parameters)
    return {
        "algorithm": key,
        "connectivity": connectivity,
        "parameters": parameters,
        "multivalued": multivalued,
    }


def _layout_from_json(node: JsonNode, height: int, width: int) -> LabelLayout:
    margin = node.integer("margin", 0, _MAX_MARGIN)
    return LabelLayout(
        height,
        width,
        pitch=node.integer("pitch", width + margin, width + 2 * _MAX_MARGIN),
        margin=margin,
        origin=node.integer("origin", -LIMIT),
        background=node.integer("background", -LIMIT),
    )


def _layers_from_json(nodes: list[JsonNode]) -> tuple[LayerHead, ...]:
    if len(nodes) > _MAX_LAYERS:
        raise ValueError(f"there are more than {_MAX_LAYERS} layers")
    layers = tuple(_layer_from_json(node) for node in nodes)
    if len({layer.name for layer in layers}) < len(layers):
        raise ValueError("two layers have the same name")
    return layers


def _layer_from_json(node: JsonNode) -> LayerHead:
    bits = node.integer("bits", 32, 64)
    if bits not in (32, 64):
        raise ValueError("a layer has values of neither 32 nor 64 bits")
    limit = 1 << (bits - 1)
    return LayerHead(
        node.name_at("name"),
        node.integer("background", -limit, limit - 1),
        np.dtype(np.int32) if bits == 32 else np.dtype(np.int64),
        node.truth("refers"),
    )


def _fault_to_json(fault: RunFault) -> Json:
    return {
        "text": fault.text,
        "kernel": fault.kernel,
        "block": None if fault.block is None else list(fault.block),
        "thread": None if fault.thread is None else list(fault.thread),
        "cell": None if fault.cell is None else list(fault.cell),
        "file": fault.file,
        "line": fault.line,
    }


def _fault_from_json(node: JsonNode, height: int, width: int) -> RunFault:
    def optional_indices(key: str, count: int) -> tuple[int, ...] | None:
        return None if node.is_null(key) else tuple(node.integers(key, count, 0))

    block, thread, cell = (
        optional_indices("block", 3),
        optional_indices("thread", 3),
        optional_indices("cell", 2),
    )
    if cell is not None and not (cell[0] < width and cell[1] < height):
        raise ValueError("the cell of the fault is outside the grid")
    return RunFault(
        sanitise_message(node.text("text")),
        shorten(sanitise_message(node.text("kernel"))),
        None if block is None else (block[0], block[1], block[2]),
        None if thread is None else (thread[0], thread[1], thread[2]),
        None if cell is None else (cell[0], cell[1]),
        shorten(sanitise_message(node.text("file"))),
        None if node.is_null("line") else node.integer("line", 0),
    )


def _uninitialised_from_json(
    node: JsonNode, height: int, width: int, steps: Sequence[Step]
) -> UninitialisedCells:
    x, y = node.integers("cell", 2, 0)
    left, top, right, bottom = node.integers("box", 4, 0)
    if not (left <= x <= right < width and top <= y <= bottom < height):
        raise ValueError("uninitialised cells are outside the grid")
    last = node.integer("last", 0, len(steps) - 1)
    return UninitialisedCells(
        node.integer("step", 0, last),
        last,
        node.integer("cells", 1, height * width),
        node.integer("left", 1, height * width),
        (x, y),
        (left, top, right, bottom),
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


def _ending_from_json(node: JsonNode, height: int, width: int) -> Ending:
    cells = height * width
    first_wrong = None
    if not node.is_null("first_wrong"):
        y, x = node.integers("first_wrong", 2, 0)
        if y >= height or x >= width:
            raise ValueError("the first wrong cell is outside the grid")
        first_wrong = (y, x)
    verdict = Verdict(
        correct=node.truth("correct"),
        expected=node.integer("expected", 0, cells),
        found=node.integer("found", 0, cells),
        wrong_cells=node.integer("wrong_cells", 0, cells),
        first_wrong=first_wrong,
        fault=None if node.is_null("fault") else sanitise_message(node.text("fault")),
    )
    return Ending(node.truth("converged"), node.integer("iterations", 0), verdict)

"""Convert the steps of a recording file's manifest to JSON, and from untrusted JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from typing import Any, Final, TypeAlias

from ccl_viewer.execution.plan import Dim3, LaunchStructure, PartKind, Stage
from ccl_viewer.recording.data import Spread, Step, StepArgument
from ccl_viewer.recording.json_node import JsonNode
from ccl_viewer.recording.ledgers import totals_from_json, totals_to_json

Json: TypeAlias = dict[str, Any]

_MAX_MACROS: Final = 64
_MAX_STRUCTURES: Final = 16
_MAX_ARGUMENTS: Final = 256
_MAX_SIDE: Final = 2**40  # the tiles of a last merge can be larger than their grid
_MAX_ATOMICS: Final = 2**63 - 1
_SCALARS: Final = (-(2**63), 2**64 - 1)


def step_to_json(step: Step) -> Json:
    """Return the manifest's entry for a step."""
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
        "paper": step.paper,
        "structures": [_structure_to_json(structure) for structure in step.structures],
        "arguments": [[entry.name, entry.type, entry.value] for entry in step.arguments],
        "atomics": step.atomics,
        **({} if step.ledger is None else {"ledger": totals_to_json(step.ledger)}),
        **({} if step.spread is None else {"spread": asdict(step.spread)}),
    }


def step_from_json(node: JsonNode, index: int, cells: int) -> Step:
    """Read the manifest's entry for a step.

    Parameters
    ----------
    node : JsonNode
        The entry.
    index : int
        Index of the step.
    cells : int
        Cells of the grid.

    Raises
    ------
    ValueError
        If a value is missing, of the wrong type or out of bounds.
    """
    kernel = node.name_at("kernel")
    return Step(
        index=index,
        stage=Stage(node.text("stage")),
        kernel=kernel,
        module=node.module_at("module"),
        macros=_macros(node.items("macros")),
        iteration=None if node.is_null("iteration") else node.integer("iteration", 1),
        level=None if node.is_null("level") else node.integer("level", 1),
        grid=_dim3(node, "grid"),
        block=_dim3(node, "block"),
        milliseconds=math.nan if node.is_null("milliseconds") else node.duration("milliseconds"),
        changed=node.integer("changed", 0, cells),
        roots=node.integer("roots", 0, cells),
        caption=node.text("caption"),
        paper=node.text("paper"),
        structures=_structures(node.items("structures")),
        arguments=_arguments(node.items("arguments")),
        atomics=None if node.is_null("atomics") else node.integer("atomics", 0, _MAX_ATOMICS),
        ledger=totals_from_json(node, kernel) if node.has("ledger") else None,
        spread=_spread(node.node("spread")) if node.has("spread") else None,
    )


def _spread(node: JsonNode) -> Spread:
    return Spread(**{field.name: node.duration(field.name) for field in fields(Spread)})


def _structure_to_json(structure: LaunchStructure) -> Json:
    only: Json = {} if structure.only is None else {"only": structure.only}
    return {
        "part": structure.part.value,
        "width": structure.width,
        "height": structure.height,
        "linear": structure.linear,
        "level": structure.level,
        **only,
    }


def _structures(nodes: list[JsonNode]) -> tuple[LaunchStructure, ...]:
    if len(nodes) > _MAX_STRUCTURES:
        raise ValueError(f"a step has more than {_MAX_STRUCTURES} structures")
    return tuple(_structure(node) for node in nodes)


def _structure(node: JsonNode) -> LaunchStructure:
    return LaunchStructure(
        part=PartKind(node.text("part")),
        width=None if node.is_null("width") else node.integer("width", 1, _MAX_SIDE),
        height=None if node.is_null("height") else node.integer("height", 1, _MAX_SIDE),
        linear=node.truth("linear"),
        level=None if node.is_null("level") else node.integer("level", 1),
        only=node.integer("only", 0, _MAX_SIDE) if node.has("only") else None,
    )


def _arguments(nodes: list[JsonNode]) -> tuple[StepArgument, ...]:
    if len(nodes) > _MAX_ARGUMENTS:
        raise ValueError(f"a step has more than {_MAX_ARGUMENTS} arguments")
    return tuple(_argument(node) for node in nodes)


def _argument(node: JsonNode) -> StepArgument:
    if not isinstance(node.value, list) or len(node.value) != 3:
        raise ValueError("an argument is not a name, a type and a value")
    entry = JsonNode(dict(zip(("name", "type", "value"), node.value, strict=True)), "argument")
    name, kind, value = entry.text("name"), entry.text("type"), node.value[2]
    if isinstance(value, str):
        return StepArgument(name, kind, entry.text("value"))
    return StepArgument(name, kind, entry.integer("value", *_SCALARS))


def _macros(nodes: list[JsonNode]) -> tuple[tuple[str, int], ...]:
    if len(nodes) > _MAX_MACROS:
        raise ValueError(f"a step has more than {_MAX_MACROS} macros")
    return tuple(_macro(node) for node in nodes)


def _macro(node: JsonNode) -> tuple[str, int]:
    if not isinstance(node.value, list) or len(node.value) != 2:
        raise ValueError("a macro is not a name and a whole number")
    entry = JsonNode(dict(zip(("name", "value"), node.value, strict=True)), "macro")
    return entry.name_at("name"), entry.integer("value", *_SCALARS)


def _dim3(node: JsonNode, key: str) -> Dim3:
    x, y, z = node.integers(key, 3, 1)
    return x, y, z

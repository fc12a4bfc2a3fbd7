"""Docstrings name parameters, fields, functions and modules that exist."""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import pydoc
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROLE = re.compile(r":(?:func|class|meth|mod|attr|data|exc):`~?([\w.]+)`")
CALL = re.compile(r"``(?:[\w.]+ = )?((?:\w+\.)*\w+)\([^`]*``")
PARAMETERS = re.compile(r"^Parameters\n-{10}\n(.*?)(?=^\S+\n---|\Z)", re.DOTALL | re.MULTILINE)

NAMES: dict[str, set[str]] = {}
"""What each module defines, assigns or imports."""
CLASSES: dict[str, ast.ClassDef] = {}
MEMBERS: dict[str, set[str]] = {}
"""What each class defines, with the attributes that its methods set."""
DOCSTRINGS: list[tuple[str, list[ast.AST], str]] = []
"""Each string that is a statement, with its module, and the classes and functions around it."""


def bound_names(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=alias):
                yield alias or name.partition(".")[0]
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
        if not isinstance(child, ast.FunctionDef | ast.ClassDef) or isinstance(node, ast.ClassDef):
            yield from bound_names(child)


def collect(module: str, node: ast.AST, around: list[ast.AST]) -> None:
    for child in ast.iter_child_nodes(node):
        match child:
            case ast.Expr(value=ast.Constant(value=str(text))):
                DOCSTRINGS.append((module, around, inspect.cleandoc(text)))
            case ast.ClassDef(name=name):
                CLASSES[name] = child
                MEMBERS[name] = MEMBERS.get(name, set()).union(bound_names(child))
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            collect(module, child, [*around, child])
        elif isinstance(child, ast.stmt):
            collect(module, child, around)


for path in sorted((ROOT / "ccl_viewer").rglob("*.py")):
    dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    NAMES[dotted] = set(bound_names(tree))
    collect(dotted, tree, [])


def classes(name: str) -> Iterator[ast.ClassDef]:
    """Yield the bases of a class, then the class."""
    if name in CLASSES:
        for base in CLASSES[name].bases:
            if isinstance(base, ast.Name) and base.id != name:
                yield from classes(base.id)
        yield CLASSES[name]


def members(name: str) -> set[str]:
    return set[str]().union(*(MEMBERS[cls.name] for cls in classes(name)))


def is_known(target: str, module: str, around: list[ast.AST]) -> bool:
    parts = target.removeprefix(".").split(".")
    if target.startswith("."):
        parts = [*module.split(".")[:-1], *parts]
    for end in range(len(parts), 0, -1):
        if (name := ".".join(parts[:end])) in NAMES:
            known, parts = NAMES[name], parts[end:]
            break
    else:
        nearby = [item.name for item in around if isinstance(item, ast.ClassDef)]
        known = NAMES[module].union(*(members(name) for name in nearby))
    if parts and parts[0] not in known:
        return pydoc.locate(target) is not None
    return len(parts) < 2 or parts[0] not in MEMBERS or parts[1] in members(parts[0])


def test_links_lead_somewhere() -> None:
    missing = [
        f"{module}: {target}"
        for module, around, text in DOCSTRINGS
        for target in ROLE.findall(text)
        if not is_known(target, module, around)
    ]
    assert not missing, "\n".join(missing)


def test_calls_exist() -> None:
    known = {*dir(builtins), *dir(math)}.union(*NAMES.values(), *MEMBERS.values())
    missing = [
        f"{module}: {call}"
        for module, _, text in DOCSTRINGS
        for call in CALL.findall(text)
        if call.rpartition(".")[2] not in known and pydoc.locate(call) is None
    ]
    assert not missing, "\n".join(missing)


def parameters(item: ast.AST) -> set[str]:
    """Return the parameters of a function, or what a class is made from."""
    if isinstance(item, ast.FunctionDef):
        named = [*item.args.posonlyargs, *item.args.args, *item.args.kwonlyargs]
        rest = [argument for argument in (item.args.vararg, item.args.kwarg) if argument]
        return {argument.arg for argument in (*named, *rest)} - {"self", "cls"}
    assert isinstance(item, ast.ClassDef)
    found: set[str] = set()
    for child in (child for cls in classes(item.name) for child in cls.body):
        match child:
            case ast.FunctionDef(name="__init__"):
                found = parameters(child)
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                if value is None or "init=False" not in ast.unparse(value):
                    found.add(name)
    return found


def test_parameters_exist() -> None:
    wrong = []
    for module, around, text in DOCSTRINGS:
        for section in PARAMETERS.findall(text):
            lines = [line for line in section.splitlines() if line and not line.startswith(" ")]
            names = [name for line in lines for name in line.partition(" : ")[0].split(",")]
            if different := {name.strip("* ") for name in names} ^ parameters(around[-1]):
                wrong.append(f"{module}: {sorted(different)}")
    assert not wrong, "\n".join(wrong)

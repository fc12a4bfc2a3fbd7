"""Evaluate ``#if`` and related directives to find the lines that a build compiles.

This is enough of C's preprocessor to find a kernel's parameters; compilers use their own.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

Definitions: TypeAlias = dict[str, str]
"""Text of each macro."""

_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)(.*)$", re.DOTALL)
_DEFINE = re.compile(r"[ \t]+(\w+)\b(?!\()(.*)", re.DOTALL)
_DEFINED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_TOKEN = re.compile(r"\s*(0[xX][0-9a-fA-F]+|\d+|\|\||&&|[=!<>]=|[-+*/%<>!()])[uUlL]*")
_MAX_DEPTH = 16  # nested macro expansions
_MAX_LENGTH = 1 << 14  # characters of a condition with macros expanded

_LEVELS: tuple[Mapping[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"==": operator.eq, "!=": operator.ne},
    {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge},
    {"+": operator.add, "-": operator.sub},
    {"*": operator.mul, "/": operator.floordiv, "%": operator.mod},
)
"""Binary operators, in ascending precedence."""


@dataclass
class _Branch:
    """An open ``#if``: whether its current lines are compiled, and whether any were."""

    outside: bool
    seen: bool
    taken: bool

    def turn(self, holds: bool) -> None:
        self.seen = self.outside and not self.taken and holds
        self.taken = self.taken or holds


def find_compiled_lines(lines: Iterator[str], definitions: Definitions) -> Iterator[str]:
    """Return the lines that are compiled.

    Parameters
    ----------
    lines : iterator of str
        Source lines without comments; continuation lines are joined.
    definitions : dict
        Macros; ``#define`` and ``#undef`` change it.

    Yields
    ------
    str
        The compiled lines, without directives.

    Raises
    ------
    ValueError
        If a condition cannot be evaluated, or an ``#else`` or ``#endif`` has no ``#if``.
    """
    for line, compiled in mark_compiled_lines(lines, definitions):
        if compiled and _DIRECTIVE.match(line) is None:
            yield line


def mark_compiled_lines(
    lines: Iterator[str], definitions: Definitions
) -> Iterator[tuple[str, bool]]:
    """Return each line and whether it is compiled; directives count as compiled.

    Otherwise as :func:`find_compiled_lines`, which only yields compiled lines.
    """
    branches: list[_Branch] = []
    for line in lines:
        directive = _DIRECTIVE.match(line)
        word, rest = ("", "") if directive is None else directive.groups()
        compiled = not branches or branches[-1].seen
        if word in ("if", "ifdef", "ifndef"):
            holds = compiled and _holds(word, rest, definitions)
            branches.append(_Branch(outside=compiled, seen=holds, taken=holds))
            compiled = True
        elif word in ("elif", "else", "endif"):
            _handle_directive(branches, word, rest, definitions)
            compiled = True
        elif compiled:
            _define(word, rest, definitions)
        yield line, compiled


def _handle_directive(
    branches: list[_Branch], word: str, rest: str, definitions: Definitions
) -> None:
    if not branches:
        raise ValueError(f"#{word} without #if")
    branch = branches[-1]
    if word == "endif":
        branches.pop()
    else:
        open_still = branch.outside and not branch.taken
        branch.turn(word == "else" or (open_still and _holds("if", rest, definitions)))


def _holds(word: str, rest: str, definitions: Definitions) -> bool:
    if word == "if":
        return evaluate(rest, definitions) != 0
    return (rest.strip() in definitions) == (word == "ifdef")


def _define(word: str, rest: str, definitions: Definitions) -> None:
    match = _DEFINE.match(rest)
    if word == "define" and match is not None:
        definitions[match[1]] = match[2].strip()
    elif word == "undef":
        definitions.pop(rest.strip(), None)


def evaluate(condition: str, definitions: Mapping[str, str]) -> int:
    """Evaluate the condition of an ``#if``.

    Parameters
    ----------
    condition : str
        Integers, macros, ``defined`` and C's operators, except those on bits.
    definitions : mapping
        Texts of macros. As in C, unknown names count as 0.

    Raises
    ------
    ValueError
        If the condition is invalid.
    """

    def known(match: re.Match[str]) -> str:
        return str(int((match[1] or match[2]) in definitions))

    text = _DEFINED.sub(known, condition)
    for _ in range(_MAX_DEPTH):
        if not _NAME.search(text):
            break
        text = _NAME.sub(lambda match: definitions.get(match[0], "0") or "0", text)
        if len(text) > _MAX_LENGTH:
            raise ValueError("a condition is too long with its macros expanded")
    tokens = _tokens(text)
    try:
        value = _binary(tokens, 0)
    except RecursionError:
        raise ValueError("a condition has too many parentheses or signs") from None
    if tokens:
        raise ValueError(f"the condition {condition.strip()!r} continues past its end")
    return value


def _tokens(text: str) -> list[str]:
    """Return the tokens of an expression in reverse order."""
    tokens = []
    position = 0
    while position < len(text.rstrip()):
        token = _TOKEN.match(text, position)
        if token is None:
            raise ValueError(f"{text[position:].strip()!r} is not part of a condition")
        tokens.append(token[1])
        position = token.end()
    return tokens[::-1]


def _binary(tokens: list[str], level: int) -> int:
    if level == len(_LEVELS):
        return _unary(tokens)
    value = _binary(tokens, level + 1)
    while tokens and tokens[-1] in _LEVELS[level]:
        apply = _LEVELS[level][tokens.pop()]
        other = _binary(tokens, level + 1)
        try:
            value = int(apply(value, other))
        except ZeroDivisionError:
            raise ValueError("a condition divides by zero") from None
    return value


def _unary(tokens: list[str]) -> int:
    if not tokens:
        raise ValueError("a condition ends too early")
    token = tokens.pop()
    match token:
        case "!":
            return int(not _unary(tokens))
        case "-":
            return -_unary(tokens)
        case "+":
            return _unary(tokens)
        case "(":
            value = _binary(tokens, 0)
            if not tokens or tokens.pop() != ")":
                raise ValueError("a condition lacks a closing parenthesis")
            return value
    if not token[0].isdigit():
        raise ValueError(f"a condition has {token} where a value belongs")
    return int(token, 8 if token[0] == "0" and token.isdigit() else 0)

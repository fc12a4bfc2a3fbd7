"""``ccl-viewer completion``: scripts with which a shell completes commands, options and values."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PROGRAM: Final = "ccl-viewer"
_SOURCES: Final = ("IMAGE", "SOURCE", "WORKLOAD")


@dataclass(frozen=True)
class Argument:
    """An option with its `flags`, or without them a positional argument.

    `values` are the words that it takes; without any, those of an option are `files` or free text.
    With `patterns`, it also takes ``pattern:NAME`` instead of a file.
    """

    flags: tuple[str, ...]
    help: str
    values: tuple[str, ...] = ()
    takes_value: bool = True
    files: bool = True
    patterns: bool = False


Commands = Mapping[str, Sequence[Argument]]
"""What each command takes; the window's are under the empty name."""


def print_completion(arguments: argparse.Namespace) -> int:
    """Print the script for a shell."""
    print("\n".join(_WRITERS[arguments.shell](describe_commands())))
    return 0


def describe_commands() -> Commands:
    """Return what each command takes, from its parser."""
    from ccl_viewer.cli.parser import command_names, make_command_parser

    return {
        name: tuple(_arguments(name, make_command_parser(name))) for name in ("", *command_names())
    }


def _arguments(command: str, parser: argparse.ArgumentParser) -> Iterator[Argument]:
    for action in parser._actions:  # noqa: SLF001  (argparse has no public access to them)
        if action.help == argparse.SUPPRESS:
            continue
        metavar = str(action.metavar or "")
        yield Argument(
            flags=tuple(action.option_strings),
            help=_first_sentence((action.help or "").replace("%%", "%")),
            values=_values(command, action),
            takes_value=action.nargs != 0,
            files=bool(re.search(r"IMAGE|SOURCE|SPEC|WORKLOAD|FOLDER|OUT|TABLE|\.", metavar)),
            patterns=not action.option_strings and not {*metavar.split("|")}.isdisjoint(_SOURCES),
        )


def _first_sentence(text: str) -> str:
    return re.split(r"[;(:]|\. ", text)[0].strip()


def _values(command: str, action: argparse.Action) -> tuple[str, ...]:
    if action.choices is not None:
        return tuple(str(choice) for choice in action.choices)
    named = _NAMED.get(f"{command} {action.dest}") or _NAMED.get(action.dest)
    return tuple(named()) if named is not None else ()


def _patterns(arguments: Sequence[Argument]) -> tuple[str, ...]:
    """Return the patterns that a command takes instead of a file."""
    from ccl_viewer.grids.pattern_table import PATTERNS

    return tuple(PATTERNS) if any(argument.patterns for argument in arguments) else ()


def _algorithms() -> Sequence[str]:
    from ccl_viewer.algorithms import ALGORITHMS

    return tuple(ALGORITHMS)


def _own() -> Sequence[str]:
    from ccl_viewer.algorithms.own import allowed_algorithms

    return tuple(allowed_algorithms())


def _lessons() -> Sequence[str]:
    from ccl_viewer import lessons

    return lessons.lesson_names()


def _exercises() -> Sequence[str]:
    from ccl_viewer import exercises

    return exercises.exercise_names()


def _presets() -> Sequence[str]:
    from ccl_viewer.bench.presets import PRESETS

    return tuple(PRESETS)


_NAMED: Final[Mapping[str, Callable[[], Sequence[str]]]] = {
    "algorithm": _algorithms,
    "schedule": lambda: ("sequential", "synchronous", "reverse", "random:1"),
    "lesson name": _lessons,
    "lesson algorithm": lambda: (),  # folders
    "forget name": _own,
    "exercise name": _exercises,
    "grade exercise": _exercises,
    "bench what": _presets,
}
"""The words that an argument takes, by its name, or by its command and its name."""


def _bash(commands: Commands) -> Iterator[str]:
    """Yield lines for bash; where nothing fits, readline completes the names of files."""
    names = " ".join(name for name in commands if name)
    yield "_ccl_viewer() {"
    yield "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}"
    yield "    local command='' words=''"
    yield f"    case ${{COMP_WORDS[1]}} in {'|'.join(names.split())}) "
    yield "        [ $COMP_CWORD -gt 1 ] && command=${COMP_WORDS[1]} ;;"
    yield "    esac"
    # Bash divides words at colons.
    yield "    [ \"$word\" = : ] && before=: word=''"
    yield '    case "$command $before" in'
    for name, arguments in commands.items():
        if patterns := _patterns(arguments):
            yield f"    \"{name} :\") words='{' '.join(patterns)}' ;;"
        for argument in arguments:
            if argument.flags and argument.takes_value:
                pattern = "|".join(f'"{name} {flag}"' for flag in argument.flags)
                yield f"    {pattern}) words='{' '.join(argument.values)}' ;;"
    yield '    *) case "$command" in'
    for name, arguments in commands.items():
        options = [flag for argument in arguments for flag in argument.flags]
        others = [word for argument in arguments if not argument.flags for word in argument.values]
        if not name:
            others = [*names.split(), "help"]
        if _patterns(arguments):
            others.append("pattern:")
        yield f'    "{name}") case $word in'
        yield f"        -*) words='{' '.join(options)}' ;;"
        yield f"        *) words='{' '.join(others)}' ;;"
        yield "        esac ;;"
    yield "    esac ;;"
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$word"))'
    yield '    [ "${COMPREPLY[0]}" = pattern: ] && compopt -o nospace 2>/dev/null'
    yield "    return 0"
    yield "}"
    yield f"complete -o default -F _ccl_viewer {PROGRAM}"


def _zsh(commands: Commands) -> Iterator[str]:
    """Yield lines for zsh."""
    names = " ".join(name for name in commands if name)
    yield f"#compdef {PROGRAM}"
    yield "_ccl_viewer() {"
    yield "    local command=''"
    yield f"    case ${{words[2]}} in {'|'.join(names.split())})"
    yield "        (( CURRENT > 2 )) && { command=${words[2]}; shift words; (( CURRENT-- )) } ;;"
    yield "    esac"
    yield '    case "$command" in'
    for name, arguments in commands.items():
        yield f"    '{name}') _arguments \\"
        for argument in arguments:
            if argument.flags:
                yield f"        {_zsh_option(argument)} \\"
        if name:
            words = [word for each in arguments if not each.flags for word in each.values]
            patterns = [f"pattern:{each}" for each in _patterns(arguments)]
            files = f"{{_files; compadd -- {' '.join(patterns)}}}" if patterns else "_files"
            listed = _write_list([*words, *patterns]) if words else files
            yield f"        {_quote('*: :' + listed)} ;;"
        else:
            words = [*names.split(), "help", *(f"pattern:{each}" for each in _patterns(arguments))]
            yield f"        {_quote('1: :{_files; compadd -- ' + ' '.join(words) + '}')} ;;"
    yield "    esac"
    yield "}"
    yield 'if [ "$funcstack[1]" = "_ccl-viewer" ]; then _ccl_viewer "$@"'
    yield f"else compdef _ccl_viewer {PROGRAM}; fi"


def _zsh_option(argument: Argument) -> str:
    text = re.sub(r"[\[\]:]", "", argument.help)
    value = ""
    if argument.takes_value:
        value = ": :" + (_write_list(argument.values) or ("_files" if argument.files else " "))
    return " ".join(_quote(f"*{flag}[{text}]{value}") for flag in argument.flags)


def _write_list(words: Sequence[str]) -> str:
    return f"({' '.join(words).replace(':', chr(92) + ':')})" if words else ""


def _fish(commands: Commands) -> Iterator[str]:
    """Yield lines for fish."""
    names = [name for name in commands if name]
    without = f"not __fish_seen_subcommand_from {' '.join(names)}"
    yield f"complete -c {PROGRAM} -n __fish_use_subcommand -a {_quote(' '.join(names))}"
    for name, arguments in commands.items():
        when = f"__fish_seen_subcommand_from {name}" if name else without
        for argument in arguments:
            line = [f"complete -c {PROGRAM} -n {_quote(when)}"]
            line += [
                f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                for flag in argument.flags
            ]
            if argument.flags and argument.takes_value:
                line.append("-r" if argument.files and not argument.values else "-x")
            values = *argument.values, *(f"pattern:{each}" for each in _patterns([argument]))
            if values:
                line.append(f"-a {_quote(' '.join(values))}")
            if argument.flags:
                line.append(f"-d {_quote(argument.help)}")
            elif not values:
                continue
            yield " ".join(line)


def _quote(text: str) -> str:
    return shlex.quote(text)


_WRITERS: Final[Mapping[str, Callable[[Commands], Iterator[str]]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}

"""Races that a kernel's header declares harmless, and whether their stores do what it says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ccl_viewer.devices.source import SourceFinder, read_source
from ccl_viewer.execution.finding import StoreEffect
from ccl_viewer.storage.resources import kernel_path

_HARMLESS = re.compile(
    r"^//[ \t]*harmless race(?:,[ \t]*([a-z ]+))?:[ \t]*"
    r"(\w+(?:\.\w+)?(?:,\s*(?://)?\s*\w+(?:\.\w+)?)*):[ \t]*"
    r"(.+(?:\n//[ \t]{2,}\S.*)*)",
    re.MULTILINE,
)


class RaceRule(StrEnum):
    """What the stores of a race that is declared harmless do; the check sees whether they do."""

    SAME_VALUE = "same value"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    ONE_WRITER = "one writer"


_BREACHES: Final = {
    RaceRule.SAME_VALUE: (StoreEffect.DIFFERS, "two threads store different values"),
    RaceRule.MINIMUM: (StoreEffect.RISES, "a store raises the value"),
    RaceRule.MAXIMUM: (StoreEffect.FALLS, "a store lowers the value"),
    RaceRule.ONE_WRITER: (StoreEffect.SECOND_WRITER, "several threads store it"),
}


@dataclass(frozen=True)
class HarmlessRace:
    """A race that a module declares harmless.

    Parameters
    ----------
    module, kernel, buffer : str
        Names of the module, the kernel (empty for all kernels of the module) and the buffer or
        shared variable.
    rule : str
        What its stores do: a :class:`RaceRule`, or what the declaration has in its place. If it is
        empty, they keep one of the rules, other than the maximum.
    reason : str
        Why it is harmless.
    """

    module: str
    kernel: str
    buffer: str
    rule: str
    reason: str

    @property
    def sentence(self) -> str:
        """The declaration in words."""
        rule = f" ({self.rule})" if self.rule else ""
        return f"is declared harmless{rule}: {self.reason}"

    def find_breach(self, effects: StoreEffect) -> str:
        """Return a sentence about stores that do not do what the declaration says; or empty."""
        rules = [rule for rule in RaceRule if self.rule in {rule, ""}]
        if not rules:
            return f"Its declaration must say what its stores do ({', '.join(RaceRule)})."
        if not self.rule:
            rules.remove(RaceRule.MAXIMUM)  # which a counter keeps
        breaches = [what for wrong, what in map(_BREACHES.__getitem__, rules) if effects & wrong]
        if len(breaches) < len(rules):
            return ""
        declared = f"harmless ({self.rule})" if self.rule else "harmless"
        return f"It is declared {declared}, but {', '.join(breaches)}."


def harmless_races(
    module: str, find_source: SourceFinder = kernel_path
) -> tuple[HarmlessRace, ...]:
    """Return the races that a module declares harmless.

    These are comment lines ``// harmless race, RULE: KERNEL.BUFFER: REASON``, where RULE is a
    :class:`RaceRule`. Several places are separated by commas, ``BUFFER`` alone means all kernels of
    the module, and indented lines continue the comment.

    Parameters
    ----------
    module : str
        Name of the module.
    find_source : callable
        Finds its file.

    Raises
    ------
    KernelBuildError
        If the file cannot be read.
    """
    return parse_harmless_races(module, read_source(find_source(module)).text)


def parse_harmless_races(module: str, text: str) -> tuple[HarmlessRace, ...]:
    """Return the races that a module's text declares harmless; see :func:`harmless_races`."""
    return tuple(
        HarmlessRace(module, kernel, buffer, match[1] or "", re.sub(r"\s*\n//\s*", " ", match[3]))
        for match in _HARMLESS.finditer(text)
        for kernel, buffer in re.findall(r"(?:(\w+)\.)?(\w+)", match[2])
    )


def index_by_place(races: Sequence[HarmlessRace]) -> dict[tuple[str, str], HarmlessRace]:
    """Return declared races by kernel and buffer."""
    return {(race.kernel, race.buffer): race for race in races}

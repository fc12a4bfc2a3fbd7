"""Read untrusted JSON and check types and bounds of its values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ccl_viewer.execution.plan import ParameterValue

LIMIT: Final = 2**31
"""Default upper limit of integers in a manifest, exclusive."""

_MAX_TEXT: Final = 10_000
_MAX_NAMES: Final = 64
_INVALID_CHARACTERS: Final = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters except tabs and line ends, and halves of surrogate pairs."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")


@dataclass(frozen=True)
class JsonNode:
    """An untrusted JSON value; every method raises ValueError if the value is not as requested.

    Parameters
    ----------
    value : object
        The value.
    name : str
        Its name in messages.
    """

    value: object
    name: str

    def text(self, key: str) -> str:
        """Return the text under a key."""
        value = self._get(key)
        if not isinstance(value, str):
            raise self._mismatch(key, "text")
        if len(value) > _MAX_TEXT:
            raise self._mismatch(key, f"text of at most {_MAX_TEXT:,} characters")
        if _INVALID_CHARACTERS.search(value):  # raise here, not where it is shown
            raise self._mismatch(key, "text without control characters")
        return value

    def name_at(self, key: str) -> str:
        """Return the name under a key: letters, digits and underscores."""
        return self._name(key, self.text(key))

    def module_at(self, key: str) -> str:
        """Return the name of an algorithm or a kernel module under a key; it may be the user's."""
        text = self.text(key)
        self._name(key, re.sub("^(copy|own):", "", text))
        return text

    def truth(self, key: str) -> bool:
        """Return the boolean under a key."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise self._mismatch(key, "true or false")
        return value

    def integer(self, key: str, least: int, most: int = LIMIT - 1) -> int:
        """Return the integer under a key, from `least` to `most`."""
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise self._mismatch(key, "a whole number in bounds")
        return value

    def integers(self, key: str, count: int, least: int, most: int = LIMIT - 1) -> list[int]:
        """Return the list of `count` integers under a key, from `least` to `most`."""
        numbers = self._get(key)
        if not isinstance(numbers, list) or len(numbers) != count:
            raise ValueError(f"{key} in the {self.name} does not have {count} numbers")
        return [JsonNode({key: number}, self.name).integer(key, least, most) for number in numbers]

    def duration(self, key: str) -> float:
        """Return the time in milliseconds under a key."""
        value = self._get(key)
        if not isinstance(value, float | int) or isinstance(value, bool) or not 0 <= value < 1e15:
            raise self._mismatch(key, "a time")
        return float(value)

    def has(self, key: str) -> bool:
        """Return whether a key exists, even with null."""
        return key in self._mapping()

    def is_null(self, key: str) -> bool:
        """Return whether the value under a key is null."""
        return self._get(key) is None

    def node(self, key: str) -> JsonNode:
        """Return the value under a key as a node."""
        return JsonNode(self._get(key), key)

    def items(self, key: str) -> list[JsonNode]:
        """Return the items of the list under a key."""
        value = self._get(key)
        if not isinstance(value, list):
            raise self._mismatch(key, "a list")
        return [JsonNode(item, f"{key} entry") for item in value]

    def parameter_values(self) -> dict[str, ParameterValue]:
        """Return the object as parameters: a few names with integers, names or null."""
        if len(self._mapping()) > _MAX_NAMES:
            raise ValueError(f"the {self.name} has more than {_MAX_NAMES} entries")
        return {self._name("a key", key): self._parameter_value(key) for key in self._mapping()}

    def _parameter_value(self, key: str) -> ParameterValue:
        value = self._get(key)
        if isinstance(value, str):
            return self._name(key, value)
        return None if value is None else self.integer(key, -(2**63), 2**63)

    def _name(self, key: str, text: str) -> str:
        if _NAME.fullmatch(text) is None:
            raise self._mismatch(key, "a name of letters, digits and underscores")
        return text

    def _mismatch(self, key: str, expected: str) -> ValueError:
        return ValueError(f"{key} in the {self.name} is not {expected}")

    def _get(self, key: str) -> object:
        mapping = self._mapping()
        if key not in mapping:
            raise ValueError(f"{key} is missing in the {self.name}")
        return mapping[key]

    def _mapping(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            raise ValueError(f"the {self.name} is not an object")  # noqa: TRY004  (as all methods do)
        return self.value

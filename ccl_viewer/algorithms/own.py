"""User algorithms: a folder with ``NAME.cu`` and ``NAME.py``.

``NAME.py`` defines ``ALGORITHM``, with a plan. It runs only in a child process, and only if the
user allowed its present content. A file in the user's data folder lists the allowed algorithms,
without their plans. The key of such an algorithm is ``own:NAME``, which is also the name of its
kernel module.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ccl_viewer.algorithms.base import Algorithm, Choice, Parameter
from ccl_viewer.algorithms.own_code import MAX_BYTES, read_own_code
from ccl_viewer.errors import CCLViewerError, InputError, shorten
from ccl_viewer.execution.plan import Plan, Task
from ccl_viewer.storage.files import is_file, locked, read_text_file, replacing
from ccl_viewer.support.spelling import find_nearest

OWN: Final = "own:"
"""Prefix of the keys of such algorithms and of the names of their kernel modules."""

LIST_VARIABLE: Final = "CCL_VIEWER_ALGORITHMS"
"""Environment variable that names another file for the list of allowed algorithms."""

GROUP: Final = "ccl_viewer.algorithms"
"""Group of entry points through which installed packages provide algorithms."""

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
"""Names of user algorithms and of copies."""

_MAX_TEXT: Final = 2000
_TEXTS: Final = {"title": "title", "citation": "citation", "summary": "summary", "line": "tagline"}
"""Fields with texts, by their keys in JSON."""
_SWITCHES: Final = ("multivalued", "roots_first", "parents_before", "labels_fall")


class NotAllowedError(InputError):
    """The code of a user algorithm was changed since the user allowed it."""

    @classmethod
    def of(cls, folder: OwnFolder) -> NotAllowedError:
        """Return the error for a folder."""
        return cls(
            f"The code of {folder.name} was changed since you allowed it to run: name its folder "
            "again, with -a or by File > Add algorithm."
        )


@dataclass(frozen=True)
class OwnFolder:
    """The folder of a user algorithm.

    Parameters
    ----------
    path : Path
        The folder, resolved.
    name : str
        Its name: letters, digits and underscores.
    module : str
        The Python module to import, if an installed package provides it; otherwise empty.
    """

    path: Path
    name: str
    module: str = ""

    @property
    def key(self) -> str:
        """The algorithm's key, which is also the name of its kernel module."""
        return OWN + self.name

    @property
    def kernel_file(self) -> Path:
        """The CUDA source."""
        return self.path / f"{self.name}.cu"

    @property
    def plan_file(self) -> Path:
        """The Python source."""
        return self.path / f"{self.name}.py"

    def code(self) -> Mapping[Path, str]:
        """Return the texts of all files that would run: the plan, the kernels, what they bring in.

        Raises
        ------
        InputError
            If a file is missing, cannot be read or is outside the folder, or there are too many.
        """
        return read_own_code(self.plan_file, self.kernel_file, self.module)

    def digest(self) -> str:
        """Return a digest of :meth:`code`, which raises the same errors."""
        hasher = hashlib.sha256()
        for file, text in self.code().items():
            name = file.relative_to(self.path).as_posix()
            hasher.update(f"{name}\0{len(text)}\0{text}".encode())
        return hasher.hexdigest()[:32]


@dataclass(frozen=True)
class CodeVersion:
    """A version of the code in a folder.

    Parameters
    ----------
    folder : OwnFolder
        The folder.
    digest : str
        Digest of its content.
    """

    folder: OwnFolder
    digest: str

    @classmethod
    def now(cls, path: str | os.PathLike[str]) -> CodeVersion:
        """Return the present version of the code in a folder, without running it.

        Raises
        ------
        InputError
            If it is not the folder of an algorithm, or a file cannot be read.
        """
        folder = own_folder(path)
        return cls(folder, folder.digest())

    @property
    def allowed(self) -> bool:
        """Whether the user allowed this version to run."""
        entry = allowed_algorithms().get(self.folder.name)
        return entry is not None and (entry.folder, entry.digest) == (self.folder, self.digest)


@dataclass(frozen=True)
class AllowedAlgorithm:
    """A user algorithm that the user allowed to run.

    Parameters
    ----------
    folder : OwnFolder
        Its folder.
    digest : str
        Digest of the allowed content.
    algorithm : Algorithm
        The algorithm, without a plan.
    """

    folder: OwnFolder
    digest: str
    algorithm: Algorithm

    @property
    def state(self) -> str:
        """Whether the present code may run, in words."""
        if not is_file(self.folder.plan_file):
            return "missing"
        try:
            same = self.folder.digest() == self.digest
        except InputError:
            same = False
        return "may run" if same else "changed since you allowed it"


def validate_own_name(name: str) -> str:
    """Return the name of a user algorithm.

    Raises
    ------
    InputError
        If the name is not valid.
    """
    if NAME.fullmatch(name) is None:
        raise InputError(
            f"{shorten(name) or 'An empty text'!r} is not a name for an algorithm: use up to 60 "
            "letters, digits and underscores, without a digit at the start."
        )
    return name


def own_folder(path: str | os.PathLike[str]) -> OwnFolder:
    """Return the algorithm in a folder, without running it.

    Raises
    ------
    InputError
        If the folder's name is not valid, or ``NAME.cu`` or ``NAME.py`` is missing.
    """
    try:
        resolved = Path(path).expanduser().resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{shorten(path)} cannot be read: name another folder.") from error
    if is_file(resolved):
        raise InputError(f"{shorten(path)} is a file: name the folder of the algorithm.")
    folder = OwnFolder(resolved, validate_own_name(resolved.name))
    for file in (folder.plan_file, folder.kernel_file):
        if not is_file(file):
            raise InputError(
                f"{shorten(file)} is missing: an algorithm is a folder NAME with NAME.py and "
                "NAME.cu (ccl-viewer new NAME writes one)."
            )
    return folder


def allowed_algorithms() -> Mapping[str, AllowedAlgorithm]:
    """Return the algorithms that the user allowed, by name; damaged entries are left out."""
    algorithms = {}
    for name, entry in _read_list().items():
        try:
            path, module = Path(str(entry["folder"])), str(entry["module"])
            folder = OwnFolder(path, validate_own_name(name), module)
            algorithm = algorithm_from_json(folder.key, entry["row"])
            algorithms[name] = AllowedAlgorithm(folder, str(entry["digest"]), algorithm)
        except (KeyError, TypeError, InputError):
            continue
    return algorithms


def allow(allowed: AllowedAlgorithm) -> None:
    """Add an algorithm to the list of allowed ones; it replaces one with the same name.

    Raises
    ------
    InputError
        If the list cannot be written.
    """
    entry = {
        "folder": str(allowed.folder.path),
        "module": allowed.folder.module,
        "digest": allowed.digest,
        "row": algorithm_to_json(allowed.algorithm),
    }
    _change_list({allowed.folder.name: entry})


def disallow(name: str) -> None:
    """Withdraw the permission to run an algorithm; its files stay.

    Raises
    ------
    InputError
        If no algorithm with this name is allowed, a package provides it, or the list cannot be
        written.
    """
    module = find_allowed(OWN + name).folder.module
    if module:
        raise InputError(
            f"{name} comes with an installed package, in the module {module}: uninstall that."
        )
    _change_list({name: None})


def find_allowed(key: str) -> AllowedAlgorithm:
    """Return an algorithm that the user allowed, by its key.

    Raises
    ------
    InputError
        If there is none.
    """
    name = key.removeprefix(OWN)
    allowed = allowed_algorithms()
    if name not in allowed:
        close = find_nearest(name, allowed)
        hint = f"did you mean {OWN}{close}?" if close else "name its folder, as in -a ./NAME."
        raise InputError(f"There is no algorithm {shorten(key)} that may run here: {hint}")
    return allowed[name]


def find_own_algorithm(key: str) -> Algorithm:
    """Return a user algorithm; only in the child process it has its plan.

    Raises
    ------
    InputError
        If the user allowed no algorithm with this key.
    """
    return _loaded[key][1] if key in _loaded else find_allowed(key).algorithm


def find_own_source(module: str) -> Path:
    """Return the kernel file of a user algorithm, for reading.

    Raises
    ------
    InputError
        If the user allowed no algorithm with this name.
    """
    folder = _loaded[module][0] if module in _loaded else find_allowed(module).folder
    return folder.kernel_file


_loaded: dict[str, tuple[OwnFolder, Algorithm]] = {}


def register_loaded(folder: OwnFolder, algorithm: Algorithm) -> None:
    """Register an algorithm in the child process that ran its Python."""
    _loaded[folder.key] = folder, algorithm


def algorithm_to_json(algorithm: Algorithm) -> dict[str, Any]:
    """Return an algorithm as JSON data, without its plan."""
    values = {key: getattr(algorithm, name) for key, name in _TEXTS.items()}
    values |= {name: getattr(algorithm, name) for name in _SWITCHES}
    parameters = [asdict(parameter) for parameter in algorithm.parameters]
    return {**values, "connectivities": [*algorithm.connectivities], "parameters": parameters}


def algorithm_from_json(key: str, values: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm that :func:`algorithm_to_json` describes.

    Raises
    ------
    InputError
        If a value is not valid for an algorithm.
    """
    try:
        fields: dict[str, Any] = {
            name: _read_text(values[key], key) for key, name in _TEXTS.items()
        }
        fields |= {name: _check_type(values[name], bool, name) for name in _SWITCHES}
        connectivities = tuple(values["connectivities"])
        if not connectivities or not {*connectivities} <= {4, 8}:
            raise InputError("its connectivities must be 4, 8 or both")
        parameters = tuple(map(_read_parameter, values["parameters"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"it lacks {error}") from error
    if not fields["title"]:
        raise InputError("it has no title")
    return Algorithm(
        key=key,
        connectivities=connectivities,
        parameters=parameters,
        planner=_planless,
        **fields,
    )


def _planless(_task: Task) -> Plan:
    raise CCLViewerError(
        "Your own algorithm runs in a separate process only: record it, or choose a built-in "
        "algorithm."
    )


def _read_parameter(values: Mapping[str, Any]) -> Parameter:
    name = validate_own_name(_read_text(values["name"], "name"))
    choices = tuple(
        Choice(
            validate_own_name(_read_text(each["name"], "name")),
            _read_text(each["help"], "help"),
            _read_text(each["fault"], "fault"),
            _check_type(each["racy"], bool, "racy"),
        )
        for each in values["choices"]
    )
    default = values["default"]
    if not (default is None or isinstance(default, str) or type(default) is int):
        raise InputError(f"the default of its parameter {name} is neither a number nor a name")
    parameter = Parameter(
        name,
        _read_text(values["title"], "title"),
        _read_text(values["help"], "help"),
        default,
        _check_type(values["minimum"], int, "minimum"),
        _check_type(values["maximum"], int, "maximum"),
        _read_text(values["absent"], "absent"),
        choices,
    )
    parameter.resolve(default)
    return parameter


def _read_text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"its {name} is not text")
    if len(value) > _MAX_TEXT or not value.isprintable():
        raise InputError(f"its {name} is longer than {_MAX_TEXT:,} characters or has line ends")
    return value


def _check_type(value: Any, kind: type, name: str) -> Any:
    if type(value) is not kind:
        raise InputError(f"its {name} is not of the type {kind.__name__}")
    return value


def _list_path() -> Path:
    named = os.environ.get(LIST_VARIABLE)
    if named:
        return Path(named)
    import platformdirs

    return Path(platformdirs.user_data_dir("ccl-viewer", appauthor=False)) / "algorithms.json"


def _read_list() -> dict[str, Any]:
    try:
        entries = json.loads(read_text_file(_list_path(), MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return entries if isinstance(entries, dict) else {}


def _change_list(changes: Mapping[str, Any]) -> None:
    """Add entries to the list, and remove those that are None; the others stay."""
    path = _list_path()
    try:
        with locked(path), replacing(path) as beside:
            entries = {**_read_list(), **changes}
            entries = {name: entry for name, entry in entries.items() if entry is not None}
            beside.write_text(json.dumps(entries, indent=1), "utf-8")
    except (OSError, InputError) as error:
        raise InputError(
            f"{shorten(path)}, the list of what may run, cannot be written: name another file in "
            f"the variable {LIST_VARIABLE}."
        ) from error

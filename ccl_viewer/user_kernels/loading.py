"""Run the Python of a user algorithm, in the child process only."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, GeneratorType, ModuleType, TracebackType
from typing import Any

import numpy as np

from ccl_viewer.algorithms.base import Algorithm, Planner
from ccl_viewer.algorithms.copies import redirect_launches
from ccl_viewer.algorithms.own import (
    NotAllowedError,
    OwnFolder,
    algorithm_from_json,
    algorithm_to_json,
    register_loaded,
)
from ccl_viewer.errors import CCLViewerError, InputError, KernelFaultError, shorten
from ccl_viewer.execution.plan import (
    Buffer,
    Fill,
    Launch,
    Outcome,
    Plan,
    Read,
    Reply,
    Request,
    StartRead,
    Task,
)
from ccl_viewer.user_kernels.process import ENDLESS

_REQUESTS = (Buffer, Fill, Launch, StartRead, Read)


class OwnCode:
    """The Python of a user algorithm, which this process runs.

    Parameters
    ----------
    fields : mapping
        ``folder``, ``name``, ``module`` and ``digest``, as the parent knows them. Without a folder,
        the module of an installed package locates the code, and the digest is ignored.
    """

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self.folder = OwnFolder(Path(fields["folder"]), fields["name"], fields["module"])
        self.algorithm: Algorithm | None = None
        self.line = 0
        """The plan's last line."""
        self.inside = False
        """Whether the plan's Python runs now."""
        self.on_enter: Callable[[], object] = lambda: None
        self.on_leave: Callable[[], object] = lambda: None
        """Called whenever the plan's Python begins to run, and stops."""

    def load(self) -> None:
        """Run the module, and register its algorithm in this process.

        Raises
        ------
        InputError
            If it fails, or defines no algorithm; with file and line.
        """
        sys.dont_write_bytecode = True
        if self._fields["folder"] and self.folder.digest() != self._fields["digest"]:
            raise NotAllowedError.of(self.folder)
        module = self._import_module()
        algorithm = getattr(module, "ALGORITHM", None)
        if not isinstance(algorithm, Algorithm):
            raise InputError(
                f"{self.folder.plan_file.name} defines no algorithm: write "
                "ALGORITHM = Algorithm(...)."
            )
        try:
            checked = algorithm_from_json(self.folder.key, algorithm_to_json(algorithm))
        except (InputError, TypeError, AttributeError) as error:
            text = str(error).rstrip(".")
            raise InputError(
                f"ALGORITHM in {self.folder.plan_file.name} cannot be used ({text}): correct it."
            ) from error
        planner = redirect_launches(
            self._watch_planner(algorithm.planner), self.folder.name, self.folder.key
        )
        register_loaded(self.folder, replace(checked, planner=planner))
        self.algorithm = checked

    def explain_error(self, error: Exception) -> Exception:
        """Return an unexpected error as a sentence with its line in the user code."""
        if isinstance(error, CCLViewerError):
            return error
        line = _line_in(error.__traceback__, self.folder.plan_file) or self.line
        if isinstance(error, SyntaxError) and error.filename == str(self.folder.plan_file):
            line = error.lineno or line
        text = error.msg if isinstance(error, SyntaxError) else str(error)
        where = f"{self.folder.plan_file.name}:{line}" if line else self.folder.plan_file.name
        return InputError(f"{where} fails ({type(error).__name__}: {shorten(text)}): correct it.")

    def _import_module(self) -> ModuleType:
        try:
            if self.folder.module:
                module = import_module(self.folder.module)
                plan = Path(module.__file__ or "")
                self.folder = OwnFolder(plan.parent.resolve(), plan.stem, self.folder.module)
                return module
            path, texts = self.folder.plan_file, self.folder.code()
            module = ModuleType(f"own_{self.folder.name}")
            module.__file__ = str(path)
            # Compiled from the allowed text: a .pyc file could have other code.
            code: CodeType = compile(texts[path], str(path), "exec", dont_inherit=True)
            sys.meta_path.insert(0, _AllowedModules(self.folder.path, texts))
            sys.modules[module.__name__] = module  # where dataclasses look up their module
            exec(code, module.__dict__)  # noqa: S102  (the user allowed it; in the child process)
        except SystemExit as error:
            raise InputError(
                f"{self.folder.plan_file.name} ends its process: leave that out."
            ) from error
        return module

    def _request_next(self, plan: Plan, reply: Reply) -> Request:
        """Return the next request of a plan; while its Python runs, the process may be interrupted.

        Raises
        ------
        KernelFaultError
            If it was interrupted at its time limit.
        InputError
            If it would end the process.
        """
        self.on_enter()
        self.inside = True
        try:
            return plan.send(reply)
        except KeyboardInterrupt as error:
            line = _line_in(error.__traceback__, self.folder.plan_file)
            raise KernelFaultError(
                f"The plan was stopped at {self.folder.plan_file.name}:{line}: check the "
                "conditions of its loops, or give it more time.",
                file=self.folder.plan_file.name,
                line=line,
                kind=ENDLESS,
            ) from None
        except SystemExit as error:
            line = _line_in(error.__traceback__, self.folder.plan_file)
            raise InputError(
                f"{self.folder.plan_file.name}:{line} ends its process: leave that out."
            ) from None
        finally:
            self.inside = False
            self.on_leave()

    def _watch_planner(self, planner: Planner) -> Planner:
        """Return a planner that keeps track of the plan's line, and checks its requests."""

        def watched(task: Task) -> Plan:
            plan = planner(task)
            if not isinstance(plan, GeneratorType):
                raise InputError(
                    f"The plan in {self.folder.plan_file.name} yields nothing: add yield."
                )
            reply: Reply = None
            try:
                while True:
                    request = self._request_next(plan, reply)
                    self.line = _find_waiting_line(plan, self.folder.plan_file)
                    if not isinstance(request, _REQUESTS):
                        raise InputError(
                            f"{self.folder.plan_file.name}:{self.line} yields "
                            f"{shorten(repr(request))}: yield a Buffer, Fill, Launch, StartRead or "
                            "Read."
                        )
                    if isinstance(request, Launch):
                        self._check_arguments(request)
                    reply = yield request
            except StopIteration as stop:
                if not isinstance(stop.value, Outcome):
                    raise InputError(
                        f"The plan in {self.folder.plan_file.name} returns "
                        f"{shorten(repr(stop.value))}: let it return Outcome(labels)."
                    ) from None
                return stop.value
            finally:
                plan.close()

        return watched

    def _check_arguments(self, launch: Launch) -> None:
        """Refuse an argument without an exact type, such as a number of Python."""
        arguments: tuple[object, ...] = launch.arguments
        for number, argument in enumerate(arguments, 1):
            if not isinstance(argument, (Buffer, np.generic)):
                raise InputError(
                    f"{self.folder.plan_file.name}:{self.line} gives {launch.kernel.name} "
                    f"{shorten(repr(argument))} as argument {number}: give a Buffer, or a NumPy "
                    "number such as np.int32(1)."
                )


class _AllowedModules(MetaPathFinder):
    """Finds the modules in a folder that the user allowed, and refuses all others there."""

    def __init__(self, folder: Path, texts: Mapping[Path, str]) -> None:
        self._folder = folder
        self._texts = {os.path.realpath(file): text for file, text in texts.items()}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None:
            return None
        origin = Path(os.path.normpath(spec.origin))
        text = self._texts.get(os.path.realpath(origin))
        if text is not None:
            spec.loader = _AllowedLoader(name, str(origin), text)
        elif self._folder in (*origin.parents, *origin.resolve().parents):
            raise InputError(
                f"{self._folder.name}.py imports {shorten(origin.name)} in a way that nobody sees "
                "before it runs: write import NAME, with a file NAME.py in the folder."
            )
        return spec


class _AllowedLoader(SourceFileLoader):
    """Loads a module from the allowed text, never from compiled code beside it."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  (importlib passes it)
        return compile(self._text, self.path, "exec", dont_inherit=True)


def _line_in(trace: TracebackType | None, path: Path) -> int:
    """Return the last line of a file in a traceback; 0 if there is none."""
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _find_waiting_line(plan: Any, path: Path) -> int:
    """Return the line of a file where a plan, or a generator inside it, waits; 0 if none."""
    line = 0
    while isinstance(plan, GeneratorType):
        frame = plan.gi_frame
        if frame is not None and frame.f_code.co_filename == str(path):
            line = frame.f_lineno
        plan = plan.gi_yieldfrom
    return line

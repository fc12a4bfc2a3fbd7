"""All exceptions of CCL Viewer.

Each message is one sentence that says what happened and what to do. Only the command line and the
window catch these errors, to show the message or set the exit code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

Position: TypeAlias = tuple[int, int, int]
"""x, y and z of a block or a thread."""

_MAX_REPEATED: Final = 200
_MAX_TOLD: Final = 500
"""More characters than in any sentence of ours, including the names that it lists."""

_LONG: Final = re.compile(
    rf"""(?<!\w)(['"])(?:(?!\1).){{{_MAX_REPEATED},}}\1|\S{{{_MAX_REPEATED + 1},}}"""
)
_SHARED: Final = {"window", "core", "widgets"}
"""Packages whose modules belong to features of the window."""

_INVISIBLE: Final = re.compile(
    "[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, line ends, changes of the text's direction, and surrogates."""


def sanitise_message(text: str) -> str:
    """Return a message that is safe to show, even if it quotes untrusted text.

    The result is one line without control characters. Quotes and words without spaces are shortened
    in the middle to 200 characters; so is a message that is longer than any sentence of the
    program.

    Parameters
    ----------
    text : str
        The message.
    """
    short = _LONG.sub(lambda match: shorten(match[0]), escape_invisible(text))
    return short if len(short) <= _MAX_TOLD else shorten(short)


def escape_invisible(text: str) -> str:
    """Return a text as one line without control characters, which a terminal would obey.

    Parameters
    ----------
    text : str
        The text, which may have names of files and other text from outside.
    """
    return _INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def shorten(text: object) -> str:
    """Return a name for a message, shortened in the middle to 200 characters.

    Parameters
    ----------
    text : object
        The name; it is converted with ``str``.
    """
    full, half = str(text), _MAX_REPEATED // 2
    if len(full) <= _MAX_REPEATED:
        return full
    return f"{full[: half - 1]}\N{HORIZONTAL ELLIPSIS}{full[-half:]}"


class CCLViewerError(Exception):
    """Base of all errors of this project; its text can be shown to the user.

    Parameters
    ----------
    sentence : str
        What happened and what to do; it is passed through :func:`sanitise_message`.
    """

    exit_code = 1

    def __init__(self, sentence: str = "") -> None:
        super().__init__(sanitise_message(sentence))


class InputError(CCLViewerError, ValueError):
    """An argument, image, grid or pattern cannot be used as given."""

    exit_code = 2


class LargeInputError(InputError):
    """A picture or grid is so large that the user has to confirm it.

    Parameters
    ----------
    fact : str
        What it is and how much memory it takes, without a full stop.
    """

    def __init__(self, fact: str) -> None:
        super().__init__(
            f"{fact}: crop or scale it down, or confirm it, with --large on the command line, with "
            "max_pixels in Python, or in the window by Open in the menu File."
        )
        self.fact = fact


class SeveralPicturesError(InputError):
    """A file holds several pictures, and none was chosen."""


class RecordingFileError(InputError):
    """A ``.cclrec`` file is damaged, truncated, too large or of another version."""


class LessonFileError(InputError):
    """A lesson's file cannot be read, or holds something that cannot be shown."""


class ExerciseFileError(InputError):
    """An exercise's file cannot be read, or holds something that cannot be judged."""


class DeviceUnavailableError(CCLViewerError, RuntimeError):
    """A device cannot be used on this machine."""


@dataclass(frozen=True)
class Diagnostic:
    """A compiler's message about a place in a source file.

    Parameters
    ----------
    file : str
        Name of the file, relative to the folder of kernels.
    line, column : int
        The place, from 1; 0 if unknown.
    severity : str
        ``"error"`` or ``"warning"``.
    text : str
        The message.
    """

    file: str
    line: int
    column: int
    severity: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.severity}: {self.text}"


class KernelBuildError(CCLViewerError):
    """A kernel did not compile.

    Parameters
    ----------
    sentence : str
        What happened and what to do.
    diagnostics : tuple of Diagnostic
        All messages of the compiler, in its order.
    """

    def __init__(self, sentence: str = "", diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(sentence)
        self.diagnostics = diagnostics


class KernelFaultError(CCLViewerError):
    """A kernel failed while it ran: deadlock, invalid access, missing lane, endless loop.

    Parameters
    ----------
    sentence : str
        What happened and what to do.
    block, thread : tuple of three int, or None
        Block and thread that failed, as (x, y, z), if known.
    file : str
        Name of the source file, if known.
    line : int or None
        The line in it, if known.
    cell : tuple of int, or None
        Column and row of the cell that the thread accessed last, if known.
    kind : str
        Kind of the fault: ``"out of bounds"``, ``"misaligned access"``, ``"missing lane"``,
        ``"divergent barrier"``, ``"endless loop"``, ``"failed assertion"`` or ``"fault"``.
    memory : str
        Name of the buffer that was accessed out of bounds, if known.
    index : int or None
        Index of the element in it.
    kernel : str
        Name of the kernel, if the launch is unknown.

    Attributes
    ----------
    launch : object or None
        The :class:`~ccl_viewer.execution.plan.Launch` that failed; the driver sets it.
    """

    def __init__(
        self,
        sentence: str = "",
        *,
        block: Position | None = None,
        thread: Position | None = None,
        file: str = "",
        line: int | None = None,
        cell: tuple[int, int] | None = None,
        kind: str = "fault",
        memory: str = "",
        index: int | None = None,
        kernel: str = "",
    ) -> None:
        super().__init__(sentence)
        self.kernel = kernel
        self.block, self.thread = block, thread
        self.file, self.line, self.cell = file, line, cell
        self.kind, self.memory, self.index = kind, memory, index
        self.launch: object | None = None


class WrongLabelsError(CCLViewerError):
    """A run ended with labels that differ from the reference."""


class CancelledError(CCLViewerError):
    """The user stopped the work.

    Parameters
    ----------
    sentence : str
        What happened.

    Attributes
    ----------
    file, line : str, int or None
        Where in the source a thread of the emulator was, if known.
    block, thread : tuple of three int, or None
        Block and index of that thread, as (x, y, z), if known.
    """

    exit_code = 130

    def __init__(self, sentence: str = "Stopped before the end, as asked.") -> None:
        super().__init__(sentence)
        self.file = ""
        self.line: int | None = None
        self.block: Position | None = None
        self.thread: Position | None = None


class OutOfMemoryError(CCLViewerError):
    """The memory of this machine is too small for the request."""

    def __init__(self) -> None:
        super().__init__(
            "There is not enough memory for this: take a smaller grid, or close other programs."
        )


class InternalError(CCLViewerError):
    """The program has a bug.

    Parameters
    ----------
    fault : BaseException
        The unexpected exception.
    """

    def __init__(self, fault: BaseException) -> None:
        place = _part_of(fault)
        where = f" in {place}" if place else ""
        super().__init__(
            f"The program made a mistake{where} ({type(fault).__name__}: {fault}): "
            "please report it."
        )
        self.__cause__ = fault


def _part_of(fault: BaseException) -> str:
    """Return the package or the feature of the window where an error was raised, in words."""
    places: dict[bool, str] = {}  # the innermost in the window, and elsewhere
    trace = fault.__traceback__
    while trace is not None:
        package, *names = trace.tb_frame.f_globals.get("__name__", "").split(".")
        if package == "ccl_viewer":
            place = next((name for name in names if name not in _SHARED), "window")
            places[names[:1] == ["window"]] = place.replace("_", " ")
        trace = trace.tb_next
    return places.get(True) or places.get(False, "")


def as_viewer_error(error: BaseException) -> CCLViewerError:
    """Return an error that can be shown: ours unchanged, any other as a bug of the program.

    Parameters
    ----------
    error : BaseException
        The exception.
    """
    if isinstance(error, CCLViewerError):
        return error
    return OutOfMemoryError() if isinstance(error, MemoryError) else InternalError(error)

"""Every error that CCL Viewer raises on purpose.

Each message is one sentence that says what happened and what to do. The edges of the program
(command line, window) turn these into a message and an exit code; nothing else is caught there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

Position: TypeAlias = tuple[int, int, int]
"""Of a block or a thread: x, y and z."""

_MAX_REPEATED: Final = 200
_MAX_TOLD: Final = 500
"""No sentence of our own, with names that it lists, is as long."""

_LONG: Final = re.compile(
    rf"""(?<!\w)(['"])(?:(?!\1).){{{_MAX_REPEATED},}}\1|\S{{{_MAX_REPEATED + 1},}}"""
)
_UNSEEN: Final = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, what ends lines or turns their direction, and what no encoding has."""


def message(text: str) -> str:
    """Return a message that can be shown, whatever it repeats of its input.

    It is one line, without control characters. What is quoted or has no spaces is cut in its middle
    to 200 characters, and so is the whole where it is longer than any sentence of the program.

    Parameters
    ----------
    text : str
        The message.
    """
    seen = _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
    short = _LONG.sub(lambda found: cut(found[0]), seen)
    return short if len(short) <= _MAX_TOLD else cut(short)


def cut(text: object) -> str:
    """Return a name as messages repeat it: cut in its middle to 200 characters.

    Parameters
    ----------
    text : object
        The name; what it is as text is taken.
    """
    whole, half = str(text), _MAX_REPEATED // 2
    if len(whole) <= _MAX_REPEATED:
        return whole
    return f"{whole[: half - 1]}\N{HORIZONTAL ELLIPSIS}{whole[-half:]}"


class CCLViewerError(Exception):
    """Base of all errors of this project; its text is fit to be shown to the user.

    Parameters
    ----------
    sentence : str
        What happened and what to do, as :func:`message` leaves it.
    """

    exit_code = 1

    def __init__(self, sentence: str = "") -> None:
        super().__init__(message(sentence))


class InputError(CCLViewerError, ValueError):
    """An argument, image, grid or pattern cannot be used as given."""

    exit_code = 2


class LargeInputError(InputError):
    """A picture or grid is larger than what is read without being confirmed.

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
    """A file holds several pictures, and it is not said which is meant."""


class UndecodedError(InputError):
    """A file is no picture that Pillow can decode."""


class RecordingFileError(InputError):
    """A ``.cclrec`` file is damaged, truncated, too large or from a newer version."""


class LessonFileError(InputError):
    """A lesson's file cannot be read, or says something that cannot be shown."""


class ExerciseFileError(InputError):
    """An exercise's file cannot be read, or says something that cannot be judged."""


class DeviceUnavailableError(CCLViewerError, RuntimeError):
    """A device cannot be used on this machine."""


@dataclass(frozen=True)
class Diagnostic:
    """What a compiler says of a place in a source file.

    Parameters
    ----------
    file : str
        Name of the file, relative to the folder of kernels.
    line, column : int
        The place, from 1; 0 if it is not known.
    severity : str
        ``"error"`` or ``"warning"``.
    text : str
        What is wrong there.
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
        All that the compiler says, in its order.
    """

    def __init__(self, sentence: str = "", diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(sentence)
        self.diagnostics = diagnostics


class KernelFaultError(CCLViewerError):
    """A kernel misbehaved while it ran: deadlock, stray access, missing lane, endless loop.

    Parameters
    ----------
    sentence : str
        What happened and what to do.
    block, thread : tuple of three int, or None
        Who it was, as (x, y, z), if that is known.
    file : str
        Name of the source file, if it is known.
    line : int or None
        The line in it, if that is known.
    cell : tuple of int, or None
        Column and row of the cell that the thread accessed last, if that is known.
    kind : str
        What it is: ``"out of bounds"``, ``"misaligned access"``, ``"missing lane"``,
        ``"divergent barrier"``, ``"endless loop"``, ``"failed assertion"`` or ``"fault"``.
    memory : str
        Name of the buffer that is accessed beyond its bounds, if that is known.
    index : int or None
        The element of it.
    kernel : str
        Name of the kernel, if no launch is known.

    Attributes
    ----------
    launch : object or None
        The :class:`~ccl_viewer.execution.plan.Launch` that it happened in; the driver says it.
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


class OutlierError(CCLViewerError):
    """Times that cannot be right: less work took longer than more."""


class CancelledError(CCLViewerError):
    """The user stopped the work.

    Parameters
    ----------
    sentence : str
        What happened.

    Attributes
    ----------
    file, line : str, int or None
        Where in its source a thread of the emulator stood, if that is known.
    block, thread : tuple of three int, or None
        Which thread that was.
    """

    exit_code = 130

    def __init__(self, sentence: str = "Stopped before the end, as asked.") -> None:
        super().__init__(sentence)
        self.file = ""
        self.line: int | None = None
        self.block: Position | None = None
        self.thread: Position | None = None


class OutOfMemoryError(CCLViewerError):
    """The memory of this machine does not hold what was asked for."""

    def __init__(self) -> None:
        super().__init__(
            "There is not enough memory for this: take a smaller grid, or close other programs."
        )


class MistakeError(CCLViewerError):
    """The program itself is wrong, not what it was given.

    Parameters
    ----------
    fault : BaseException
        What nobody reckoned with.
    """

    def __init__(self, fault: BaseException) -> None:
        super().__init__(
            f"The program made a mistake ({type(fault).__name__}: {fault}): please report it."
        )
        self.__cause__ = fault


def known_error(error: BaseException) -> CCLViewerError:
    """Return an error as it is shown: one of ours as it is, any other as a mistake.

    Parameters
    ----------
    error : BaseException
        What was raised.
    """
    if isinstance(error, CCLViewerError):
        return error
    return OutOfMemoryError() if isinstance(error, MemoryError) else MistakeError(error)

"""Every error that CCL Viewer raises on purpose.

Each message is one sentence that says what happened and what to do. The edges of the program
(command line, window) turn these into a message and an exit code; nothing else is caught there.
"""

from __future__ import annotations


class CCLViewerError(Exception):
    """Base of all errors of this project; its text is fit to be shown to the user."""

    exit_code = 1


class InputError(CCLViewerError):
    """An argument, image, grid or pattern cannot be used as given."""

    exit_code = 2


class RecordingFileError(InputError):
    """A ``.cclrec`` file is damaged, truncated, too large or from a newer version."""


class LessonFileError(InputError):
    """A lesson's file cannot be read, or says something that cannot be shown."""


class DeviceUnavailableError(CCLViewerError):
    """A device cannot be used on this machine."""


class KernelBuildError(CCLViewerError):
    """A kernel did not compile."""


class KernelFaultError(CCLViewerError):
    """A kernel misbehaved while it ran: deadlock, stray access, missing lane, endless loop."""


class WrongLabelsError(CCLViewerError):
    """A run ended with labels that differ from the reference."""


class CancelledError(CCLViewerError):
    """The user stopped the work.

    Parameters
    ----------
    sentence : str
        What happened.
    """

    exit_code = 130

    def __init__(self, sentence: str = "Stopped before the end, as asked.") -> None:
        super().__init__(sentence)


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

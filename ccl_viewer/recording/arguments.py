"""Arguments of launches: names and types from the source, values from the plan."""

from __future__ import annotations

from ccl_viewer.devices.signature import KernelParameter, kernel_parameters
from ccl_viewer.devices.source import SourceFinder, read_source
from ccl_viewer.errors import CCLViewerError
from ccl_viewer.execution.plan import Argument, Buffer, Kernel, Launch
from ccl_viewer.recording.data import StepArgument
from ccl_viewer.storage.resources import kernel_path
from ccl_viewer.support.units import counted


class ArgumentReader:
    """Describes the arguments of launches; reads each kernel's source once.

    Parameters
    ----------
    find : callable
        Returns the file of a kernel module.
    """

    def __init__(self, find: SourceFinder = kernel_path) -> None:
        self._find = find
        self._known: dict[Kernel, tuple[KernelParameter, ...] | None] = {}

    def arguments(self, launch: Launch) -> tuple[StepArgument, ...]:
        """Return the arguments of a launch.

        Parameters
        ----------
        launch : Launch
            The launch.

        Returns
        -------
        tuple of StepArgument
            In the order of the kernel's parameters; empty without a source that names them.

        Raises
        ------
        ValueError
            If the kernel has more or fewer parameters than the launch has arguments.
        """
        if launch.kernel not in self._known:
            self._known[launch.kernel] = self._read(launch.kernel)
        parameters = self._known[launch.kernel]
        if parameters is None:
            return ()
        if len(parameters) != len(launch.arguments):
            raise ValueError(
                f"{launch.kernel.name} has {len(parameters)} parameters and was given "
                f"{len(launch.arguments)} arguments"
            )
        return tuple(
            StepArgument(parameter.name, parameter.type, _value(argument))
            for parameter, argument in zip(parameters, launch.arguments, strict=True)
        )

    def _read(self, kernel: Kernel) -> tuple[KernelParameter, ...] | None:
        try:
            source = read_source(self._find(kernel.module), kernel.macros)
            return kernel_parameters(source, kernel.name)
        except CCLViewerError:  # the run does not need names
            return None


def _value(argument: Argument) -> int | str:
    return shape_in_words(argument.shape) if isinstance(argument, Buffer) else int(argument)


def shape_in_words(shape: tuple[int, ...]) -> str:
    """Return a buffer's size in words: ``"961 elements"``, or ``"33 x 31"``, columns first.

    Parameters
    ----------
    shape : tuple of int
        Its shape, (rows, columns) if it has two dimensions.
    """
    if len(shape) == 1:
        return counted(shape[0], "element")
    return " x ".join(f"{side}" for side in reversed(shape))

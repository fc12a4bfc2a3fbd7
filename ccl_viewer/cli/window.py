"""``ccl-viewer`` without a command: the window, or a picture of it."""

from __future__ import annotations

import argparse

from ccl_viewer.algorithms import parse_algorithm
from ccl_viewer.errors import InputError, shorten
from ccl_viewer.grids.picture_selector import ONLY, PictureSelector
from ccl_viewer.storage.files import check_is_another_file
from ccl_viewer.window.app import WindowOptions, run


def show_window(arguments: argparse.Namespace) -> int:
    """Open the window, or draw it into a file.

    Raises
    ------
    InputError
        If an option is invalid.
    CCLViewerError
        If there is no display.
    """
    return run(read_window_options(arguments))


def read_window_options(arguments: argparse.Namespace) -> WindowOptions:
    """Return what the window is asked to show.

    Raises
    ------
    InputError
        If an option is invalid.
    """
    if arguments.step is not None and arguments.screenshot is None:
        raise InputError(
            "--step goes with --screenshot; in the window, click a step in the table of steps."
        )
    if arguments.screenshot is not None and arguments.screenshot.suffix.lower() != ".png":
        raise InputError(
            f"A screenshot is written as .png, not {shorten(arguments.screenshot.name)}: name it "
            "so."
        )
    if arguments.screenshot is not None and arguments.source is not None and not arguments.force:
        check_is_another_file(arguments.screenshot, [arguments.source])
    shared = dict(arguments.parameter)
    algorithms = [
        (key, shared | settings)
        for key, settings in map(parse_algorithm, arguments.algorithm or ())
    ]
    first, parameters = algorithms[0] if algorithms else (None, shared)
    selector = PictureSelector.of(arguments.index, arguments.channel)
    return WindowOptions(
        source=arguments.source,
        screenshot=arguments.screenshot,
        step=arguments.step,
        size=arguments.size,
        algorithm=first,
        connectivity=arguments.connectivity,
        parameters=parameters,
        beside=algorithms[1:],
        device=arguments.device,
        schedule=arguments.schedule,
        seconds=arguments.seconds,
        consecutive=arguments.consecutive,
        theme=arguments.theme,
        threshold=arguments.threshold,
        invert=arguments.invert,
        large=arguments.large,
        selector=None if selector == ONLY else selector,
    )

"""What the user works on, which a lesson replaces for a while."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ccl_viewer.window.core.comparison import Comparison
from ccl_viewer.window.core.document import Document
from ccl_viewer.window.core.playback import Playback
from ccl_viewer.window.core.run_display import RunDisplay
from ccl_viewer.window.core.runs import RunController
from ccl_viewer.window.core.view_state import ViewState


@dataclass(frozen=True, eq=False)
class Workspace:
    """The grid, its run and comparison, and their display."""

    document: Document
    runs: RunController
    display: RunDisplay
    playback: Playback
    comparison: Comparison
    view: ViewState

    def set_aside(self) -> Callable[[], None]:
        """Set the user's state aside for a lesson; return a function that restores it."""
        runs, playback, view = self.runs, self.playback, self.view
        comparison, viewport = self.comparison, self.view.viewport
        comparing, running = comparison.open, runs.running
        comparison.set_open(False)
        playback.pause()
        runs.abandon_run()
        self.document.set_aside()
        compared, compared_as = comparison.rival_settings, comparison.options
        settings, shown, index = runs.settings, self.display.shown, self.display.index
        section, looping = playback.section, playback.looping
        layers, pin, mode = view.layers, view.pin, view.chosen_mode
        position = None if viewport.fitted else (viewport.centre, viewport.scale)

        def put_back() -> None:
            playback.pause()
            runs.abandon_run()
            comparison.set_open(False)
            comparison.set_rival_settings(compared)
            comparison.set_options(**vars(compared_as))
            with runs.without_runs():
                self.document.bring_back_user_grid()
                runs.replace_settings(settings)
                self.display.show(shown, index=index)
            playback.set_section(section)
            playback.set_looping(looping)
            view.show_layers(**vars(layers))
            view.set_mode(mode)
            view.set_pin(pin)
            if position is None:
                view.fit()
            else:
                viewport.look_at(*position)
            comparison.set_open(comparing)
            if running:
                runs.run()

        return put_back

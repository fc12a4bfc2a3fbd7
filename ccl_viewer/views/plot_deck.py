"""All plots of the panel; importing this loads pyqtgraph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from ccl_viewer.session.plots import Plot, PlotFigures
from ccl_viewer.views.plot_figures import CourseFigure, SizesFigure, TimeFigure
from ccl_viewer.views.plot_parts import Figure
from ccl_viewer.views.theme import Theme


class PlotDeck:
    """The plots, of which one is drawn at a time.

    Parameters
    ----------
    go_to : callable
        Called with the number of a step, from 0, that was chosen in a plot.
    """

    def __init__(self, go_to: Callable[[int], object]) -> None:
        self.time = TimeFigure()
        self.course = CourseFigure(go_to)
        self.sizes = SizesFigure()
        self._figures: dict[Plot, Figure] = {
            Plot.TIME: self.time,
            Plot.COURSE: self.course,
            Plot.SIZES: self.sizes,
        }

    @property
    def views(self) -> tuple[QWidget, ...]:
        """The widgets of all plots."""
        return tuple(figure.view for figure in self._figures.values())

    def view(self, plot: Plot) -> QWidget:
        """Return the widget of a plot."""
        return self._figures[plot].view

    def draw(self, plot: Plot, figures: PlotFigures, theme: Theme, *, logarithmic: bool) -> None:
        """Draw a plot."""
        if plot is Plot.TIME:
            self.time.draw(figures.times, theme)
        elif plot is Plot.COURSE:
            self.course.draw(figures.course, figures.position, theme, logarithmic=logarithmic)
        elif figures.sizes is not None:
            self.sizes.draw(figures.sizes, figures.pinned_size, theme, logarithmic=logarithmic)

    def move_to(self, position: int) -> None:
        """Show which step is on display."""
        self.course.move_to(position)

    def save(self, plot: Plot, path: Path) -> None:
        """Write a plot as a picture.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        self._figures[plot].save(path)

    def close(self) -> None:
        """Let go of all plots."""
        for figure in self._figures.values():
            figure.close()

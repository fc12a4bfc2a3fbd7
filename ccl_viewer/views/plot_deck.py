"""All plots of the panel; importing this loads pyqtgraph."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from ccl_viewer.session.plots import Plot, PlotFigures
from ccl_viewer.views.plot_figures import CourseFigure, SizesFigure, TimeFigure
from ccl_viewer.views.plot_parts import Figure
from ccl_viewer.views.theme import Theme

_Figure = TypeVar("_Figure", bound=Figure)


class PlotDeck:
    """The plots, of which one is drawn at a time; making one takes as long as a frame may.

    Parameters
    ----------
    go_to : callable
        Called with the number of a step, from 0, that was chosen in a plot.
    """

    def __init__(self, go_to: Callable[[int], object]) -> None:
        self._go_to = go_to
        self._made: dict[Plot, Figure] = {}

    @cached_property
    def time(self) -> TimeFigure:
        """The time of each stage."""
        return self._keep(Plot.TIME, TimeFigure())

    @cached_property
    def course(self) -> CourseFigure:
        """What was counted after each step."""
        return self._keep(Plot.COURSE, CourseFigure(self._go_to))

    @cached_property
    def sizes(self) -> SizesFigure:
        """The sizes of the components."""
        return self._keep(Plot.SIZES, SizesFigure())

    @property
    def views(self) -> tuple[QWidget, ...]:
        """The widgets of the plots that were made so far, in the order of their buttons."""
        return tuple(self._made[plot].view for plot in Plot if plot in self._made)

    def view(self, plot: Plot) -> QWidget:
        """Return the widget of a plot, which is made when it is asked for first."""
        return self._figure(plot).view

    def draw(self, plot: Plot, figures: PlotFigures, theme: Theme, *, logarithmic: bool) -> None:
        """Draw a plot."""
        if plot is Plot.TIME:
            self.time.draw(figures.times, theme)
        elif plot is Plot.COURSE:
            self.course.draw(figures.course, figures.position, theme, logarithmic=logarithmic)
        elif figures.bins is not None:
            self.sizes.draw(figures.bins, figures.pinned_size, theme, logarithmic=logarithmic)

    def move_to(self, position: int) -> None:
        """Show which step is on display."""
        if Plot.COURSE in self._made:
            self.course.move_to(position)

    def save(self, plot: Plot, path: Path) -> None:
        """Write a plot as a picture.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        self._figure(plot).save(path)

    def close(self) -> None:
        """Let go of all plots."""
        for figure in self._made.values():
            figure.close()

    def _figure(self, plot: Plot) -> Figure:
        figures: dict[Plot, Callable[[], Figure]] = {
            Plot.TIME: lambda: self.time,
            Plot.COURSE: lambda: self.course,
            Plot.SIZES: lambda: self.sizes,
        }
        return figures[plot]()

    def _keep(self, plot: Plot, figure: _Figure) -> _Figure:
        self._made[plot] = figure
        return figure

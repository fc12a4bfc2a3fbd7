"""All plots of the panel; importing this loads pyqtgraph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Generic, TypeVar

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from ccl_viewer.session.plots.plots import Plot, PlotFigures
from ccl_viewer.views.looks.theme import Theme
from ccl_viewer.views.plots.figures import CourseFigure, SizesFigure, TimeFigure
from ccl_viewer.views.plots.parts import Figure

_Figure_co = TypeVar("_Figure_co", bound=Figure, covariant=True)


class _Lazy(Generic[_Figure_co]):
    """A plot that is made when it is asked for first."""

    def __init__(self, make: Callable[[], _Figure_co]) -> None:
        self._make = make
        self._made: _Figure_co | None = None

    @property
    def made(self) -> _Figure_co | None:
        """The plot, if it was made."""
        return self._made

    def get(self) -> _Figure_co:
        """Return the plot."""
        if self._made is None:
            self._made = self._make()
        return self._made


class PlotDeck:
    """The plots, of which one is drawn at a time; each is made when it is first looked at.

    Parameters
    ----------
    go_to : callable
        Called with the number of a step, from 0, that was chosen in a plot.
    """

    def __init__(self, go_to: Callable[[int], object]) -> None:
        self._time = _Lazy(TimeFigure)
        self._course = _Lazy(lambda: CourseFigure(go_to))
        self._sizes = _Lazy(SizesFigure)
        self._figures: Mapping[Plot, _Lazy[Figure]] = {
            Plot.TIME: self._time,
            Plot.COURSE: self._course,
            Plot.SIZES: self._sizes,
        }

    @property
    def time(self) -> TimeFigure:
        """The time of each stage."""
        return self._time.get()

    @property
    def course(self) -> CourseFigure:
        """What was counted after each step."""
        return self._course.get()

    @property
    def sizes(self) -> SizesFigure:
        """The sizes of the components."""
        return self._sizes.get()

    @property
    def views(self) -> tuple[QWidget, ...]:
        """The widgets of the plots that were made so far, in the order of their buttons."""
        return tuple(figure.view for figure in self._made)

    def view(self, plot: Plot) -> QWidget:
        """Return the widget of a plot, which is made when it is asked for first."""
        return self._figures[plot].get().view

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
        if self._course.made is not None:
            self._course.made.move_to(position)

    def picture(self, plot: Plot) -> QImage:
        """Return a plot as a picture."""
        return self._figures[plot].get().picture()

    def write_svg(self, plot: Plot, path: Path) -> None:
        """Write a plot as SVG.

        Raises
        ------
        InputError
            If the file cannot be written.
        """
        self._figures[plot].get().write_svg(path)

    def close(self) -> None:
        """Let go of all plots."""
        for figure in self._made:
            figure.close()

    @property
    def _made(self) -> list[Figure]:
        return [lazy.made for lazy in self._figures.values() if lazy.made is not None]

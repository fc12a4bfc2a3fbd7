"""The verdict: whether a run ended with a correct labelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ccl_viewer.errors import InputError, WrongLabelsError
from ccl_viewer.reference.forest import find_roots
from ccl_viewer.reference.labelling import Image, Labels, label_reference
from ccl_viewer.support.arrays import Indices, sum_up_to_each
from ccl_viewer.support.cancellation import Check, never_cancel
from ccl_viewer.support.units import counted

_SPARSE = 4  # values with a range of more than this many times the cells are sorted, not tabulated


@dataclass(frozen=True)
class Verdict:
    """Result of a comparison with the reference.

    Parameters
    ----------
    correct : bool
        Whether the labels partition the cells exactly as the reference does.
    expected, found : int
        Components of the reference and of the labels.
    wrong_cells : int
        Cells with a wrong label: foreground without a label, background with a label, cells that
        differ from the first labelled cell of their component, and cells with the label of an
        earlier component.
    first_wrong : tuple of int or None
        The first wrong cell in raster order, as (y, x).
    fault : str or None
        Why the labels could not be read, as a sentence; None if they could.
    """

    correct: bool
    expected: int
    found: int
    wrong_cells: int = 0
    first_wrong: tuple[int, int] | None = None
    fault: str | None = None

    @property
    def sentence(self) -> str:
        """The verdict in words, for the user."""
        return self.finding if self.correct else f"WRONG: {self.finding}"

    @property
    def finding(self) -> str:
        """The sentence without the word WRONG, for places that show it already."""
        if self.correct:
            return f"{counted(self.found, 'component')}, as the reference finds."
        if self.fault is not None:
            return self.fault
        position = ""
        if self.first_wrong is not None:
            y, x = self.first_wrong
            position = f", the first at x = {x}, y = {y}"
        wrong = f"{counted(self.wrong_cells, 'cell')} with a wrong label{position}."
        if self.found == self.expected:
            return wrong
        components = counted(self.found, "component")
        return f"{components} where the reference finds {self.expected:,}; {wrong}"

    @property
    def brief(self) -> str:
        """The verdict in a few words, for narrow places."""
        if self.correct:
            return self.sentence.rstrip(".")
        if self.fault is not None:
            return "WRONG: the labels cannot be read"
        if self.found == self.expected:
            return f"WRONG: {counted(self.wrong_cells, 'cell')} with a wrong label"
        return f"WRONG: {counted(self.found, 'component')}, not {self.expected:,}"


def number_classes(labels: npt.NDArray[Any], background: int = 0) -> Labels:
    """Return a labelling renumbered from 1, in raster order of each class's first cell.

    Parameters
    ----------
    labels : ndarray of integers, shape (height, width)
        Cells of equal value form a class; the values can be any.
    background : int
        The value of cells without a class.

    Returns
    -------
    ndarray of int32, shape (height, width)
        0 where `labels` is `background`, elsewhere 1 to the number of classes.
    """
    mask = labels != background
    values = labels[mask].astype(np.int64)
    numbered = np.zeros(labels.shape, np.int32)
    if values.size:
        numbered[mask] = _rank_by_first(values)
    return numbered


def number_trees(parents: Indices, image: Image) -> Labels:
    """Follow every cell's parent to its root and number the trees in raster order.

    Parameters
    ----------
    parents : ndarray of int64, shape (height, width)
        Linear index ``y * width + x`` of the cell that each cell points at; a root points at
        itself; -1 where a cell has no label; any other number is outside the grid.
    image : ndarray, shape (height, width)
        Non-zero is foreground. Background gets 0, independent of its parent.

    Returns
    -------
    ndarray of int32, shape (height, width)
        0 for background and for cells with a chain of parents that ends at a cell without a label;
        elsewhere 1 to the number of trees that foreground belongs to.

    Raises
    ------
    WrongLabelsError
        If a parent is outside the grid, or a chain of parents is a cycle.
    """
    roots = _find_roots(parents)
    roots[np.asarray(image) == 0] = -1
    return number_classes(roots, background=-1)


def compare(
    labels: npt.NDArray[Any], image: Image, connectivity: int, *, multivalued: bool = False
) -> Verdict:
    """Compare a finished labelling with the reference.

    Parameters
    ----------
    labels : ndarray of integers, shape (height, width)
        0 on background; cells of equal value form a component.
    image : ndarray, shape (height, width)
        Non-zero is foreground.
    connectivity : int
        4 or 8.
    multivalued : bool
        As for :func:`label_reference`.

    Returns
    -------
    Verdict
        Correct if the two partitions are equal; the values of the labels do not matter.

    Raises
    ------
    InputError
        As :func:`label_reference`, and if the shapes differ.
    """
    _check_same_shape(labels, image)
    expected, count = label_reference(image, connectivity, multivalued=multivalued)
    return _judge(number_classes(labels), expected, count)


def judge_parents(
    parents: Indices, expected: Labels, count: int, check: Check = never_cancel
) -> Verdict:
    """Compare finished labels, given as the cells that they point at, with the expected ones.

    Labels are every algorithm's output, so the labels themselves are compared: cells with different
    labels that lead to the same root are two components.

    Parameters
    ----------
    parents : ndarray of int64, shape (height, width)
        As for :func:`number_trees`.
    expected : ndarray of int32, shape (height, width)
        The labels that :func:`label_reference` returned for their image.
    count : int
        The number of components that it returned.
    check : callable
        Called between parts of the work; may raise to stop it.

    Returns
    -------
    Verdict
        Correct if all cells of a component have the same label, which names one of them, and
        background has none. Wrong, without an error, if parents leave the grid or form a cycle.

    Raises
    ------
    InputError
        If the shapes differ.
    """
    _check_same_shape(parents, expected)
    check()
    try:
        classes = _find_classes(parents, expected, check)
    except WrongLabelsError as error:
        return Verdict(correct=False, expected=count, found=0, fault=str(error))
    check()
    return _judge(classes, expected, count)


def find_wrong_cells(
    parents: Indices, expected: Labels, count: int, check: Check = never_cancel
) -> npt.NDArray[np.bool_]:
    """Return the cells that :func:`judge_parents` counts as wrong.

    Parameters
    ----------
    parents, expected, count, check
        As for :func:`judge_parents`.

    Returns
    -------
    ndarray of bool, shape (height, width)
        All False if the labels cannot be read.

    Raises
    ------
    InputError
        If the shapes differ.
    """
    _check_same_shape(parents, expected)
    check()
    try:
        classes = _find_classes(parents, expected, check)
    except WrongLabelsError:
        return np.zeros(expected.shape, np.bool_)
    check()
    return _find_wrong(classes, expected, count)


def _find_classes(parents: Indices, expected: Labels, check: Check) -> Labels:
    """Return the components of labels, numbered in raster order.

    A label may name a cell of another component, which only the trees show. Foreground whose labels
    end at a cell without one has none either; any label on background counts.
    """
    roots = _find_roots(parents)
    check()
    labels = np.where((roots < 0) & (expected != 0), -1, parents)
    classes = number_classes(labels, background=-1)
    check()
    if np.array_equal(classes, expected) and not np.array_equal(labels, roots):
        return number_classes(roots, background=-1)
    return classes


def _check_same_shape(labels: npt.NDArray[Any], image: Image) -> None:
    if labels.shape != np.shape(image):
        raise InputError(
            f"Labels of shape {labels.shape} do not belong to an image of shape {np.shape(image)}: "
            "give both the same shape."
        )


def _find_roots(parents: Indices) -> Indices:
    """Return the root of each cell, or -1."""
    if int(parents.max(initial=-1)) >= parents.size or int(parents.min(initial=-1)) < -1:
        raise WrongLabelsError(
            "A label points outside the grid: look for the kernel that stores it."
        )
    nowhere = parents < 0
    roots = find_roots(np.where(nowhere, np.arange(parents.size).reshape(parents.shape), parents))
    if int(roots.min(initial=0)) < 0:
        raise WrongLabelsError(
            "The labels form a cycle and reach no root: look for the kernel that closes it."
        )
    roots[nowhere.ravel()[roots]] = -1
    return roots


def _rank_by_first(values: Indices) -> Labels:
    """Return the values renumbered from 1, in order of first appearance."""
    low = int(values.min())
    span = int(values.max()) - low + 1
    if span > _SPARSE * values.size + 1024:
        values = np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)
        low, span = 0, int(values.max()) + 1
    keys = values - low
    first = np.full(span, keys.size, np.int64)
    np.minimum.at(first, keys, np.arange(keys.size, dtype=np.int64))
    first_of_cell = first[keys]
    is_first = first_of_cell == np.arange(keys.size)
    rank = sum_up_to_each(is_first, np.int32)
    return rank[first_of_cell]


def _judge(classes: Labels, expected: Labels, count: int) -> Verdict:
    """Compare two canonical labellings."""
    count_found = int(classes.max(initial=0))
    if np.array_equal(classes, expected):
        return Verdict(correct=True, expected=count, found=count_found)
    wrong = _find_wrong(classes, expected, count)
    y, x = np.unravel_index(int(wrong.argmax()), wrong.shape)
    return Verdict(
        correct=False,
        expected=count,
        found=count_found,
        wrong_cells=int(np.count_nonzero(wrong)),
        first_wrong=(int(y), int(x)),
    )


def _find_wrong(classes: Labels, expected: Labels, count: int) -> npt.NDArray[np.bool_]:
    """Return which cells of a canonical labelling are wrong."""
    # A missing component shifts all later numbers, so equal numbers are not the criterion: a cell
    # is right if it agrees with the first cell of its component and of its label's class.
    both = (classes != 0) & (expected != 0)
    classes_inside, expected_inside = classes[both], expected[both]
    class_of = _find_first_values(expected_inside, classes_inside, count)
    expected_of = _find_first_values(classes_inside, expected_inside, int(classes.max(initial=0)))
    wrong: npt.NDArray[np.bool_] = (classes != 0) != (expected != 0)
    wrong[both] = (class_of[expected_inside] != classes_inside) | (
        expected_of[classes_inside] != expected_inside
    )
    return wrong


def _find_first_values(labels: Labels, values: Labels, count: int) -> Labels:
    """Return the value at the first cell of each label from 0 to `count`; 0 if there is none."""
    first = np.full(count + 1, labels.size, np.int64)
    np.minimum.at(first, labels, np.arange(labels.size, dtype=np.int64))
    return np.append(values, np.int32(0))[first]

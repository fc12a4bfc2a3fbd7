"""Questions about a step of a recording, and their answers from the recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ccl_viewer.errors import InputError
from ccl_viewer.grids.shapes import Cell
from ccl_viewer.lessons.model import Answer, Question, QuestionKind
from ccl_viewer.recording import Recording, Step
from ccl_viewer.recording.metrics import find_hooked_roots
from ccl_viewer.reference import label_reference
from ccl_viewer.support.units import counted

_MAX_NAMED: Final = 3  # cells that an explanation names individually


@dataclass(frozen=True)
class Feedback:
    """The judgement of an answer.

    Parameters
    ----------
    right : bool
        Whether it is right.
    words : str
        One to three sentences: whether it is right, and why.
    """

    right: bool
    words: str


def prompt(question: Question) -> str:
    """Return a question's words: the author's, or the usual ones of its kind."""
    if question.prompt:
        return question.prompt
    match question.kind:
        case QuestionKind.NEXT_LABEL:
            return f"Which label will the cell at {_at(_cell(question))} hold after the next step?"
        case QuestionKind.MERGED_ROOTS:
            return "Which roots will stop being roots in the next step? Mark them all."
        case QuestionKind.ITERATIONS_LEFT:
            return "How many more iterations will the loop make?"
        case QuestionKind.ROOT:
            return f"Which cell is now the root of the cell at {_at(_cell(question))}? Mark it."
        case QuestionKind.COMPONENTS:
            return "How many components has this grid?"
        case QuestionKind.ROOTS_LEFT:
            return "How many roots will be left after the next step?"
        case QuestionKind.CHOICE:
            return "Which is right?"


def answer(
    question: Question,
    recording: Recording,
    step: int,
    filled: Callable[[str], str] = str,
) -> Answer:
    """Return the right answer to a question.

    Parameters
    ----------
    question : Question
        The question.
    recording : Recording
        A finished run.
    step : int
        The step on display, from 0, or from -1 backwards from the end.
    filled : callable
        Fills figures into the author's words.

    Returns
    -------
    Answer
        The cells or the number, and why.

    Raises
    ------
    InputError
        If there is no such step or cell, or no answer at this step: no next one, no loop, a cell
        without a label.
    """
    index = recording.step(step).index
    right = _ANSWERS[question.kind](question, recording, index)
    if question.kind is QuestionKind.CHOICE:
        reasons = tuple(map(filled, question.why))
        return replace(right, why=reasons[(question.right or 1) - 1], reasons=reasons)
    return replace(right, why=filled(question.why[0])) if question.why else right


def judge(
    question: Question, right: Answer, cells: tuple[Cell, ...] = (), number: int | None = None
) -> Feedback:
    """Judge an answer.

    The words about a wrong answer do not give the right one away, so that the class can try again.

    Parameters
    ----------
    question : Question
        The question.
    right : Answer
        What :func:`answer` returned.
    cells : tuple of (int, int)
        Columns and rows of the cells that were clicked, in any order.
    number : int or None
        The typed number, or the number of the choice, from 1.

    Returns
    -------
    Feedback
        Whether it is right, and the words for the class.
    """
    if question.kind.wants_cells:
        chosen, right_cells = set(cells), set(right.cells)
        if chosen == right_cells:
            return Feedback(right=True, words=right.why)
        return Feedback(
            right=False, words=f"{_explain_miss(chosen, right_cells)} {right.hint}".rstrip()
        )
    if number == right.number:
        return Feedback(right=True, words=answer_in_words(right))
    if number is None:
        return Feedback(right=False, words="No answer was given.")
    if right.reasons:
        return Feedback(right=False, words=right.reasons[number - 1])
    return Feedback(right=False, words=f"Not {number:,}. {right.hint}".rstrip())


def answer_in_words(right: Answer) -> str:
    """Return the right answer in words, with the reason."""
    if right.number is None:
        return right.why
    return right.why if right.reasons else f"It is {right.number:,}. {right.why}"


def _explain_miss(chosen: set[Cell], right_cells: set[Cell]) -> str:
    if len(right_cells) == 1:
        return "It is another cell."
    stray = len(chosen - right_cells)
    others = f", and {counted(stray, 'other cell')}" if stray else ""
    return f"{len(chosen & right_cells)} of {len(right_cells)} found{others}."


def _next_label(question: Question, recording: Recording, step: int) -> Answer:
    x, y = _foreground(question, recording)
    following = _next(recording, step)
    before = int(recording.labels(step)[y, x])
    after = int(recording.labels(step + 1)[y, x])
    if after == recording.layout.background:
        raise InputError(f"The cell at {_at((x, y))} has no label after the next step: ask later.")
    cell = f"The cell at {_at((x, y))}"
    if before == recording.layout.background:
        change, hint = f"{cell} gets its first label, {after:,}.", f"{cell} has no label yet."
    else:
        hint = f"{cell} holds {before:,} now."
        change = f"{cell} goes from {before:,} to {after:,}."
    if before == after:
        change = f"{cell} keeps its label, {after:,}."
    elif before != recording.layout.background:
        # A first label comes from a root, and the nearest cell that holds it may be another.
        change += _source(recording, step, (x, y), after)
    return Answer((), after, f"{change} {following.caption}", hint=hint)


def _source(recording: Recording, step: int, cell: Cell, label: int) -> str:
    """Return a sentence that names the nearest cell that held a label before."""
    ys, xs = np.nonzero(recording.labels(step) == label)
    if not xs.size:
        return ""
    dx, dy = np.abs(xs - cell[0]), np.abs(ys - cell[1])
    nearest = int(np.lexsort((dx + dy, np.maximum(dx, dy)))[0])
    return f" {label:,} was in the cell at {_at((int(xs[nearest]), int(ys[nearest])))}."


def _ask_merged(question: Question, recording: Recording, step: int) -> Answer:
    del question
    following = _next(recording, step)
    merged = find_hooked_roots(recording, step + 1)
    width = recording.image.shape[1]
    cells = tuple((int(address % width), int(address // width)) for address in merged)
    if not cells:
        return Answer((), None, f"No root is joined to another tree: {_left(following)}.")
    verb = "is" if len(cells) == 1 else "are"
    why = f"{counted(len(cells), 'root')} {verb} joined to another tree: {_left(following)}."
    labels = recording.labels(step + 1)
    if len(cells) <= _MAX_NAMED:
        sentences = (
            f"The cell at {_at((x, y))} now holds {int(labels[y, x]):,}." for x, y in cells
        )
        why = " ".join((why, *sentences))
    hint = "A root holds its own address. Look for roots beside a tree with a smaller one."
    return Answer(cells, None, f"{why} {following.caption}", hint=hint)


def _iterations_left(question: Question, recording: Recording, step: int) -> Answer:
    del question
    if not recording.iterations:
        raise InputError("This algorithm has no loop whose iterations could be counted.")
    past = max((other.iteration or 0 for other in recording.steps[: step + 1]), default=0)
    left = recording.iterations - past
    last = "The last one changes nothing: that is how the loop knows that it is done."
    total = f"{counted(recording.iterations, 'iteration')} in all, {past:,} so far."
    hint = f"{counted(past, 'iteration')} so far. How far has each label still to go?"
    return Answer((), left, f"{total} {last}" if _is_confirmed(recording) else total, hint=hint)


def _root(question: Question, recording: Recording, step: int) -> Answer:
    x, y = _foreground(question, recording)
    width = recording.image.shape[1]
    root = int(recording.roots(step)[y, x])
    if root < 0:
        raise InputError(f"The cell at {_at((x, y))} leads to no root at this step: ask later.")
    parents = recording.parents(step).ravel()
    address, links = y * width + x, 0
    while parents[address] != address:
        address, links = int(parents[address]), links + 1
    cell = (root % width, root // width)
    subject, label = f"The cell at {_at((x, y))}", int(recording.labels(step)[y, x])
    hint = f"{subject} holds {label:,}. Go to the cell with this address, and on from its label."
    if not links:
        why = f"{subject} holds its own address, {label:,}: it is a root itself."
        return Answer((cell,), None, why, hint=hint)
    trail = "and that is the root" if links == 1 else f"and {links:,} labels lead to the root"
    end = f"the cell at {_at(cell)}, which holds its own address"
    why = f"{subject} holds {label:,}, {trail}: {end}."
    return Answer((cell,), None, why, hint=hint)


def _components(question: Question, recording: Recording, step: int) -> Answer:
    del question, step
    _, count = recording.component_numbers()
    other = 4 if recording.connectivity == 8 else 8
    _, otherwise = label_reference(recording.image, other, multivalued=recording.multivalued)
    touch = "at sides and corners" if recording.connectivity == 8 else "at a side"
    why = f"Cells connect {touch} here."
    if otherwise != count:
        counted_too = "If corners counted too" if other == 8 else "If only sides counted"
        why += f" {counted_too}, it would be {otherwise:,}."
    return Answer((), count, why, hint=f"Cells connect {touch} here.")


def _roots_left(question: Question, recording: Recording, step: int) -> Answer:
    del question
    following = _next(recording, step)
    before, after = recording.step(step).roots, following.roots
    lost = find_hooked_roots(recording, step + 1).size
    new = after - (before - lost)
    changes = [f"{lost:,} {'is' if lost == 1 else 'are'} joined to another tree"] if lost else []
    changes += [f"{new:,} {'comes' if new == 1 else 'come'} up"] if new else []
    happens = " and ".join(changes) or "none is joined to another tree"
    return Answer(
        (),
        after,
        f"There are {before:,} now, and {happens}. {following.caption}",
        hint=f"There are {before:,} now. Which of them touch a tree with a smaller root?",
    )


def _choice(question: Question, recording: Recording, step: int) -> Answer:
    del recording, step
    return Answer((), question.right, "")


_ANSWERS: dict[QuestionKind, Callable[[Question, Recording, int], Answer]] = {
    QuestionKind.NEXT_LABEL: _next_label,
    QuestionKind.MERGED_ROOTS: _ask_merged,
    QuestionKind.ITERATIONS_LEFT: _iterations_left,
    QuestionKind.ROOT: _root,
    QuestionKind.COMPONENTS: _components,
    QuestionKind.ROOTS_LEFT: _roots_left,
    QuestionKind.CHOICE: _choice,
}


def _next(recording: Recording, step: int) -> Step:
    if step + 1 >= len(recording):
        raise InputError(
            f"Step {step + 1} of {len(recording)} is the last one: there is no next step, "
            "choose another."
        )
    return recording.step(step + 1)


def _cell(question: Question) -> Cell:
    if question.cell is None:
        raise InputError(f"The question {question.kind} needs a cell: say which.")
    return question.cell


def _foreground(question: Question, recording: Recording) -> Cell:
    x, y = _cell(question)
    height, width = recording.image.shape
    if not (0 <= x < width and 0 <= y < height):
        raise InputError(f"There is no cell at {_at((x, y))} in a grid of {width} x {height}.")
    if not recording.image[y, x]:
        raise InputError(f"The cell at {_at((x, y))} is background: ask about a foreground cell.")
    return x, y


def _is_confirmed(recording: Recording) -> bool:
    """Return whether the last iteration changed no label."""
    last = [step for step in recording.steps if step.iteration == recording.iterations]
    return bool(last) and not any(step.changed for step in last)


def _at(cell: Cell) -> str:
    return f"x = {cell[0]}, y = {cell[1]}"


def _left(step: Step) -> str:
    return f"{counted(step.roots, 'root')} {'is' if step.roots == 1 else 'are'} left"

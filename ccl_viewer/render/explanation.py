"""Says in words what a step changed and why, from the facts alone."""

from __future__ import annotations

from ccl_viewer.counted import counted
from ccl_viewer.render.facts import Facts


def explain(facts: Facts) -> str:
    """Return one to three short sentences with a step's own numbers.

    Parameters
    ----------
    facts : Facts
        What the step did.
    """
    if facts.components == 0 and not facts.changed and not facts.roots:
        return "The grid has no foreground, so there is nothing to label."
    sentences = [f"{_labels(facts)}; {_roots(facts)}{_shape(facts)}."]
    if facts.wrong is not None:
        sentences.append(_wrong(facts))
    return " ".join(sentences)


def explain_briefly(changed: int, roots: int) -> str:
    """Return what can be said of a step whose facts are not counted yet.

    Parameters
    ----------
    changed : int
        Cells whose label changed.
    roots : int
        Roots that are left.
    """
    labels = f"{counted(changed, 'cell')} took another label" if changed else "No label changed"
    return f"{labels}; {_left(roots)}."


def explain_atomics(atomics: int | None) -> str:
    """Return a sentence on the atomic operations of a step; none if it had none, or none counted.

    Parameters
    ----------
    atomics : int or None
        Calls of atomic functions.
    """
    return f"Its threads made {counted(atomics, 'atomic operation')}." if atomics else ""


def _labels(facts: Facts) -> str:
    if not facts.changed:
        if not facts.layers:
            return "No label changed"
        (name, count), *others = facts.layers
        also = "".join(f" and {other} in {more:,}" for other, more in others)
        if len(others) > 1:
            also = ", and other arrays too"
        return f"No label changed, but {name} did in {counted(count, 'cell')}{also}"
    parts = []
    if facts.first:
        own = facts.made if not facts.roots_before else 0
        parts.append(f"{counted(facts.first, 'cell')} took {_their(facts.first)} first label")
        if own and own == facts.first:
            parts[-1] += ", its own" if own == 1 else ", each its own"
    for count, what in (
        (facts.smaller, "a smaller label"),
        (facts.larger, "a larger label"),
        (facts.lost, None),
    ):
        if count:
            verb = f"took {what}" if what else f"lost {_their(count)} label"
            parts.append(f"{counted(count, 'cell') if not parts else f'{count:,}'} {verb}")
    return _listed(parts)


def _roots(facts: Facts) -> str:
    if facts.hooked:
        others = "another" if facts.hooked == 1 else "others"
        verb = "was" if facts.hooked == 1 else "were"
        hooked = (
            f"{facts.hooked:,} of {counted(facts.roots_before, 'root')} {verb} hooked to {others}"
        )
        made = f", {facts.made:,} came up" if facts.made else ""
        return f"{hooked}{made}: {_left(facts.roots)}{_each(facts)}"
    if facts.made and facts.roots_before:
        return f"{counted(facts.made, 'root')} came up: there are {facts.roots:,}{_each(facts)}"
    if facts.made:
        verb = "is" if facts.roots == 1 else "are"
        return f"{counted(facts.roots, 'cell')} {verb} {_root(facts.roots)}{_each(facts)}"
    return _left(facts.roots)


def _root(count: int) -> str:
    return "a root" if count == 1 else "roots"


def _left(roots: int) -> str:
    if not roots:
        return "there is no root yet"
    return f"{counted(roots, 'root')} {'is' if roots == 1 else 'are'} left"


def _each(facts: Facts) -> str:
    # Of components that are still without a label, some may have no root, and others two.
    sure = not facts.unlabelled or facts.wrong == facts.waiting
    if facts.components != facts.roots or not facts.roots or not sure:
        return ""
    return ", for the one component" if facts.roots == 1 else ", one for each component"


def _shape(facts: Facts) -> str:
    """Whether the trees became flat, or ceased to be."""
    if facts.indirect_before and not facts.indirect:
        return ", and every label now names a root"
    if facts.indirect > facts.indirect_before:
        verb = "does" if facts.indirect == 1 else "do"
        return f", and {counted(facts.indirect, 'label')} {verb} not name a root"
    return ""


def _wrong(facts: Facts) -> str:
    if not facts.wrong:
        return _right(facts.unlabelled)
    if not facts.roots:
        return (
            f"{counted(facts.wrong, 'cell')} {'leads' if facts.wrong == 1 else 'lead'} to no root."
        )
    if facts.wrong == facts.waiting:
        return f"{_without(facts.waiting)} no label yet; no other is wrong."
    verb = "does not lead to its" if facts.wrong == 1 else "do not lead to their"
    said = f"{counted(facts.wrong, 'cell')} {verb} final root"
    if not facts.waiting:
        return f"{said}."
    return f"{said}, {facts.waiting:,} of them without a label."


def _right(unlabelled: int) -> str:
    if not unlabelled:
        return "Every cell leads to its final root."
    verb = "has" if unlabelled == 1 else "have"
    return f"Every cell with a label leads to its final root; {unlabelled:,} {verb} none."


def _without(count: int) -> str:
    return f"{counted(count, 'cell')} {'has' if count == 1 else 'have'}"


def _their(count: int) -> str:
    return "its" if count == 1 else "their"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"

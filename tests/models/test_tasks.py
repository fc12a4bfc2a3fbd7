"""The task queue, transactions of models, and messages."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pytestqt.exceptions import capture_exceptions
from support.models import HeldExecutor, InlineExecutor

from ccl_viewer.errors import (
    CancelledError,
    CCLViewerError,
    InputError,
    InternalError,
    OutOfMemoryError,
)
from ccl_viewer.grids.specs import is_pattern
from ccl_viewer.window.core.messages import MessageAction, MessageKind, Messages
from ccl_viewer.window.core.tasks import FRONT, RUN, BackgroundTask, TaskQueue, ignore


@pytest.fixture
def executor() -> HeldExecutor:
    return HeldExecutor()


@pytest.fixture
def tasks(executor: HeldExecutor) -> TaskQueue:
    return TaskQueue(lambda act: act(), executor)


def test_the_newest_of_a_group_counts(tasks: TaskQueue, executor: HeldExecutor) -> None:
    found: list[object] = []
    tasks.start("One", lambda _task: 1, found.append, found.append)
    tasks.start("Two", lambda _task: 2, found.append, found.append)
    tasks.start("Other", lambda _task: 3, found.append, group="other")
    executor.work()
    assert found == [2, 3]
    assert tasks.current is None


def test_a_cancelled_task_says_so_and_a_stopped_one_does_not(
    tasks: TaskQueue, executor: HeldExecutor
) -> None:
    found: list[object] = []
    tasks.start("Front", lambda _task: 1, found.append, found.append)
    tasks.cancel()
    assert tasks.current is not None
    assert tasks.current.detail == "Stopping"
    tasks.start("Other", lambda _task: 2, found.append, found.append, group="other")
    tasks.abandon("other")
    executor.work()
    assert [type(entry) for entry in found] == [CancelledError]


def test_what_fails_is_told_as_an_error_of_ours() -> None:
    tasks = TaskQueue(lambda act: act(), InlineExecutor())
    found: list[CCLViewerError] = []

    def wrong_input(_task: BackgroundTask) -> None:
        raise InputError("No such grid.")

    tasks.start("Opening", wrong_input, print, found.append)
    tasks.start("Dividing", lambda _task: 1 // 0, print, found.append)
    tasks.start("Filling", lambda _task: bytes(1 << 60), print, found.append)
    assert [type(error) for error in found] == [InputError, InternalError, OutOfMemoryError]


def test_an_error_that_nobody_takes_is_shown_with_the_title_of_its_task() -> None:
    shown: list[tuple[str, str]] = []
    tasks = TaskQueue(
        lambda act: act(),
        InlineExecutor(),
        lambda title, error: shown.append((title, str(error))),
    )

    def wrong(_: object) -> None:
        raise InputError("No such grid.")

    tasks.start("Opening", wrong, print)
    tasks.start("Editing", lambda _task: 1, wrong)
    tasks.start("Looking ahead", wrong, print, ignore)
    assert shown == [("Opening", "No such grid."), ("Editing", "No such grid.")]


def test_a_run_is_current_where_nothing_else_is(tasks: TaskQueue) -> None:
    run = tasks.start("Running", lambda _task: 1, print, group=RUN)
    assert tasks.current is run
    front = tasks.start("Opening", lambda _task: 1, print)
    assert tasks.current is front
    tasks.abandon(FRONT)
    assert tasks.current is run
    tasks.cancel()
    assert run.token.cancelled


def test_progress_is_announced(tasks: TaskQueue, executor: HeldExecutor) -> None:
    seen: list[float | None] = []

    def on_changed() -> None:
        seen.append(None if tasks.current is None else tasks.current.fraction)

    tasks.changed.connect(on_changed)
    tasks.start("Counting", lambda task: task.report("Half", 0.5), lambda _result: None)
    executor.work()
    assert seen == [None, 0.5, None]


def test_work_is_done_although_a_follower_or_its_end_fails(executor: HeldExecutor) -> None:
    posted: list[Callable[[], None]] = []
    tasks, done = TaskQueue(posted.append, executor), list[object]()

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    tasks.current_changed.connect(fail)
    with capture_exceptions() as errors:
        tasks.start("One", lambda _task: 1, done.append)
        executor.work()
        posted.pop()()
    assert done == [1]
    assert {kind for kind, _, _ in errors} == {ZeroDivisionError}
    tasks.current_changed.disconnect(fail)
    ended: list[object] = []
    tasks.current_changed.connect(lambda: ended.append(tasks.current))
    tasks.start("Two", fail, done.append, fail)
    executor.work()
    with pytest.raises(ZeroDivisionError):
        posted.pop()()
    assert ended[-1] is None


@pytest.mark.parametrize(
    ("fault", "part"),
    [
        (lambda: is_pattern(None), "grids"),  # type: ignore[arg-type]
        (lambda: Messages().tell(None), "messages"),  # type: ignore[arg-type]
    ],
)
def test_an_unexpected_error_names_the_part_of_the_program(
    fault: Callable[[], object], part: str
) -> None:
    messages = Messages()
    try:
        fault()
    except (AttributeError, TypeError) as error:
        messages.show_error("Opening", error)
    assert messages.message is not None
    assert f"mistake in {part} (" in messages.message.text


def test_messages_say_what_failed_and_what_helps_to_report_it() -> None:
    messages = Messages()
    messages.facts = lambda: {"Grid": "noise"}
    action = MessageAction("Run again", print)
    messages.show_error("Running HA4", ZeroDivisionError("by zero"), action)
    message = messages.message
    assert message is not None
    assert (message.kind, message.action) == (MessageKind.ERROR, action)
    assert "please report" in message.text
    assert "Running HA4" in message.details
    assert "Grid: noise" in message.details
    messages.show_error("Saving", CancelledError())
    message = messages.message
    assert message is not None
    assert (message.kind, message.text) == (MessageKind.INFO, "Saving: stopped.")
    messages.dismiss()
    assert messages.message is None


def test_what_waits_for_a_group_begins_when_it_is_idle(executor: HeldExecutor) -> None:
    posted: list[Callable[[], None]] = []
    tasks, begun, done = TaskQueue(posted.append, executor), list[str](), list[int]()

    def go_on() -> None:
        while posted:
            posted.pop(0)()

    tasks.call_when_idle("other", lambda: begun.append("at once"))
    go_on()
    assert begun == ["at once"]
    tasks.start("One", lambda _task: 1, done.append, group="other")
    tasks.call_when_idle("other", lambda: begun.append("dropped"))
    tasks.call_when_idle("other", lambda: begun.append("later"))
    tasks.start("Two", lambda _task: 2, done.append, group="other")  # in the place of the first
    go_on()
    assert begun == ["at once"]
    assert not tasks.idle
    executor.work()
    go_on()
    assert begun == ["at once", "later"]
    assert tasks.idle


def test_followers_that_take_long_are_told_less_often(
    monkeypatch: pytest.MonkeyPatch, executor: HeldExecutor
) -> None:
    now, told = [100.0], list[float]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    tasks = TaskQueue(lambda act: act(), executor)

    def progressed() -> None:
        told.append(now[0])
        now[0] += 1

    def work(task: BackgroundTask) -> None:
        for _ in range(8):
            task.report()
            now[0] += 0.5

    tasks.start("Slow to show", work, lambda _: None, progressed=progressed)
    executor.work()
    assert told == [100.0, 103.0]

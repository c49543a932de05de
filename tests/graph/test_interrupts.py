"""Ctrl-C is held back, and never lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from trustuqa_neo4j.graph.interrupts import defer_interrupts


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """As in a process that a terminal started; this one may run behind `&`."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def ctrl_c() -> None:
    signal.raise_signal(signal.SIGINT)


def test_it_comes_at_the_end() -> None:
    done: list[str] = []

    def work() -> None:
        with defer_interrupts():
            ctrl_c()
            done.append("inside")
        done.append("behind")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["inside"]


def test_it_comes_where_it_may() -> None:
    done: list[str] = []

    def work() -> None:
        with defer_interrupts() as guard:
            guard.raise_pending()
            ctrl_c()
            done.append("before")
            guard.raise_pending()
            done.append("after")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["before"]


def test_a_second_one_comes_at_once() -> None:
    done: list[str] = []

    def work() -> None:
        with defer_interrupts():
            ctrl_c()
            done.append("before")
            ctrl_c()
            done.append("after")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["before"]


def test_without_one_nothing_happens() -> None:
    with defer_interrupts() as guard:
        guard.raise_pending()


def test_an_error_inside_comes_out() -> None:
    def work() -> None:
        with defer_interrupts():
            ctrl_c()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()


def test_who_ignores_it_goes_on_ignoring_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with defer_interrupts() as guard:
        ctrl_c()
        guard.raise_pending()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_other_threads_are_left_alone() -> None:
    found: list[object] = []

    def inside() -> None:
        with defer_interrupts() as guard:
            guard.raise_pending()
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join(300)
    assert found == [signal.default_int_handler]

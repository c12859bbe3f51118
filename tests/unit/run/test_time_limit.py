from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

import pytest

from conformance.run.process import MOST_TIMES, ProcessUse, TimeLimit

TICK_S = 0.05
LIMIT_S = 10.0


def use(share: float, *, is_runnable: bool = True) -> Callable[[], ProcessUse]:
    """The use of a worker that gets a share of a core, read every quarter of a second."""
    reads = count()
    return lambda: ProcessUse(cpu_s=next(reads) * 0.25 * share, is_runnable=is_runnable)


def steady() -> Iterator[float]:
    return (number * TICK_S for number in count(1))


def over_at(times: Iterator[float], cpu_use: Callable[[], ProcessUse | None]) -> float:
    """The time at which the limit is over."""
    limit = TimeLimit(LIMIT_S, 0.0, cpu_use)
    return next(now_s for now_s in times if limit.is_over_at(now_s))


@pytest.mark.parametrize(
    "cpu_use",
    [lambda: None, use(0.0, is_runnable=False), use(1.0), use(3.0)],
    ids=["not told", "sleeps", "burns a core", "burns three cores"],
)
def test_who_sleeps_or_burns_cpu_time_gets_no_more_than_the_limit(cpu_use: Callable[[], ProcessUse | None]) -> None:
    assert over_at(steady(), cpu_use) == pytest.approx(LIMIT_S, abs=0.1)


def test_who_gets_a_fifth_of_a_core_gets_five_times_the_limit() -> None:
    assert over_at(steady(), use(0.2)) == pytest.approx(5 * LIMIT_S, rel=0.05)


def test_who_gets_no_cpu_time_is_not_waited_for_without_end() -> None:
    assert over_at(steady(), use(0.0)) == pytest.approx(MOST_TIMES * LIMIT_S, abs=0.1)


def test_the_limit_stands_still_while_the_engine_does() -> None:
    paused = (now_s if now_s < 5 else now_s + 1000 for now_s in steady())
    assert over_at(paused, lambda: None) == pytest.approx(1000 + LIMIT_S, abs=0.3)


def test_a_child_that_ends_takes_no_time_from_its_parent() -> None:
    reads = iter([5.0, 0.0, *(number * 0.25 for number in range(1000))])
    assert over_at(steady(), lambda: ProcessUse(cpu_s=next(reads), is_runnable=True)) == pytest.approx(LIMIT_S, abs=0.7)

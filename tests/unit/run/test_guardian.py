from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from time import sleep

import pytest

from conformance.run import ending


def test_threads_that_need_the_guardian_at_once_get_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow() -> object:
        sleep(0.05)
        return object()

    monkeypatch.setattr(ending, "_first", cache(slow))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: ending.guardian(), range(8)))
    assert len(found) == 1

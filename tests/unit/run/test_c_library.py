from __future__ import annotations

import pytest

from conformance.run.arena import kept_blocks


def test_freed_blocks_are_kept_in_addition_to_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    assert kept_blocks() == {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=2000"}
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=1")
    assert kept_blocks() == {"GLIBC_TUNABLES": "glibc.malloc.arena_max=1:glibc.malloc.tcache_count=2000"}


def test_a_number_of_blocks_in_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")
    assert kept_blocks() == {}

from __future__ import annotations

import pytest

from conformance.run.environments import listed_release, names_several, releases_named
from conformance.tensors.errors import UsageError

LISTED = ["1.9.2", "1.20.0", "1.20.1", "1.23.2", "1.24.1", "1.24.4", "1.31.1"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("1.24.4..", ["1.24.4", "1.31.1"]),
        ("1.24..", ["1.24.1", "1.24.4", "1.31.1"]),
        ("..1.20", ["1.9.2", "1.20.0", "1.20.1"]),
        ("..1.20.0", ["1.9.2", "1.20.0"]),
        ("1.20.1..1.24", ["1.20.1", "1.23.2", "1.24.1", "1.24.4"]),
        ("1.24..1.24", ["1.24.1", "1.24.4"]),
        ("..", LISTED),
        ("newest:2", ["1.24.4", "1.31.1"]),
        ("newest:99", LISTED),
    ],
)
def test_a_range_has_both_its_ends_and_all_of_a_series(text: str, named: list[str]) -> None:
    assert names_several(text)
    assert releases_named(text, LISTED, "target") == tuple(named)


@pytest.mark.parametrize("text", ["newest", "newest:0", "1.20...1.24", "1.20..x", ">=1.20.."])
def test_what_is_no_range_names_the_forms(text: str) -> None:
    with pytest.raises(UsageError, match=r"names no releases\n.*1.20..1.24 or newest:5"):
        releases_named(text, LISTED, "target")


def test_a_range_without_a_release_says_which_there_are() -> None:
    with pytest.raises(UsageError, match=r"no listed release is within 1.10..1.12\n.*there are 1.9.2 to 1.31.1"):
        releases_named("1.10..1.12", LISTED, "target")


def test_one_release_is_itself() -> None:
    assert not names_several("1.24.4")
    assert listed_release("1.24.4", LISTED, "target") == "1.24.4"


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("1.24", "write 1.24.4, or 1.24..1.24 for all of 1.24"),
        ("1.31.2", "did you mean '1.31.1'?"),
        ("7", "there are 1.9.2 to 1.31.1"),
    ],
)
def test_a_release_that_is_not_listed_has_a_remedy(text: str, fix: str) -> None:
    with pytest.raises(UsageError, match="not installed") as raised:
        listed_release(text, LISTED, "target")
    assert raised.value.fix == fix

from __future__ import annotations

import pytest

from conformance.compat.data import CompatCell
from conformance.compat.statements import Statement, sentence, statements

COUNTS = {"y": "0/2/2", "p": "0/1/2", "w": "1/2/2", "c": "2/2/2", "n": "0/0/2", "x": "0/0/2", "u": "0/0/2"}


def cells(letters: str) -> dict[str, CompatCell | None]:
    """Releases 1.0, 1.1 and so on, one for each letter; - has no answer."""
    return {
        f"1.{number}": None if letter == "-" else CompatCell.of(f"{letter} {COUNTS[letter]}")
        for number, letter in enumerate(letters)
    }


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("yyy", [Statement("≤1.0")]),
        ("-yy", [Statement("≤1.1")]),
        ("nyy", [Statement("1.1")]),
        ("xyy", [Statement("1.1")]),
        ("ynn", [Statement("≤1.0", "1.1")]),
        ("nyny", [Statement("1.3"), Statement("1.1", "1.2")]),
        ("y-y", [Statement("≤1.0")]),
        ("yuy", [Statement("≤1.0")]),
        ("nyp", [Statement("1.1", partial_implementation=True, notes=("p 1.2",))]),
        ("wwyywy", [Statement("≤1.0", partial_implementation=True, notes=("w 1.0 to 1.1", "w 1.4"))]),
        ("cw", [Statement("≤1.0", partial_implementation=True, notes=("c 1.0", "w 1.1"))]),
        ("nn", []),
        ("--", []),
        ("", []),
    ],
)
def test_statements_follow_from_the_letters(letters: str, expected: list[Statement]) -> None:
    assert statements(cells(letters)) == expected


@pytest.mark.parametrize(
    ("letters", "says"),
    [
        ("nyy", "since 1.1; 1.2 conforms"),
        ("nywwy", "since 1.1 (w 1.2 to 1.3); 1.4 conforms"),
        ("yyw", "since ≤1.0 (w 1.2); 1.2 gives wrong results at worst: 1 of 2 checks deviate"),
        ("yn", "since ≤1.0, not from 1.1 on; 1.1 does not support it"),
        ("nx", "in no release; 1.1 cannot be asked"),
        ("yy-", "since ≤1.0; 1.1 conforms"),
        ("--", "no answers"),
    ],
)
def test_one_sentence_says_all(letters: str, says: str) -> None:
    assert sentence(cells(letters)) == says

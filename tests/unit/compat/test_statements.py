from __future__ import annotations

from dataclasses import replace

import pytest
from compat_states import SPLIT, split, state

from conformance.compat.data import CompatCell
from conformance.compat.statements import Statement, absence, described, refusal, sentence, statements

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
        ("nyy", "since 1.1; 1.2 conforms: 2 checks"),
        ("nywwy", "since 1.1 (w 1.2 to 1.3); 1.4 conforms: 2 checks"),
        ("yyw", "since ≤1.0 (w 1.2); 1.2 gives wrong results at worst: 1 of 2 checks deviate"),
        ("yn", "since ≤1.0, not from 1.1 on; 1.1 does not support it: none of 2 checks was judged"),
        ("nx", "in no release; 1.1 cannot be asked: none of 2 checks was judged"),
        ("yy-", "since ≤1.0; 1.1 conforms: 2 checks"),
        ("--", "not asked"),
    ],
)
def test_one_sentence_says_all(letters: str, says: str) -> None:
    assert sentence(cells(letters)) == says


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("y 0/1/1", "conforms: 1 check"),
        ("p 0/7/12", "supports a part, and what it supports conforms: 7 checks, 5 more were not judged"),
        ("w 1/1/2", "gives wrong results at worst: 1 of 1 check deviates, 1 more was not judged"),
        ("x 0/0/1", "cannot be asked: none of 1 check was judged"),
    ],
)
def test_a_cell_says_what_was_not_judged(cell: str, says: str) -> None:
    assert described(CompatCell.of(cell)) == says


def test_a_cell_says_what_a_script_shows_and_no_check_asked() -> None:
    shown = replace(CompatCell.of("w 0/7/12"), findings=2)
    beside = "0 of 7 checks deviate, 5 more were not judged, 2 recorded faults shown by scripts"
    assert described(shown) == f"gives wrong results at worst: {beside}"
    alone = CompatCell("w", 0, 0, 0, findings=1)
    assert described(alone) == "gives wrong results at worst: no check asks for it, 1 recorded fault shown by a script"


def test_a_type_that_a_version_does_not_list_is_told_with_the_versions_that_do() -> None:
    data = state(operators={SPLIT: split(), "onnx.Split-18": split(listed={"input": ["int4"], "split": ["int64"]})})
    assert absence(data, SPLIT, "int8") == absence(data, SPLIT, "split=int64") == ""
    assert absence(data, SPLIT, "int4") == "not in this version, but in 18"
    assert absence(data, SPLIT, "split=int32") == "neither in this version nor in another"


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("y 0/2/2", "1.1 refuses 2 of 2 checks with it"),
        ("a 1/1/1", "1.1 refuses 0 of 1 check with it"),
        ("x 0/0/1", "whether 1.1 refuses it could not be judged"),
    ],
)
def test_whether_a_type_is_refused_is_told_of_the_newest_release(cell: str, says: str) -> None:
    assert refusal({"1.0": CompatCell.of("y 0/9/9"), "1.1": CompatCell.of(cell)}) == says
    assert refusal({"1.0": None}) == "whether it is refused was not asked"

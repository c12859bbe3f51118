from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.spec.expression import DataInput, LawError, LawNames, Numbers, expression, names_in

DATA = DataInput((2, 3), 10)
INDICES = Numbers(np.array([[0, 2], [1, -1]]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 7 // 2 % 5", 4),
        ("-(1 - 3)", 2),
        ("[1, 2] + [3]", [1, 2, 3]),
        ("[4] * 3", [4, 4, 4]),
        ("l[0] + l[-1]", 12),
        ("l[1:]", [6, 7]),
        ("l[:1] + l[2:]", [5, 7]),
        ("[x * x for x in l if x != 6]", [25, 49]),
        ("[x + y for x in [1, 2] for_ in l]", ValueError),
        ("1 if 6 in l and not 5 not in l else 2", 1),
        ("0 if 9 in l or l[0] > 5 else 2", 2),
        ("rank(data)", 2),
        ("size(data) + size(l)", 9),
        ("data.shape[1]", 3),
        ("data[[1, 2]]", 15),
        ("data.flat[4]", 14),
        ("data.flat[row_major([1, 1], data.shape)]", 14),
        ("indices[[0, 1]]", 2),
        ("from_end(indices[[1, 1]], 3)", 2),
        ("clip(9, 0, 4) + clip(-9, 0, 4)", 4),
        ("index_of(7, l)", 2),
        ("cumsum(l)", [5, 11, 18]),
        ("product(l) - sum(l)", 192),
        ("part_of(6, [3, 6, 9])", 2),
        ("row_for([1, 2], [2, 3], indices)", 1),
        ("row_for([1, 1], [2, 3], indices)", -1),
        ("first_of(data[[5, 5]], -1)", -1),
        ("where(1 < 2, 3, 4)", 3),
        ("range(3) + range(5, 1, -2)", [0, 1, 2, 5, 3]),
        ("8 if given(absent) else 9", 9),
    ],
)
def test_an_expression_has_the_value_that_python_gives_it(text: str, value: Any) -> None:
    if value is ValueError:
        with pytest.raises(ValueError, match="is not an expression"):
            expression(text)
        return
    assert expression(text)(LawNames(l=[5, 6, 7], data=DATA, indices=INDICES)) == value


@pytest.mark.parametrize(("mode", "value"), [("wrap", 1), ("edge", 0), (None, 0)])
def test_a_word_is_compared_with_another(mode: str | None, value: int) -> None:
    assert expression('1 if mode == "wrap" else 0')(LawNames({} if mode is None else {"mode": mode})) == value


def test_the_condition_of_a_choice_keeps_the_other_branch_from_being_evaluated() -> None:
    assert expression("1 if given(data) else absent")(LawNames(data=DATA)) == 1


def test_a_list_of_one_entry_after_another_leaves_names_outside_alone() -> None:
    scope = LawNames(x=3)
    assert expression("[x for x in range(2)] + [x]")(scope) == [0, 1, 3]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "data.__class__",
        "().__class__",
        "'text'",
        "1.5",
        "lambda: 1",
        "open(1)",
        "2 ** 9",
        "{1: 2}",
        "f(*l)",
        "size(l=1)",
        "[x for x, y in l]",
        "[x for x in l for y in l]",
        "(x := 3)",
        "data.flat",
        "l[::2]",
        "1 < 2 < 3",
        "1 << 3",
    ],
)
def test_what_the_language_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not of the language of laws"):
        expression(text)


@pytest.mark.parametrize("text", ["", "1 +", "[" * 300 + "]" * 300, "1;2", "x = 3"])
def test_a_text_that_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an expression"):
        expression(text)


def test_a_long_text_is_refused() -> None:
    with pytest.raises(ValueError, match="1000 are allowed"):
        expression("1 + " * 400 + "1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[1] * 1000000000", "too many steps"),
        ("[[[0 for x in range(9999)] for y in range(9999)] for z in range(9999)]", "too many steps"),
        ("range(1000000000)", "a list of 1000000000 numbers"),
        ("product([9999999999 for x in range(9999)])", "too large"),
        ("[sum(range(65536)) for x in range(60000)]", "too many steps"),
        ("[product(range(1, 65536)) for x in range(60000)]", "too large"),
        ("[x == range(65536) for x in [range(65536) for y in range(60000)]]", "too many steps"),
        ("[range(65536)[1:] for x in range(60000)]", "too many steps"),
        ("[row_for([0], [1 * 4611686018427387904], indices)]", "too many steps"),
        ("range(65536)[[[x] for x in range(65536)]] + range(65536)[[range(65536)]]", "too many steps"),
        ("absent", "absent is not given"),
        ("l.shape", "is not a tensor"),
        ("row_for([0, 0], [2, 2], indices)", "an index is beyond its dim"),
        ("mode * 999999999999", "mode is a word"),
        ("data[[1]]", "1 indices for data with 2 dims"),
        ("indices[[5, 0]]", "out of bounds"),
    ],
)
def test_what_cannot_be_computed_ends_in_one_message(text: str, says: str) -> None:
    with pytest.raises(LawError, match=says):
        expression(text)(LawNames(l=[5], data=DATA, indices=INDICES, mode="edge"))


def test_names_are_those_that_come_from_outside() -> None:
    assert names_in("[x + n for x in range(size(l)) if given(axis)]") == {"n", "l", "axis"}

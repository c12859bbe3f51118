"""A find becomes plain, and its cause still shows."""

from __future__ import annotations

from collections.abc import Callable

from bundled import bundled_operators

from conformance.protocol.form import Form
from conformance.run.fuzz_calls import MadeCheck, made_check, plainest_first, shrunk

TRANSPOSE = bundled_operators()["onnx.Transpose-13"]
FEATURES = {"dtype": "uint16", "rank": "4", "dims": "long", "values": "distinct", "perm": "any"}


def found() -> MadeCheck:
    made = made_check(TRANSPOSE, FEATURES, 3, Form.STRIDED)
    assert made is not None
    return made


def shrunk_while(shows: Callable[[MadeCheck], bool]) -> MadeCheck:
    return shrunk(found(), shows)


def test_a_fault_of_every_call_ends_at_the_plainest_one() -> None:
    plain = shrunk_while(lambda _: True)
    assert plain.form is Form.CONSTANT
    assert plain.features == {
        "dtype": "float32",
        "rank": "1",
        "dims": "unequal",
        "values": "distinct",
        "perm": "left out",
    }
    assert plain.size == 2


def test_what_the_fault_needs_stays() -> None:
    plain = shrunk_while(lambda made: made.features["dtype"] == "uint16" and int(made.features["rank"]) > 2)
    assert (plain.features["dtype"], plain.features["rank"], plain.features["dims"]) == ("uint16", "3", "unequal")


def test_a_fault_of_a_form_keeps_it() -> None:
    assert shrunk_while(lambda made: made.form is Form.STRIDED).form is Form.STRIDED


def test_a_fault_of_large_data_stays_as_small_as_it_can() -> None:
    plain = shrunk_while(lambda made: made.size > 30)
    assert 30 < plain.size < found().size


def test_a_fault_that_never_shows_again_is_left_as_it_came() -> None:
    assert shrunk_while(lambda _: False) == found()


def test_the_same_find_shrinks_to_the_same_call() -> None:
    assert shrunk_while(lambda made: made.size > 30) == shrunk_while(lambda made: made.size > 30)


def test_few_checks_are_asked() -> None:
    asked: list[MadeCheck] = []

    def shows(made: MadeCheck) -> bool:
        asked.append(made)
        return False

    shrunk_while(shows)
    assert len(asked) <= 80


def test_an_argument_that_is_left_out_is_plainest() -> None:
    assert plainest_first("axis", ("left out", "first", "last"))[0] == "left out"
    assert plainest_first("dtype", ("bool", "int32", "float32"))[0] == "float32"
    assert plainest_first("Tind", ("int32", "int64"))[0] == "int64"

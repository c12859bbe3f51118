from __future__ import annotations

from dataclasses import replace

import pytest
from split_cases import SPLIT_2

from conformance.suite.coverage_tables import Exclusion, ExclusionEntry, Labels, exclusions_of
from conformance.suite.yaml_file import SchemaError

KNOWN = {"rank": ("1", "2"), "last": ("true", "false"), "dtype": ("float32", "int8")}

SPLIT = replace(SPLIT_2, constraints={"T": ("float32", "int8", "int16")})


def read(when: dict[str, Labels], versions: str = ">=0") -> tuple[tuple[Exclusion, ...], list[SchemaError]]:
    problems: list[SchemaError] = []
    entry = ExclusionEntry(when=when, because="it makes no sense", versions=versions)
    return exclusions_of([entry], KNOWN, SPLIT, problems), problems


def test_labels_are_numbers_words_and_those_of_a_type_constraint() -> None:
    found, problems = read({"rank": [1, 2], "last": True, "dtype": "T"})
    when = {"rank": frozenset({"1", "2"}), "last": frozenset({"true"}), "dtype": frozenset({"float32", "int8"})}
    assert (found, problems) == ((Exclusion(when, "it makes no sense"),), [])


@pytest.mark.parametrize(
    ("when", "what", "fix"),
    [
        ({"rnak": 1}, "onnx.Split-2 has no 'rnak' here", "did you mean 'rank'?"),
        ({"rank": 3}, "'3' is none of the choices", "there are 1, 2"),
        ({"rank": []}, "names no choice, so it excludes nothing", "name one, or remove the entry"),
    ],
)
def test_what_excludes_nothing_is_a_problem_at_its_place(when: dict[str, Labels], what: str, fix: str) -> None:
    _, (problem,) = read(when)
    assert (problem.keys, problem.what, problem.fix) == (("except", 0, "when", *when), what, fix)


def test_an_entry_of_other_versions_excludes_nothing() -> None:
    assert read({"rank": 1}, ">2") == ((), [])

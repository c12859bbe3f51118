from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from split_cases import split_case

from conformance.case import Rejection, Value
from conformance.deviation import Deviation, Happens, deviation_of, matches, standing_verdict
from conformance.form import Form
from conformance.verdict import Verdict

ENTRY = Deviation(
    id="toy-1",
    cases=("openvino.VariadicSplit-1/a",),
    forms=(),
    versions=">=2.13",
    options={},
    verdicts=(Verdict.WRONG_RESULT,),
    what="the last part is dropped",
    why="it was never written",
    upstream="",
    since=date(2026, 11, 21),
    review=date(2027, 2, 1),
    reproducer="last.py",
)
CASE = split_case(Value(dtype="int8", shape=(6,)), [2, 4])
INVALID = replace(CASE, expectation=Rejection("split_lengths.sum"))


@pytest.mark.parametrize(
    ("case", "pattern", "is_match"),
    [
        ("onnx.Split-13/a", "onnx.Split-13/a", True),
        ("onnx.Split-13/a", "onnx.Split-1", False),
        ("onnx.Split-13/a", "*", True),
        ("onnx.Split-13/a", "onnx.Split-1?/a", True),
        ("onnx.Split-2/a", "onnx.Split-1?/a", False),
        ("onnx.Split-13/a[dtype=int8]", "onnx.Split-13/a", False),
        ("onnx.Split-13/a[dtype=int8]", "onnx.Split-13/a[dtype=int8]", True),
        ("onnx.Split-13/a[dtype=int8]", "onnx.Split-13/a[*]", True),
        ("onnx.Split-13/ad", "onnx.Split-13/a[dtype=int8]", False),
        ("onnx.Split-13/a[dtype=int8,cut=b]", "*[dtype=*,cut=b]", True),
        ("onnx.Split-13/a[!b]", "onnx.Split-13/a[!b]", True),
        ("onnx.Split-13/A", "onnx.Split-13/a", False),
    ],
)
def test_brackets_of_a_pattern_stand_for_themselves(case: str, pattern: str, is_match: bool) -> None:  # noqa: FBT001
    assert matches(case, pattern) is is_match


@pytest.mark.parametrize(
    ("version", "versions", "is_within"),
    [
        ("2.13.0", ">=2.13", True),
        ("2.13.0+cpu", ">=2.13", True),
        ("2.13.0+cpu", "==2.13.0", True),
        ("2.13.0+cpu", ">2.13.0", False),
        ("2.13.0+cpu", "<=2.13.0", True),
        ("2.13.1+cu128", ">=2.13,<2.14", True),
        ("2.14.0.dev20261121", ">=2.13", True),
        ("2.14.0rc1", ">=2.14", False),
        ("2.12.9", ">=2.13", False),
        ("2026.4.1-123-abc", ">=2026.4", False),
        ("unknown", ">=0", False),
        ("", ">=0", False),
    ],
)
def test_version_of_the_framework_is_compared_as_python_packages_are(
    version: str,
    versions: str,
    is_within: bool,  # noqa: FBT001
) -> None:
    assert replace(ENTRY, versions=versions).speaks_of(version, {}) is is_within


@pytest.mark.parametrize(
    ("wanted", "given", "speaks"),
    [
        ({}, {"mode": "eager"}, True),
        ({"mode": "eager"}, {"mode": "eager", "device": "cpu"}, True),
        ({"mode": "eager"}, {"mode": "compile"}, False),
        ({"mode": "eager"}, {}, False),
    ],
)
def test_options_that_are_named_must_hold(wanted: dict[str, str], given: dict[str, str], speaks: bool) -> None:  # noqa: FBT001
    assert replace(ENTRY, options=wanted).speaks_of("2.13.0", given) is speaks


@pytest.mark.parametrize(
    ("forms", "form", "is_covered"),
    [
        ((), Form.SECOND_CALL, True),
        ((Form.DYNAMIC, Form.RUNTIME), Form.RUNTIME, True),
        ((Form.DYNAMIC, Form.RUNTIME), Form.CONSTANT, False),
    ],
)
def test_no_forms_are_all_forms(forms: tuple[Form, ...], form: Form, is_covered: bool) -> None:  # noqa: FBT001
    assert replace(ENTRY, forms=forms).covers(CASE, form) is is_covered


@pytest.mark.parametrize(
    ("verdict", "of_valid", "of_invalid"),
    [
        (Verdict.WRONG_RESULT, True, False),
        (Verdict.REJECTED_VALID, True, False),
        (Verdict.ACCEPTED_INVALID, False, True),
        (Verdict.CRASHED, True, True),
        (Verdict.TIMED_OUT, True, True),
        (Verdict.UNSTABLE, True, True),
    ],
)
def test_pattern_speaks_only_of_cases_that_can_deviate_so(verdict: Verdict, of_valid: bool, of_invalid: bool) -> None:  # noqa: FBT001
    entry = replace(ENTRY, cases=("*",), verdicts=(verdict,))
    assert entry.covers(CASE, Form.CONSTANT) is of_valid
    assert entry.covers(INVALID, Form.CONSTANT) is of_invalid


@pytest.mark.parametrize(
    ("judged", "verdicts", "stands"),
    [
        (Verdict.WRONG_RESULT, (Verdict.WRONG_RESULT,), Verdict.KNOWN),
        (Verdict.CRASHED, (Verdict.WRONG_RESULT, Verdict.CRASHED), Verdict.KNOWN),
        (Verdict.PASS, (Verdict.WRONG_RESULT,), Verdict.FIXED),
        (Verdict.CRASHED, (Verdict.WRONG_RESULT,), Verdict.CRASHED),
        (Verdict.REJECTED_VALID, (Verdict.WRONG_RESULT,), Verdict.REJECTED_VALID),
        (Verdict.UNSUPPORTED, (Verdict.WRONG_RESULT,), Verdict.UNSUPPORTED),
        (Verdict.HARNESS_ERROR, (Verdict.WRONG_RESULT,), Verdict.HARNESS_ERROR),
    ],
)
def test_deviation_excuses_only_what_it_records(
    judged: Verdict, verdicts: tuple[Verdict, ...], stands: Verdict
) -> None:
    assert standing_verdict(judged, "", replace(ENTRY, verdicts=verdicts)) is stands


@pytest.mark.parametrize("judged", [Verdict.PASS, Verdict.WRONG_RESULT, Verdict.FOLLOWS])
def test_without_a_deviation_the_verdict_stands(judged: Verdict) -> None:
    assert standing_verdict(judged, "", None) is judged


def test_first_entry_that_covers_a_check_is_its_deviation() -> None:
    other, first, second = (
        replace(ENTRY, id="other", cases=("onnx.*",)),
        replace(ENTRY, id="first", cases=("openvino.*",)),
        replace(ENTRY, id="second"),
    )
    assert found([other, first, second], Verdict.WRONG_RESULT) is first
    assert found([other], Verdict.WRONG_RESULT) is None


def test_entry_that_records_what_happened_goes_before_others() -> None:
    refused = replace(ENTRY, id="refused", verdicts=(Verdict.REJECTED_VALID,))
    narrowed = replace(ENTRY, id="narrowed", causes=("element narrowed*",))
    entries = [refused, narrowed, ENTRY]
    assert found(entries, Verdict.WRONG_RESULT, "element narrowed to 32 bits") is narrowed
    assert found(entries, Verdict.WRONG_RESULT, "outputs swapped") is ENTRY
    assert found(entries, Verdict.REJECTED_VALID) is refused


def test_entry_that_happens_always_goes_before_one_that_happens_sometimes() -> None:
    sometimes = replace(ENTRY, id="sometimes", happens=Happens.SOMETIMES)
    assert found([sometimes, ENTRY], Verdict.PASS) is ENTRY


def test_a_pass_under_an_entry_that_happens_sometimes_is_a_pass() -> None:
    assert standing_verdict(Verdict.PASS, "", replace(ENTRY, happens=Happens.SOMETIMES)) is Verdict.PASS


def test_deviation_of_another_cause_is_not_excused() -> None:
    entry = replace(ENTRY, causes=("element narrowed*",))
    assert standing_verdict(Verdict.WRONG_RESULT, "outputs swapped", entry) is Verdict.WRONG_RESULT


def found(entries: list[Deviation], judged: Verdict, cause: str = "") -> Deviation | None:
    return deviation_of(entries, CASE, Form.CONSTANT, judged, cause)

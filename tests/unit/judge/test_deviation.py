from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from recorded import entry
from split_cases import split_case

from conformance.judge.deviation import (
    Circumstances,
    Conditions,
    Departure,
    Deviation,
    Happens,
    Memory,
    matches,
    resembling,
    standing,
)
from conformance.protocol.form import Form
from conformance.protocol.outcome import OUT_OF_MEMORY, Stage
from conformance.spec.case import Disputed, Interpretation, Rejection, Value
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import Tensor, outputs_digest

CASE = split_case(Value(dtype="int8", shape=(6,)), [2, 4])
INVALID = replace(CASE, expectation=Rejection("split_lengths.sum"))
HERE = Circumstances(
    version="2.13.0",
    options={"mode": "eager", "device": "cpu"},
    instruction_set="AVX512_CORE_BF16",
    devices=("CPU",),
    system="Linux",
)
FIRST, SECOND = Tensor("int8", (2,), b"\0\1"), Tensor("int8", (4,), b"\2\3\4\5")


def departure(verdict: Verdict, *outputs: Tensor, **facts: Any) -> Departure:
    return Departure(verdict=verdict, outputs=outputs_digest([outputs]) if outputs else "", **facts)


REVERSED = departure(Verdict.WRONG_RESULT, SECOND, FIRST)
REFUSED = departure(Verdict.REJECTED_VALID, message="no such type")


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
    assert Conditions(versions=versions).hold(Circumstances(version=version)) is is_within


@pytest.mark.parametrize(
    "conditions",
    [
        {},
        {"options": {"mode": "eager"}},
        {"isa": "<AVX512_CORE_FP16"},
        {"device": "CPU"},
        {"system": "Linux"},
    ],
)
def test_conditions_that_are_met_hold(conditions: dict[str, Any]) -> None:
    assert Conditions(versions=">=2", **conditions).hold(HERE)


@pytest.mark.parametrize(
    "conditions",
    [
        {"options": {"mode": "compile"}},
        {"options": {"threads": "1"}},
        {"isa": "<AVX512_CORE"},
        {"device": "GPU"},
        {"system": "Windows"},
    ],
)
def test_one_condition_that_is_not_met_is_enough(conditions: dict[str, Any]) -> None:
    assert not Conditions(versions=">=2", **conditions).hold(HERE)


@pytest.mark.parametrize("level", ["", "AVX9"])
def test_instruction_set_that_is_not_known_is_in_no_range(level: str) -> None:
    assert not Conditions(versions=">=2", isa=">=SSE41").hold(replace(HERE, instruction_set=level))


@pytest.mark.parametrize(
    ("changes", "is_covered"),
    [
        ({}, True),
        ({"operators": ("openvino.VariadicSplit-1",)}, True),
        ({"operators": ("onnx.*",)}, False),
        ({"when": "rank(data) == 1"}, True),
        ({"when": "rank(data) == 2"}, False),
        ({"forms": (Form.DYNAMIC, Form.CONSTANT)}, True),
        ({"forms": (Form.DYNAMIC,)}, False),
    ],
)
def test_entry_covers_the_checks_that_it_names(changes: dict[str, Any], is_covered: bool) -> None:  # noqa: FBT001
    assert entry(**changes).covers(Check(CASE, Form.CONSTANT)) is is_covered


@pytest.mark.parametrize(
    ("verdict", "of_valid", "of_invalid"),
    [
        (Verdict.WRONG_RESULT, True, False),
        (Verdict.REJECTED_VALID, True, False),
        (Verdict.ACCEPTED_INVALID, False, True),
        (Verdict.COSTLY_REJECTION, False, True),
        (Verdict.CRASHED, True, True),
        (Verdict.TIMED_OUT, True, True),
        (Verdict.UNSTABLE, True, True),
    ],
)
def test_entry_speaks_only_of_cases_that_can_deviate_so(verdict: Verdict, of_valid: bool, of_invalid: bool) -> None:  # noqa: FBT001
    item = entry(verdicts=(verdict,), clauses=("split_lengths.sum", *CASE.clauses))
    assert item.covers(Check(CASE, Form.CONSTANT)) is of_valid
    assert item.covers(Check(INVALID, Form.CONSTANT)) is of_invalid


def test_acceptance_is_of_the_clause_that_is_named() -> None:
    item = entry(verdicts=(Verdict.ACCEPTED_INVALID,), clauses=("axis.range",))
    assert not item.covers(Check(INVALID, Form.CONSTANT))


def test_cost_of_a_refusal_is_covered_where_one_reading_demands_it() -> None:
    item = entry(verdicts=(Verdict.COSTLY_REJECTION,), clauses=("split_lengths.sum", *CASE.clauses))
    strict = Interpretation(name="strict", reason="", expectation=Rejection("split_lengths.sum"))
    case = replace(CASE, expectation=Disputed((strict,)))
    assert item.covers(Check(case, Form.CONSTANT))


def test_values_that_the_fault_does_not_change_are_not_covered() -> None:
    assert not entry(wrong_answers=("low 32 bits",)).covers(Check(CASE, Form.CONSTANT))


def test_wrong_values_are_excused_bit_for_bit() -> None:
    assert stands(entry(), REVERSED) is Verdict.KNOWN
    other = departure(Verdict.WRONG_RESULT, replace(SECOND, data=b"\2\3\4\7"), FIRST)
    assert stands(entry(), other) is Verdict.WRONG_RESULT


def test_right_values_of_another_inferred_shape_are_excused_by_an_entry_that_says_so() -> None:
    right = departure(Verdict.WRONG_RESULT, FIRST, SECOND, cause="inferred shape")
    item = entry(wrong_answers=("other shape inferred",))
    assert stands(item, right) is Verdict.KNOWN
    assert stands(item, replace(right, cause="input changed")) is Verdict.WRONG_RESULT
    assert stands(item, REVERSED) is Verdict.WRONG_RESULT
    assert stands(entry(), right) is Verdict.WRONG_RESULT


def test_any_wrong_values_are_excused_where_memory_of_others_is_read() -> None:
    item = entry(wrong_answers=(), memory=Memory.READS)
    assert stands(item, departure(Verdict.WRONG_RESULT, FIRST)) is Verdict.KNOWN


@pytest.mark.parametrize(
    ("death", "stage", "verdict"),
    [
        ("SIGSEGV", Stage.RUNNING, Verdict.KNOWN),
        ("SIGABRT", Stage.RUNNING, Verdict.CRASHED),
        ("SIGSEGV", Stage.PREPARING, Verdict.CRASHED),
        ("SIGSEGV", None, Verdict.CRASHED),
    ],
)
def test_crash_is_excused_by_signal_and_stage(death: str, stage: Stage | None, verdict: Verdict) -> None:
    item = entry(verdicts=(Verdict.CRASHED,), deaths=("SIGSEGV",), stages=(Stage.RUNNING,))
    assert stands(item, departure(Verdict.CRASHED, death=death, stage=stage)) is verdict


@pytest.mark.parametrize(
    ("message", "verdict"),
    [("line 3: no such type: int8", Verdict.KNOWN), ("out of memory", Verdict.REJECTED_VALID)],
)
def test_refusal_is_excused_by_what_the_framework_says(message: str, verdict: Verdict) -> None:
    item = entry(verdicts=(Verdict.REJECTED_VALID,), clauses=CASE.clauses, messages=("*no such type*",))
    assert stands(item, departure(Verdict.REJECTED_VALID, message=message)) is verdict


def test_refusal_is_excused_whatever_the_case_tests_if_the_entry_names_no_clause() -> None:
    item = entry(verdicts=(Verdict.REJECTED_VALID,), clauses=(), messages=("*no such type*",))
    assert stands(item, departure(Verdict.REJECTED_VALID, message="no such type")) is Verdict.KNOWN


@pytest.mark.parametrize("judged", [Verdict.UNSUPPORTED, Verdict.HARNESS_ERROR, Verdict.TIMED_OUT])
def test_entry_excuses_no_other_verdict(judged: Verdict) -> None:
    assert stands(entry(), departure(judged)) is judged


@pytest.mark.parametrize(
    ("recorded", "judged", "death", "is_known"),
    [
        (Verdict.COSTLY_REJECTION, Verdict.COSTLY_REJECTION, OUT_OF_MEMORY, True),
        (Verdict.COSTLY_REJECTION, Verdict.TIMED_OUT, "", True),
        (Verdict.COSTLY_REJECTION, Verdict.CRASHED, "SIGSEGV", False),
        (Verdict.ACCEPTED_INVALID, Verdict.COSTLY_REJECTION, OUT_OF_MEMORY, True),
        (Verdict.ACCEPTED_INVALID, Verdict.COSTLY_REJECTION, "", False),
        (Verdict.ACCEPTED_INVALID, Verdict.TIMED_OUT, "", False),
    ],
)
def test_what_has_no_bound_is_excused_by_the_limit_that_ends_it(
    recorded: Verdict,
    judged: Verdict,
    death: str,
    is_known: bool,  # noqa: FBT001
) -> None:
    item = entry(verdicts=(recorded,), clauses=("split_lengths.sum",))
    verdict, _ = standing([item], Check(INVALID, Form.CONSTANT), departure(judged, death=death))
    assert verdict is (Verdict.KNOWN if is_known else judged)


def test_recorded_deviation_that_does_not_happen_is_fixed() -> None:
    assert stands(entry(), departure(Verdict.PASS)) is Verdict.FIXED


def test_pass_under_an_entry_that_happens_sometimes_is_a_pass() -> None:
    item = entry(happens=Happens.SOMETIMES, memory=Memory.READS)
    assert stands(item, departure(Verdict.PASS)) is Verdict.PASS


@pytest.mark.parametrize("judged", [Verdict.PASS, Verdict.WRONG_RESULT, Verdict.FOLLOWS])
def test_without_a_deviation_the_verdict_stands(judged: Verdict) -> None:
    assert standing([], Check(CASE, Form.CONSTANT), departure(judged)) == (judged, None)


def test_first_entry_that_covers_a_check_is_its_deviation() -> None:
    other, first, second = entry(id="other", operators=("onnx.*",)), entry(id="first"), entry(id="second")
    assert found([other, first, second], REVERSED) is first
    assert found([other], REVERSED) is None


def test_entry_that_records_what_happened_goes_before_others() -> None:
    narrowed, turned = entry(id="narrowed", wrong_answers=("equal parts",)), entry(id="turned")
    assert found([narrowed, turned], REVERSED) is turned


def test_entry_that_happens_always_goes_before_one_that_happens_sometimes() -> None:
    always, sometimes = entry(id="always"), entry(id="sometimes", happens=Happens.SOMETIMES, memory=Memory.READS)
    assert found([sometimes, always], departure(Verdict.PASS)) is always


def test_entry_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def is_wrong_answer(*about: object) -> bool:
        compared.append(about)
        return True

    monkeypatch.setattr("conformance.judge.deviation.is_wrong_answer", is_wrong_answer)
    assert stands(entry(), REVERSED) is Verdict.KNOWN
    assert len(compared) == 1


def found(entries: list[Deviation], happened: Departure) -> Deviation | None:
    return standing(entries, Check(CASE, Form.CONSTANT), happened)[1]


def stands(item: Deviation, happened: Departure) -> Verdict:
    return standing([item], Check(CASE, Form.CONSTANT), happened)[0]


@pytest.mark.parametrize(
    ("changes", "happened", "is_alike"),
    [
        ({}, REVERSED, True),
        ({"operators": ("onnx.*",)}, REVERSED, False),
        ({"wrong_answers": (), "memory": Memory.READS}, REVERSED, False),
        ({}, departure(Verdict.WRONG_RESULT, FIRST), False),
        ({}, departure(Verdict.PASS, FIRST, SECOND), False),
        ({"verdicts": (Verdict.REJECTED_VALID,), "messages": ("no *",)}, REFUSED, True),
        ({"verdicts": (Verdict.REJECTED_VALID,), "messages": ("out of *",)}, REFUSED, False),
        ({"verdicts": (Verdict.ACCEPTED_INVALID,), "clauses": ("other",)}, departure(Verdict.ACCEPTED_INVALID), False),
        ({"verdicts": (Verdict.ACCEPTED_INVALID,), "clauses": CASE.clauses}, departure(Verdict.ACCEPTED_INVALID), True),
    ],
)
def test_a_check_that_no_entry_covers_looks_like_one_that_describes_it(
    changes: dict[str, Any],
    happened: Departure,
    is_alike: bool,  # noqa: FBT001
) -> None:
    item = entry(when="False", **changes)
    check = Check(CASE, Form.AS_IN_THE_MODEL)
    assert not item.covers(check)
    assert resembling([item], check, happened) == (item.id if is_alike else "")


def test_in_a_model_an_entry_holds_in_the_forms_like_it_and_a_pass_there_fixes_nothing() -> None:
    data, *others = (argument.name for argument in CASE.arguments if isinstance(argument.value, Value))
    known = Check(replace(CASE, in_model={data: (6,)}), Form.AS_IN_THE_MODEL)
    at_run_time = Check(replace(CASE, in_model={data: (6,), others[-1]: (2,)}), Form.AS_IN_THE_MODEL)
    item, passed = entry(forms=(Form.CONSTANT,)), departure(Verdict.PASS, FIRST, SECOND)
    assert standing([item], known, REVERSED) == (Verdict.KNOWN, item)
    assert standing([item], at_run_time, REVERSED) == (Verdict.WRONG_RESULT, None)
    assert standing([item], known, passed) == (Verdict.PASS, item)
    assert standing([entry()], known, passed)[0] is Verdict.FIXED

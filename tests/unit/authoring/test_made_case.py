"""A made call is written as a case that a reader of the file gets back."""

from __future__ import annotations

import pytest
from bundled import bundled_operators

from conformance.authoring.made_rows import made_case_file
from conformance.protocol.form import Form
from conformance.spec.case import Case, call_arguments
from conformance.spec.making.call import choices_of
from conformance.spec.making.clear_case import can_be_judged, clear_case
from conformance.spec.making.setting import Dice
from conformance.spec.operator import Operator

OPERATORS = [one for one in bundled_operators().values() if can_be_judged(one)]
NEWEST = {operator.family: operator for operator in OPERATORS}


def clear_cases(operator: Operator) -> list[Case]:
    choices = choices_of(operator)
    found = []
    for number in range(20000):
        dice = Dice("written", operator.id, number)
        case = clear_case(operator, {name: dice.one_of(known) for name, known in choices.items()}, number)
        found += [case] if case is not None else []
        if len(found) == 12:
            return found
    raise AssertionError("too few calls")


@pytest.mark.parametrize("family", NEWEST)
def test_the_case_has_the_arguments_of_the_call(family: str) -> None:
    made = clear_cases(NEWEST[family])
    _, read = made_case_file("a", [(case, f"made-{number}", Form.CONSTANT, "") for number, case in enumerate(made)])
    assert [(call_arguments(case), case.declared_outputs) for case in read] == [
        (call_arguments(case), case.declared_outputs) for case in made
    ]


def test_the_file_says_what_was_made() -> None:
    operator = NEWEST["onnx.Transpose"]
    features = {"dtype": "float32", "rank": "2", "dims": "unequal", "values": "special", "perm": "reversed"}
    case = clear_case(operator, features, 1)
    assert case is not None
    text, _ = made_case_file("What: it is", [(case, "made", Form.DYNAMIC, "a\nremark")])
    assert text == (
        'operator: onnx.Transpose\nabout: "What: it is"\ncases:\n'
        "  # a remark\n"
        "  - id: made\n"
        '    versions: "==25"\n'
        "    clauses: [outputs.values]\n"
        "    forms: [dynamic]\n"
        "    arguments:\n"
        '      data: {"dtype": "float32", "shape": [7, 6], "fill": "special"}\n'
        "      perm: [1, 0]\n"
        "    declared_outputs: 1\n"
        "    disputed:\n"
        "      payload-kept:\n"
        '        reason: "The operator only moves data, and sign and payload of a NaN are part of it."\n'
        "        outputs: law\n"
        "      payload-free:\n"
        '        reason: "The page does not mention bits, and IEEE 754 lets an operation change the '
        'payload of a NaN."\n'
        "        outputs: law\n"
        "        nan_payloads: any\n"
    )

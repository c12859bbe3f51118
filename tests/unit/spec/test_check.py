from __future__ import annotations

from dataclasses import replace

from split_cases import refused, variadic

from conformance.protocol.form import Form
from conformance.spec.check import Check, steps_of


def test_the_steps_of_a_check_are_those_of_its_form_and_are_derived_once() -> None:
    check = Check(variadic(), Form.SECOND_CALL)
    assert check.steps == steps_of(check.case, Form.SECOND_CALL)
    assert check.steps is check.steps


def test_a_check_is_its_case_and_form_whether_its_steps_were_derived_or_not() -> None:
    check, same = Check(variadic(), Form.CONSTANT), Check(variadic(), Form.CONSTANT)
    assert check.steps
    assert check == same
    assert check != Check(refused([9]), Form.CONSTANT)


def test_a_control_has_the_steps_of_its_check() -> None:
    check = Check(variadic(), Form.BEFORE_CONCAT)
    assert replace(check, is_control=True).steps == check.steps

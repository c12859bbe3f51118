"""Right backends that read what a page leaves open in their own way: no check of their versions may accuse them."""

from __future__ import annotations

import threading

import pytest
from classes_off import BACKEND
from faulty_kinds.variants import VARIANTS
from hunt import checks_in_order

from conformance.log.build_record import record_of
from conformance.run.session import Session
from conformance.spec.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.spec.case import Disputed, call_arguments
from conformance.spec.check import Check
from conformance.spec.reference import evaluate
from conformance.spec.verdict import Standing
from conformance.suite.adapter_file import TargetRequest, read_adapter

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", VARIANTS)
def test_nobody_is_accused_of_what_the_page_of_the_version_does_not_say(name: str) -> None:
    checks = [check for version in VARIANTS[name].versions for check in checks_in_order(version)]
    target = TargetRequest(adapter=read_adapter(BACKEND), options={"mutant": name})
    session = Session(target, 60.0, threading.Event())
    try:
        session.start()
        records = [record_of(check, name, outcome, ()) for check, outcome in session.answers(checks)]
    finally:
        session.kill()
    accused = [record.case for record in records if record.judged.meaning.standing is Standing.DEVIATING]
    assert accused == []


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_answers_a_disputed_call_of_each_of_its_versions_otherwise(name: str) -> None:
    for version in VARIANTS[name].versions:
        disputed = [check for check in checks_in_order(version) if isinstance(check.case.expectation, Disputed)]
        assert any(_differs(name, check) for check in disputed), version


def _differs(name: str, check: Check) -> bool:
    call = check.case.operator.id, call_arguments(check.case), check.case.declared_outputs
    answers: list[object] = []
    for evaluated in (evaluate, VARIANTS[name].around(evaluate)):
        try:
            answers.append(list(evaluated(*call)))
        except (BrokenClauseError, UncoveredCallError) as error:
            answers.append(type(error))
    return answers[0] != answers[1]

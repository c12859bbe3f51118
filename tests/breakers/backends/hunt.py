"""Asks each mutant the cases, through the real engine, until one exposes it; and ONNX's own node tests beside them."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest

from families import Family, Mutant, mutant_named
from onnx_node_tests import NodeTest, node_tests_of

from conformance.log.build_record import record_of
from conformance.protocol.form import Form
from conformance.protocol.outcome import Outcome
from conformance.run.selection import Selection, best_first, cases_of, checks_of_case, families_selected
from conformance.run.session import Session
from conformance.spec.check import Check
from conformance.spec.verdict import Standing, Verdict
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import Suite, bundled_folder, load_suite


@dataclass(frozen=True, slots=True, kw_only=True)
class Catch:
    """The check that exposed a mutant."""

    case: str
    form: Form
    verdict: Verdict
    cause: str

    def __str__(self) -> str:
        return f"{self.case} ({self.form.value}): {self.verdict.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunted:
    """What became of a mutant: what exposed it, and which node test of ONNX did; None where nothing did."""

    mutant: Mutant
    catch: Catch | None
    node_test: str | None


def hunted(names: Sequence[str], jobs: int) -> Iterator[Hunted]:
    """Each mutant hunted, in order, some at a time."""
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for name, (catch, node_test) in zip(names, pool.map(hunt, names), strict=True):
            yield Hunted(mutant=mutant_named(name), catch=catch, node_test=node_test)


def hunt(name: str) -> tuple[Catch | None, str | None]:
    """The first check, and the first node test, that expose a mutant."""
    mutant = mutant_named(name)
    return first_catch(mutant, checks_for(mutant)), failed_node_test(mutant) if mutant.concerns_onnx else None


def first_catch(mutant: Mutant, checks: Sequence[Check]) -> Catch | None:
    """The first check that a mutant does not pass, where it is asked them in this order."""
    for check, outcome in outcomes(mutant, checks):
        record = record_of(check, mutant.name, outcome, ())
        if record.judged.meaning.standing is Standing.DEVIATING or record.judged is Verdict.HARNESS_ERROR:
            cause = record.explanation if record.judged is Verdict.HARNESS_ERROR else record.cause
            return Catch(case=record.case, form=record.form, verdict=record.judged, cause=cause)
    return None


def outcomes(mutant: Mutant, checks: Sequence[Check]) -> Iterator[tuple[Check, Outcome]]:
    """What a mutant does with each check, in a process of its own."""
    request = TargetRequest(adapter=read_adapter(mutant.family.backend), options={"mutant": mutant.option})
    session = Session(request, mutant.limit_s, threading.Event())
    try:
        session.start()
        yield from session.answers(checks)
    finally:
        session.kill()


def checks_for(mutant: Mutant) -> list[Check]:
    """The checks of the operator versions that the fault concerns."""
    return [check for check in all_checks(mutant.family) if check.case.operator.id in mutant.versions]


@cache
def all_checks(family: Family) -> tuple[Check, ...]:
    """The default set of a family of operators, the best checks of every version first."""
    rows = zip_longest(*map(checks_in_order, family.versions))
    return tuple(check for row in rows for check in row if check is not None)


@cache
def checks_in_order(version: str) -> tuple[Check, ...]:
    """The default set of an operator version, best checks first."""
    selection = Selection(operators=(version,))
    families = families_selected(_suite(), selection)
    made = {
        (place, case.number, number): check
        for place, family in enumerate(families)
        for case in cases_of([family], selection)
        for number, check in enumerate(checks_of_case(case, selection))
    }
    order = best_first(dict(enumerate(families)), selection)
    return tuple(made[check.family, check.product, check.number] for check in order)


@cache
def node_tests(family: Family) -> tuple[NodeTest, ...]:
    """ONNX's own tests of the family's operator."""
    return node_tests_of(family, _suite().operators)


def failed_node_test(mutant: Mutant) -> str | None:
    """The first of ONNX's node tests that a mutant fails."""
    tests = node_tests(mutant.family)
    answers = outcomes(mutant, [test.check for test in tests])
    pairs = zip(tests, answers, strict=True)
    return next((test.name for test, (_, outcome) in pairs if not test.is_passed_by(outcome)), None)


@cache
def _suite() -> Suite:
    return load_suite(bundled_folder("cases"))

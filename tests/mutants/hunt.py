"""Asks each mutant the cases, through the real engine, until one exposes it; and ONNX's own node tests beside them."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import zip_longest
from pathlib import Path

from faulty_split.fault import Fault
from faulty_split.faults import fault_named
from onnx_node_tests import NodeTest, split_node_tests

from conformance.formats.adapter_file import TargetRequest, read_adapter
from conformance.formats.suite import Suite, bundled_folder, load_suite
from conformance.records.build_record import record_of
from conformance.selection.selection import Selection, checks_of, families_selected
from conformance.spec.check import Check
from conformance.spec.form import Form
from conformance.spec.outcome import Outcome
from conformance.spec.verdict import Standing, Verdict
from conformance.workers.session import Session

FOLDER = Path(__file__).parent / "faulty_split"
UNHURRIED_S = 60.0
_GOLDEN_RATIO = (5**0.5 - 1) / 2


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

    name: str
    catch: Catch | None
    node_test: str | None


def hunted(names: Sequence[str], jobs: int) -> Iterator[Hunted]:
    """Each mutant hunted, in order, some at a time."""
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(hunt, names)


def hunt(name: str) -> Hunted:
    """The first check, and the first node test, that expose a mutant."""
    fault = fault_named(name)
    catch = first_catch(name, checks_for(fault), fault.theme.limit_s)
    node_test = failed_node_test(name, fault.theme.limit_s) if fault.concerns_onnx else None
    return Hunted(name=name, catch=catch, node_test=node_test)


def first_catch(name: str, checks: Sequence[Check], limit_s: float = UNHURRIED_S) -> Catch | None:
    """The first check that a mutant does not pass, where it is asked them in this order."""
    for check, outcome in outcomes(name, checks, limit_s):
        record = record_of(check, name, outcome, ())
        if record.judged.meaning.standing is Standing.DEVIATING or record.judged is Verdict.HARNESS_ERROR:
            cause = record.explanation if record.judged is Verdict.HARNESS_ERROR else record.cause
            return Catch(case=record.case, form=record.form, verdict=record.judged, cause=cause)
    return None


def outcomes(name: str, checks: Sequence[Check], limit_s: float) -> Iterator[tuple[Check, Outcome]]:
    """What a mutant does with each check, in a process of its own."""
    request = TargetRequest(adapter=read_adapter(FOLDER), options={"mutant": name})
    session = Session(request, limit_s, threading.Event())
    try:
        session.start()
        yield from session.answers(checks)
    finally:
        session.kill()


OPERATORS = ("onnx.Split", "openvino.Split", "openvino.VariadicSplit")
"""What the faulty backend implements."""


def checks_for(fault: Fault) -> list[Check]:
    """The checks of the operators that the fault concerns; elsewhere a mutant is correct."""
    return [check for check in all_checks() if fnmatchcase(check.case.operator.id, fault.operators)]


@cache
def all_checks() -> tuple[Check, ...]:
    """All checks of the operators that the mutants know, a few of every family first: most are caught soon."""
    selection = Selection(operators=OPERATORS)
    families: dict[str, list[Check]] = {}
    for check in checks_of(families_selected(_suite(), selection), selection):
        families.setdefault(check.case.id.partition("[")[0], []).append(check)
    rows = zip_longest(*map(_spread, families.values()))
    return tuple(check for row in rows for check in row if check is not None)


def _spread(checks: Sequence[Check]) -> list[Check]:
    """Checks in an order of which any beginning is spread evenly over all; neighbours ask much the same."""
    return [checks[at] for at in sorted(range(len(checks)), key=lambda at: at * _GOLDEN_RATIO % 1)]


@cache
def node_tests() -> tuple[NodeTest, ...]:
    """ONNX's own tests of Split."""
    return split_node_tests(_suite().operators)


def failed_node_test(name: str, limit_s: float = UNHURRIED_S) -> str | None:
    """The first of ONNX's node tests that a mutant fails."""
    tests = node_tests()
    answers = outcomes(name, [test.check for test in tests], limit_s)
    pairs = zip(tests, answers, strict=True)
    return next((test.name for test, (_, outcome) in pairs if not test.is_passed_by(outcome)), None)


@cache
def _suite() -> Suite:
    return load_suite(bundled_folder("cases"))

"""`python tests/breakers/backends/classes_off.py`: faults made from each class of each kind of argument.

Each fault (`faulty_kinds/faults.py`) misunderstands one class, in every operator that takes the kind. The table has the
operator versions whose default set has a valid call of the class, those in which the set catches the fault, and those
in which it still does without the made calls that chose the class. Where a set does not catch a fault, the fault may
change nothing there: the dims of a Squeeze are the same in any order.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from faulty_kinds.faults import FAULTS, KindFault
from hunt import checks_in_order

from conformance.judge.judge import is_right
from conformance.log.build_record import record_of
from conformance.protocol.outcome import Outcome, Produced
from conformance.run.session import Session
from conformance.spec.case import Disputed, Rejection
from conformance.spec.check import Check
from conformance.spec.making.call import classes_of, classes_of_operator
from conformance.spec.operator import Operator
from conformance.spec.verdict import Standing
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import bundled_folder, load_suite
from conformance.tensors.tensor import outputs_digest

BACKEND = Path(__file__).parent / "faulty_kinds"
_ASKED_AT_ONCE = 8
_CHOICES = {
    "scalar": "0",
    "rank 1": "1",
    "rank above 8": "9",
    "rank above 1": "rank-2",
    "equal dims": "equal",
    "dims of 1": "of-1",
    "no elements": "without-elements",
    "an odd number": "odd",
    "special values": "special",
    "strings": "string",
}
"""The choice of a made call that asks for a class, where it has another name."""
_DATA = ("dtype", "rank", "dims", "values")
_INPUTS = ("number", "inputs")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python tests/breakers/backends/classes_off.py", description=__doc__)
    parser.add_argument("patterns", nargs="*", help="beginnings of names of faults (default: all)")
    parser.add_argument("--newest", action="store_true", help="only in the newest version of each operator")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time")
    chosen = parser.parse_args()
    names = [name for name in FAULTS if name.startswith(tuple(chosen.patterns) or "")]
    with ProcessPoolExecutor(chosen.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for name, found in zip(names, pool.map(partial(caught_in, is_newest=chosen.newest), names), strict=True):
            sys.stdout.write(line(FAULTS[name], found) + "\n")
            sys.stdout.flush()


def line(fault: KindFault, found: dict[str, tuple[bool, bool]]) -> str:
    """`axis: last, read as the first one: 58 versions, caught in 58, in 51 without the class`."""
    caught, without = (sum(row) for row in zip(*found.values(), strict=True)) if found else (0, 0)
    counts = f"{len(found):3} versions, caught in {caught:3}, in {without:3} without the class"
    missed = [version for version, (is_caught, _) in found.items() if not is_caught]
    left = f"; not in {', '.join(missed)}" if missed else ""
    return f"{fault.kind:12} {fault.class_name:24} {fault.says:36} {counts}{left}"


def caught_in(name: str, *, is_newest: bool) -> dict[str, tuple[bool, bool]]:
    """For each operator version that has the class of a fault: whether it is caught, with and without that class."""
    fault = FAULTS[name]
    with session_of(name) as session:
        return {
            version: (
                is_caught(session, name, checks),
                is_caught(session, name, [check for check in checks if not chose(check, fault)]),
            )
            for version, checks in _checks_with_class(fault, is_newest=is_newest)
        }


def versions_missed(name: str) -> list[str]:
    """The newest operator versions that have the class of a fault and do not catch it.

    Raises:
        LookupError: none has it.
    """
    with session_of(name) as session:
        every = {
            version: is_caught(session, name, of) for version, of in _checks_with_class(FAULTS[name], is_newest=True)
        }
    if not every:
        raise LookupError(name)
    return [version for version, found in every.items() if not found]


@contextmanager
def session_of(name: str) -> Iterator[Session]:
    """A session with the backend that has a fault."""
    session = Session(TargetRequest(adapter=read_adapter(BACKEND), options={"mutant": name}), 60.0, threading.Event())
    try:
        session.start()
        yield session
    finally:
        session.kill()


def _checks_with_class(fault: KindFault, *, is_newest: bool) -> Iterator[tuple[str, list[Check]]]:
    """The operator versions of the suite whose default set has calls of the class, with these."""
    newest = {operator.family: operator for operator in operators()}
    wanted = (fault.kind, fault.class_name)
    for operator in newest.values() if is_newest else operators():
        if wanted in classes_of_operator(operator):
            checks = [check for check, classes in checks_of(operator.id) if wanted in classes]
            if checks:
                yield operator.id, checks


@cache
def operators() -> Sequence[Operator]:
    """Every operator version of the suite."""
    return load_suite(bundled_folder("cases"), ()).operators


@cache
def checks_of(version: str) -> Sequence[tuple[Check, set[tuple[str, str]]]]:
    """The clear valid calls of the default set of an operator version, the best first, with their classes."""
    checks = [
        check for check in checks_in_order(version) if not isinstance(check.case.expectation, (Rejection, Disputed))
    ]
    classes = {case.id: classes_of(case) for case in {check.case.id: check.case for check in checks}.values()}
    return [(check, classes[check.case.id]) for check in checks]


def is_caught(session: Session, name: str, checks: Sequence[Check]) -> bool:
    """Whether one of the checks exposes the fault of a session."""
    for start in range(0, len(checks), _ASKED_AT_ONCE):
        answers = session.answers(checks[start : start + _ASKED_AT_ONCE])
        if any(_deviates(check, name, outcome) for check, outcome in list(answers)):
            return True
    return False


def _deviates(check: Check, name: str, outcome: Outcome) -> bool:
    """Whether an answer is a failure. The cause of wrong outputs is not searched, which takes seconds for much data."""
    is_valid = not isinstance(check.case.expectation, Rejection)
    if is_valid and isinstance(outcome, Produced) and not is_right(check, outputs_digest(outcome.runs)):
        return True
    return record_of(check, name, outcome, ()).judged.meaning.standing is Standing.DEVIATING


def chose(check: Check, fault: KindFault) -> bool:
    """Whether the call was made by choosing the class."""
    if "/made[" not in check.case.id:
        return False
    word = _CHOICES.get(fault.class_name, fault.class_name.replace(" ", "-"))
    choices = (choice.partition("=") for choice in check.case.id.partition("[")[2].rstrip("]").split(","))
    names = set(_names_of(check.case.operator, fault.kind))
    return any(name in names and chosen == word for name, _, chosen in choices)


def _names_of(operator: Operator, kind: str) -> Iterator[str]:
    """The columns of a table of made calls that belong to a kind."""
    if kind in ("data", "inputs"):
        yield from _DATA if kind == "data" else _INPUTS
    for parameter in operator.parameters:
        if parameter.kind is not None and parameter.kind.value == kind:
            yield parameter.name
            yield parameter.constraint or parameter.name


if __name__ == "__main__":
    main()

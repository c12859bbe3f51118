"""`conformance adapter new` and `adapter check`: the folder of a new adapter, and the first checks of one."""

from __future__ import annotations

import os
import re
import shlex
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice, product
from math import prod
from pathlib import Path
from time import monotonic, sleep

from conformance.authoring.lint import refuse_wrong_cases
from conformance.judge.deviation import Deviation, deviations_of
from conformance.log.build_record import record_of
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.protocol.outcome import Description
from conformance.run.ending import guardian
from conformance.run.run_plan import selected_checks
from conformance.run.selection import Selection, cases_of
from conformance.run.session import Session
from conformance.run.target_runner import TargetRunner
from conformance.spec.case import Case, ExpectedOutputs, MovedData, expected_outputs
from conformance.spec.check import Check, forms_of
from conformance.spec.choices import CaseSet
from conformance.spec.operator import Operator, is_named
from conformance.spec.verdict import Severity, Verdict
from conformance.suite.adapter_file import NAME_PATTERN, TargetRequest
from conformance.suite.suite import Suite
from conformance.tensors import machine as procfs
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import HarnessError, UsageError
from conformance.tensors.fill import Fill

# `conformance adapter new`: writes the folder of a new adapter, which runs at once, from `templates`.


class Language(Enum):
    """The language of a new adapter."""

    PYTHON = "python"
    """Python, importing this package."""
    PROTOCOL = "protocol"
    """A script that speaks the protocol and imports nothing of ours, as a model for any language."""


def write_adapter(name: str, language: Language, root: Path) -> list[Path]:
    """Write the folder `root/name`, and return its files.

    Raises:
        UsageError: the name is not valid, or already exists.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        what = "is not a name for an adapter"
        raise UsageError(f"name {name!r}", what, fix="start with a small letter; then small letters, digits, - and _")
    folder = root / name
    if folder.exists():
        raise UsageError(str(folder), "is there already, and stays as it is", fix="take another name or --output")
    folder.mkdir(parents=True)
    written = []
    for template in sorted((Path(__file__).parent / "templates" / language.value).iterdir()):
        path = folder / template.stem
        path.write_text(template.read_text(encoding="utf-8").replace("{{ name }}", name), encoding="utf-8")
        written.append(path)
    return written


def next_command(folder: Path) -> str:
    """The command for the first run of a new adapter, ready to paste."""
    path = str(folder) if folder.is_absolute() else f"./{folder.as_posix()}"
    return f"conformance adapter check {shlex.quote(path)}"


# `conformance adapter check`: runs the beginning of the default set on one adapter, and watches its processes. The
# checks are run and judged as in any run. What no check of a suite can show comes with them: special values of each
# type, calls that the adapter does not declare, and how its process starts and ends. `advice` says what of it the
# adapter's author should change.

_CHECKS, _CHECKS_OF_OLDER = 64, 8
"""Of each declared operator version: enough for each form, and with several operators for each type."""
_MOST_ELEMENTS, _MOST_PARTS = 1 << 12, 256
"""Of a check of the default set; the few with more are left out."""
_SMALL = 64
"""Most elements of the data of a call that is not of the default set."""
_FEW_PRODUCTS = 32
_IDENTITIES_FOR_EACH_TYPE = 2
_SOME_ELEMENTS = 6
_LEAST_NORMAL, _FIRST_NAN = 6, 14
"""Of the special values: six from the first on have the least and the greatest numbers, from the second on quiet and
signalling NaNs. Of integers, both have large ones.
"""
_GOING_S = 1.0
_LOOK_EACH_S = 0.05
_LOST_CALLS = 10
_LOST_S = 60.0
"""An adapter that survived no call gets so many calls, or calls for so long."""

OnProgress = Callable[[int, int], None]
"""Gets the number of checks that were answered, and of all checks."""


@dataclass(frozen=True, slots=True)
class AnsweredCheck:
    """A check and its record; `undeclared` is what the description lacks for it: the operator, or else the type."""

    check: Check
    record: CheckRecord
    undeclared: str = ""

    def __str__(self) -> str:
        """The case id and the form, by which a reader can run the check again."""
        return f"{self.check.case.id} ({self.check.form.value})"

    @property
    def operator(self) -> str:
        """The operator version."""
        return self.check.case.operator.id

    @property
    def dtype(self) -> str:
        """The type of the data; empty if the call has none."""
        return self.record.dtype

    @property
    def is_valid(self) -> bool:
        """Whether the case expects outputs."""
        return isinstance(self.check.case.expectation, ExpectedOutputs)

    @property
    def is_produced(self) -> bool:
        """Whether there are outputs."""
        return self.record.outcome == "produced"

    @property
    def not_supported(self) -> str | None:
        """The adapter's statement that it does not support the call; None if it made none."""
        is_left_out = self.record.verdict in (Verdict.UNSUPPORTED, Verdict.NOT_EXPRESSIBLE)
        return f"{self.record.verdict.value}, {self.record.message}" if is_left_out else None

    @property
    def refusal(self) -> str | None:
        """Why a call is refused, by the adapter or its framework; None if it is not."""
        return self.record.message if self.record.outcome == "rejected" else self.not_supported


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What an adapter answered and did.

    `description` is None if it did not start; `broken_off` says why it did not, or which rule of the protocol it broke.
    `ended_early` says why not all checks ran. `undeclared` are answers to calls that its description rules out.
    `start_s` are the seconds that the process took to start; `was_killed` is whether it did not end with its input.
    `left_behind` are processes that survived the end; always empty without /proc. `written` is the end of its standard
    error.
    """

    description: Description | None = None
    broken_off: str = ""
    ended_early: str = ""
    answers: tuple[AnsweredCheck, ...] = ()
    undeclared: tuple[AnsweredCheck, ...] = ()
    start_s: float = 0.0
    was_killed: bool = False
    left_behind: tuple[str, ...] = ()
    written: str = ""


def observed(
    request: TargetRequest, suite: Suite, limit_s: float, on_progress: OnProgress = lambda *_: None
) -> Observation:
    """Run the checks on an adapter; `limit_s` is the time limit of one check in seconds.

    Raises:
        ExceptionGroup: of `CaseFileError`: its deviations.yaml cannot be read, or cases of an operator that it declares
            are wrong.
    """
    deviations, before = deviations_of(request.adapter.folder, suite), _processes_of_workers()
    seen = _observed(request, suite, limit_s, deviations, on_progress)
    if seen.description is not None and not (seen.broken_off or seen.ended_early):
        seen = replace(seen, undeclared=tuple(undeclared_answers(request, suite, limit_s)))
    return replace(seen, left_behind=_left_behind(before))


def _observed(
    request: TargetRequest, suite: Suite, limit_s: float, deviations: Sequence[Deviation], on_progress: OnProgress
) -> Observation:
    runner = TargetRunner(request, deviations, limit_s, threading.Event())
    try:
        began = monotonic()
        if problem := runner.start().entry.problem:
            return Observation(broken_off=problem)
        start_s = monotonic() - began
        checks = declared_checks(suite, runner.description)
        answers, broken_off, ended_early = _answers(runner, checks, on_progress)
        was_killed = not (broken_off or ended_early) and not runner.end()
    finally:
        runner.kill()
    return Observation(
        description=runner.description,
        broken_off=broken_off,
        ended_early=ended_early,
        answers=tuple(answers),
        start_s=start_s,
        was_killed=was_killed,
        written=runner.stderr_tail(),
    )


def _answers(
    runner: TargetRunner, checks: Sequence[Check], on_progress: OnProgress
) -> tuple[list[AnsweredCheck], str, str]:
    """The answers, which rule of the protocol was broken, and why not all checks ran.

    They end early if the process survives no call.
    """
    answers, began, survived = list[AnsweredCheck](), monotonic(), False
    on_progress(0, len(checks))
    for check, record in zip(checks, runner.records(checks), strict=True):
        if record.verdict is Verdict.NOT_RUN:
            return [item for item in answers if item.record.explanation != record.explanation], record.explanation, ""
        answers.append(AnsweredCheck(check, record))
        on_progress(len(answers), len(checks))
        survived = survived or record.verdict.meaning.severity not in (Severity.CRASH, Severity.MEMORY)
        if not survived and (len(answers) >= _LOST_CALLS or monotonic() - began > _LOST_S):
            return answers, "", f"no call was survived, so {len(answers)} of {len(checks)} were made"
    return answers, "", ""


def declared_checks(suite: Suite, description: Description) -> list[Check]:
    """The beginning of the default set of each operator version that the adapter declares, in its types and forms, and
    a few checks of versions that have a newer declared one.

    Raises:
        ExceptionGroup: of `CaseFileError`: a case of these operators is wrong.
    """
    families = [family for family in suite.families if is_named(family.operator.id, description.operators)]
    refuse_wrong_cases(suite, families)
    forms = tuple(form for form in Form if form.value in description.forms)
    if not forms:
        return []
    selection = Selection(forms=forms, dtypes=tuple(description.dtypes or ()))
    newest = {one.family: one.id for one in sorted((f.operator for f in families), key=lambda one: one.version)}
    checks = list[Check]()
    for is_newest, count in ((True, _CHECKS), (False, _CHECKS_OF_OLDER)):
        own = [one for one in families if (one.operator.id in newest.values()) is is_newest]
        sample = count * len({family.operator.id for family in own})
        of_set = [family for family in own if family.set is CaseSet.DEFAULT]
        checks += selected_checks(of_set, replace(selection, sample=sample)) if own else ()
    identities = _identity_checks(suite, description, selection)
    return [*(check for check in checks if _is_quick(check.case)), *identities]


def _is_quick(case: Case) -> bool:
    """Whether an adapter that is written in a slow language answers within a second."""
    elements = sum(prod(value.shape) for value in case.data_inputs.values())
    return elements <= _MOST_ELEMENTS and max(case.declared_outputs, len(case.data_inputs)) <= _MOST_PARTS


def is_identity(case: Case) -> bool:
    """Whether the page requires the data itself as the only output."""
    if not isinstance(case.expectation, MovedData) or len(case.data_inputs) != 1 or case.data is None:
        return False
    return expected_outputs(case.expectation, case) == (case.data.tensor(),)


def _identity_checks(suite: Suite, description: Description, selection: Selection) -> Iterator[Check]:
    """Calls that return their data, of special values, for each type: with an operator's own calls alone, its fault
    could not be told from one of the way of the data.
    """
    counts: Counter[str] = Counter()
    for operator in _operators_about(suite.operators, description):
        types = [name for name in operator.data_dtypes if name in (selection.dtypes or DTYPES)]
        wanted = [name for name in types if counts[name] < _IDENTITIES_FOR_EACH_TYPE]
        if not wanted or not is_named(operator.id, description.operators):
            continue
        counts.update(wanted)
        found = (case for case in _small_cases(suite, operator, (), _SOME_ELEMENTS) if is_identity(case))
        for case, data in ((case, case.data) for case in islice(found, 1) if case.data is not None):
            forms = forms_of(replace(case, forms=selection.forms))[:1]
            for name, start in product(wanted, (_LEAST_NORMAL, _FIRST_NAN)):
                values = replace(data, dtype=name, data=None, fill=Fill.SPECIAL, start=start)
                of_type = replace(case.with_data(values), id=f"{case.id} of {name} from special value {start}")
                yield from (Check(of_type, form) for form in forms)


def undeclared_answers(request: TargetRequest, suite: Suite, limit_s: float) -> list[AnsweredCheck]:
    """What a fresh process answers to calls that its description rules out, until one ends it.

    Forms are not tried: an adapter that does not know one silently ignores what it adds, so an answer proves nothing.
    """
    session, found = Session(request, limit_s, threading.Event()), list[AnsweredCheck]()
    try:
        described = session.start()
        session.description = replace(described, operators=("*",), dtypes=tuple(DTYPES))
        calls = undeclared_checks(suite, described)
        outcomes = session.answers(check for check, _ in calls)
        for (_, name), (check, outcome) in zip(calls, outcomes, strict=True):
            found.append(AnsweredCheck(check, record_of(check, "", outcome, ()), name))
    except HarnessError:
        pass  # the checks of what is declared show faults of the worker
    finally:
        session.kill()
    return found


def undeclared_checks(suite: Suite, description: Description) -> list[tuple[Check, str]]:
    """A valid check of each undeclared type of a declared operator; one of an operator without a declared version.

    Each comes with what the description lacks: the operator, or else the type.
    """
    types, found = tuple(description.dtypes or ()), list[tuple[Check, str]]()
    for operator in _operators_about(suite.operators, description):
        if not is_named(operator.id, description.operators):
            found += ((check, operator.id) for check in islice(_small_checks(suite, operator, types), 1))
            continue
        for name in operator.data_dtypes:
            if types and name not in types:
                found += ((check, name) for check in islice(_small_checks(suite, operator, (name,)), 1))
    return found


def _small_checks(suite: Suite, operator: Operator, types: tuple[str, ...]) -> Iterator[Check]:
    for case in _small_cases(suite, operator, types):
        yield from (Check(case, form) for form in forms_of(replace(case, forms=(Form.CONSTANT,))))


def _small_cases(suite: Suite, operator: Operator, types: tuple[str, ...], least: int = 2) -> Iterator[Case]:
    """Valid cases with few elements, the first products of each family; written cases come before tables."""
    selection = Selection(dtypes=types, sets=(CaseSet.DEFAULT, CaseSet.FULL))
    own = [family for family in suite.families if family.operator.id == operator.id and family.set in selection.sets]
    for family in sorted(own, key=lambda family: family.entry.has_table):
        for case in islice(cases_of([family], selection), _FEW_PRODUCTS):
            data = case.data if isinstance(case.expectation, ExpectedOutputs) else None
            if data is not None and least <= prod(data.shape) <= _SMALL:
                yield case


def _operators_about(operators: Iterable[Operator], description: Description) -> Iterator[Operator]:
    """The declared versions of each operator; without any, the newest one."""
    by_name: dict[str, list[Operator]] = {}
    for operator in sorted(operators, key=lambda item: item.version):
        by_name.setdefault(operator.family, []).append(operator)
    for versions in by_name.values():
        yield from [item for item in versions if is_named(item.id, description.operators)] or versions[-1:]


def _processes_of_workers() -> set[int]:
    """Workers of this engine and what they started, which inherits the name of a folder; none without /proc."""
    return set(procfs.processes_with(os.fsencode(guardian().prefix)))


def _left_behind(before: set[int]) -> tuple[str, ...]:
    """The further processes that still exist, as `1234 python serve.py`; killed ones get _GOING_S seconds to end."""
    deadline = monotonic() + _GOING_S
    while (found := _processes_of_workers() - before) and monotonic() < deadline:
        sleep(_LOOK_EACH_S)
    return tuple(f"{number} {procfs.command_of(number)[:80]}" for number in sorted(found))

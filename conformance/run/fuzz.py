"""Asks a target for generated calls: the same generator as that of `conformance check`, with other seeds."""

from __future__ import annotations

import hashlib
import math
import re
import secrets
import shutil
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, TypeAdapter, ValidationError, ValidationInfo

from conformance import __version__
from conformance.authoring.made_rows import made_case_file
from conformance.judge.deviation import deviations_of
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.run.ending import heard_by, killed_when
from conformance.run.fuzz_calls import BudgetOverError, Draws, MadeCheck, made_check, operators_named, shrunk
from conformance.run.script_folder import write_reproducer
from conformance.run.session import StoppedError
from conformance.run.target_runner import TargetRunner
from conformance.spec.check import Check
from conformance.spec.operator import Operator
from conformance.spec.verdict import ExitCode, Standing, Verdict
from conformance.suite.adapter_file import TargetRequest
from conformance.suite.suite import Suite
from conformance.tensors.errors import HarnessError, UsageError
from conformance.tensors.files import content_of, written

# What was found: groups of one cause, `fuzz.json` from which the next command goes on, and the files of each find.

MOST_WITNESSES = 3
_MOST_GROUPS = 200
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FindCause:
    """What the finds of a group have in common.

    `operator` has no version, digits of `text` are masked, and `deviation` is the id of the recorded deviation that
    explains them, empty if none does.
    """

    operator: str
    verdict: Verdict
    text: str
    deviation: str = ""

    @property
    def can_be_shrunk(self) -> bool:
        """Whether tries can be compared: each try of a timeout takes the whole limit, and instability has no answer."""
        return not self.verdict.meaning.waits_for_limit and self.verdict is not Verdict.UNSTABLE

    @property
    def sentence(self) -> str:
        """Operator, verdict and cause on one line."""
        return f"{self.operator}: {self.verdict.value}: {self.text}"


def cause_of(check: Check, record: CheckRecord) -> FindCause | None:
    """The cause of a find; None if the check does not deviate."""
    is_known = record.verdict is Verdict.KNOWN
    if not is_known and record.verdict.meaning.standing is not Standing.DEVIATING:
        return None
    return FindCause(
        operator=check.case.operator.family,
        verdict=record.judged,
        text=_DIGITS.sub("#", record.cause),
        deviation=record.deviation if is_known else "",
    )


def _features_of(made: MadeCheck) -> dict[str, Any]:
    """What `fuzz.json` keeps of a check; the check can be made of it again."""
    features = dict(made.features)
    return {"operator": made.operator.id, "features": features, "seed": made.seed, "form": made.form.value}


def _made_again(saved: dict[str, Any], info: ValidationInfo) -> MadeCheck:
    """The check of its features; the context has the operators by their ids."""
    operators: Mapping[str, Operator] = info.context or {}
    try:
        made = made_check(operators[saved["operator"]], saved["features"], saved["seed"], Form(saved["form"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"a find cannot be made again: {error}") from None
    if made is None:
        raise ValueError(f"a find cannot be made again: {saved['operator']} with seed {saved['seed']}")
    return made


@dataclass(slots=True, kw_only=True)
class FuzzWitness:
    """A check that shows a cause, and what was said of it."""

    made: Annotated[MadeCheck, PlainSerializer(_features_of), PlainValidator(_made_again)]
    explanation: str
    is_shrunk: bool = False

    def is_like(self, other: FuzzWitness) -> bool:
        """Whether two witnesses have the same features."""
        one, two = self.made, other.made
        return (one.operator.id, one.form, one.features) == (two.operator.id, two.form, two.features)


@dataclass(slots=True, kw_only=True)
class Group:
    """The finds of one cause: how many, and a few witnesses. `taken` counts those that were taken, also if alike."""

    cause: FindCause
    count: int = 0
    taken: int = 0
    witnesses: list[FuzzWitness] = field(default_factory=list)

    def drop_alike(self) -> None:
        """Keep the first of the witnesses that became the same."""
        kept: list[FuzzWitness] = []
        for witness in self.witnesses:
            if not any(witness.is_like(other) for other in kept):
                kept.append(witness)
        self.witnesses = kept


STATE_FILE = "fuzz.json"
_MAX_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzSource:
    """What decides which checks come: the seed, the operators, the target, and the version of this project."""

    seed: str
    operators: tuple[str, ...]
    target: str
    version: str = __version__


@dataclass(slots=True, kw_only=True)
class _Started:
    source: FuzzSource


@dataclass(slots=True, kw_only=True)
class FuzzState(_Started):
    """The number of checks that are done, their verdicts, and the finds.

    `unjudged` says why the first check that was not judged has no verdict. `groups` are in the order in which their
    causes came; `num_beyond` counts finds of causes beyond the limit.
    """

    done: int = 0
    unjudged: str = ""
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    groups: list[Group] = field(default_factory=list)
    num_beyond: int = 0

    @property
    def new(self) -> list[Group]:
        """The groups that no recorded deviation explains."""
        return [group for group in self.groups if not group.cause.deviation]

    def add(self, cause: FindCause, made: MadeCheck, explanation: str) -> None:
        """Count a find in the group of its cause, and keep it if few came before it."""
        group = next((group for group in self.groups if group.cause == cause), None)
        if group is None:
            if len(self.groups) >= _MOST_GROUPS:
                self.num_beyond += 1
                return
            group = Group(cause=cause)
            self.groups.append(group)
        group.count += 1
        if group.taken < MOST_WITNESSES:
            group.taken += 1
            group.witnesses.append(FuzzWitness(made=made, explanation=explanation))

    def withdraw(self, group: Group, witness: FuzzWitness) -> None:
        """Take a find back that does not show when it runs alone: it becomes one of an unstable cause.

        A group without witnesses is gone.
        """
        group.count -= 1
        group.witnesses.remove(witness)
        if not group.witnesses:
            self.groups.remove(group)
        cause = group.cause
        unstable = replace(cause, verdict=Verdict.UNSTABLE, text=f"only once: {cause.verdict.value}: {cause.text}")
        self.add(unstable, witness.made, witness.explanation)


_STARTED, _STATE = TypeAdapter(_Started), TypeAdapter(FuzzState)


def save_state(state: FuzzState, folder: Path) -> None:
    """Write the state to a folder, in the place of an earlier one.

    Raises:
        UsageError: something else than a file stands there.
    """
    written(folder / STATE_FILE, _STATE.dump_json(state, indent=1))


def state_in(folder: Path, source: FuzzSource, operators: Sequence[Operator]) -> FuzzState:
    """The state in a folder, or a new one. A source without a seed takes that of the folder, or a new one.

    Raises:
        UsageError: the state is that of another source, or cannot be read.
    """
    path = folder / STATE_FILE
    if not path.exists():
        return FuzzState(source=replace(source, seed=source.seed or secrets.token_hex(4)))
    content = content_of(path, str(path), _MAX_BYTES)
    try:
        before = asdict(_STARTED.validate_json(content).source)
        for name, now in asdict(replace(source, seed=source.seed or before["seed"])).items():
            if before[name] != now:
                what = f"holds finds of another {name.removesuffix('s')}: {_shown(before[name])}, not {_shown(now)}"
                raise UsageError(str(folder), what, fix="name another folder with --into")
        return _STATE.validate_json(content, context={operator.id: operator for operator in operators})
    except ValidationError as error:
        what = f"is not a state of `conformance fuzz`: {error.errors()[0]['msg']}"
        raise UsageError(str(path), what, fix="name another folder with --into") from None


def _shown(value: str | tuple[str, ...]) -> str:
    return repr(value) if isinstance(value, str) else ", ".join(value) or "all"


_NAME_CHARACTERS = 60


def cases_folder_of(folder: Path) -> Path:
    """The folder of the cases, laid out as `cases/`."""
    return folder / "cases"


def write_find(group: Group, target: str, request: TargetRequest, folder: Path) -> tuple[Path, str]:
    """Write the witnesses of a group as cases, and a script that shows the first without this project.

    Returns the file of the cases, and the path of the script, or why there is none.

    Raises:
        ExceptionGroup: of `CaseFileError`: a case has problems, which is a fault of ours.
        UsageError: a link stands at the place of a file.
    """
    cause, name = group.cause, name_of(group.cause)
    text, cases = made_case_file(
        f"Found by `conformance fuzz` on {target}. {cause.verdict.value}: {cause.text}",
        [
            (item.made.case, f"{name}-{number}", item.made.form, f"{item.made.name}: {item.explanation}")
            for number, item in enumerate(group.witnesses, 1)
        ],
    )
    path = cases_folder_of(folder) / cause.operator.replace(".", "/", 1) / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    written(path, text.encode())
    if not cause.verdict.meaning.has_script:
        return path, "no script can show this verdict"
    scripts = folder / "scripts" / name
    if scripts.is_dir():  # of the same cause, perhaps before it was shrunk
        shutil.rmtree(scripts)
    try:
        first, *_ = write_reproducer(Check(cases[0], group.witnesses[0].made.form), request, scripts)
    except (UsageError, HarnessError) as error:
        return path, error.what
    return path, str(first)


def name_of(cause: FindCause) -> str:
    """A name for the files and cases of a cause, the same whenever it is found."""
    stem = re.sub(r"[^a-z0-9]+", "-", f"{cause.verdict.value} {cause.text}".lower())
    digest = hashlib.sha256(cause.sentence.encode()).hexdigest()
    return f"{stem[:_NAME_CHARACTERS].strip('-')}-{digest[:6]}"


# Runs drawn checks on a target until a number of them or a time is over, and shrinks what they find.

_BATCH = 64
"""Checks between two states that are saved; finds are shrunk between two batches."""
_SHARE_OF_DRAWING = 0.75
"""The part of the time in which calls are drawn; in the rest, the last finds are shrunk."""

OnDone = Callable[[str, int], None]
"""Called with the target's name and the number of checks that are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzRequest:
    """What is asked: `checks` in all, with those of earlier commands, or as many as `budget_s` seconds allow.

    `operators` are names with or without a version; none stands for all. Without a `seed`, the folder has it, or a new
    one is drawn.
    """

    suite: Suite
    target: TargetRequest
    operators: tuple[str, ...]
    seed: str
    checks: int | None
    budget_s: float | None
    timeout_s: float
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzResult:
    """What was found so far; `reason` says why the command ended early, and is empty if it did not."""

    state: FuzzState
    reason: str = ""

    @property
    def exit_code(self) -> ExitCode:
        """As that of a run: 3 if the command failed, else 1 if anything deviates that is not recorded."""
        codes = {verdict.meaning.exit_code for verdict in self.state.verdicts}
        if self.reason or ExitCode.HARNESS in codes:
            return ExitCode.HARNESS
        return ExitCode.NOT_CONFORMING if self.state.new else ExitCode.CONFORMING


def fuzz(request: FuzzRequest, on_start: Callable[[str], None], on_progress: OnDone) -> FuzzResult:
    """Ask a target for made calls, and keep what deviates in the folder of the request.

    Raises:
        SelectionError: an operator is unknown, has no made calls, or is not declared.
        UsageError: the folder holds finds of another seed, target or version.
        HarnessError: the target cannot start.
    """
    began_s = monotonic()
    operators = operators_named(request.suite.operators, request.operators)
    stopping, interrupted = threading.Event(), list[str]()

    def stop(name: str) -> None:
        interrupted.append(name)
        stopping.set()

    recorded = deviations_of(request.target.adapter.folder, request.suite)
    engine = TargetRunner(request.target, recorded, request.timeout_s, stopping)
    with heard_by(stop), ExitStack() as ending:
        ending.callback(engine.end)
        ending.enter_context(killed_when(stopping, engine.kill))
        try:
            started = engine.start()
        except StoppedError:
            raise HarnessError("fuzz", f"interrupted by {interrupted[0]} before the first check") from None
        if started.entry.problem:
            raise HarnessError(started.entry.name, f"could not start: {started.entry.problem}")
        source = FuzzSource(seed=request.seed, operators=request.operators, target=started.entry.name)
        state = state_in(request.folder, source, request.suite.operators)
        draws = Draws(operators, started.entry, state.source.seed)
        end_s = math.inf if request.budget_s is None else began_s + request.budget_s
        fuzzing = _Fuzzing(engine, draws, state, stopping, end_s)
        on_start(started.entry.name)
        try:
            reason = fuzzing.run(request, lambda done: on_progress(started.entry.name, done))
        except StoppedError:
            reason = f"interrupted by {interrupted[0]}"
        except HarnessError as error:
            reason = str(error)
        finally:
            save_state(state, request.folder)
    return FuzzResult(state=state, reason=reason)


class _Fuzzing:
    """The checks of one command on a started engine; the state changes as they are done."""

    def __init__(
        self,
        engine: TargetRunner,
        draws: Draws,
        state: FuzzState,
        stopping: threading.Event,
        end_s: float,
    ) -> None:
        self._engine = engine
        self._draws = draws
        self._state = state
        self._stopping = stopping
        self._end_s = end_s
        self._problem = ""

    def run(self, request: FuzzRequest, on_done: Callable[[int], None]) -> str:
        """Run checks until they are enough; returns why the target cannot go on, or an empty text.

        Raises:
            StoppedError: the command was interrupted.
        """
        now_s = monotonic()
        end = now_s + _SHARE_OF_DRAWING * (self._end_s - now_s)
        self._shrink()
        while not self._problem and (request.checks is None or self._state.done < request.checks):
            if monotonic() >= end:
                break
            last = self._state.done + _BATCH
            self._run_batch(last if request.checks is None else min(last, request.checks), end, on_done)
            self._shrink()
            save_state(self._state, request.folder)
        return self._problem

    def _run_batch(self, last: int, end: float, on_done: Callable[[int], None]) -> None:
        asked = deque[tuple[int, MadeCheck]]()
        drawn = self._state.done

        def checks() -> Iterator[Check]:
            nonlocal drawn
            while drawn < last and not self._stopping.is_set() and monotonic() < end:
                made = self._draws.at(drawn)
                drawn += 1
                if made is not None:
                    asked.append((drawn, made))
                    yield made.check

        for record in self._engine.records(checks()):
            number, made = asked.popleft()
            if not record.verdict.meaning.was_asked:
                self._problem = record.explanation
                return
            self._state.done = number
            self._state.verdicts[record.verdict] += 1
            if record.verdict.meaning.exit_code is ExitCode.HARNESS and not self._state.unjudged:
                self._state.unjudged = f"{made.name}: {record.explanation}"
            cause = cause_of(made.check, record)
            if cause is not None:
                self._state.add(cause, made, record.explanation)
            on_done(number)
        if self._stopping.is_set():
            raise StoppedError
        self._state.done = drawn

    def _shrink(self) -> None:
        """Shrink the witnesses of new causes that were not shrunk yet; withdraw those that do not show alone.

        An earlier check may have damaged the process in which a find appeared.
        """
        for group in self._state.new:
            for witness in list(group.witnesses):
                if witness.is_shrunk or not group.cause.can_be_shrunk:
                    continue
                self._settle(group, witness)
            group.drop_alike()

    def _settle(self, group: Group, witness: FuzzWitness) -> None:
        cause = group.cause
        if self._explanation_alone(cause, witness.made) is None:
            self._state.withdraw(group, witness)
            return
        plain = shrunk(witness.made, partial(self._shows, cause))
        explanation = None if plain is witness.made else self._explanation_alone(cause, plain)
        if explanation is not None:
            witness.made, witness.explanation = plain, explanation
        witness.is_shrunk = monotonic() < self._end_s

    def _explanation_alone(self, cause: FindCause, made: MadeCheck) -> str | None:
        """What is said of a check in a fresh process; None if its cause is another one there.

        Raises:
            StoppedError: the command was interrupted.
        """
        record = self._engine.record_alone(made.check)
        return record.explanation if cause_of(made.check, record) == cause else None

    def _shows(self, cause: FindCause, made: MadeCheck) -> bool:
        """Whether a check has the same cause.

        Raises:
            BudgetOverError: no time is left.
            StoppedError: the command was interrupted.
        """
        if monotonic() >= self._end_s:
            raise BudgetOverError
        for record in self._engine.records([made.check]):
            return cause_of(made.check, record) == cause
        raise StoppedError

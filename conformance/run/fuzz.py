"""Asks a target for generated calls: the same generator as that of `conformance check`, with other seeds."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from time import monotonic

from pydantic import TypeAdapter, ValidationError

from conformance import __version__
from conformance.authoring.made_rows import made_case_file
from conformance.judge.deviation import deviations_of
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.run.ending import heard_by
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


@dataclass(slots=True, kw_only=True)
class FuzzWitness:
    """A check that shows a cause, and what was said of it."""

    made: MadeCheck
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

    def add(self, made: MadeCheck, explanation: str) -> None:
        """Count a find, and keep it if few came before it."""
        self.count += 1
        if self.taken < MOST_WITNESSES:
            self.taken += 1
            self.witnesses.append(FuzzWitness(made=made, explanation=explanation))

    def drop_alike(self) -> None:
        """Keep the first of the witnesses that became the same."""
        kept: list[FuzzWitness] = []
        for witness in self.witnesses:
            if not any(witness.is_like(other) for other in kept):
                kept.append(witness)
        self.witnesses = kept


class Groups:
    """All groups, in the order in which their causes came; `num_beyond` counts finds of causes beyond the limit."""

    def __init__(self, groups: Iterable[Group] = (), num_beyond: int = 0) -> None:
        self._by_cause = {group.cause: group for group in groups}
        self.num_beyond = num_beyond

    def withdraw(self, cause: FindCause, witness: FuzzWitness) -> None:
        """Take a find back that does not show when it runs alone: it becomes one of an unstable cause.

        A group without witnesses is gone.
        """
        group = self._by_cause[cause]
        group.count -= 1
        group.witnesses.remove(witness)
        if not group.witnesses:
            del self._by_cause[cause]
        unstable = replace(cause, verdict=Verdict.UNSTABLE, text=f"only once: {cause.verdict.value}: {cause.text}")
        self.add(unstable, witness.made, witness.explanation)

    def add(self, cause: FindCause, made: MadeCheck, explanation: str) -> None:
        """Add a find to the group of its cause."""
        if cause not in self._by_cause and len(self._by_cause) >= _MOST_GROUPS:
            self.num_beyond += 1
            return
        self._by_cause.setdefault(cause, Group(cause=cause)).add(made, explanation)

    @property
    def all(self) -> list[Group]:
        """The groups."""
        return list(self._by_cause.values())

    @property
    def new(self) -> list[Group]:
        """The groups that no recorded deviation explains."""
        return [group for group in self.all if not group.cause.deviation]


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
class FuzzState:
    """The number of checks that are done, their verdicts, and the finds.

    `unjudged` says why the first check that was not judged has no verdict.
    """

    source: FuzzSource
    done: int = 0
    unjudged: str = ""
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    groups: Groups = field(default_factory=Groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedWitness:
    operator: str
    features: dict[str, str]
    seed: int
    form: Form
    explanation: str
    is_shrunk: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedGroup:
    operator: str
    verdict: Verdict
    text: str
    deviation: str
    count: int
    taken: int
    witnesses: list[_SavedWitness]


@dataclass(frozen=True, slots=True, kw_only=True)
class _SavedState:
    source: FuzzSource
    done: int
    unjudged: str
    verdicts: dict[Verdict, int]
    num_beyond: int
    groups: list[_SavedGroup]


_SAVED = TypeAdapter(_SavedState)


def save_state(state: FuzzState, folder: Path) -> None:
    """Write the state to a folder, in the place of an earlier one.

    Raises:
        UsageError: something else than a file stands there.
    """
    saved = _SavedState(
        source=state.source,
        done=state.done,
        unjudged=state.unjudged,
        verdicts=dict(state.verdicts),
        num_beyond=state.groups.num_beyond,
        groups=[_saved_group(group) for group in state.groups.all],
    )
    written(folder / STATE_FILE, json.dumps(_SAVED.dump_python(saved, mode="json"), indent=1).encode())


def saved_seed(folder: Path) -> str | None:
    """The seed of the state in a folder; None without a state.

    Raises:
        UsageError: the state cannot be read.
    """
    saved = _read(folder)
    return None if saved is None else saved.source.seed


def state_in(folder: Path, source: FuzzSource, operators: Sequence[Operator]) -> FuzzState:
    """The state in a folder, or a new one.

    Raises:
        UsageError: the state is that of another source, or cannot be read.
    """
    saved = _read(folder)
    if saved is None:
        return FuzzState(source=source)
    for name, before in asdict(saved.source).items():
        now = getattr(source, name)
        if before != now:
            what = f"holds finds of another {name.removesuffix('s')}: {_shown(before)}, not {_shown(now)}"
            raise UsageError(str(folder), what, fix="name another folder with --into")
    by_id = {operator.id: operator for operator in operators}
    groups = Groups((_group(group, by_id, folder) for group in saved.groups), saved.num_beyond)
    verdicts = Counter(saved.verdicts)
    return FuzzState(source=source, done=saved.done, unjudged=saved.unjudged, verdicts=verdicts, groups=groups)


def _shown(value: str | tuple[str, ...]) -> str:
    return repr(value) if isinstance(value, str) else ", ".join(value) or "all"


def _read(folder: Path) -> _SavedState | None:
    path = folder / STATE_FILE
    if not path.exists():
        return None
    try:
        return _SAVED.validate_json(content_of(path, str(path), _MAX_BYTES))
    except ValidationError as error:
        what = f"is not a state of `conformance fuzz`: {error.errors()[0]['msg']}"
        raise UsageError(str(path), what, fix="name another folder with --into") from None


def _saved_group(group: Group) -> _SavedGroup:
    cause = group.cause
    return _SavedGroup(
        operator=cause.operator,
        verdict=cause.verdict,
        text=cause.text,
        deviation=cause.deviation,
        count=group.count,
        taken=group.taken,
        witnesses=[_saved_witness(witness) for witness in group.witnesses],
    )


def _saved_witness(witness: FuzzWitness) -> _SavedWitness:
    made = witness.made
    return _SavedWitness(
        operator=made.operator.id,
        features=dict(made.features),
        seed=made.seed,
        form=made.form,
        explanation=witness.explanation,
        is_shrunk=witness.is_shrunk,
    )


def _group(saved: _SavedGroup, operators: Mapping[str, Operator], folder: Path) -> Group:
    try:
        witnesses = [_witness(item, operators) for item in saved.witnesses]
    except (KeyError, ValueError) as error:
        what = f"has a find that cannot be made again: {error}"
        raise UsageError(str(folder / STATE_FILE), what, fix="name another folder with --into") from None
    cause = FindCause(operator=saved.operator, verdict=saved.verdict, text=saved.text, deviation=saved.deviation)
    return Group(cause=cause, count=saved.count, taken=saved.taken, witnesses=witnesses)


def _witness(saved: _SavedWitness, operators: Mapping[str, Operator]) -> FuzzWitness:
    """The witness, made again of its features.

    Raises:
        KeyError: there is no such operator or feature.
        ValueError: no such call can be made.
    """
    made = made_check(operators[saved.operator], saved.features, saved.seed, saved.form)
    if made is None:
        raise ValueError(f"{saved.operator} with seed {saved.seed}")
    return FuzzWitness(made=made, explanation=saved.explanation, is_shrunk=saved.is_shrunk)


_NAME_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFind:
    """The files of a group: its cases, and the script of the first one; `why_no_script` says if there is none."""

    group: Group
    cases: Path
    script: Path | None
    why_no_script: str = ""


def cases_folder_of(folder: Path) -> Path:
    """The folder of the cases, laid out as `cases/`."""
    return folder / "cases"


def write_find(group: Group, target: str, request: TargetRequest, folder: Path) -> WrittenFind:
    """Write the witnesses of a group as cases, and a script that shows the first without this project.

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
        return WrittenFind(group=group, cases=path, script=None, why_no_script="no script can show this verdict")
    scripts = folder / "scripts" / name
    if scripts.is_dir():  # of the same cause, perhaps before it was shrunk
        shutil.rmtree(scripts)
    try:
        first, *_ = write_reproducer(Check(cases[0], group.witnesses[0].made.form), request, scripts)
    except (UsageError, HarnessError) as error:
        return WrittenFind(group=group, cases=path, script=None, why_no_script=error.what)
    return WrittenFind(group=group, cases=path, script=first)


def name_of(cause: FindCause) -> str:
    """A name for the files and cases of a cause, the same whenever it is found."""
    stem = re.sub(r"[^a-z0-9]+", "-", f"{cause.verdict.value} {cause.text}".lower())
    digest = hashlib.sha256(cause.sentence.encode()).hexdigest()
    return f"{stem[:_NAME_CHARACTERS].strip('-')}-{digest[:6]}"


# Runs drawn checks on a target until a number of them or a time is over, and shrinks what they find.

_BATCH = 64
"""Checks between two states that are saved; finds are shrunk between two batches."""
_KILL_EACH_S = 0.1
_DRAWN = 0.75
"""The part of the time in which calls are drawn; in the rest, the last finds are shrunk."""

OnDone = Callable[[str, int], None]
"""Called with the target's name and the number of checks that are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzRequest:
    """What is asked: `checks` in all, with those of earlier commands, or as many as `budget_s` seconds allow.

    `operators` are names with or without a version; none stands for all.
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
        return ExitCode.NOT_CONFORMING if self.state.groups.new else ExitCode.CONFORMING


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
    with heard_by(stop), _ended_with(engine, stopping):
        try:
            started = engine.start()
        except StoppedError:
            raise HarnessError("fuzz", f"interrupted by {interrupted[0]} before the first check") from None
        if started.entry.problem:
            raise HarnessError(started.entry.name, f"could not start: {started.entry.problem}")
        draws = Draws(operators, started.entry, request.seed)
        source = FuzzSource(seed=request.seed, operators=request.operators, target=started.entry.name)
        state = state_in(request.folder, source, operators)
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


@contextmanager
def _ended_with(engine: TargetRunner, stopping: threading.Event) -> Iterator[None]:
    """Ends the workers with the context, and at once if the command is stopped: this thread may wait for one."""
    is_over = threading.Event()

    def kill_when_stopped() -> None:
        stopping.wait()
        while not is_over.wait(_KILL_EACH_S):  # again and again, since a worker may be starting
            engine.kill()

    watcher = threading.Thread(target=kill_when_stopped, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        stopping.set()
        watcher.join()
        engine.end()


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
        end = now_s + _DRAWN * (self._end_s - now_s)
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
                self._state.groups.add(cause, made, record.explanation)
            on_done(number)
        if self._stopping.is_set():
            raise StoppedError
        self._state.done = drawn

    def _shrink(self) -> None:
        """Shrink the witnesses of new causes that were not shrunk yet; withdraw those that do not show alone.

        An earlier check may have damaged the process in which a find appeared.
        """
        for group in self._state.groups.new:
            for witness in list(group.witnesses):
                if witness.is_shrunk or not group.cause.can_be_shrunk:
                    continue
                self._settle(group.cause, witness)
            group.drop_alike()

    def _settle(self, cause: FindCause, witness: FuzzWitness) -> None:
        if self._explanation_alone(cause, witness.made) is None:
            self._state.groups.withdraw(cause, witness)
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

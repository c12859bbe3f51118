"""What was found: groups of one cause, `fuzz.json` from which the next command goes on, and the files of each find."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from conformance import __version__
from conformance.authoring.made_rows import made_case_file
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.run.fuzz.calls import MadeCheck, made_check
from conformance.run.script_folder import write_reproducer
from conformance.spec.check import Check
from conformance.spec.operator import Operator
from conformance.spec.verdict import Standing, Verdict
from conformance.suite.adapter_file import TargetRequest
from conformance.tensors.errors import HarnessError, UsageError
from conformance.tensors.files import content_of, written

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

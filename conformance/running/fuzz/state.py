"""`fuzz.json`: what an earlier command found in a folder, so that the next one goes on. Sole owner of the format."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from conformance import __version__
from conformance.border.form import Form
from conformance.language.operator import Operator
from conformance.language.verdict import Verdict
from conformance.running.fuzz.draw import made_check
from conformance.running.fuzz.groups import FindCause, Group, Groups, Witness
from conformance.values.errors import UsageError
from conformance.values.regular_file import content_of, written

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


def _saved_witness(witness: Witness) -> _SavedWitness:
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


def _witness(saved: _SavedWitness, operators: Mapping[str, Operator]) -> Witness:
    """The witness, made again of its features.

    Raises:
        KeyError: there is no such operator or feature.
        ValueError: no such call can be made.
    """
    made = made_check(operators[saved.operator], saved.features, saved.seed, saved.form)
    if made is None:
        raise ValueError(f"{saved.operator} with seed {saved.seed}")
    return Witness(made=made, explanation=saved.explanation, is_shrunk=saved.is_shrunk)

"""Starts a target: its description, the recorded deviations that apply to it, and the operators that it declares."""

from __future__ import annotations

import platform
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement

from conformance.judge.deviation import Deviation
from conformance.log.record import TargetEntry
from conformance.protocol.messages import lists_of
from conformance.protocol.outcome import Description
from conformance.report.script import has_recipe
from conformance.run.execution import circumstances_of
from conformance.run.session import LastOfProcess, Session
from conformance.spec.check import Check
from conformance.spec.operator import Operator, is_named
from conformance.suite.adapter_file import Adapter, TargetRequest, adapter_digest, deviations_digest, is_known_by_name
from conformance.tensors.errors import HarnessError


@dataclass(frozen=True, slots=True, kw_only=True)
class StartedTarget:
    """A target and its deviations; the entry's `problem` says why it could not start."""

    entry: TargetEntry
    deviations: tuple[Deviation, ...] = ()

    def last_of_process(self, check: Check) -> LastOfProcess:
        """Says that a check is the last of its process if a recorded memory fault covers it."""
        is_damaging = any(entry.damages_memory and entry.covers(check) for entry in self.deviations)
        return LastOfProcess.IF_RUN if is_damaging else LastOfProcess.NEVER


def start_target(request: TargetRequest, session: Session, deviations: Sequence[Deviation]) -> StartedTarget:
    """Start the session, and record its description or why it cannot start; keep the deviations that apply there."""
    try:
        described = session.start()
        _require_version(request, described.version)
    except HarnessError as error:
        name = request.name_at(request.version or "unknown")
        return StartedTarget(entry=TargetEntry(name=name, adapter=request.adapter.name, problem=str(error)))
    entry = TargetEntry(
        name=request.name_at(described.version),
        adapter=request.adapter.name,
        adapter_digest=adapter_digest(request.adapter),
        deviations_digest=deviations_digest(request.adapter),
        environment="" if request.adapter.environment is None else request.adapter.environment.name,
        module=_module_of(request.adapter, session.modules),
        folder="" if is_known_by_name(request.adapter) else str(request.adapter.folder.resolve()),
        python=session.python,
        numpy=session.numpy,
        options=request.all_options,
        has_scripts=has_recipe(request.adapter) or bool(described.onnx_models),
        **{name: said for name, said in lists_of(described).items() if name not in ("onnx_models", "controls")},
    )
    circumstances = circumstances_of(entry, platform.system())
    holding = tuple(deviation for deviation in deviations if deviation.conditions.hold(circumstances))
    started = StartedTarget(entry=entry, deviations=holding)
    session.last_of_process = started.last_of_process
    return started


def _module_of(adapter: Adapter, modules: Mapping[str, str]) -> str:
    """Where the module of the framework lies: in the environment, or as its last two folders."""
    names = [Requirement(text).name.replace("-", "_").lower() for text in adapter.manifest.requires]
    place = next((Path(modules[name]) for name in names if name in modules), None)
    if place is None:
        return ""
    environments = [] if adapter.environment is None else [adapter.environment.python.parents[2].resolve()]
    inside = [place.resolve().relative_to(root) for root in environments if place.resolve().is_relative_to(root)]
    return inside[0].as_posix() if inside else f"{place.parent.name}/{place.name}"


def _require_version(request: TargetRequest, installed: str) -> None:
    if request.version and installed != request.version:
        what = f"version {request.version} was requested, but {installed} is installed"
        raise HarnessError(request.adapter.name, what, fix="install it, or leave the version out")


# Which of the operators of a run its targets declare: a sample of checks spends none on others.


def declared_by_any(
    operators: Sequence[Operator], targets: Sequence[TargetRequest], limit_s: float
) -> Sequence[Operator]:
    """The operator versions that at least one of the targets declares; all if none starts and says so."""

    def described(target: TargetRequest) -> Description | None:
        session = Session(target, limit_s, threading.Event())
        try:
            return session.start()
        except HarnessError:
            return None  # the run says why
        finally:
            session.kill()

    with ThreadPoolExecutor(max(1, len(targets))) as pool:
        names = [name for said in pool.map(described, targets) if said is not None for name in said.operators]
    return [operator for operator in operators if is_named(operator.id, names)] or operators

"""The nodes that `pytest_plugin` collects: a collector for each target, and an item for each check.

A verdict becomes the same result as in JUnit (`spec.verdict`), but a known deviation is an expected failure.
Each process of pytest-xdist has its own workers, which the first check of a target starts.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from conformance.judge.deviation import read_deviations
from conformance.log.record import CheckRecord
from conformance.report.case_view import failure_text, reason_text
from conformance.report.tensors import target_options
from conformance.run.run_plan import selected_checks
from conformance.run.selection import Selection, sets_included, sound_families
from conformance.run.target_runner import TargetRunner
from conformance.spec.check import Check
from conformance.spec.choices import CaseSet
from conformance.spec.verdict import JUnit, Section
from conformance.suite.adapter_file import TargetRequest, is_edited, released_suite, target_from_text

_LIMIT_S = 30.0


class CollectedChecks:
    """The checks of this pytest session, and the workers that run them.

    `chosen` are node ids from the command line; empty for all checks.
    """

    def __init__(
        self,
        targets: Iterable[tuple[str, TargetRequest]],
        checks: Iterable[Check],
        chosen: tuple[str, ...],
        *,
        are_records_strict: bool,
    ) -> None:
        self.targets, self.checks, self.chosen = dict(targets), tuple(checks), chosen
        self.are_records_strict = are_records_strict
        self._runners: dict[str, TargetRunner] = {}

    def is_chosen(self, nodeid: str) -> bool:
        """Whether a check is among those that the command line names."""
        return not self.chosen or any(_is_below(nodeid, chosen) for chosen in self.chosen)

    def refuse_unknown(self, nodeids: Iterable[str]) -> None:
        """Refuse a node id that matches no collected check.

        Raises:
            pytest.UsageError: there is one.
        """
        collected = tuple(nodeids)
        for chosen in self.chosen:
            if not any(_is_below(nodeid, chosen) for nodeid in collected):
                raise pytest.UsageError(f"not found: {chosen}\n(`pytest --collect-only -q` lists the ids)")

    def run_check(self, target: str, check: Check) -> CheckRecord:
        """The record of a check on a target."""
        if target not in self._runners:
            request = self.targets[target]
            recorded = read_deviations(request.adapter.folder)
            self._runners[target] = TargetRunner(request, recorded, _LIMIT_S, threading.Event())
            self._runners[target].start()
        return next(self._runners[target].records([check]))

    def options(self, target: str) -> str:
        """The options that name a target that has run."""
        return target_options(self._runners[target].target.entry)

    def end(self) -> None:
        """End the workers."""
        for runner in self._runners.values():
            runner.kill()


def checks_from_options(config: pytest.Config, chosen: tuple[str, ...]) -> CollectedChecks:
    """The checks that the options select; `chosen` are the node ids on the command line, which narrow them down.

    Raises:
        UsageError: a target, an operator or a case does not exist.
        ExceptionGroup: of `CaseFileError`: the problems of a file of the suite or of an adapter.
    """
    selection = Selection(
        operators=tuple(config.option.conformance_operator),
        cases=tuple(config.option.conformance_cases) or _cases_of(chosen),
        sets=sets_included(CaseSet(config.option.conformance_set)),
    )
    targets = [(name, target_from_text(name)) for name in config.option.conformance_target]
    for _, target in targets:
        read_deviations(target.adapter.folder)
    suite = released_suite(selection.operators or selection.cases)
    are_strict = config.option.conformance_strict_records and not is_edited(suite)
    return CollectedChecks(
        targets, selected_checks(sound_families(suite, selection), selection), chosen, are_records_strict=are_strict
    )


def _cases_of(nodeids: Iterable[str]) -> tuple[str, ...]:
    """The cases, without their products, that node ids name; none if one of them names a whole target."""
    names = [nodeid.split("::", 2)[2:] for nodeid in nodeids]
    return tuple({name.partition("[")[0] for (name,) in names}) if all(names) else ()


def collectors_of(session: pytest.Session, root: str, collected: CollectedChecks) -> list[pytest.Collector]:
    """A collector for each target; `root` is the beginning of all node ids."""
    collectors: list[pytest.Collector] = [
        TargetCollector.from_parent(session, name=target, nodeid=f"{root}::{target}", collected=collected)
        for target in collected.targets
    ]
    for collector in collectors:
        collector.add_marker("conformance")
    return collectors


class TargetCollector(pytest.Collector):
    """The checks of one target, under the name that the user gave it."""

    def __init__(self, *, collected: CollectedChecks, **node: object) -> None:
        super().__init__(**node)  # type: ignore[arg-type]
        self._collected = collected

    def collect(self) -> Iterator[pytest.Item]:
        """An item for each check, in the order of the files."""
        for check in self._collected.checks:
            name = f"{check.case.id}[{check.form.value}]"  # pytest reads ids with brackets from the first to the last
            nodeid = f"{self.nodeid}::{name}"
            if self._collected.is_chosen(nodeid):
                yield CheckItem.from_parent(self, name=name, nodeid=nodeid, check=check, collected=self._collected)


class CheckItem(pytest.Item):
    """One check of one target."""

    def __init__(self, *, check: Check, collected: CollectedChecks, **node: object) -> None:
        super().__init__(**node)  # type: ignore[arg-type]
        self._check = check
        self._collected = collected
        self._target = self.parent.name if self.parent is not None else ""
        self.user_properties += [
            ("operator", check.case.operator.id),
            ("clauses", ",".join(check.case.clauses)),
            ("form", check.form.value),
        ]

    def runtest(self) -> None:
        """Run the check; it passes, fails or is skipped by its verdict."""
        record = self._collected.run_check(self._target, self._check)
        self.user_properties += [("target", record.target), ("verdict", record.verdict.value)]
        if record.interpretation:
            self.user_properties.append(("interpretation", record.interpretation))
        section = record.verdict.meaning.section
        if section is Section.FIXED:
            if self._collected.are_records_strict:
                raise CheckFailure(record)
            self.user_properties.append(("fixed", record.deviation))
        is_expected = section is Section.KNOWN
        if is_expected and not self.config.option.runxfail:
            pytest.xfail(f"recorded deviation {record.deviation}: {record.cause}")
        result = record.verdict.meaning.junit
        if result is JUnit.SKIPPED and not is_expected:
            pytest.skip(reason_text(record))
        if result is not JUnit.PASSED:
            raise CheckFailure(record)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: None = None) -> object:  # type: ignore[override]
        """The report's text about the check, without a traceback of this module."""
        if isinstance(excinfo.value, CheckFailure):
            return failure_text(excinfo.value.record, self._collected.options(self._target))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The place that pytest shows: the beginning of all node ids, because a check is in no file."""
        return self.session.path / self.nodeid.partition("::")[0], None, f"{self._target}::{self.name}"


class CheckFailure(Exception):  # noqa: N818  (a result, and not an error of this package)
    """A check that fails the run."""

    def __init__(self, record: CheckRecord) -> None:
        super().__init__(record.verdict.value)
        self.record = record


def _is_below(nodeid: str, chosen: str) -> bool:
    """Whether a node is the chosen one, or one of its checks, products or forms."""
    return nodeid == chosen or nodeid.startswith((f"{chosen}::", f"{chosen}["))

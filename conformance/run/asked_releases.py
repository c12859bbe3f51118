"""Puts a few checks to releases of a framework, and keeps the answers in logs, so that none is asked for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from conformance import __version__
from conformance.log.bisect import ReleaseAnswer, ReleaseState, answer_of, bisect_edges, joined, worst_state
from conformance.log.log_file import read_header, records_of
from conformance.log.record import CheckRecord, Header
from conformance.protocol.form import Form
from conformance.run.environments import Making, targets_at
from conformance.run.execution import selection_entry
from conformance.run.run import run
from conformance.run.run_plan import RunRequest
from conformance.run.selection import Selection
from conformance.spec.choices import CaseSet
from conformance.suite.adapter_file import TargetRequest, adapter_digest
from conformance.suite.suite import Suite
from conformance.tensors.errors import HarnessError, OpconformError, RunLogError
from conformance.tensors.text import one_line

AskedCheck = tuple[str, Form]
"""A check by the id of its case and its form."""
_LEAST_AT_ONCE = 4
_TIMES_AGAIN = 3
_GO_ON = "give the command again with --resume"
_SETS = tuple(one for one in CaseSet if one is not CaseSet.SMOKE)


@dataclass(slots=True, kw_only=True)
class AskedReleases:
    """Checks of a suite that are put to releases of a target, and the answers: by check, then by release.

    `folder` has the logs, and nothing else with their names. With `resume`, the answers in the logs of an earlier
    command stay; otherwise the logs are removed. `jobs` is the number of child processes at a time, and `making` says
    how missing environments are made. `on_progress` gets a line for what is done next.

    Raises:
        RunLogError: a log is of another question.
    """

    suite: Suite
    checks: tuple[AskedCheck, ...]
    target: TargetRequest
    folder: Path
    timeout_s: float
    jobs: int
    making: Making
    on_progress: Callable[[str], None]
    resume: bool
    answers: dict[AskedCheck, dict[str, ReleaseAnswer]] = field(init=False)

    def __post_init__(self) -> None:
        self.answers = {check: {} for check in self.checks}
        for log in [*self._logs()]:
            if self.resume:
                self._keep(log)
            else:
                log.unlink()

    @property
    def _selection(self) -> Selection:
        """What a run selects: each of the cases in each of the forms."""
        cases, forms = (tuple(dict.fromkeys(words)) for words in zip(*self.checks, strict=True))
        return Selection(cases=cases, forms=forms, sets=_SETS)

    def _logs(self) -> Iterator[Path]:
        """The logs that there are, in the order of their runs."""
        for number in count(1):
            path = self.folder / f"releases-{number}.jsonl"
            if not path.exists():
                return
            yield path

    def ask(self, versions: Sequence[str]) -> None:
        """Put the checks to those releases that have not answered all of them. One that cannot start cannot tell.

        Raises:
            HarnessError: the run was interrupted.
            MachineError: the system could not start a worker.
        """
        self._ask([version for version in versions if any(version not in own for own in self.answers.values())])

    def ask_sides_again(self, releases: Sequence[str]) -> None:
        """Put the checks to both sides of each edge once more, several times, each time in fresh processes.

        A release that answers otherwise is unstable, and others become the sides.

        Raises:
            HarnessError, MachineError: as for `ask`.
        """
        asked = set[str]()
        while sides := self._sides(releases) - asked:
            asked |= sides
            for _ in range(_TIMES_AGAIN):
                self._ask([release for release in releases if release in sides])

    def _sides(self, releases: Sequence[str]) -> set[str]:
        edges = [edge for own in self.answers.values() for edge in bisect_edges(releases, own)]
        return {release for edge in edges for release in (edge.before, edge.release)}

    def _ask(self, missing: Sequence[str]) -> None:
        targets = targets_at(self.target, missing, replace(self.making, on_failure=self._cannot_tell))
        size = max(_LEAST_AT_ONCE, 2 * self.jobs)
        for start in range(0, len(targets), size):
            several = targets[start : start + size]
            self.on_progress(f"{start} of {len(targets)} releases have answered")
            self._run(several)

    def _run(self, targets: Sequence[TargetRequest]) -> None:
        """Run the checks on a few releases, which all start before the first check."""
        log = self.folder / f"releases-{len([*self._logs()]) + 1}.jsonl"
        request = RunRequest(
            suite=self.suite,
            selection=self._selection,
            targets=tuple(targets),
            log=log,
            timeout_s=self.timeout_s,
            jobs=self.jobs,
        )
        try:
            footer = run(request, lambda _: None, lambda *_: None)
        except HarnessError as error:  # interrupted before the first check
            raise HarnessError(error.where, error.what, fix=_GO_ON) from None
        if not footer.complete:
            raise HarnessError("run", footer.reason, fix=_GO_ON)
        names = {target.name_at(target.version): target.version for target in targets}
        for record in records_of(log):
            self._take(record, names[record.target])

    def state(self, version: str) -> ReleaseState:
        """The state of a release that was asked, over all checks."""
        return worst_state([own[version].state for own in self.answers.values()])

    def said_by(self, version: str) -> str:
        """What a release that was asked answered to the checks."""
        return "; ".join(dict.fromkeys(one_line(own[version].says) for own in self.answers.values()))

    def _cannot_tell(self, version: str, why: OpconformError) -> None:
        for own in self.answers.values():
            own[version] = ReleaseAnswer(ReleaseState.CANNOT_TELL, "no answer", reason=one_line(why.what))

    def _take(self, record: CheckRecord, version: str) -> None:
        own = self.answers.get((record.case, record.form))
        if own is not None:
            answer = answer_of(record)
            own[version] = joined(own.get(version, answer), answer)

    def _keep(self, log: Path) -> None:
        """Take what a log has, except for what a release may answer the next time."""
        header = read_header(log)
        self._require_same_question(log, header)
        versions = {target.name: target.version for target in header.targets}
        for record in records_of(log):
            if record.judged.meaning.rank is not None:
                self._take(record, versions[record.target])

    def _require_same_question(self, log: Path, header: Header) -> None:
        target = self.target
        of_log = header.suite.version, header.suite.digest, header.selection, header.timeout_s
        of_question = __version__, self.suite.digest, selection_entry(self._selection), self.timeout_s
        of_target = target.adapter.name, adapter_digest(target.adapter), target.all_options
        started = [entry for entry in header.targets if not entry.problem]
        are_same = all((entry.adapter, entry.adapter_digest, entry.options) == of_target for entry in started)
        if of_log != of_question or not are_same:
            what = "was made for another check or target, or another state of the cases or of the adapter"
            raise RunLogError(str(log), what, fix="leave --resume out, or name another folder with --output")

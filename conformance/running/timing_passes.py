"""The timing pass of a run: case by case, and in each round every target in turn, so that drift affects all alike.

Only one worker is busy at a time. A target with a wrong answer is not timed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.border.measurement import Effort, Measurement, NotMeasured
from conformance.formats.case_file import CaseFamily
from conformance.formats.suite import Suite
from conformance.language.check import Check
from conformance.language.choices import CaseSet
from conformance.log.build_timing import unrun_record, untimed_record, with_times, without_time
from conformance.log.record import TimingRecord
from conformance.planning.selection import Selection, checks_of, families_selected
from conformance.sessions.session import StoppedError
from conformance.sessions.timing_session import TimingSession
from conformance.values.errors import HarnessError, SelectionError, UsageError


def families_to_time(suite: Suite, selection: Selection) -> tuple[CaseFamily, ...]:
    """The selected families of the set `timing`, whichever sets the selection names.

    Raises:
        UsageError: there is none.
    """
    try:
        return families_selected(suite, _timing_selection(selection))
    except SelectionError:
        raise _nothing_to_time() from None


def checks_to_time(suite: Suite, selection: Selection) -> list[Check]:
    """The selected checks of the set `timing`.

    Raises:
        UsageError: there is none.
    """
    checks = list(checks_of(families_to_time(suite, selection), _timing_selection(selection)))
    if not checks:
        raise _nothing_to_time()
    return checks


def _timing_selection(selection: Selection) -> Selection:
    return replace(selection, sets=(CaseSet.TIMING,))


def _nothing_to_time() -> UsageError:
    what = "none of the selected cases is in the set `timing`, and only those are timed"
    return UsageError("--timing", what, fix="`conformance list --set timing` shows those that are")


@dataclass(slots=True, kw_only=True)
class TimingPass:
    """Times checks on targets, which are workers by the target's name, and passes each record to `on_record`.

    The caller sets `stopping` to end the pass. `done` holds target and case of each timing record in a resumed log.
    """

    checks: Sequence[Check]
    targets: Mapping[str, TimingSession]
    effort: Effort
    on_record: Callable[[TimingRecord], None]
    stopping: threading.Event
    done: Collection[tuple[str, str]] = ()
    num_done: int = 0

    def run(self) -> None:
        """Time all checks, unless stopped."""
        try:
            for check in self.checks:
                records = self._timed(check)
                if self.stopping.is_set():
                    break
                for record in records:
                    self.on_record(record)
                self.num_done += 1
        except StoppedError:
            pass
        finally:
            self.kill()

    def kill(self) -> None:
        """End all workers."""
        for session in self.targets.values():
            session.kill()

    def _timed(self, check: Check) -> list[TimingRecord]:
        names = [name for name in self.targets if (name, check.case.id) not in self.done]
        records = {name: self._answered(check, name) for name in names if not self.stopping.is_set()}
        rounds: dict[str, list[Measurement]] = {name: [] for name in records}
        for number in range(self.effort.rounds):
            for name in _turned(names, number):
                if self.stopping.is_set():
                    return []
                record = records[name]
                if record.reason:
                    continue
                match self.targets[name].measure(self.effort):
                    case Measurement() as measured:
                        rounds[name].append(measured)
                    case NotMeasured(reason=reason):
                        records[name] = without_time(record, reason)
        return [
            record if record.reason else with_times(record, rounds[name], self.effort.confidence_percent)
            for name, record in records.items()
        ]

    def _answered(self, check: Check, name: str) -> TimingRecord:
        try:
            return untimed_record(check, name, self.targets[name].outcome_of(check))
        except HarnessError as error:
            return unrun_record(check, name, error.what)


def _turned(names: Sequence[str], by: int) -> list[str]:
    """The targets in a circle, so that each round starts with another one."""
    start = by % max(len(names), 1)
    return [*names[start:], *names[:start]]

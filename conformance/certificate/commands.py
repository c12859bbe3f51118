"""What `conformance certify` and `verify` do, between the arguments and the exit code."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from conformance.adapter_file import TargetRequest
from conformance.certificate.assessment import Assessment, Result
from conformance.certificate.issue import Order, check_order, issue
from conformance.certificate.undeclared import answered_undeclared
from conformance.certificate.verify import Verification
from conformance.deviation_file import read_deviations
from conformance.errors import HarnessError
from conformance.ownership import owned
from conformance.profile import Count
from conformance.record import Header
from conformance.report.text import counted, one_line
from conformance.run import Probe, Progress, RunRequest, run
from conformance.suite import Suite
from conformance.verdict import ExitCode

_EXIT_CODES = {
    Result.CONFORMANT: ExitCode.CONFORMING,
    Result.RECORDED: ExitCode.CONFORMING,
    Result.PARTIAL: ExitCode.CONFORMING,
    Result.NOT_CONFORMANT: ExitCode.NOT_CONFORMING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How a run is done: seconds for a check, workers at a time, and who is told when it starts and how far it is."""

    timeout_s: float
    jobs: int
    on_start: Callable[[Header], None]
    on_progress: Progress


def certify(order: Order, suite: Suite, target: TargetRequest, effort: Effort) -> Assessment:
    """Run the profile on the target and write the certificate. A log of which none can be made stays beside it.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run does not keep the rules.
        HarnessError: the run did not come to its end.
        UsageError: the folder of the run belongs to another one.
    """
    check_order(order, suite)
    work = order.output.with_name(f"{order.output.name}.run")
    with owned(work):
        request = RunRequest(
            suite=suite,
            selection=replace(order.profile.selection, challenge=order.challenge),
            targets=(target,),
            log=work / "run.jsonl",
            timeout_s=effort.timeout_s,
            jobs=effort.jobs,
            probe=probe_of(suite, effort.timeout_s),
        )
        footer = run(request, effort.on_start, effort.on_progress)
        if not footer.complete:
            raise HarnessError(
                str(request.log), f"no certificate: the run ended early, {footer.reason}", fix="run it again"
            )
        assessment = certify_log(order, suite, target, request.log)
    shutil.rmtree(work)
    return assessment


def certify_log(order: Order, suite: Suite, target: TargetRequest, log: Path) -> Assessment:
    """Write the certificate of a run of the profile that was made before, perhaps in shards and merged.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run does not keep the rules.
    """
    return issue(order, suite, log, read_deviations(target.adapter.folder))


def probe_of(suite: Suite, timeout_s: float) -> Probe:
    """What a run of a profile asks of each target besides its checks."""
    return partial(answered_undeclared, suite=suite, limit_s=timeout_s)


def told_certificate(assessment: Assessment, folder: Path) -> Iterator[str]:
    """What the terminal says of a certificate that was written."""
    yield from told_assessment(assessment)
    yield f"certificate: {folder}"


def told_assessment(assessment: Assessment) -> Iterator[str]:
    """The result, and the numbers that it rests on, by operator."""
    for entry in assessment.operators:
        state = entry.claim.value if entry.result is None else entry.result.value
        yield f"{one_line(entry.operator)}: {state}, {entry.tally[Count.PASSED]:,}/{entry.tally.required:,} passed"
    for finding in assessment.findings:
        yield f"finding: {one_line(finding)}"
    tally = assessment.tally
    parts = [f"{tally[count]:,} {count.value}" for count in Count]
    yield (
        f"{assessment.result.value}: of {counted(tally.required, 'check')} that count, {', '.join(parts[:-1])}; "
        + parts[-1]
    )


def told_verification(found: Verification, folder: Path) -> Iterator[str]:
    """What the terminal says of a folder that was checked."""
    for problem in found.broken:
        yield str(problem)
    if found.broken or found.assessment is None or found.claims is None:
        yield f"{folder}: not valid, {counted(len(found.broken), 'rule')} broken"
        return
    yield one_line(f"{found.claims.vendor} {found.claims.product}, profile {found.claims.profile}")
    yield from told_assessment(found.assessment)
    basis = f"{found.whole:,} from all that was recorded, {found.by_digest:,} from the digest of the outputs alone"
    yield f"verdicts judged again: {basis}"
    yield f"{folder}: valid, {'signed with the key' if found.is_signed else 'no signature was demanded'}"


def certificate_exit_code(assessment: Assessment) -> ExitCode:
    """Whether the product may be called conforming, at least in part."""
    return _EXIT_CODES[assessment.result]


def verification_exit_code(found: Verification) -> ExitCode:
    """Whether the folder keeps the rules, whatever the result that it tells."""
    return ExitCode.NOT_CONFORMING if found.broken else ExitCode.CONFORMING

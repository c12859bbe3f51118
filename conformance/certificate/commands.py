"""`conformance certify` and `verify`, without their arguments: the work, the printed lines and the exit codes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from conformance.certificate.certificate_file import CertificateFile, IncludedEntry
from conformance.certificate.issue import Order, check_order, issue
from conformance.certificate.pages import certificate_sentence, html_page, markdown_page
from conformance.certificate.releases import released_part
from conformance.certificate.undeclared import answered_undeclared
from conformance.certificate.verify import Verification
from conformance.formats.adapter_file import TargetRequest
from conformance.formats.suite import Suite
from conformance.records.ownership import owned
from conformance.records.record import Header
from conformance.report.writers import write_text
from conformance.running.run import Progress, run
from conformance.running.run_request import Probe, RunRequest
from conformance.spec.verdict import ExitCode
from conformance.values.errors import HarnessError, UsageError
from conformance.values.text import counted, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Run settings: time limit of a check in seconds, number of workers, callbacks for start and progress."""

    timeout_s: float
    jobs: int
    on_start: Callable[[Header], None]
    on_progress: Progress


def certify(order: Order, suite: Suite, target: TargetRequest, effort: RunSettings) -> CertificateFile:
    """Run the profile on the target and write the certificate; return its summary.

    If it fails, the log stays in the folder `OUTPUT.run`.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run breaks a rule.
        HarnessError: the run ended early.
        UsageError: another process uses the folder of the run, or the output folder is not empty.
    """
    suite = released_part(suite, order.profiles)
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
        summary = certify_log(order, suite, target, request.log)
    shutil.rmtree(work)
    return summary


def certify_log(order: Order, suite: Suite, target: TargetRequest, log: Path) -> CertificateFile:
    """Write the certificate of an earlier run of the profile, perhaps merged from shards; return its summary.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: the suite is not that of a release, or the run breaks a rule.
    """
    return issue(order, released_part(suite, order.profiles), log, target.adapter.folder)


def probe_of(suite: Suite, timeout_s: float) -> Probe:
    """The probe for undeclared operators and types that a run of a profile adds for each target."""
    return partial(answered_undeclared, suite=suite, limit_s=timeout_s)


def refuse_pages_within(folder: Path, pages: Iterable[Path]) -> None:
    """Refuse to write pages into the folder of a certificate.

    Raises:
        UsageError: a page would lie in the folder.
    """
    for path in pages:
        if path.resolve().is_relative_to(folder.resolve()):
            raise UsageError(str(path), "is in the folder that is verified", fix="name a file outside of it")


def write_pages(
    found: Verification, log: Path, folder: Path, html: Path | None, markdown: Path | None
) -> Iterator[Path]:
    """Write the requested pages of the valid certificate in a folder, and yield their paths."""
    name = folder.resolve().name
    if html is not None:
        yield write_text(html_page(found, log, name), html)
    if markdown is not None:
        yield write_text([markdown_page(found, name)], markdown)


def summary_lines(summary: CertificateFile) -> Iterator[str]:
    """The terminal's lines about a certificate: counts by operator, findings, and the result as the last line."""
    for entry in summary.operators:
        state = entry.claim.value if entry.result is None else entry.result.value
        yield f"{one_line(entry.operator)}: {state}, {entry.counts.rate} passed"
    for ruled_out, number in summary.ruled_out.items():
        yield f"ruled out ahead by the description of the adapter: {one_line(ruled_out)}, {counted(number, 'check')}"
    for finding in summary.findings:
        yield f"finding: {one_line(finding)}"
    for name, part in summary.includes.items():
        yield f"profile {name}, a part of it: {_result_line(part)}"
    for sentence in summary.below:
        yield f"too little passed: {one_line(sentence)}"
    for severity, number in summary.recorded.items():
        yield f"recorded, {severity}: {counted(number, 'check')}"
    yield _result_line(summary)


def _result_line(stated: CertificateFile | IncludedEntry) -> str:
    counts = stated.counts
    return (
        f"{stated.result.value}: of {counted(counts.required, 'check')} that count, {counts.passed:,} passed, "
        f"{counts.deviating:,} deviating, {counts.failed:,} failed, {counts.unanswered:,} unanswered; "
        f"{counts.apart:,} apart"
    )


def verification_lines(found: Verification, folder: Path) -> Iterator[str]:
    """The terminal's lines about a verified folder."""
    for problem in found.broken:
        yield str(problem)
    if found.broken or found.summary is None:
        yield f"{folder}: not valid, {counted(len(found.broken), 'rule')} broken"
        return
    yield certificate_sentence(found.summary, found.signature)
    yield from summary_lines(found.summary)
    basis = found.summary.rests_on
    by = f"{basis.recorded:,} from all that was recorded, {basis.digest:,} from the digest of the outputs alone"
    yield f"verdicts judged again: {by}"
    yield from (f"the word of the adapter alone: {sentence}" for sentence in basis.adapter)
    yield f"{folder}: valid, {found.signature.value}"


def certificate_exit_code(summary: CertificateFile) -> ExitCode:
    """CONFORMING if the product may be called conforming, at least partly."""
    return ExitCode.NOT_CONFORMING if summary.result.is_failure else ExitCode.CONFORMING


def verification_exit_code(found: Verification) -> ExitCode:
    """CONFORMING if the folder keeps the rules, whatever result it states."""
    return ExitCode.NOT_CONFORMING if found.broken else ExitCode.CONFORMING

"""What `conformance certify` and `verify` print about a certificate, and their exit codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from conformance.certificate.certificate_file import CertificateFile, TallyEntry
from conformance.certificate.pages import certificate_lines, excused_words
from conformance.certificate.verify import Signature, Verification
from conformance.language.verdict import ExitCode
from conformance.values.text import counted, one_line

_MOST_NAMED = 5


def summary_lines(summary: CertificateFile) -> Iterator[str]:
    """The terminal's lines about a certificate: counts by operator, findings, and the result as the last line."""
    yield from _details(summary)
    yield _result_line(summary.stated_result, summary.counts, summary.excused)


def _details(summary: CertificateFile) -> Iterator[str]:
    for entry in summary.operators:
        state = entry.claim.value if entry.result is None else entry.result.value
        yield f"{one_line(entry.operator)}: {state}, {entry.counts.rate} passed"
    for ruled_out, number in summary.ruled_out.items():
        yield f"ruled out ahead by the description of the adapter: {one_line(ruled_out)}, {counted(number, 'check')}"
    for finding in summary.findings:
        yield f"finding: {one_line(finding)}"
    for name, part in summary.includes.items():
        yield f"profile {name}, a part of it: {_result_line(part.result.value, part.counts, part.excused)}"
    for sentence in summary.below:
        yield f"too little passed: {one_line(sentence)}"
    for sentence in summary.excuses:
        yield f"excused too often: {one_line(sentence)}"
    for severity, number in summary.recorded.items():
        yield f"recorded, {severity}: {counted(number, 'check')}"


def _result_line(result: str, counts: TallyEntry, excused: Mapping[str, int]) -> str:
    return (
        f"{result}: of {counted(counts.required, 'check')} that count, {counts.passed:,} passed, "
        f"{counts.deviating:,} deviating, {counts.failed:,} failed, {counts.unanswered:,} unanswered; "
        f"{counts.not_counted:,} not counted{excused_words(excused)}"
    )


def verification_lines(found: Verification, folder: Path) -> Iterator[str]:
    """The terminal's lines about a verified folder."""
    for problem in found.broken:
        yield str(problem)
    if found.broken or found.summary is None:
        yield f"{folder}: not valid, {counted(len(found.broken), 'rule')} broken"
        return
    yield from certificate_lines(found.summary, found.signature)
    yield from _details(found.summary)
    basis = found.summary.rests_on
    by = f"{basis.recorded:,} from all that was recorded, {basis.digest:,} from the digest of the outputs alone"
    yield f"verdicts judged again: {by}"
    yield from (f"not verifiable: {sentence}" for sentence in basis.adapter)
    if found.uncompared:
        scripts = counted(len(found.uncompared), "script")
        names = ", ".join(map(one_line, found.uncompared[:_MOST_NAMED]))
        more = ", ..." if len(found.uncompared) > _MOST_NAMED else ""
        version = found.summary.suite.version
        yield f"not verifiable: {scripts} of opconform {version} that this version does not have: {names}{more}"
    if found.signature is Signature.NOT_CHECKED:
        yield "to check the signature, name the vendor's public key with --key"
    yield _result_line(found.summary.stated_result, found.summary.counts, found.summary.excused)
    yield f"{folder}: valid, {found.signature.value}"


def certificate_exit_code(summary: CertificateFile) -> ExitCode:
    """CONFORMING if the product may be called conforming, at least partly."""
    return ExitCode.NOT_CONFORMING if summary.result.is_failure else ExitCode.CONFORMING


def verification_exit_code(found: Verification) -> ExitCode:
    """CONFORMING if the folder keeps the rules, whatever result it states."""
    return ExitCode.NOT_CONFORMING if found.broken else ExitCode.CONFORMING

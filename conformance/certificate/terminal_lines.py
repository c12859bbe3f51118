"""What `conformance certify` and `verify` print about a certificate, and their exit codes.

Each statement has one line, however long: text of a certificate can begin no line of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conformance.certificate.certificate_file import CertificateFile
from conformance.certificate.pages import basis_lines, certificate_lines, details, result_line
from conformance.certificate.verify import Signature, Verification
from conformance.language.verdict import ExitCode
from conformance.report.terminal import lines_of
from conformance.values.text import counted


def summary_lines(summary: CertificateFile) -> Iterator[str]:
    """The terminal's lines about a certificate: counts by operator, findings, and the result as the last line."""
    yield from lines_of(details(summary))
    yield result_line(summary.stated_result, summary.counts, summary.excused)


def verification_lines(found: Verification, folder: Path) -> Iterator[str]:
    """The terminal's lines about a verified folder."""
    for problem in found.broken:
        yield str(problem)
    if found.broken or found.summary is None:
        yield f"{folder}: not valid, {counted(len(found.broken), 'rule')} broken"
        return
    yield from certificate_lines(found.summary, found.signature)
    yield from lines_of(details(found.summary))
    yield from basis_lines(found.summary)
    if found.signature is Signature.NOT_CHECKED:
        yield "to check the signature, name the vendor's public key with --key"
    yield result_line(found.summary.stated_result, found.summary.counts, found.summary.excused)
    yield f"{folder}: valid, {found.signature.value}"


def certificate_exit_code(summary: CertificateFile) -> ExitCode:
    """CONFORMING if the product may be called conforming, at least partly."""
    return ExitCode.NOT_CONFORMING if summary.result.is_failure else ExitCode.CONFORMING


def verification_exit_code(found: Verification) -> ExitCode:
    """CONFORMING if the folder keeps the rules, whatever result it states."""
    return ExitCode.NOT_CONFORMING if found.broken else ExitCode.CONFORMING

"""What `conformance certify` and `verify` print about a certificate, and their exit codes.

Each statement has one line, however long: text of a certificate can begin no line of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from conformance.certificate.certificate_file import CertificateFile, Result
from conformance.certificate.pages import basis_lines, certificate_lines, details, result_line
from conformance.certificate.verify import Signature, Verification
from conformance.language.verdict import ExitCode
from conformance.report.document import Items, Table
from conformance.report.terminal import lines_of
from conformance.values.text import counted

_FEW = 8
_ORDER = list(Result)


def summary_lines(summary: CertificateFile) -> Iterator[str]:
    """A screen of the terminal about a certificate: the worst operators, some findings, and the result at the end."""
    claimed = [entry for entry in summary.operators if entry.result is not None]
    worse = [entry for entry in claimed if entry.result is not Result.CONFORMANT]
    worse.sort(key=lambda entry: _ORDER.index(entry.result or Result.CONFORMANT), reverse=True)
    for block in details(summary.model_copy(update={"operators": worse})):
        if isinstance(block, Table | Items) and (not isinstance(block, Table) or block.rows):
            yield from lines_of([replace(block, few=_FEW)])
    of = counted(len(claimed), "operator version")
    yield f"conformant: {len(claimed) - len(worse):,} of {of}; `conformance verify` shows all"
    yield result_line(summary.stated_result, summary.counts, summary.excused)


def verification_lines(found: Verification, folder: Path) -> Iterator[str]:
    """The terminal's lines about a verified folder."""
    if found.broken or found.summary is None:
        yield f"{folder}: not valid, {counted(len(found.broken), 'rule')} broken"
        yield from map(str, found.broken)
        return
    result = result_line(found.summary.stated_result, found.summary.counts, found.summary.excused)
    yield f"{folder}: valid, {found.signature.value}; {result}"
    yield from certificate_lines(found.summary, found.signature)
    yield from lines_of(details(found.summary))
    yield from basis_lines(found.summary)
    if found.signature is Signature.NOT_CHECKED:
        yield "to check the signature, name the vendor's public key with --key"


def certificate_exit_code(summary: CertificateFile) -> ExitCode:
    """CONFORMING if the product may be called conforming, at least partly."""
    return ExitCode.NOT_CONFORMING if summary.result is Result.NOT_CONFORMANT else ExitCode.CONFORMING


def verification_exit_code(found: Verification) -> ExitCode:
    """NOT_VALID if the folder breaks a rule, else that of its result."""
    if found.broken or found.summary is None:
        return ExitCode.NOT_VALID
    return certificate_exit_code(found.summary)

"""A certificate for readers: pages, lines on the terminal, and exit codes. None is part of the certificate.

Each statement has one line, however long: text of a certificate can begin no line of its own.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from conformance import __version__
from conformance.certificate.certificate_file import CertificateFile, IncludedEntry, Result, TallyEntry
from conformance.certificate.rules import install_command
from conformance.certificate.verify import Signature, Verification
from conformance.log.summary import summarize
from conformance.report.document import (
    ALL,
    Items,
    ReportBlock,
    ReportSection,
    ReportTree,
    Sentence,
    ShellCommand,
    Span,
    Table,
    Tone,
    columns,
    row,
)
from conformance.report.page import Banner, markdown_of
from conformance.report.run_page import render_html
from conformance.report.terminal import lines_of
from conformance.run.script_folder import LogScripts
from conformance.spec.verdict import ExitCode
from conformance.tensors.text import counted, one_line, target_text

_CLAIMS = 10_000
"""Characters of a sentence that may name all operators of a profile."""
_COUNTING = (
    "In these numbers, a check that is unsupported, not expressible, not declared by the adapter, or answered through "
    "other operators has not passed, and a recorded memory fault counts as a memory error, even if the check passed. "
    "The report below counts the verdict of each compared check."
)


def certificate_lines(summary: CertificateFile, signature: Signature) -> list[str]:
    """The names that the issuer chose, quoted and a line each; then profile, result, signature and who verified it."""
    product, suite = summary.product, summary.suite
    names = {"product": product.name, "vendor": product.vendor, "issuer": summary.issuer}
    return [
        *(f"{what}: {_named(name)}" for what, name in names.items()),
        one_line(
            f"certificate of version {product.version}{measured_words(summary)}, "
            f"profile {suite.profile} of opconform {suite.version}: "
            f"{summary.stated_result}; {claims_sentence(summary)}{excused_words(summary.excused)}; {signature.value}; "
            f"each verdict judged again by opconform {__version__}",
            limit=_CLAIMS,
        ),
    ]


def _named(name: str) -> str:
    """A name in quotes that it cannot end: it may read as a result or as a signature."""
    return json.dumps(one_line(name), ensure_ascii=False)


def measured_words(summary: CertificateFile) -> str:
    """Who measured, where it is not the vendor: a page with a vendor's name on it could be read as the vendor's."""
    return "" if summary.issuer == summary.product.vendor else ", measured by its issuer, not by the vendor"


def claims_sentence(summary: CertificateFile) -> str:
    """How many operators of the profile the product claims, and which it does not."""
    total = len(summary.operators)
    sentence = f"{len(summary.claimed)} of {total} operator versions claimed"
    others = (("not claimed", summary.not_claimed), ("through other operators", summary.through_others))
    return "; ".join([sentence, *(f"{word}: {', '.join(names)}" for word, names in others if names)])


def excused_words(excused: Mapping[str, int]) -> str:
    """How many checks controls excuse, and what stands beside the operator there; empty if they excuse none."""
    by = ", ".join(f"{neighbour}: {number:,}" for neighbour, number in excused.items())
    return f"; controls excuse {counted(sum(excused.values()), 'check')} ({by})" if excused else ""


def certificate_banner(summary: CertificateFile, signature: Signature, folder: str) -> Banner:
    """What a page of the certificate in `folder` says first: of what it is, its result, its issuer, its signature."""
    product, suite, counts = summary.product, summary.suite, summary.counts
    level = f", {product.instruction_set}" if product.instruction_set else ""
    itself = ", the vendor itself" if summary.issuer == product.vendor else ""
    return Banner(
        eyebrow=f"Certificate{measured_words(summary)}",
        title=summary.stated_result,
        tone=tone_of(summary.result),
        facts={
            "Product": _named(product.name),
            "Version": product.version,
            "Vendor": _named(product.vendor),
            "Profile": f"{suite.profile}, of opconform {suite.version}",
            "Issued by": f"{_named(summary.issuer)}{itself}",
            "Signature": signature.value,
            "Passed": f"{counts.rate} checks that count",
            "Claims": one_line(claims_sentence(summary) + excused_words(summary.excused), _CLAIMS),
            "Ran": one_line(f"{summary.run[:10]}, on {', '.join(product.devices) or 'a device without a name'}{level}"),
        },
        about=f"{_COUNTING} opconform {__version__} judged each verdict again from the log, then made this page. "
        "To do the same:",
        command=verify_command(summary, signature, folder),
    )


def tone_of(result: Result) -> Tone:
    """The colour of a result."""
    if result is Result.NOT_CONFORMANT:
        return Tone.BAD
    return Tone.GOOD if result is Result.CONFORMANT else Tone.KNOWN


def verify_command(summary: CertificateFile, signature: Signature, folder: str) -> str:
    """The command that verifies a certificate, for a shell in the folder above it."""
    key = "" if signature is Signature.NONE else " --key PUBLIC_KEY.pem"
    challenge = f" --challenge {_quoted(summary.suite.challenge)}" if summary.suite.challenge else ""
    return f"conformance verify {_quoted(folder)}{key}{challenge}"


def html_page(found: Verification, log: Path, folder: str, *, links: Mapping[str, str] | None = None) -> Iterator[str]:
    """The report of the run with the banner of its certificate and these links, by name.

    Args:
        found: the verified certificate, which must be valid.
        log: its log.
        folder: the name of its folder.
        links: what the banner links to, by name.
    """
    assert found.summary is not None
    summary = summarize(log)
    banner = replace(certificate_banner(found.summary, found.signature, folder), links=links or {})
    return render_html(summary, log, LogScripts(summary), banner=banner)


def markdown_page(found: Verification, folder: str) -> str:
    """The contents of a certificate, and how to verify and reproduce it, in Markdown."""
    assert found.summary is not None
    return markdown_of(certificate_tree(found.summary, found.signature, folder))


def certificate_tree(summary: CertificateFile, signature: Signature, folder: str) -> ReportTree:
    """The contents of a certificate."""
    product, suite = summary.product, summary.suite
    challenge = f" --challenge {_quoted(suite.challenge)}" if suite.challenge else ""
    level = f", instruction set {product.instruction_set}" if product.instruction_set else ""
    devices = ", ".join(product.devices) or "a device that the adapter does not name"
    again = (
        f"conformance certify --target {_quoted(_target(summary))} --profile {suite.profile}{challenge} "
        f"--vendor {_quoted(product.vendor)} --product {_quoted(product.name)} --output again"
    )
    commands = (verify_command(summary, signature, folder), install_command(suite.version), again)
    return ReportTree(
        product=f"Certificate{measured_words(summary)}",
        headline=summary.stated_result,
        opening=[
            Items([Span(line, limit=_CLAIMS) for line in certificate_lines(summary, signature)], few=ALL),
            *details(summary),
        ],
        result=[
            Sentence(Span(result_line(summary.stated_result, summary.counts, summary.excused), limit=_CLAIMS)),
            Sentence(f"It ran on {devices}{level}, on {summary.run[:10]}."),
        ],
        sections=[
            *_counted("Ruled out ahead by the description of the adapter", summary.ruled_out),
            *_counted("Recorded deviations, with the number of checks", summary.deviations),
            ReportSection(title="What it rests on", blocks=[Items(basis_lines(summary), few=ALL)]),
            ReportSection(title="Verify and reproduce", blocks=[ShellCommand("\n".join(commands))]),
        ],
    )


def details(summary: CertificateFile) -> Iterator[ReportBlock]:
    """The result of each operator, and what else was found."""
    rows = []
    for entry in summary.operators:
        counts, state = entry.counts, entry.claim.value if entry.result is None else entry.result.value
        numbers = (counts.deviating, counts.failed, counts.unanswered, counts.not_counted)
        texts = (entry.operator, state, counts.rate, *(f"{number:,}" for number in numbers))
        rows.append(row(*texts))
    names = columns("operator", "result", "passed", "deviating", "failed", "unanswered", "not counted", numbers_from=2)
    yield Table(name="Operators", columns=names, rows=rows, few=ALL, kind="numbers")
    yield Items([Span(line, limit=_CLAIMS) for line in _found(summary)], few=ALL)


def _found(summary: CertificateFile) -> Iterator[str]:
    for finding in summary.findings:
        yield f"finding: {one_line(finding)}"
    for name, of in summary.includes.items():
        yield f"profile {name}, a part of it: {result_line(of.result.value, of.counts, of.excused)}"
    judged: list[CertificateFile | IncludedEntry] = [summary, *summary.includes.values()]
    for part in judged:
        yield from (f"too little passed: {one_line(sentence)}" for sentence in part.below)
        yield from (f"excused too often: {one_line(sentence)}" for sentence in part.excuses)
    for severity, number in summary.recorded.items():
        yield f"recorded, {severity}: {counted(number, 'check')}"
    if summary.not_counted:
        yield f"not counted: {', '.join(f'{number:,} {reason}' for reason, number in summary.not_counted.items())}"


def result_line(result: str, counts: TallyEntry, excused: Mapping[str, int]) -> str:
    """A result, and the counts that it follows from."""
    return (
        f"{result}: of {counted(counts.required, 'check')} that count, {counts.passed:,} passed, "
        f"{counts.deviating:,} deviating, {counts.failed:,} failed, {counts.unanswered:,} unanswered; "
        f"{counts.not_counted:,} not counted{excused_words(excused)}"
    )


def basis_lines(summary: CertificateFile) -> list[str]:
    """What the verdicts were judged again from, and what cannot be verified."""
    basis = summary.rests_on
    by = f"{basis.recorded:,} from all that was recorded, {basis.digest:,} from the digest of the outputs alone"
    return [f"verdicts judged again: {by}", *(f"not verifiable: {sentence}" for sentence in basis.adapter)]


def _counted(title: str, counts: dict[str, int]) -> Iterator[ReportSection]:
    if counts:
        yield ReportSection(title=title, blocks=[Items([f"{name}: {n:,}" for name, n in counts.items()], few=ALL)])


def _target(summary: CertificateFile) -> str:
    product = summary.product
    return target_text(product.adapter, product.version, product.options)


def _quoted(text: str) -> str:
    """The text as one shell word that cannot end the code block around it."""
    return shlex.quote(" ".join(text.split()).replace("```", "'''"))


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

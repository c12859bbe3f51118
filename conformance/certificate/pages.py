"""Pages about a verified certificate, for readers. They are not part of the certificate."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from conformance import __version__
from conformance.certificate.certificate_file import CertificateFile, Result
from conformance.certificate.releases import install_command
from conformance.certificate.verify import Signature, Verification
from conformance.findings.summary import summarize
from conformance.report.document import Tone
from conformance.report.markdown import escaped
from conformance.report.page import Banner
from conformance.report.run_page import render_html
from conformance.scripts.log_scripts import LogScripts
from conformance.values.text import counted, one_line, target_text

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
    if result.is_failure:
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
    """The contents of a certificate, and how to verify and reproduce it, in Markdown; names are escaped."""
    summary = found.summary
    assert summary is not None
    product, suite, counts = summary.product, summary.suite, summary.counts
    challenge = f" --challenge {_quoted(suite.challenge)}" if suite.challenge else ""
    level = f", instruction set {product.instruction_set}" if product.instruction_set else ""
    devices = ", ".join(map(escaped, product.devices)) or "a device that the adapter does not name"
    basis = summary.rests_on
    lines = [
        f"# Certificate{measured_words(summary)}: {summary.stated_result}",
        "",
        *(f"- {escaped(line, _CLAIMS)}" for line in certificate_lines(summary, found.signature)),
        "",
        *(f"- **{what}**, as recorded: {counted(count, 'check')}" for what, count in summary.recorded.items()),
        *(f"- **too little passed**: {escaped(sentence)}" for sentence in summary.below),
        *(f"- **excused too often**: {escaped(sentence)}" for sentence in summary.excuses),
        *(f"- {escaped(finding)}" for finding in summary.findings),
        *([""] if summary.recorded or summary.below or summary.excuses or summary.findings else []),
        f"Of {counts.required:,} checks that count, {counts.passed:,} passed, {counts.deviating:,} deviate as recorded,"
        f" {counts.failed:,} failed, and {counts.unanswered:,} were not answered by the backend itself. "
        f"{counts.not_counted:,} more are not counted"
        + (
            f": {', '.join(f'{n:,} {reason}' for reason, n in summary.not_counted.items())}"
            if summary.not_counted
            else ""
        )
        + f"{excused_words(summary.excused)}.",
        "",
        f"It ran on {devices}{escaped(level)}, on {summary.run[:10]}.",
        "",
        *_table(summary),
        "",
        *_included(summary),
        *_list("Ruled out ahead by the description of the adapter", summary.ruled_out),
        *_list("Recorded deviations, with the number of checks", summary.deviations),
        "## What it rests on",
        "",
        f"- {basis.recorded:,} verdicts: all that was recorded",
        f"- {basis.digest:,} verdicts: the digest of the outputs alone",
        *(f"- not verifiable: {sentence}" for sentence in basis.adapter),
        "",
        "## Verify and reproduce",
        "",
        "```console",
        f"$ {verify_command(summary, found.signature, folder)}",
        f"$ {install_command(suite.version)}",
        f"$ conformance certify --target {_quoted(_target(summary))} --profile {suite.profile}{challenge} \\",
        f"    --vendor {_quoted(product.vendor)} --product {_quoted(product.name)} --output again",
        "```",
        "",
    ]
    return "\n".join(lines)


def _table(summary: CertificateFile) -> list[str]:
    return [
        "| operator | result | passed | deviating | failed | unanswered | not counted |",
        "|---|---|--:|--:|--:|--:|--:|",
        *(
            f"| {escaped(entry.operator)} | {entry.result.value if entry.result else entry.claim.value} "
            f"| {entry.counts.rate} | {entry.counts.deviating:,} | {entry.counts.failed:,} "
            f"| {entry.counts.unanswered:,} | {entry.counts.not_counted:,} |"
            for entry in summary.operators
        ),
    ]


def _included(summary: CertificateFile) -> Iterator[str]:
    for name, part in summary.includes.items():
        yield f"Profile {name}, which is a part of it: {part.result.value}, {part.counts.rate} passed."
        yield from (f"- too little passed: {escaped(sentence)}" for sentence in part.below)
        yield from (f"- excused too often: {escaped(sentence)}" for sentence in part.excuses)
        yield ""


def _list(title: str, counts: dict[str, int]) -> Iterator[str]:
    if counts:
        yield f"## {title}"
        yield ""
        yield from (f"- {escaped(name)}: {count:,}" for name, count in counts.items())
        yield ""


def _target(summary: CertificateFile) -> str:
    product = summary.product
    return target_text(product.adapter, product.version, product.options)


def _quoted(text: str) -> str:
    """The text as one shell word that cannot end the code block around it."""
    return shlex.quote(" ".join(text.split()).replace("```", "'''"))

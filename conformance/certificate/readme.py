"""The README of a certificate: what it says, how to verify it, and how to make it again."""

from __future__ import annotations

import shlex

from conformance.certificate.summary import CertificateFile
from conformance.report.markdown import escaped


def readme(summary: CertificateFile) -> str:
    """The README in Markdown, in which no name of others is markup."""
    product, suite, counts = summary.product, summary.suite, summary.counts
    title = f"{escaped(product.name)} {escaped(product.version)}"
    sentence = (
        f"Of {counts.required:,} checks that count, {counts.passed:,} passed, {counts.deviating:,} deviate as recorded,"
        f" {counts.failed:,} failed, and {counts.unanswered:,} were not answered by the backend itself. "
        f"{counts.apart:,} more count neither for nor against."
    )
    challenge = f" --challenge {_quoted(suite.challenge)}" if suite.challenge else ""
    lines = [
        f"# {title}: {summary.result}",
        "",
        f"{escaped(product.vendor)}, {title}, profile `{suite.profile}` of opconform {suite.version}.",
        "",
        sentence,
        "",
        *_table(summary),
        "",
        *(f"- {escaped(finding)}" for finding in summary.findings),
        *([""] if summary.findings else []),
        "## Verify",
        "",
        "```console",
        f"$ conformance verify .{challenge}",
        "```",
        "",
        "## Reproduce",
        "",
        "```console",
        f"$ pip install opconform=={suite.version}",
        f"$ conformance certify --target {_quoted(_target(summary))} --profile {suite.profile}{challenge} \\",
        f"    --vendor {_quoted(product.vendor)} --product {_quoted(product.name)} --output again",
        "```",
        "",
        "`run.jsonl.gz` is the unmodified log, compressed: its digest in `certificate.yaml` is that of the bytes",
        "before that. All other files follow from it.",
        "",
    ]
    return "\n".join(lines)


def _table(summary: CertificateFile) -> list[str]:
    return [
        "| operator | result | passed | deviating | failed | unanswered | apart |",
        "|---|---|--:|--:|--:|--:|--:|",
        *(
            f"| {entry.operator} | {entry.result or entry.claim} | {entry.counts.rate} | {entry.counts.deviating:,} "
            f"| {entry.counts.failed:,} | {entry.counts.unanswered:,} | {entry.counts.apart:,} |"
            for entry in summary.operators
        ),
    ]


def _target(summary: CertificateFile) -> str:
    product = summary.product
    options = ",".join(f"{name}={value}" for name, value in sorted(product.options.items()))
    return f"{product.adapter}@{product.version}" + (f"[{options}]" if options else "")


def _quoted(text: str) -> str:
    """The text as one word of a shell, which cannot end the block of code that it stands in."""
    return shlex.quote(" ".join(text.split()).replace("```", "'''"))

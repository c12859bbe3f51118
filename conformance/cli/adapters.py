"""The commands of an adapter's author: `adapter new`, `adapter check`, `certify` and `verify`."""

from __future__ import annotations

import argparse

from conformance.adapter_kit.adapter_check import Language, next_command, observed, write_adapter
from conformance.adapter_kit.advice import blocks_of, exit_code, findings
from conformance.certificate.issue import CertificateRequest, RunSettings, certify, certify_log
from conformance.certificate.pages import (
    certificate_exit_code,
    html_page,
    markdown_page,
    summary_lines,
    verification_exit_code,
    verification_lines,
)
from conformance.certificate.review import checked_claims
from conformance.certificate.rules import installed, read_profile
from conformance.certificate.verify import verified
from conformance.cli.options import log_in, suite_from, target_named
from conformance.cli.parser import say
from conformance.report.terminal import lines_of, lines_of_progress, progress_bars
from conformance.report.writers import refuse_overwriting, write_text
from conformance.suite.adapter_file import target_from_text
from conformance.tensors.errors import UsageError


def new_adapter(options: argparse.Namespace) -> int:
    """Write the folder of a new adapter."""
    written = write_adapter(options.name, Language(options.language), options.output)
    for path in written:
        say(str(path))
    say(f"next: {next_command(written[0].parent)}")
    return 0


def check_adapter(options: argparse.Namespace) -> int:
    """Check whether an adapter itself is sound."""
    progress = "starting the adapter and choosing the checks"

    def on_progress(done: int, planned: int) -> None:
        nonlocal progress
        progress = f"{done} of {planned} checks answered"

    with lines_of_progress(lambda: progress):
        suite = suite_from(options)
        observation = observed(target_named(options.target), suite, options.timeout, on_progress)
    seen = findings(observation, suite.operators)
    for line in lines_of(blocks_of(options.target, seen)):
        say(line)
    return int(exit_code(seen, has_started=observation.description is not None))


def issue_certificate(options: argparse.Namespace) -> int:
    """Run a profile on a target and write a certificate."""
    profiles = installed().profiles
    target, profile = target_from_text(options.target), read_profile(options.profile, profiles)
    vendor, issuer, product = options.vendor, options.issuer or options.vendor, options.product or target.adapter.name
    request = CertificateRequest(
        claims=checked_claims(vendor=vendor, product=product, issuer=issuer, where="certify"),
        profile=profile,
        output=options.output,
        profiles=profiles,
        key=options.key,
        challenge=options.challenge,
    )
    suite = suite_from(options)
    if options.log is not None:
        summary = certify_log(request, suite, target, log_in(options.log))
    else:
        with progress_bars(is_shown=not options.quiet) as bars:
            effort = RunSettings(
                timeout_s=options.timeout, jobs=options.jobs, on_start=bars.start, on_progress=bars.advance
            )
            summary = certify(request, suite, target, effort)
    for line in summary_lines(summary):
        say(line)
    say(f"certificate: {options.output}")
    return int(certificate_exit_code(summary))


def verify_certificate(options: argparse.Namespace) -> int:
    """Check the folder of a certificate."""
    folder = options.folder.parent if options.folder.is_file() else options.folder
    pages = [path for path in (options.html, options.markdown) if path is not None]
    refuse_overwriting(pages, [])
    for path in pages:
        if path.resolve().is_relative_to(folder.resolve()):
            raise UsageError(str(path), "is in the folder that is verified", fix="name a file outside of it")
    with verified(folder, installed(), key=options.key, challenge=options.challenge) as (found, log):
        for line in verification_lines(found, folder):
            say(line)
        name = folder.resolve().name
        if options.html is not None and not found.broken:
            say(f"page: {write_text(html_page(found, log, name), options.html)}")
        if options.markdown is not None and not found.broken:
            say(f"page: {write_text([markdown_page(found, name)], options.markdown)}")
    return int(verification_exit_code(found))

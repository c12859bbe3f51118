"""`conformance certify` and `conformance verify`."""

from __future__ import annotations

import argparse

from conformance.cli.options import (
    Commands,
    add_cases_folder,
    add_challenge,
    add_command,
    add_effort,
    add_output,
    log_in,
    path_from,
    say,
    suite_from,
)
from conformance.tensors.errors import UsageError


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    certify = add_command(commands, "certify", _certify, "run a profile on a target and write a certificate")
    certify.add_argument(*("-t", "--target"), metavar="TARGET", required=True, help="as for `run`")
    certify.add_argument("--profile", metavar="NAME", required=True, help="core or full")
    add_output(certify, "new folder to write", required=True)
    certify.add_argument("--vendor", metavar="NAME", required=True, help="maker of the product")
    certify.add_argument("--product", metavar="NAME", help="name of the product (default: the adapter's name)")
    certify.add_argument(
        "--issuer", metavar="NAME", help="who runs the suite and answers for the result (default: the vendor)"
    )
    certify.add_argument("--key", metavar="FILE", type=path_from, help="private ed25519 key in PEM, to sign with")
    certify.add_argument(
        "--log", metavar="LOG", type=path_from, help="certify this log of `run --profile` and run nothing"
    )
    add_challenge(certify)
    add_effort(certify)
    add_cases_folder(certify)

    verify = add_command(
        commands, "verify", _verify, "check the folder of a certificate without executing anything in it"
    )
    codes = "0 valid and conformant, also in part or as recorded, 1 valid and not conformant, 2 usage, 4 not valid"
    verify.epilog = f"exit codes: {codes}"
    verify.add_argument("folder", metavar="DIR", type=path_from, help="the folder of a certificate, or a file in it")
    verify.add_argument("--html", metavar="FILE", type=path_from, help="report of a valid certificate, as a page")
    verify.add_argument(
        "--markdown", metavar="FILE", type=path_from, help="summary of a valid certificate, in Markdown"
    )
    verify.add_argument("--key", metavar="FILE", type=path_from, help="public ed25519 key in PEM; it must have signed")
    add_challenge(verify)


def _certify(options: argparse.Namespace) -> int:
    from conformance.certificate.issue import CertificateRequest, RunSettings, certify, certify_log
    from conformance.certificate.pages import certificate_exit_code, summary_lines
    from conformance.certificate.profile_file import read_profile
    from conformance.certificate.review import checked_claims
    from conformance.certificate.rules import installed
    from conformance.report.terminal import progress_bars
    from conformance.suite.adapter_file import target_from_text

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


def _verify(options: argparse.Namespace) -> int:
    from conformance.certificate.pages import html_page, markdown_page, verification_exit_code, verification_lines
    from conformance.certificate.rules import installed
    from conformance.certificate.verify import verified
    from conformance.report.writers import refuse_overwriting, write_text

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

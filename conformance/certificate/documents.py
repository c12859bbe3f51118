"""Every file of a certificate as bytes: pure functions of the log, the claims and the deviations.

Whoever verifies a certificate makes the same bytes again, so that nothing in these files has to be believed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.certificate.assessment import Assessment, Result
from conformance.certificate.claims import Claims
from conformance.certificate.readme import readme
from conformance.certificate.summary import CertificateFile, certificate_file
from conformance.certificate.yaml_text import yaml_text
from conformance.deviation import Deviation
from conformance.deviation_file import deviations_to_plain
from conformance.profile import Profile
from conformance.record import Header
from conformance.report.html import render_html
from conformance.report.summary import summarize

LOG, SUMMARY, DEVIATIONS = "run.jsonl.gz", "certificate.yaml", "deviations.yaml"
ENVIRONMENT, REPORT, README, STATEMENT = "environment.yaml", "report.html", "README.md", "statement.json"
ENVELOPE = "statement.dsse.json"
FILES = (LOG, SUMMARY, DEVIATIONS, ENVIRONMENT, REPORT, README, STATEMENT)
"""All files but the envelope, which only a signed certificate has."""

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"
_IN_TOTO_RESULTS = {
    Result.CONFORMANT: "PASSED",
    Result.RECORDED: "WARNED",
    Result.PARTIAL: "WARNED",
    Result.NOT_CONFORMANT: "FAILED",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that a certificate follows from; `log` is the uncompressed one, of which `header` is the first line."""

    claims: Claims
    profile: Profile
    header: Header
    assessment: Assessment
    deviations: Sequence[Deviation]
    log: Path


def documents(evidence: Evidence) -> dict[str, bytes]:
    """The files of a certificate by name, all but the log itself."""
    header, assessment, log = evidence.header, evidence.assessment, evidence.log
    summary = certificate_file(evidence.claims, evidence.profile, header, assessment, digest_of_file(log))
    made = {
        SUMMARY: yaml_text(summary.model_dump(mode="json")).encode(),
        DEVIATIONS: yaml_text(deviations_to_plain(evidence.deviations)).encode(),
        ENVIRONMENT: yaml_text(_environment(header)).encode(),
        REPORT: "".join(render_html(summarize(log), log)).encode(),
        README: readme(summary).encode(),
    }
    return {**made, STATEMENT: _statement(summary, assessment, made)}


def compressed(log: Path, target: Path) -> None:
    """Write the log compressed; the same log gives the same bytes on one version of zlib."""
    with (
        log.open("rb") as source,
        target.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=raw, mtime=0) as packed,
    ):
        shutil.copyfileobj(source, packed)


def digest_of_file(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _environment(header: Header) -> dict[str, object]:
    target, machine = header.targets[0], header.machine
    return {
        "target": target.name,
        "framework": {"name": target.framework, "version": target.version, "options": target.options},
        "devices": target.devices,
        "instruction_set": target.instruction_set,
        "details": target.details,
        "machine": {"system": machine.system, "processor": machine.processor, "cores": machine.cores},
        "python": machine.python,
        "numpy": machine.numpy,
        "opconform": header.suite.version,
        "timeout_s": header.timeout_s,
    }


def _statement(summary: CertificateFile, assessment: Assessment, files: Mapping[str, bytes]) -> bytes:
    """An in-toto statement with a test-result predicate: its tests are the operators that are claimed."""
    named: dict[str, list[str]] = {"PASSED": [], "WARNED": [], "FAILED": []}
    for entry in assessment.operators:
        if entry.result is not None:
            named[_IN_TOTO_RESULTS[entry.result]].append(entry.operator)
    subjects = {"run.jsonl": summary.log, **{name: hashlib.sha256(data).hexdigest() for name, data in files.items()}}
    suite = summary.suite
    configuration = {f"opconform-{suite.version}-cases": suite.digest, f"profile-{suite.profile}": suite.profile_digest}
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects.items()],
        "predicateType": _PREDICATE,
        "predicate": {
            "result": _IN_TOTO_RESULTS[assessment.result],
            "configuration": [{"name": name, "digest": {"sha256": d}} for name, d in configuration.items()],
            "passedTests": named["PASSED"],
            "warnedTests": named["WARNED"],
            "failedTests": named["FAILED"],
        },
    }
    return (json.dumps(statement, indent=2, ensure_ascii=False) + "\n").encode()

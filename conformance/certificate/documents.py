"""The contents of a certificate's files, derived from the log, the claims and the deviations.

Verification derives them again and compares them byte by byte, except for the compressed log. The pages for readers are
not part of a certificate.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

import yaml

from conformance.certificate.certificate_file import CertificateFile, Result
from conformance.formats.yaml_document import Plain
from conformance.judging.deviation import Deviation
from conformance.judging.deviation_file import deviations_to_plain
from conformance.log.record import Header

LOG, SUMMARY, DEVIATIONS = "run.jsonl.xz", "certificate.yaml", "deviations.yaml"
ENVIRONMENT, STATEMENT, ENVELOPE = "environment.yaml", "statement.json", "statement.dsse.json"
REPRODUCERS = "reproducers"
FILES = (LOG, SUMMARY, DEVIATIONS, ENVIRONMENT, STATEMENT)
"""The files of every certificate; it may also have an envelope, if signed, and reproducers that are not bundled."""

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_PREDICATE = "https://in-toto.io/attestation/test-result/v0.1"


def documents(summary: CertificateFile, header: Header, deviations: Sequence[Deviation]) -> dict[str, Plain]:
    """The contents of a certificate's YAML files, by name; `header` is that of its log."""
    return {
        SUMMARY: summary.to_plain(),
        DEVIATIONS: deviations_to_plain(deviations),
        ENVIRONMENT: _environment(header),
    }


def statement(summary: CertificateFile, digests: Mapping[str, str]) -> dict[str, Plain]:
    """An in-toto statement with a test-result predicate, whose tests are the claimed operators.

    `digests` are the SHA-256 of the certificate's other files by name, without the log: its compressed bytes may vary,
    so the statement names the digest of the uncompressed log.
    """
    suite = summary.suite
    named: dict[str, list[Plain]] = {"PASSED": [], "WARNED": [], "FAILED": []}
    for entry in summary.operators:
        if entry.result is not None:
            named[_in_toto(entry.result)].append(entry.operator)
    subjects = {"run.jsonl": summary.log, **digests}
    configuration = {f"opconform-{suite.version}-cases": suite.digest, f"profile-{suite.profile}": suite.profile_digest}
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in sorted(subjects.items())],
        "predicateType": _PREDICATE,
        "predicate": {
            "result": _in_toto(summary.result),
            "configuration": [{"name": name, "digest": {"sha256": d}} for name, d in configuration.items()],
            "passedTests": named["PASSED"],
            "warnedTests": named["WARNED"],
            "failedTests": named["FAILED"],
        },
    }


def written(
    summary: CertificateFile, header: Header, deviations: Sequence[Deviation], reproducers: Mapping[str, bytes]
) -> dict[str, bytes]:
    """The files of a certificate by name, without the log and the envelope."""
    files = {name: document_bytes(said) for name, said in documents(summary, header, deviations).items()}
    files |= {f"{REPRODUCERS}/{name}": data for name, data in sorted(reproducers.items())}
    said = statement(summary, {name: digest_of(data) for name, data in files.items()})
    return {**files, STATEMENT: statement_bytes(said)}


def document_bytes(said: Plain) -> bytes:
    """A YAML file with these contents."""
    return yaml_text(said).encode()


def statement_bytes(said: Plain) -> bytes:
    """The statement with these contents."""
    return (json.dumps(said, indent=2) + "\n").encode()


def reproducer_name(deviation: Deviation) -> str:
    """The name of a deviation's reproducer in a certificate: the last part of its path."""
    return PurePosixPath(deviation.reproducer).name


def compressed(log: Path, target: Path) -> None:
    """Write the compressed log; its bytes depend on the version of liblzma."""
    with log.open("rb") as source, lzma.open(target, "wb", preset=6 | lzma.PRESET_EXTREME) as packed:
        shutil.copyfileobj(source, packed)


def digest_of(data: bytes) -> str:
    """SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def _in_toto(result: Result) -> str:
    if result is Result.CONFORMANT:
        return "PASSED"
    return "FAILED" if result is Result.NOT_CONFORMANT else "WARNED"


def _environment(header: Header) -> dict[str, Plain]:
    target, machine = header.targets[0], header.machine
    return {
        "target": target.name,
        "framework": {"name": target.framework, "version": target.version, "options": dict(target.options)},
        "devices": list(target.devices),
        "instruction_set": target.instruction_set,
        "details": dict(target.details),
        "machine": {"system": machine.system, "processor": machine.processor, "cores": machine.cores},
        "python": target.python or machine.python,
        "numpy": target.numpy or machine.numpy,
        "opconform": header.suite.version,
        "timeout_s": header.timeout_s,
    }


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 .,+@/()_-]{0,100}")
_LOOKALIKES = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


class _Dumper(yaml.SafeDumper):
    """Writes repeated values in full instead of as aliases."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _LOOKALIKES and text == text.strip()
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if is_plain else '"')


_Dumper.add_representer(str, _text)


def yaml_text(value: Plain) -> str:
    """The value as YAML; mappings keep their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, width=120)
    return text

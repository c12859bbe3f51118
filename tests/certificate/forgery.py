"""What a forger can do: edit the log, and make every other file again so that nothing but the lie gives it away."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.certificate.assessment import Tallies
from conformance.certificate.claims import Claims
from conformance.certificate.documents import DEVIATIONS, LOG, STATEMENT, SUMMARY, written
from conformance.certificate.evidence import Evidence
from conformance.certificate.folder import read_folder, reproducers_in
from conformance.certificate.installation import Installation
from conformance.deviation_file import deviations_from_document
from conformance.profile_file import UNCOUNTED, read_profile
from conformance.record import CheckRecord, Footer, Header
from conformance.run_log import RunLogWriter, lines_as_they_stand
from conformance.suite import load_suite
from conformance.yaml_document import document_from_bytes

Line = dict[str, Any]


def edit_text(path: Path, old: str, new: str) -> None:
    """Replace a text that is there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def log_lines(folder: Path) -> list[Line]:
    """The lines of the log."""
    return [json.loads(line) for line in gzip.decompress((folder / LOG).read_bytes()).splitlines()]


def write_log(folder: Path, data: bytes) -> None:
    """Put another log in the place of the log."""
    (folder / LOG).write_bytes(gzip.compress(data, mtime=0))


def edit_log(folder: Path, installation: Installation, edit: Callable[[list[Line]], None]) -> None:
    """Edit the lines of the log, and make all other files follow from it."""
    lines = log_lines(folder)
    edit(lines)
    write_log(folder, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    remake(folder, installation)


def remake(folder: Path, installation: Installation) -> None:
    """Make all files that follow from the log again, as the program itself does, but without its checks."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "run.jsonl"
        log.write_bytes(gzip.decompress((folder / LOG).read_bytes()))
        lines = list(lines_as_they_stand(log))
        _count_again(log, lines)
        header = next(line for line in lines if isinstance(line, Header))
        profile = read_profile("small", installation.profiles)
        text = (folder / DEVIATIONS).read_bytes()
        deviations = deviations_from_document(document_from_bytes(text, DEVIATIONS))
        tallies = Tallies(profile, header.targets[0], deviations, load_suite(installation.cases))
        for line in lines:
            if isinstance(line, CheckRecord) and line.verdict not in UNCOUNTED:
                tallies.add(line)
        evidence = Evidence(
            claims=Claims(vendor="Vendor", product="Product", profile="small", issuer="Issuer"),
            profile=profile,
            header=header,
            assessment=tallies.assessment(),
            deviations=deviations,
            whole=sum(isinstance(line, CheckRecord) for line in lines),
            by_digest=0,
            log=log,
        )
        for name, data in written(evidence, reproducers_in(read_folder(folder))).items():
            (folder / name).write_bytes(data)


def _count_again(log: Path, lines: list[Line]) -> None:
    """Let the footer count what the log holds, without which no report can be made of it."""
    with log.open("wb") as stream:
        writer = RunLogWriter(stream, {})
        for line in lines:
            match line:
                case Header():
                    writer.header(line)
                case CheckRecord():
                    writer.check(line)
                case Footer():
                    writer.footer(line.reason, line.ended)


def record(lines: list[Line], case: str, form: str = "constant") -> Line:
    """The record of a case in a form."""
    return next(line for line in lines if line.get("case", "").endswith(f"/{case}") and line["form"] == form)


__all__ = ["LOG", "STATEMENT", "SUMMARY", "edit_log", "edit_text", "log_lines", "record", "remake", "write_log"]

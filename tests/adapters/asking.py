"""Puts cases to real targets, each in a worker process, and hands back what was recorded."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gallery import read_log

from conformance.border.form import Form
from conformance.formats.adapter_file import target_from_text
from conformance.formats.suite import bundled_folder, load_suite
from conformance.language.choices import CaseSet
from conformance.log.record import CheckRecord, TargetEntry
from conformance.planning.run_request import RunRequest
from conformance.planning.selection import Selection, sets_included
from conformance.running.run import run


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What one target said of itself and of each check."""

    target: TargetEntry
    records: Mapping[tuple[str, Form], CheckRecord]

    def to(self, case: str, form: Form = Form.CONSTANT) -> CheckRecord:
        """The record of one check."""
        return self.records[case, form]


def answers_of(target: str, cases: Sequence[str], folder: Path, more: Mapping[str, str] | None = None) -> Answers:
    """What a target does with bundled cases, and with `more` of them, given as files by their path."""
    root = folder / "cases"
    shutil.copytree(bundled_folder("cases"), root)
    for path, content in (more or {}).items():
        (root / path).write_text(content)
    request = RunRequest(
        suite=load_suite(root),
        selection=Selection(cases=tuple(cases), sets=sets_included(CaseSet.FULL)),
        targets=(target_from_text(target),),
        log=folder / "run.jsonl",
        timeout_s=60.0,
        jobs=1,
    )
    run(request, lambda _: None, lambda _, __: None)
    log = read_log(request.log)
    return Answers(target=log.header.targets[0], records={(record.case, record.form): record for record in log.records})

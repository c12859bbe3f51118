"""Puts cases to real targets, each in a worker process, and hands back what was recorded."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bundled import cases_of_operators
from gallery import MadeOnce, read_log

from conformance.log.record import CheckRecord, TargetEntry
from conformance.protocol.form import Form
from conformance.run.run import run
from conformance.run.run_plan import RunRequest
from conformance.run.selection import Selection, sets_included
from conformance.spec.choices import CaseSet
from conformance.suite.adapter_file import target_from_text
from conformance.suite.suite import Suite, bundled_folder, load_suite

LOG = "run.jsonl"


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
    ask(target, cases, folder, more)
    return answers_in(folder)


def shared_answers(
    made_once: MadeOnce, name: str, target: str, cases: Sequence[str], more: Mapping[str, str] | None = None
) -> Answers:
    """The same, asked by one test process for all of them, under a name."""
    return answers_in(made_once(name, lambda folder: ask(target, cases, folder, more)))


def ask(target: str, cases: Sequence[str], folder: Path, more: Mapping[str, str] | None) -> None:
    """Run the cases on the target; the log lies in the folder."""
    folder.mkdir(exist_ok=True)
    request = RunRequest(
        suite=suite_of(cases, folder, more or {}),
        selection=Selection(cases=tuple(cases), sets=sets_included(CaseSet.FULL)),
        targets=(target_from_text(target),),
        log=folder / LOG,
        timeout_s=60.0,
        jobs=1,
    )
    run(request, lambda _: None, lambda _, __: None)


def suite_of(cases: Sequence[str], folder: Path, more: Mapping[str, str]) -> Suite:
    """The bundled suite, read as far as the cases need it; with more of them, a copy of it in a folder."""
    names = sorted({case.partition("/")[0].rpartition("-")[0] for case in cases})
    if not more:
        return cases_of_operators(*names)
    root = folder / "cases"
    shutil.copytree(bundled_folder("cases"), root)
    for path, content in more.items():
        (root / path).write_text(content)
    return load_suite(root, names)


def answers_in(folder: Path) -> Answers:
    """The answers in the log of a folder."""
    log = read_log(folder / LOG)
    return Answers(target=log.header.targets[0], records={(record.case, record.form): record for record in log.records})

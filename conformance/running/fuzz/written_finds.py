"""Writes new causes: a file of cases and a script for each, in folders `cases` and `scripts`."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from conformance.authoring.made_case import made_case_file
from conformance.formats.adapter_file import TargetRequest
from conformance.language.check import Check
from conformance.running.fuzz.groups import FindCause, Group
from conformance.scripts.folder import write_reproducer
from conformance.values.errors import HarnessError, UsageError
from conformance.values.regular_file import written

_NAME_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenFind:
    """The files of a group: its cases, and the script of the first one; `why_no_script` says if there is none."""

    group: Group
    cases: Path
    script: Path | None
    why_no_script: str = ""


def cases_folder_of(folder: Path) -> Path:
    """The folder of the cases, laid out as `cases/`."""
    return folder / "cases"


def write_find(group: Group, target: str, request: TargetRequest, folder: Path) -> WrittenFind:
    """Write the witnesses of a group as cases, and a script that shows the first without this project.

    Raises:
        ExceptionGroup: of `CaseFileError`: a case has problems, which is a fault of ours.
        UsageError: a link stands at the place of a file.
    """
    cause, name = group.cause, name_of(group.cause)
    text, cases = made_case_file(
        f"Found by `conformance fuzz` on {target}. {cause.verdict.value}: {cause.text}",
        [
            (item.made.case, f"{name}-{number}", item.made.form, f"{item.made.name}: {item.explanation}")
            for number, item in enumerate(group.witnesses, 1)
        ],
    )
    path = cases_folder_of(folder) / cause.operator.replace(".", "/", 1) / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    written(path, text.encode())
    if not cause.verdict.meaning.has_script:
        return WrittenFind(group=group, cases=path, script=None, why_no_script="no script can show this verdict")
    scripts = folder / "scripts" / name
    if scripts.is_dir():  # of the same cause, perhaps before it was shrunk
        shutil.rmtree(scripts)
    try:
        first, *_ = write_reproducer(Check(cases[0], group.witnesses[0].made.form), request, scripts)
    except (UsageError, HarnessError) as error:
        return WrittenFind(group=group, cases=path, script=None, why_no_script=error.what)
    return WrittenFind(group=group, cases=path, script=first)


def name_of(cause: FindCause) -> str:
    """A name for the files and cases of a cause, the same whenever it is found."""
    stem = re.sub(r"[^a-z0-9]+", "-", f"{cause.verdict.value} {cause.text}".lower())
    digest = hashlib.sha256(cause.sentence.encode()).hexdigest()
    return f"{stem[:_NAME_CHARACTERS].strip('-')}-{digest[:6]}"

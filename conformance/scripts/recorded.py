"""Scripts of what is recorded: of an adapter's deviations, and of the checks of a log, which reports embed.

A log is untrusted, and a script is code that a reader may run. Therefore a log names a bundled case and no more: the
script is made of the case, if that still makes the recorded call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from conformance.adapter import NotExpressible
from conformance.findings.summary import Summary
from conformance.formats.adapter_file import Adapter, TargetRequest
from conformance.formats.suite import Suite, bundled_folder, load_suite
from conformance.judging.deviation import Deviation
from conformance.judging.deviation_file import read_deviations
from conformance.language.case import Case, challenged
from conformance.language.check import Check
from conformance.language.form_steps import forms_of
from conformance.language.reference import OPERATORS
from conformance.language.verdict import Severity
from conformance.log.build_record import call_entry
from conformance.log.record import CheckRecord, TargetEntry
from conformance.scripts.folder import check_named, named_packages
from conformance.scripts.recipe import recipe_function, recipe_of_recorded_target
from conformance.scripts.script import demonstration_of, script_in_one_piece
from conformance.values.errors import SelectionError, UsageError, nearest
from conformance.values.regular_file import content_of, refuse_foreign, written
from conformance.values.text import one_line, options_text

_MAX_CHARACTERS = 20_000
_MAX_IN_ALL = 200
_MAX_TEXT_BYTES = 1 << 20


def script_of_deviation(adapter: Adapter, entry: Deviation, suite: Suite) -> bytes:
    """The script that shows a deviation: the one that was written, or one that is made of its witness.

    Raises:
        SelectionError: the suite has no such case, or the case does not have the form.
        NotExpressible: the framework cannot express the call.
    """
    if entry.witness is None:
        path = adapter.folder / entry.reproducer
        return content_of(path, str(path), _MAX_TEXT_BYTES)
    check = check_named(suite, entry.witness.case, entry.witness.form.value)
    target = TargetRequest(adapter=adapter, options=entry.conditions.options)
    claim = demonstration_of(check, check.request, named_packages(target)[0])
    claim = replace(claim, about=[entry.what.strip(), entry.why.strip(), *claim.about])
    return script_in_one_piece(claim, recipe_function(adapter)(claim.request, target.all_options)).encode()


def write_recorded(adapter: Adapter, deviation: str, suite: Suite, folder: Path) -> Path:
    """Write the script of a recorded deviation, which needs the framework alone, into a folder.

    Raises:
        SelectionError: the adapter records no such deviation.
        UsageError: the folder has another file of this name.
    """
    entries = {entry.id: entry for entry in read_deviations(adapter.folder)}
    if deviation not in entries:
        fix = nearest(deviation, entries, otherwise=f"its deviations.yaml has {', '.join(list(entries)[:4])}, ...")
        raise SelectionError(f"--recorded {deviation!r}", f"{adapter.name} records no such deviation", fix=fix)
    path, content = folder / f"{deviation}.py", script_of_deviation(adapter, entries[deviation], suite)
    refuse_foreign(path)
    if path.exists() and content_of(path, str(path), _MAX_TEXT_BYTES) != content:
        raise UsageError(str(path), "is there already, with another content", fix="name a folder with --output")
    folder.mkdir(parents=True, exist_ok=True)
    written(path, content)
    return path


class LogScripts:
    """Makes the scripts of a log's checks, up to a number that a page has room for."""

    def __init__(self, summary: Summary) -> None:
        self._challenge = summary.header.selection.challenge
        self._targets = {target.name: target for target in summary.targets}
        self._recipe_of = cache(lambda target: recipe_of_recorded_target(self._targets[target]))
        self._suite_of = cache(lambda name: load_suite(bundled_folder("cases"), [name]))
        self._cases_of = cache(self._cases)
        self._room = _MAX_IN_ALL

    def __call__(self, record: CheckRecord) -> str | None:
        """The script of a check in one piece; None if the check has none, or there is no room left."""
        if self._room <= 0 or not record.judged.meaning.has_script or record.operator not in OPERATORS:
            return None
        if record.judged.meaning.severity is Severity.WRONG and not record.differences:
            return None  # it changed its inputs, which no output shows
        recipe = self._recipe_of(record.target)
        check = self._check(record) if recipe is not None else None
        if recipe is None or check is None:
            return None
        target = self._targets[record.target]
        claim = demonstration_of(check, check.request, one_line(_named(target)))
        try:
            text = script_in_one_piece(claim, recipe(claim.request, target.options))
        except NotExpressible:
            return None
        if len(text) > _MAX_CHARACTERS:
            return None
        self._room -= 1
        return text

    def _check(self, record: CheckRecord) -> Check | None:
        """The bundled check of this name that makes the recorded call."""
        case = self._cases_of(record.operator, record.case.partition("[")[0]).get(record.case)
        if case is None or record.form not in forms_of(case):
            return None
        check = Check(challenged(case, self._challenge) if self._challenge else case, record.form)
        return check if call_entry(check) == record.call else None

    def _cases(self, operator: str, family: str) -> Mapping[str, Case]:
        families = self._suite_of(operator.rpartition("-")[0]).families
        return {case.id: case for found in families if found.id == family for case in found.cases()}


def _named(target: TargetEntry) -> str:
    """The framework with its version and options, for readers."""
    options = options_text(target.options)
    return f"{target.framework} {target.version}{f' with {options}' if options else ''}"

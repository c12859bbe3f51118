"""Writes the folder of a check, with its script, and runs the scripts of recorded deviations."""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from packaging.requirements import Requirement

from conformance.adapter import NotExpressible
from conformance.authoring.lint import refuse_wrong_cases
from conformance.judge.deviation import Deviation, Happens, read_deviations
from conformance.log.build_record import call_entry
from conformance.log.record import CheckRecord, TargetEntry
from conformance.log.summary import Summary
from conformance.protocol.form import Form
from conformance.report.script import (
    MARK,
    Demonstration,
    demonstration_of,
    files_of_script,
    filled,
    has_recipe,
    recipe_function,
    recipe_of_recorded_target,
    script_in_one_piece,
    template,
    title_of,
)
from conformance.report.sources import onnx_files
from conformance.run.handshake import installed_versions, interpreter_of, missing_needs
from conformance.run.process import Ended, death_from_code, run_to_end
from conformance.run.session import Session
from conformance.run.target_runner import StartedTarget, start_target
from conformance.spec.case import Case, challenged
from conformance.spec.check import Check, forms_of
from conformance.spec.lowering.onnx_model import tensor_proto
from conformance.spec.reference import OPERATORS
from conformance.spec.verdict import Severity
from conformance.suite.adapter_file import Adapter, TargetRequest
from conformance.suite.suite import Suite, bundled_folder, load_suite
from conformance.tensors.errors import CaseFileError, SelectionError, UsageError, nearest
from conformance.tensors.files import content_of, refuse_foreign, written
from conformance.tensors.text import one_line, options_text

# Writes the folder of a check, and never overwrites other folders. For an adapter without a recipe that takes ONNX
# models, the folder has the model with inputs and expected outputs, in the layout of ONNX's own tests of backends:
# https://onnx.ai/onnx/repo-docs/OnnxBackendTest.html.

_START_S = 30.0
MAX_BYTES = 64 << 20
"""Limit on the size of a case's data."""
_MAX_TEXT_BYTES = 1 << 20


def check_named(suite: Suite, case_id: str, form: str | None) -> Check:
    """The case with exactly this id in a form; without a form, in `constant` or else the first that it has.

    Raises:
        SelectionError: there is no such case, or it has no such form.
        ExceptionGroup: of `CaseFileError`: the case is in a user's folder and has errors.
    """
    families = {family.id: family for family in suite.families}
    family = families.get(case_id.partition("[")[0])
    refuse_wrong_cases(suite, [] if family is None else [family])
    cases = {case.id: case for case in family.cases()} if family is not None else {}
    if case_id not in cases:
        name, known = (case_id, list(cases)) if cases else (case_id.partition("[")[0], list(families))
        fix = nearest(name, known, otherwise=f"as {known[0]!r}" if cases else "`conformance list` shows all")
        raise SelectionError(f"case {case_id!r}", "no case has this id", fix=fix)
    case = cases[case_id]
    forms = {one.value: one for one in forms_of(case)}
    if form is None:
        return Check(case, forms.get(Form.CONSTANT.value) or next(iter(forms.values())))
    if form not in forms:
        fix = nearest(form, forms, otherwise=f"it has {', '.join(forms)}")
        raise SelectionError(f"form {form!r}", f"{case.id} does not run in this form", fix=fix)
    return Check(case, forms[form])


def write_reproducer(check: Check, target_request: TargetRequest, folder: Path | None) -> list[Path]:
    """Write the folder of one check on one target, and return its files, the script first.

    Raises:
        UsageError: the adapter neither has a `repro.py` nor takes ONNX models, or cannot express the check, the data
            exceeds MAX_BYTES, or the folder holds something else.
        HarnessError: the target cannot start, which is tried only without a `repro.py`.
    """
    target, packages = named_packages(target_request)
    title = title_of(check.case.id, check.form.value, target)
    _refuse_what_is_huge(check)
    claim = demonstration_of(check, check.request, target)
    try:
        if has_recipe(target_request.adapter):
            recipe = recipe_function(target_request.adapter)(claim.request, target_request.all_options)
            files = files_of_script(claim, recipe, packages)
        else:
            _require_models(target_request, claim.request.call.dialect)
            files = files_of_model(claim)
    except NotExpressible as error:
        what = f"the framework has no way to express this: {error}"
        raise UsageError(title, what, fix="name another form or target") from error
    place = folder or Path(_folder_name(check, target_request))
    _refuse_what_is_not_ours(place, title)
    place.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (place / name).parent.mkdir(exist_ok=True)
        written(place / name, content)
    return [place / name for name in sorted(files, key=lambda name: name not in ("repro.py", "load.py"))]


def _require_models(target_request: TargetRequest, dialect: str) -> None:
    """Refuse an adapter without a `repro.py` that takes no ONNX models of a dialect."""
    session = Session(target_request, _START_S, threading.Event())
    try:
        description = session.start()
    finally:
        session.kill()
    if dialect not in description.onnx_models:
        what = "its adapter takes no ONNX models, and has no repro.py, which describes how a script calls its framework"
        fix = "docs/write-an-adapter.md explains how to write one"
        raise UsageError(f"target {target_request.adapter.name!r}", what, fix=fix)


def files_of_model(claim: Demonstration) -> dict[str, bytes]:
    """The model, the inputs and expected outputs of each of its calls, a script that loads them, and a README, by name.

    The outputs are those of the first interpretation that expects any.

    Raises:
        NotExpressible: ONNX cannot express the call.
    """
    files = onnx_files(claim.request.call)
    readme = template("README-model.md.j2").render(
        title=claim.title, about=filled(claim.about), has_data=len(files) > 1, mark=MARK
    )
    texts = {"load.py": template("load.py.j2").render(), "README.md": readme}
    return {**{name: text.encode() for name, text in texts.items()}, **files, **dict(_tensors(claim))}


def _tensors(claim: Demonstration) -> Iterator[tuple[str, bytes]]:
    expected = next((given.runs for given in claim.interpretations if given.runs is not None), None)
    for run, inputs in enumerate(claim.request.runs):
        folder = f"test_data_set_{run}"
        for place, (name, tensor) in enumerate(inputs.items()):
            yield f"{folder}/input_{place}.pb", tensor_proto(name, tensor)
        for place, tensor in enumerate(expected[run] if expected is not None else ()):
            yield f"{folder}/output_{place}.pb", tensor_proto(f"output_{place}", tensor)


def named_packages(target_request: TargetRequest) -> tuple[str, str]:
    """The framework with version and options, for readers, and the arguments for `pip install`."""
    pinned = []
    for number, (text, installed) in enumerate(installed_versions(target_request.adapter).items()):
        version = target_request.version if target_request.version and number == 0 else installed
        pinned.append(f"{Requirement(text).name}=={version}" if version else f"'{text}'")
    options = options_text(target_request.all_options)
    named = ", ".join(pinned) or target_request.adapter.name
    return f"{named}{f' with {options}' if options else ''}", " ".join([*pinned, "numpy"])


def _refuse_what_is_huge(check: Check) -> None:
    nbytes = check.case.data.nbytes if check.case.data is not None else 0
    if nbytes > MAX_BYTES:
        what = f"its data takes {nbytes:,} bytes, and a folder for a bug report at most {MAX_BYTES:,}"
        raise UsageError(check.case.id, what, fix="run it with `conformance run`")


def _folder_name(check: Check, target_request: TargetRequest) -> str:
    """A name that every file system accepts, unique to this check and target."""
    named = f"{check.case.id} {check.form.value}"
    short = re.sub(r"[^A-Za-z0-9.]+", "-", f"{named} {target_request.adapter.name}").strip("-.")[:80].rstrip("-.")
    digest = sha256(f"{named} {target_request.name_at(target_request.version)}".encode()).hexdigest()
    return f"repro-{short}-{digest[:8]}"


def _refuse_what_is_not_ours(folder: Path, title: str) -> None:
    """Refuse a folder unless it is missing, empty, or of the same check: it might hold other work."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    readme = folder / "README.md"
    text = content_of(readme, str(readme), _MAX_TEXT_BYTES).decode(errors="replace") if readme.is_file() else ""
    if not (text.startswith(f"# {title}\n") and text.rstrip().endswith(MARK)):
        what = "is there already, and not as the folder of this check"
        raise UsageError(str(folder), what, fix="name another folder with --output")
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            refuse_foreign(path)


# Scripts of what is recorded: of an adapter's deviations, and of the checks of a log, which reports embed.
#
# A log is untrusted, and a script is code that a reader may run. Therefore a log names a bundled case and no more: the
# script is made of the case, if that still makes the recorded call.

_MAX_CHARACTERS = 20_000
_MAX_IN_ALL = 200


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


# Runs the scripts of recorded deviations without the suite; their exit code says whether the fault shows. A script
# prints what is expected, and exits with 1 if the fault shows and with 0 if it does not. One that is made of a
# witness ends with the framework where that crashes.

LIMIT_S = 120.0
_TRIES_OF_SOMETIMES = 5
_SCRIPT = Path("repro.py")
_WITHOUT_THE_PROJECT = """
import runpy, sys
sys.modules["conformance"] = None  # an import of it fails, though it is installed
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Showing(Enum):
    """Whether a reproducer showed its fault."""

    SHOWS = "the fault shows"
    GONE = "the fault does not show"
    BROKEN = "the script does neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """The script of a recorded deviation of an adapter, and the Python that runs it."""

    adapter: str
    entry: Deviation
    content: bytes
    python: str = sys.executable

    def run(self, stopping: threading.Event | None = None) -> Ended:
        """Run it as on a machine without this project."""
        return run_alone(_SCRIPT, stopping, self.python, {_SCRIPT.name: self.content})

    def showing_of(self, ended: Ended) -> Showing:
        """Whether the fault showed; a crash of the framework ends a script that is made of a witness."""
        has_died = ended.code is not None and ended.code not in range(3)
        if self.entry.witness is not None and has_died and "Traceback" not in ended.stderr:
            return Showing.SHOWS
        return showing_of(ended)


def run_alone(
    script: Path,
    stopping: threading.Event | None = None,
    python: str = sys.executable,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> Ended:
    """Run the script as on a machine without this project: it cannot import the package. `files` lie in the folder
    in which it runs.
    """
    return run_to_end([python, "-P", "-c", _WITHOUT_THE_PROJECT, str(script)], LIMIT_S, stopping, files=files)


def showing_of(ended: Ended) -> Showing:
    """Whether a reproducer showed its fault; it is broken if it, or a process that it starts, fails with an error."""
    if "Traceback" in ended.stderr:
        return Showing.BROKEN
    match ended.code:
        case 1 if "expected" in ended.stdout:
            return Showing.SHOWS
        case 0:
            return Showing.GONE
        case _:
            return Showing.BROKEN


def reproduced(adapters: Sequence[Adapter], suite: Suite, only: str = "") -> tuple[int, list[CaseFileError], list[str]]:
    """Run the reproducers of the deviations that apply on this machine, on all cores; an interrupt ends them.

    Args:
        adapters: those that record deviations.
        suite: with the cases of their witnesses.
        only: the id of one; empty for all.

    Returns the number of scripts that show their fault, an error for each deviation whose script does not, and
    sentences that say which reproducers did not run on this machine, and why.

    Raises:
        ExceptionGroup: of `CaseFileError`: a deviations.yaml breaks its format.
        SelectionError: no adapter records a deviation with that id.
    """
    scripts: list[Script] = []
    left_out: list[str] = []
    recorded = [(adapter, read_deviations(adapter.folder)) for adapter in adapters]
    ids = [entry.id for _, entries in recorded for entry in entries]
    if only and only not in ids:
        raise SelectionError(
            "--recorded",
            f"no deviation {only!r} is recorded",
            fix=nearest(only, ids, otherwise="name an id in deviations.yaml"),
        )
    for adapter, entries in recorded:
        holding, reasons = holding_here(adapter, [entry for entry in entries if only in ("", entry.id)])
        scripts += scripts_of(adapter, holding, suite)
        left_out += reasons
    pool, stopping = ThreadPoolExecutor(os.cpu_count() or 1), threading.Event()
    try:
        ends = list(pool.map(partial(end_of, stopping=stopping), scripts))
    finally:
        stopping.set()
        pool.shutdown(cancel_futures=True)
    shown = sum(script.showing_of(ended) is Showing.SHOWS for script, ended in zip(scripts, ends, strict=True))
    problems = [problem for script, ended in zip(scripts, ends, strict=True) for problem in _problems(script, ended)]
    return shown, problems, left_out


def scripts_of(adapter: Adapter, entries: Iterable[Deviation], suite: Suite) -> list[Script]:
    """The scripts of some deviations of an adapter; `suite` has the cases of their witnesses."""
    python = interpreter_of(adapter)
    return [
        Script(adapter=adapter.name, entry=entry, content=script_of_deviation(adapter, entry, suite), python=python)
        for entry in entries
    ]


def holding_here(adapter: Adapter, recorded: Sequence[Deviation]) -> tuple[tuple[Deviation, ...], tuple[str, ...]]:
    """The deviations whose conditions hold on this machine, and sentences that say why others do not run."""
    if not recorded:
        return (), ()
    missing = missing_needs(adapter)
    if missing:
        return (), (f"{adapter.name}: reproducers were not run: {' and '.join(missing)} is missing",)
    options = {tuple(sorted(entry.conditions.options.items())): entry.conditions.options for entry in recorded}
    targets = [_started(TargetRequest(adapter=adapter, options=chosen), recorded) for chosen in options.values()]
    named = {entry.id for target in targets for entry in target.deviations}
    problems = {target.entry.problem for target in targets} - {""}
    others = ", ".join(entry.id for entry in recorded if entry.id not in named)
    reasons = [f"{adapter.name}: reproducers were not run: {problem}" for problem in sorted(problems)]
    if others and not reasons:
        reasons.append(f"{targets[0].entry.name}: not run, since recorded for other conditions: {others}")
    return tuple(entry for entry in recorded if entry.id in named), tuple(reasons)


def _started(request: TargetRequest, recorded: Sequence[Deviation]) -> StartedTarget:
    session = Session(request, LIMIT_S, threading.Event())
    try:
        return start_target(request, session, recorded)
    finally:
        session.kill()


def end_of(script: Script, stopping: threading.Event | None = None) -> Ended:
    """How a script ended; a deviation that happens only sometimes gets several tries."""
    ended, tries = script.run(stopping), 1 if script.entry.happens is Happens.ALWAYS else _TRIES_OF_SOMETIMES
    while script.showing_of(ended) is Showing.GONE and tries > 1:
        ended, tries = script.run(stopping), tries - 1
    return ended


def _problems(script: Script, ended: Ended) -> list[CaseFileError]:
    """An error if a script does not show the fault of its deviation."""
    match script.showing_of(ended):
        case Showing.SHOWS:
            return []
        case Showing.GONE:
            what = "exits with 0: the fault does not show here"
            fix = "narrow `where`, or remove the entry and its script"
        case Showing.BROKEN:
            end = f"took over {LIMIT_S:g} s" if ended.code is None else f"ended with {death_from_code(ended.code)}"
            last = ended.stderr.strip().rpartition("\n")[2][:200]
            what = f"{end}, and does not say whether the fault shows" + (f": {last}" if last else "")
            fix = "print what is expected, and exit with 1 if the fault shows and with 0 if it does not"
    name = script.entry.reproducer or "its script"
    return [CaseFileError(f"{script.adapter}/deviations.yaml: {script.entry.id}", f"{name} {what}", fix=fix)]

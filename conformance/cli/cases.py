"""The commands of cases: `cases from-model`, `new`, `check` and `cover`."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from pydantic import TypeAdapter

from conformance.authoring.drafts import Draft, argument_from, items_in, outputs_from, write_case, write_operator
from conformance.authoring.lint import check_deviations, check_files, made_comparisons, open_problems, untested_clauses
from conformance.authoring.made_rows import keep_tables, table_problems, unused_tables
from conformance.cli.options import check_command, only_cases_folder, writable_cases_folder
from conformance.cli.parser import path_from, say
from conformance.protocol.form import Form
from conformance.report.terminal import lines_of_progress
from conformance.run.process import death_from_code, run_to_end
from conformance.spec.operator import Operator
from conformance.spec.reference import OPERATORS
from conformance.suite.adapter_file import bundled_adapters, read_adapter
from conformance.suite.suite import Suite, bundled_folder, load_suite, read_suite
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.errors import CaseFileError, HarnessError, UsageError, nearest
from conformance.tensors.text import counted, one_line

_MAX_MEMORY_BYTES = 16 << 30
_OUT_OF_MEMORY = 77
"""The exit status of a process that got no more memory."""
_IN_A_PROCESS = (
    "import sys; sys.path.append(sys.argv[1]); from conformance.cli.cases import answer; answer(sys.argv[2])"
)
_MOST_NAMED = 12
"""How many operators without a case are named."""


def from_model(options: argparse.Namespace) -> int:
    """Write the calls of an ONNX model as cases."""
    if find_spec("onnx") is None:
        raise UsageError("cases from-model", "reads models with the package onnx", fix="pip install onnx")
    found = _found(options)
    paths = {options.output / path: text for path, text in found["files"].items()}
    for path in paths:
        if os.path.lexists(path):
            raise UsageError(str(path), "exists already, and stays as it is", fix="name another folder, or remove it")
    for path, text in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
        say(str(path))
    _say_what_is_covered(found)
    if paths:
        say(f"next: conformance run --cases-folder {shlex.quote(str(options.output))}")
    return 0


def _say_what_is_covered(found: dict[str, Any]) -> None:
    for reason, count in sorted(found["left_out"].items()):
        say(f"left out: {counted(count, 'node')} of {one_line(reason)}")
    uncovered = sorted(found["uncovered"].items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{one_line(name)} {count:,}" for name, count in uncovered[:_MOST_NAMED])
    more = f", and {counted(len(uncovered) - _MOST_NAMED, 'other operator')}" if len(uncovered) > _MOST_NAMED else ""
    covered = f"Covered: {found['num_covered']:,} of {counted(found['num_nodes'], 'node')}."
    say(f"Wrote {counted(found['num_cases'], 'case')}. {covered}{f' Not covered: {named}{more}.' if named else ''}")


def _found(options: argparse.Namespace) -> dict[str, Any]:
    """What the model comes to, computed in a process of its own: libraries read it in C++, and may crash or never end.

    Raises:
        UsageError: the model or the inputs cannot be read.
    """
    memory = min(_MAX_MEMORY_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    inputs = None if options.inputs is None else str(options.inputs)
    question = json.dumps([str(Path.cwd()), memory, str(options.model), inputs, options.form])
    command = [sys.executable, "-P", "-c", _IN_A_PROCESS, str(Path(__file__).parents[2]), question]
    ended = run_to_end(command, options.timeout)
    if ended.code != 0:
        what = f"the process that reads it crashed ({death_from_code(ended.code or 0)})"
        if ended.code is None:
            what = f"it takes more than {options.timeout:g} s"
        elif ended.code == _OUT_OF_MEMORY:
            what = f"it needs more than {memory >> 30} GiB of memory"
        raise UsageError(str(options.model), what, fix="name a smaller model; --timeout gives it more seconds")
    found: dict[str, Any] = json.loads(ended.stdout)
    if "problem" in found:
        where, what, fix = found["problem"]
        raise UsageError(where, what, fix=fix)
    if "fault" in found:
        raise HarnessError(str(options.model), f"no cases can be made of it: {found['fault']}", fix="report this fault")
    return found


def answer(question: str) -> NoReturn:
    """In a process of its own: print the files by their paths and what they cover, or the problem, as JSON."""
    import resource  # which Windows does not have

    folder, memory, model, inputs, forms = json.loads(question)
    os.chdir(folder)
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory if most == resource.RLIM_INFINITY else min(memory, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    silent = os.open(os.devnull, os.O_WRONLY)
    with os.fdopen(os.dup(1), "wb") as stream:
        for number in (1, 2):  # libraries print
            os.dup2(silent, number)
        try:
            stream.write(
                json.dumps(_answer(path_from(model), None if inputs is None else path_from(inputs), forms)).encode()
            )
        except MemoryError:
            os._exit(_OUT_OF_MEMORY)
    os._exit(0)  # what the libraries do at their end matters no more


def _answer(model: Path, inputs: Path | None, forms: Sequence[str]) -> dict[str, Any]:
    from conformance.authoring.model_cases import ModelCases, cases_of_model  # imports onnx

    try:
        operators = load_suite(bundled_folder("cases"), ()).operators
        made = cases_of_model(model, inputs, operators, [Form(name) for name in forms])
        return dict(TypeAdapter(ModelCases).dump_python(made))
    except UsageError as error:
        return {"problem": (error.where, error.what, error.fix)}
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  (our fault, or that of a library)
        return {"fault": one_line(traceback.format_exc(limit=-3))}


# `conformance new`: writes a case from options, or an operator's skeleton.


def _arguments_in(options: Sequence[str], operator: Operator, *, is_rejected: bool) -> dict[str, str]:
    """The arguments of the call in YAML, in the order of the page. Data that no option names has an allowed type."""
    allowed = tuple(DTYPES) if is_rejected else operator.data_dtypes
    tensor = f"{'float32' if 'float32' in allowed else allowed[0]}[2,6]"
    given = {one.name: f"{tensor}, {tensor}" if one.is_variadic else tensor for one in operator.data_inputs[:1]}
    for option in options:
        name, sign, value = option.partition("=")
        if not name.isidentifier() or not sign or not value.isprintable():
            raise UsageError("--argument", f"{option!r} gives no argument a value", fix="write NAME=VALUE, as axis=1")
        given[name] = value
    named = dict.fromkeys([*(parameter.name for parameter in operator.parameters), *given])
    return {name: argument_from(operator, name, given[name]) for name in named if given.get(name, "none") != "none"}


def new_case(options: argparse.Namespace) -> int:
    """Write a case from the options."""
    root = writable_cases_folder(options)
    operator, suite = _operator(options.operator, root)
    clauses, is_rejected = tuple(dict.fromkeys(items_in(options.clause))), options.expect == "rejection"
    if not clauses:
        raise UsageError("--clause", "no clause is named", fix=f"name one of {', '.join(operator.clauses)}")
    if options.outputs is None and not is_rejected and operator.id not in OPERATORS:  # the law alone proves nothing
        raise UsageError("--outputs", "is missing", fix="`conformance new case --help` says what it is")
    arguments = _arguments_in(options.argument, operator, is_rejected=is_rejected)
    outputs, declared = outputs_from(options.outputs or "law"), options.declared_outputs
    says_how_many = {operator.lengths, operator.num_outputs} & arguments.keys() or operator.has_one_output
    if declared is None and not says_how_many and (is_rejected or outputs == "law"):
        declared = 2
    taken, stem = {family.entry.id for family in suite.families}, clauses[0].replace(".", "-")
    names = (stem, *(f"{stem}-{number}" for number in range(2, len(taken) + 3)))
    is_only_version = len([one for one in suite.operators if one.family == operator.family]) == 1
    draft = Draft(
        operator=operator,
        clauses=clauses,
        arguments=arguments,
        id=options.id or next(name for name in names if name not in taken),
        declared_outputs=declared,
        outputs=outputs,
        rejected=clauses[0] if is_rejected else None,
        versions="" if is_only_version else f"=={operator.version}",
    )
    about = options.about or f"Cases about {', '.join(clauses)}."
    path = write_case(draft, suite, options.file or f"{stem}-cases.yaml", about)
    say(f"{draft.text()}written to {path}\nnext: {check_command(options, path)}")
    return 0


def _operator(name: str, root: Path) -> tuple[Operator, Suite]:
    """The operator, with its cases in the folder; one that has none there has the bundled `operator.yaml`."""
    own = load_suite(root, ()).operators if any(root.glob("*/*/*.yaml")) else ()
    operators = {operator.id: operator for operator in (*load_suite(bundled_folder("cases"), ()).operators, *own)}
    if name not in operators:
        fix = nearest(name, operators, otherwise="`conformance list` has them")
        raise UsageError("--operator", f"{name!r} is not an operator version", fix=fix)
    operator = operators[name]
    if operator in own:
        return operator, load_suite(root, [operator.family])
    versions = tuple(one for one in operators.values() if one.family == operator.family)
    return operator, Suite(root=root, digest="", operators=versions, families=())


def new_operator(options: argparse.Namespace) -> int:
    """Write the skeleton of an operator."""
    page, cases = write_operator(options.name, writable_cases_folder(options))
    say(f"{page}\n{cases}\nnext: {check_command(options, cases)}")
    return 0


# `conformance check` and `conformance cover`: the linter of cases, and the tables of cases with `cover`.


def check_cases(options: argparse.Namespace) -> int:
    """Check case files and recorded deviations."""
    folder = only_cases_folder(options)
    suite, problems = read_suite(folder or bundled_folder("cases"))
    is_read = not problems
    if options.files and not is_read:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in {suite.root}", problems)
    recorded = [path for path in options.files if path.name == "deviations.yaml"]
    case_files = [path for path in options.files if path not in recorded]
    checked = suite.root if case_files or not recorded else ", ".join(map(str, recorded))
    chosen = suite.of_files(case_files) if case_files or not recorded else suite.without_cases()
    is_whole = is_read and not options.files
    adapters = bundled_adapters() if is_whole and folder is None else ()
    adapters = adapters or tuple(read_adapter(path.parent) for path in recorded)
    compared: list[CaseFileError | None] = []
    tally, found = check_files(chosen)
    problems += found
    if is_read:
        problems += table_problems(chosen)
    if is_whole:
        compared = list(made_comparisons(suite, options.seed))
        problems += [problem for problem in compared if problem is not None]
        problems += untested_clauses(suite)
        problems += open_problems(suite)
        problems += unused_tables(suite)
    if adapters:
        problems += check_deviations(suite, [adapter.folder for adapter in adapters])
    problems = list({str(problem): problem for problem in problems}.values())
    if problems:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in {checked}", problems)
    if chosen.families:
        files = {family.document.path for family in chosen.families}
        num_clauses = sum(len(operator.clauses) for operator in chosen.operators)
        say(
            f"{counted(len(files), 'file')}, {counted(len(chosen.families), 'written case')}, "
            f"{counted(tally.cases, 'product')}, {counted(num_clauses, 'clause')}: no problems; "
            f"law and reference agree with {tally.compared:,} of {counted(tally.cases, 'product')}"
            + (f" and {counted(len(compared), 'made call')}" if compared else "")
        )
    for operator in sorted({family.operator.id for family in chosen.families} - OPERATORS):
        say(f"{operator} has no reference: only its law is compared with its cases")
    if recorded:
        say(f"{counted(len(recorded), 'file')} of deviations: no problems")
    return 0


def cover_cases(options: argparse.Namespace) -> int:
    """Write the tables of cases with `cover`."""
    suite = load_suite(only_cases_folder(options) or bundled_folder("cases"))
    num_done = 0
    with lines_of_progress(lambda: f"{counted(num_done, 'table')} done"):
        for num_done, upkeep in enumerate(keep_tables(suite.of_files(options.files)), 1):  # noqa: B007 - the line says it
            state = "written" if upkeep.is_new else "unchanged"
            say(f"{upkeep.path}: {upkeep.rows} rows, {state}")
    return 0

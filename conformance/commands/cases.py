"""`conformance cases from-model`: the calls of a model as cases of one's own."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from conformance.commands.parser import (
    Commands,
    add_command,
    add_group,
    add_output,
    add_repeatable,
    path_from,
    seconds_from,
)
from conformance.commands.terminal_output import say
from conformance.values.errors import HarnessError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MAX_MEMORY_BYTES = 16 << 30
_OUT_OF_MEMORY = 77
"""The exit status of a process that got no more memory."""
_IN_A_PROCESS = (
    "import sys; sys.path.append(sys.argv[1]); from conformance.commands.cases import answer; answer(sys.argv[2])"
)
_MOST_NAMED = 12
"""How many operators without a case are named."""


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    from conformance.border.form import Form

    made = add_command(
        add_group(commands, "cases", "generate cases from an ONNX model"),
        "from-model",
        _from_model,
        "write the calls of an ONNX model as cases, with its shapes, types and constants, and without its weights",
    )
    made.add_argument("model", metavar="MODEL", type=path_from, help="ONNX model, with its external data beside it")
    about = "npz with values of the inputs, from which all values are computed; without it, symbolic dims get lengths"
    made.add_argument("--inputs", metavar="FILE", type=path_from, help=about)
    about = "further form of each case that it fits, beside as-in-the-model"
    add_repeatable(made, "--form", metavar="FORM", choices=[form.value for form in Form], about=about)
    about = "seconds that reading and computing the model may take (default: %(default)g)"
    made.add_argument("--timeout", metavar="S", type=seconds_from, default=300.0, help=about)
    add_output(made, "folder for `--cases-folder`, new or your own", required=True)


def _from_model(options: argparse.Namespace) -> int:
    from importlib.util import find_spec

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
    from conformance.values.text import counted, one_line

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
    import json
    from pathlib import Path

    from conformance.sessions.process import death_from_code, run_to_end

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
    import json
    import resource

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
    import traceback

    from pydantic import TypeAdapter

    from conformance.authoring.model_cases import ModelCases, cases_of_model
    from conformance.border.form import Form
    from conformance.formats.suite import bundled_folder, load_suite
    from conformance.values.text import one_line

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

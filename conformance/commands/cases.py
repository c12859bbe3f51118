"""`conformance cases from-model`: the calls of a model as cases of one's own."""

from __future__ import annotations

import argparse
import os
import shlex
from typing import TYPE_CHECKING, Any

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
    from conformance.authoring.model_cases import ModelCases

_MAX_MEMORY_BYTES = 16 << 30
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
    """What the model comes to, computed in a process of its own.

    Raises:
        UsageError: the model or the inputs cannot be read.
    """
    import json

    from conformance.commands.bounded_process import NoAnswerError, answer_of

    memory = min(_MAX_MEMORY_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    try:
        answer = answer_of(lambda: _answer(options), options.timeout, memory)
    except NoAnswerError as error:
        fix = "name a smaller model; --timeout gives it more seconds"
        raise UsageError(str(options.model), str(error), fix=fix) from None
    found: dict[str, Any] = json.loads(answer)
    if "problem" in found:
        where, what, fix = found["problem"]
        raise UsageError(where, what, fix=fix)
    if "fault" in found:
        raise HarnessError(str(options.model), f"no cases can be made of it: {found['fault']}", fix="report this fault")
    return found


def _answer(options: argparse.Namespace) -> bytes:
    """The files by their paths, and what they cover, or the problem: as JSON."""
    import json
    import traceback

    from conformance.authoring.model_cases import cases_of_model
    from conformance.border.form import Form
    from conformance.formats.suite import bundled_folder, load_suite
    from conformance.values.text import one_line

    try:
        operators = load_suite(bundled_folder("cases"), ()).operators
        forms = [Form(name) for name in options.form]
        found = _as_json(cases_of_model(options.model, options.inputs, operators, forms))
    except UsageError as error:
        found = {"problem": (error.where, error.what, error.fix)}
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  (our fault, or that of a library)
        found = {"fault": one_line(traceback.format_exc(limit=-3))}
    return json.dumps(found).encode()


def _as_json(made: ModelCases) -> dict[str, Any]:
    return {
        "files": made.files,
        "left_out": made.left_out,
        "uncovered": made.uncovered,
        "num_cases": made.num_cases,
        "num_nodes": made.num_nodes,
        "num_covered": made.num_covered,
    }

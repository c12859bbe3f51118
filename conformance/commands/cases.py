"""`conformance cases from-model`: the calls of a model as cases of one's own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from conformance.commands.parser import Commands, add_command, add_group, add_output, path_from
from conformance.commands.terminal_output import say
from conformance.values.errors import CaseFileError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    made = add_command(
        add_group(commands, "cases", "make cases"),
        "from-model",
        _from_model,
        "write the calls of an ONNX model as cases, with its shapes, types and constants, and without its weights",
    )
    made.add_argument("model", metavar="MODEL", type=path_from, help="ONNX model, with its external data beside it")
    about = "npz with values of the inputs; without it, symbolic dims get lengths"
    made.add_argument("--inputs", metavar="FILE", type=path_from, help=about)
    add_output(made, "folder for `--cases-folder`, new or your own", required=True)


def _from_model(options: argparse.Namespace) -> int:
    from importlib.util import find_spec

    if find_spec("onnx") is None:
        raise UsageError("cases from-model", "reads models with the package onnx", fix="pip install onnx")
    from conformance.authoring.model_cases import cases_of_model
    from conformance.formats.suite import bundled_folder, load_suite
    from conformance.values.text import counted, one_line

    operators = load_suite(bundled_folder("cases"), ()).operators
    found = cases_of_model(options.model, _inputs(options.inputs), operators)
    by_id = {operator.id: operator for operator in operators}
    paths = {
        options.output / "onnx" / by_id[operator_id].name / f"from-model-{operator_id.rpartition('-')[2]}.yaml": text
        for operator_id, text in found.files.items()
    }
    for path, text in paths.items():
        if path.exists():
            raise UsageError(str(path), "exists already, and stays as it is", fix="name another folder, or remove it")
        _require_sound(text, str(path), [operator for operator in operators if operator.name == path.parent.name])
    for path, text in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        say(str(path))
    for reason, count in sorted(found.left_out.items()):
        say(f"left out: {counted(count, 'node')} of {one_line(reason)}")
    say(f"{counted(found.num_cases, 'case')} of {counted(found.num_nodes, 'node')} with an operator of the suite")
    if paths:
        say(f"next: conformance run --cases-folder {options.output}")
    return 0


def _inputs(path: Path | None) -> dict[str, NDArray[Any]]:
    """The arrays of an npz file.

    Raises:
        UsageError: it is not such a file.
    """
    import numpy as np

    if path is None:
        return {}
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)
    except Exception as error:  # noqa: BLE001  (those of zip files, arrays and the system have no common base)
        raise UsageError(str(path), f"is no npz file of arrays: {error}", fix="write one with numpy.savez") from None


def _require_sound(text: str, path: str, operators: list[Any]) -> None:
    """Check the cases of a file as `conformance check` does.

    Raises:
        ExceptionGroup: of `CaseFileError`: its problems.
    """
    from pathlib import Path

    from conformance.formats.case_file import families_from_document
    from conformance.formats.suite import Suite
    from conformance.formats.yaml_document import document_from_bytes
    from conformance.selection.lint import check_suite

    families = families_from_document(document_from_bytes(text.encode(), path), operators)
    problems: list[CaseFileError]
    _, problems = check_suite(Suite(root=Path(), digest="", operators=(), families=tuple(families)))
    if problems:
        raise ExceptionGroup(f"nothing is written to {path}", problems)

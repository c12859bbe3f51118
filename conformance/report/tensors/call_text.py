"""Writes a recorded call as readable text in the spec's terms, and the commands that reproduce it."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Sequence

from conformance.findings.summary import Summary
from conformance.log.record import CallEntry, CheckRecord, InputEntry, TargetEntry, TensorEntry
from conformance.report.tensors.grid import nested_text
from conformance.values.text import counted, one_line, visible

RERUN = "conformance run {options} --case {case} --form {form}"
RERUN_FAILED = "conformance run --rerun failed {options}"
REPRO = "conformance repro {case} {options} --form {form}"
RECORDED = "conformance repro --recorded {deviation} {options}"
_INLINE_ELEMENTS = 8
_LISTED_ELEMENTS = 64
_ATTRIBUTE_CHARACTERS = 300
_PATH_CHARACTERS = 4000


ArgumentText = tuple[str, str, str, str, tuple[str, ...]]
"""A name, how it reaches the framework, type, dims that the model knows, and the value in each call."""


def call_line(record: CheckRecord) -> str:
    """The call on one line: `onnx.Split-13(input: float32[2, 6], split: int64[2] = [2, 4], axis=1) -> 2 outputs`."""
    return visible(record.operator, 200) if record.call is None else call_text(record.operator, record.call)


def call_text(operator: str, call: CallEntry) -> str:
    """A call of an operator version on one line."""
    arguments = [_inline(item) for item in call.inputs]
    arguments += [f"{visible(name, 100)}={_attribute(value)}" for name, value in call.attributes.items()]
    outputs = counted(call.declared_outputs, "output")
    return f"{visible(operator, 200)}({', '.join(arguments)}) -> {outputs}"


def argument_texts(call: CallEntry) -> Iterator[ArgumentText]:
    """The arguments in the spec's order, inputs first."""
    for item in call.inputs:
        values = tuple(_value(value, item.dims) for value in item.values)
        yield item.name, "constant" if item.constant else "at run time", item.dtype, dims_text(item.dims), values
    for name, value in call.attributes.items():
        yield name, "attribute", "", "", (_attribute(value),)


def dims_text(dims: list[int | None] | list[int] | None) -> str:
    """The shape as `[2, ?]`, with `?` for a dim that the model does not know; `[...]` if the rank is unknown."""
    if dims is None:
        return "[...]"
    return f"[{', '.join('?' if dim is None else str(dim) for dim in dims[:64])}]"


def target_options(target: TargetEntry, cases_folders: Sequence[str] = ()) -> str:
    """The options that name a target and the cases in any folder, quoted for a POSIX shell.

    The target is named by its name, or by the path of its adapter; `cases_folders` are those of a log's header.
    """
    options = "".join(target.name.partition("[")[1:])
    named = [("--target", f"{target.folder}{options}" if target.folder else target.name)]
    named += zip(("--cases-folder", *["--cases"] * len(cases_folders)), cases_folders, strict=False)
    return " ".join(f"{option} {_quoted(one_line(value, _PATH_CHARACTERS))}" for option, value in named if value)


def options_by_target(summary: Summary) -> dict[str, str]:
    """The options of each target of a run, by its name."""
    return {target.name: target_options(target, summary.header.cases_folders) for target in summary.targets}


def commands_of(target: TargetEntry) -> dict[str, str]:
    """The commands that a page offers for each check of a target, by title, to be filled."""
    offered = {"Run it again": RERUN}
    return {**offered, "Write a script for the bug report": REPRO} if target.has_scripts else offered


def filled(command: str, record: CheckRecord, options: str) -> str:
    """The command for a check; `options` as `target_options` gives them, as in all commands here."""
    return visible(command.format(options=options, case=_quoted(record.case), form=record.form.value))


def rerun_command(record: CheckRecord, options: str) -> str:
    """The command that runs this check again."""
    return filled(RERUN, record, options)


def rerun_failed_command(options: str) -> str:
    """The command that asks a target again what failed in the log of the output folder."""
    return visible(RERUN_FAILED.format(options=options))


def repro_command(record: CheckRecord, options: str) -> str:
    """The command that writes this check as a standalone script."""
    return filled(REPRO, record, options)


def recorded_command(deviation: str, options: str) -> str:
    """The command that writes the script of a recorded deviation."""
    return visible(RECORDED.format(deviation=shlex.quote(deviation), options=options))


def _quoted(text: str) -> str:
    return shlex.quote(text) if shlex.quote(text) != text else f"'{text}'"


def _inline(item: InputEntry) -> str:
    kind = f"{visible(item.name, 100)}: {visible(item.dtype, 40)}{dims_text(item.dims)}"
    value = item.values[-1] if item.values else None
    if value is not None and math.prod(value.shape) <= _INLINE_ELEMENTS and len(value.shape) < 2:
        kind += f" = {nested_text(value, _INLINE_ELEMENTS)}"
    return kind if item.constant else f"{kind} at run time"


def _value(entry: TensorEntry, dims: list[int | None] | None) -> str:
    """The elements, with their shape unless the model knows it."""
    elements = nested_text(entry, _LISTED_ELEMENTS)
    return elements if entry.shape == dims else f"shape {dims_text(entry.shape)}: {elements}"


def _attribute(value: object) -> str:
    return visible(repr(value) if isinstance(value, str) else str(value), _ATTRIBUTE_CHARACTERS)

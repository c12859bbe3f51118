"""Demonstrations of recorded checks: the request as it was sent, and the outputs of the reference.

It needs only the log. A log is untrusted, and the script made from it is code that a reader may run. Therefore names in
the script come from closed tables or are plain words, and everything else becomes a literal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from conformance.border.call import Call, Input
from conformance.border.form import Graph
from conformance.border.request import Request
from conformance.language.broken_clause import BrokenClauseError
from conformance.language.reference import OPERATORS, evaluate
from conformance.language.verdict import Severity
from conformance.log.record import (
    CallEntry,
    CheckRecord,
    InputEntry,
    TargetEntry,
    TensorEntry,
    tensor_entry,
    whole_tensor,
)
from conformance.report.tensors import call_text
from conformance.scripts.demonstration import OUTPUTS, REJECTION, Demonstration, ExpectedRuns, title_of
from conformance.values.dtypes import DTYPES
from conformance.values.tensor import Tensor, allows
from conformance.values.text import one_line, options_text

OutputsOfCalls = Sequence[Sequence[Tensor]]

_SHOWN_WITHOUT_OUTPUTS = (Severity.ACCEPTANCE, Severity.CRASH)
_MAX_LENGTH = 1 << 16
_MAX_OUTPUTS = 512
_NAME = re.compile(r"[a-z][a-z_0-9]{0,39}")


class _NotRecordedError(Exception):
    """The log does not hold what is needed to rebuild the request."""


def demonstration_of_record(
    record: CheckRecord, target: TargetEntry, clauses: Mapping[str, str]
) -> Demonstration | None:
    """The demonstration of a check that is not disputed; `clauses` are the texts of its operator's clauses by id.

    None if no script would show what was recorded, if the log holds only a slice of a tensor, or if its expected
    outputs differ from those of the reference.
    """
    if not record.judged.meaning.has_script or record.call is None or record.operator not in OPERATORS:
        return None
    try:
        request = _request(record, record.call)
    except _NotRecordedError:
        return None
    try:
        runs, broken = _expected_runs(request), ""
    except BrokenClauseError as error:
        runs, broken = None, error.clause
        if record.form.has_constant_data:
            request = replace(request, runs=request.runs[:1])
    if not _is_as_recorded(runs, record):
        return None
    named = [clause for clause in ([broken] if broken else record.clauses) if clause in clauses]
    return Demonstration(
        title=one_line(title_of(record.case, record.form.value, _named(target))),
        about=[
            f"Call: {call_text(record.operator, record.call)}",
            f"Form: {record.form.value}.",
            REJECTION if runs is None else OUTPUTS,
            *(f"Why ({one_line(clause)}): {one_line(clauses[clause])}" for clause in named),
        ],
        request=request,
        dtype=record.dtype if record.dtype in DTYPES else "",
        interpretations=[ExpectedRuns(runs=runs)],
    )


def _request(record: CheckRecord, call: CallEntry) -> Request:
    """The request of a check, as `Check.request` built it.

    Raises:
        _NotRecordedError: the log holds only a slice of a tensor, or values that no run writes.
    """
    names = [*call.attributes, *call.signature, *(item.name for item in call.inputs)]
    if not all(map(_NAME.fullmatch, names)) or not 0 <= call.declared_outputs <= _MAX_OUTPUTS:
        raise _NotRecordedError
    inputs = tuple(_input(item) for item in call.inputs)
    at_run_time = [item for item in call.inputs if not item.constant]
    lengths = {len(item.values) for item in at_run_time} or {2 if record.form.has_constant_data else 1}
    if len(lengths) > 1 or call.output_dtype not in (None, *DTYPES):
        raise _NotRecordedError
    rebuilt = Call(
        operator=record.operator,
        attributes=call.attributes,
        inputs=inputs,
        declared_outputs=call.declared_outputs,
        graph=record.form.properties.graph,
        concat_axis=call.concat_axis,
        signature=tuple(call.signature),
        output_dtype=call.output_dtype,
        output_rank=call.output_rank,
        last_opset=call.last_opset,
        encoding=record.form.properties.encoding,
    )
    return Request(
        call=rebuilt,
        runs=tuple(
            {item.name: _tensor(item.values[number]) for item in at_run_time} for number in range(lengths.pop())
        ),
        layout=record.form.properties.layout,
    )


def _input(item: InputEntry) -> Input:
    dims = None if item.dims is None else tuple(item.dims)
    are_values = (value.dtype == item.dtype and allows(dims, tuple(value.shape)) for value in item.values)
    if not item.values or not all(are_values):
        raise _NotRecordedError
    constant = _tensor(item.values[0]) if item.constant else None
    return Input(name=item.name, dtype=item.dtype, dims=dims, constant=constant)


def _tensor(entry: TensorEntry) -> Tensor:
    tensor = whole_tensor(entry)
    if tensor is None or max(tensor.shape, default=0) > _MAX_LENGTH:
        raise _NotRecordedError
    return tensor


def _expected_runs(request: Request) -> OutputsOfCalls:
    """The reference's outputs of each run.

    Raises:
        BrokenClauseError: the page forbids the call.
    """
    call = request.call
    constants = {item.name: item.constant for item in call.inputs if item.constant is not None}
    answers: list[tuple[Tensor, ...]] = []
    for run in request.runs:
        given = {**constants, **run}
        given |= {item.name: call.graph.passed_on(given[item.name]) for item in call.inputs[:1]}
        outputs = evaluate(call.operator, {**given, **call.attributes}, call.declared_outputs)
        # the joined outputs of a valid call are its data
        is_whole = call.graph.join_outputs
        answers.append((given[call.inputs[0].name],) if is_whole else tuple(outputs[call.graph_outputs]))
    return answers


def _is_as_recorded(runs: OutputsOfCalls | None, record: CheckRecord) -> bool:
    """Whether a script that expects these outputs would show what was recorded."""
    if runs is None:
        stands_alone = record.form.properties.graph is Graph.NONE
        return record.judged.meaning.severity in _SHOWN_WITHOUT_OUTPUTS and stands_alone
    if record.judged.meaning.severity is Severity.WRONG and not record.differences:
        return False  # it changed its inputs, which no output shows
    return record.judged.meaning.severity is not Severity.ACCEPTANCE and all(
        item.expected == _recorded(runs, item.run, item.output, item.first) for item in record.differences
    )


def _recorded(runs: OutputsOfCalls, run: int, output: int, first: int) -> TensorEntry | None:
    outputs = runs[run] if run in range(len(runs)) else ()
    return tensor_entry(outputs[output], first) if output in range(len(outputs)) else None


def _named(target: TargetEntry) -> str:
    """The framework with its version and options, for readers."""
    options = options_text(target.options)
    return f"{target.framework} {target.version}{f' with {options}' if options else ''}"

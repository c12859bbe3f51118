"""Writes the calls of known operators in an ONNX model as cases: their shapes, types and constants, and no weights.

The law of the operator says what each case expects. A call that its page leaves open has no case.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import onnx
from numpy.typing import NDArray

from conformance.authoring.lint import check_suite
from conformance.authoring.model_file import (
    KnownValue,
    Lengths,
    ModelWalk,
    Visit,
    described,
    fitting_lengths,
    inferred,
    known_dims,
    places_of,
    read_inputs,
    read_model,
    symbolic_dims,
    with_named_dims,
)
from conformance.protocol.form import Form
from conformance.spec.broken_clause import BrokenClauseError, UncoveredCallError
from conformance.spec.case import Argument, Case, Value, call_arguments, lawful_call
from conformance.spec.check import forms_of
from conformance.spec.making.clear_case import left_open
from conformance.spec.operator import Operator, Parameter, Role
from conformance.spec.reference import evaluate
from conformance.suite.case_file import CaseFamily, families_from_document
from conformance.suite.suite import Suite
from conformance.suite.yaml_file import document_from_bytes
from conformance.tensors.tensor import KnownShape, tensor_from_array
from conformance.tensors.text import counted, one_line

_MAX_WRITTEN = 1024
"""The most elements of an argument other than the data, which are written out one by one."""
_MAX_DATA = 1 << 26
"""The most elements of an input of data."""
_MAX_RANK = 64


class LeftOutError(Exception):
    """A node that no case can be made of; the text says why."""


class BrokenPageError(LeftOutError):
    """A node whose call violates its page."""


@dataclass(slots=True)
class _NodeCall:
    """A node as a call: its arguments as a case has them, and as a case file writes them."""

    operator: Operator
    arguments: list[Argument] = field(default_factory=list)
    written: dict[str, Any] = field(default_factory=dict)
    at_run_time: dict[str, KnownShape] = field(default_factory=dict)
    """The inputs that the model gives at run time, with the dims that it knows."""


def case_text(visit: Visit, operator: Operator) -> str:
    """The case that a node makes, without its id and its forms."""
    call = _NodeCall(operator)
    _add_inputs(call, visit)
    _add_attributes(call, visit.node)
    _refuse_what_has_no_answer(lawful_call(operator, tuple(call.arguments), len(visit.node.output)))
    lines = [
        f'versions: "=={operator.version}"',
        f"clauses: [{operator.result_clause}]",
        f"arguments: {json.dumps(call.written)}",
        f"in_model: {json.dumps(call.at_run_time)}",
        *([] if operator.has_one_output else [f"declared_outputs: {len(visit.node.output)}"]),
        "outputs: law",
    ]
    return "\n".join(lines)


def _refuse_what_has_no_answer(case: Case) -> None:
    """Refuse a call that its page forbids or leaves open, or that the suite does not cover.

    Raises:
        LeftOutError: with the reason.
    """
    opened = left_open(case)
    try:
        evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    except UncoveredCallError as error:
        raise LeftOutError(error.args[0]) from None
    except BrokenClauseError as error:
        if not opened:
            raise BrokenPageError(f"the call violates {error.clause}") from None
    for calls in opened:
        named = f" ({', '.join(calls.clauses)})" if calls.clauses else ""
        raise LeftOutError(f"its page leaves this open{named}: {calls.says}")


def _add_inputs(call: _NodeCall, visit: Visit) -> None:
    names = list(visit.node.input)
    for place, parameter in enumerate(call.operator.inputs):
        places = range(place, len(names) if parameter.is_variadic else min(place + 1, len(names)))
        found = [_known(visit, number) for number in places if names[number]]
        if found and parameter in call.operator.data_inputs:
            _add_data(call, parameter, found)
        elif found:
            _add_argument(call, parameter, found[0], visit.missed[place])


def _known(visit: Visit, number: int) -> KnownValue:
    value = visit.inputs[number]
    if value is None:
        raise LeftOutError(f"a type or a shape is unknown: {way_to_know(visit.missed[number], 'it')}")
    if len(value.shape) > _MAX_RANK:
        raise LeftOutError(f"an input has rank {len(value.shape)}, and a case at most {_MAX_RANK}")
    return value


def way_to_know(missed: str, what: str) -> str:
    """What makes something known, or the operator that nothing computes."""
    return f"the package onnx does not compute {one_line(missed, 80)}" if missed else f"--inputs makes {what} known"


def _add_argument(call: _NodeCall, parameter: Parameter, value: KnownValue, missed: str) -> None:
    """Add an input other than the data, with its elements."""
    name = parameter.name
    if value.size > _MAX_WRITTEN:
        raise LeftOutError(f"{name} has {counted(value.size, 'element')}, and a case writes at most {_MAX_WRITTEN:,}")
    if value.elements is None:
        raise LeftOutError(f"{name} is not a constant: {way_to_know(missed, 'its value')}")
    call.arguments.append(Argument(name, Role.INPUT, Value.of(tensor_from_array(value.elements))))
    plain = value.elements.tolist()
    is_plain = value.dtype == parameter.default_dtype and (value.size > 0 or value.shape == (0,))
    shape = {} if value.size else {"shape": list(value.shape)}
    call.written[name] = plain if is_plain else {"dtype": value.dtype, **shape, "values": plain}
    _add_dims(call, name, value)


def _add_data(call: _NodeCall, parameter: Parameter, found: Sequence[KnownValue]) -> None:
    """Add an input whose elements the outputs hold, or several of them."""
    names = [f"{parameter.name}_{number}" if parameter.is_variadic else parameter.name for number in range(len(found))]
    for name, item in zip(names, found, strict=True):
        _require_data(call.operator, item)
        call.arguments.append(Argument(name, Role.INPUT, Value(dtype=item.dtype, shape=tuple(item.shape))))
        _add_dims(call, name, item)
    texts = [{"dtype": item.dtype, "shape": list(item.shape)} for item in found]
    call.written[parameter.name] = texts if parameter.is_variadic else texts[0]


def _require_data(operator: Operator, item: KnownValue) -> None:
    """Raises LeftOutError for data that the version does not take, or that is large."""
    if item.dtype not in operator.data_dtypes:
        raise LeftOutError(f"this version has no {item.dtype}")
    if math.prod(max(1, dim) for dim in item.shape) > _MAX_DATA:
        raise LeftOutError(f"its data is larger than {counted(_MAX_DATA, 'element')}")


def _add_dims(call: _NodeCall, name: str, value: KnownValue) -> None:
    if not value.is_constant:
        call.at_run_time[name] = value.dims


def _add_attributes(call: _NodeCall, node: onnx.NodeProto) -> None:
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if not isinstance(value, (int, float, str, list)):
            raise LeftOutError(f"the attribute {one_line(attribute.name, 40)} is neither a number nor a text")
        call.written[attribute.name] = value
        call.arguments.append(
            Argument(attribute.name, Role.ATTRIBUTE, tuple(value) if isinstance(value, list) else value)
        )


NodesByText: TypeAlias = Mapping[str, Mapping[str, str]]
"""The cases without ids and forms, each with the names of its nodes by their places."""
_AS_IT_IS = Form.AS_IN_THE_MODEL


def case_file(model: Path, operator: Operator, texts: NodesByText, forms: Sequence[Form]) -> tuple[str, str]:
    """The path in the folder of a suite and the text of a file.

    Args:
        model: the file that the cases come from.
        operator: that of all the cases.
        texts: the cases.
        forms: forms of each case that it fits, other than the one that it has in the model.

    Raises:
        ExceptionGroup: of `CaseFileError`: problems that `conformance check` would report.
    """
    stem = _stem(model)
    path = f"{operator.family.replace('.', '/')}/{stem}-{operator.version}.yaml"
    text = _text(model, stem, operator, texts, [(_AS_IT_IS,)] * len(texts))
    families = families_from_document(document_from_bytes(text.encode(), path), [operator])
    _, problems = check_suite(Suite(root=Path(), digest="", operators=(), families=tuple(families)))
    if problems:
        raise ExceptionGroup(f"nothing is written to {path}", problems)
    if not forms:
        return path, text
    return path, _text(model, stem, operator, texts, [_fitting(family, forms) for family in families])


def _fitting(family: CaseFamily, forms: Sequence[Form]) -> tuple[Form, ...]:
    """The form that a case has in the model, and those of the others that it fits."""
    (case,) = family.cases()
    return forms_of(replace(case, forms=(_AS_IT_IS, *forms)))


def _text(model: Path, stem: str, operator: Operator, texts: NodesByText, forms: Sequence[Sequence[Form]]) -> str:
    about = json.dumps(f"Calls in the model {one_line(model.name)}.")
    lines = [f"operator: {operator.family}", f"about: {about}", "cases:"]
    for number, ((text, names), of_case) in enumerate(zip(texts.items(), forms, strict=True), 1):
        first, *others = names.values()
        more = f", and {counted(len(others), 'other node')} with the same call" if others else ""
        lines.append(f"  # node {json.dumps(one_line(first))}{more}")
        lines.append(f"  - id: {stem}-{number}")
        lines.append(f"    forms: [{', '.join(form.value for form in of_case)}]")
        lines += [f"    {line}" for line in text.splitlines()]
    return "\n".join(lines) + "\n"


def _stem(path: Path) -> str:
    """The name of a model as an id has it."""
    return re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")[:60] or "model"


_MAX_VISITS = 4
"""How many visits of a node in a loop become cases."""
_UNREACHED = "it does not run, or only under a condition: {}"
_NOT_WITH_INPUTS = "it does not run with these inputs"
_WITH_OUR_LENGTHS = "{reason} with all lengths that were tried for its unknown dims: --inputs makes them known"


@dataclass(slots=True, kw_only=True)
class ModelCases:
    """The cases of a model: the text of a file for each operator; how many nodes they cover, and which they do not.

    `files` are by path in the folder of a suite. `left_out` counts the nodes with an operator of the suite that have no
    case, by reason; `uncovered` counts all nodes without one by operator.
    """

    files: dict[str, str] = field(default_factory=dict)
    num_cases: int = 0
    num_nodes: int = 0
    num_covered: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    uncovered: Counter[str] = field(default_factory=Counter)


def cases_of_model(
    path: Path, inputs: Path | None, operators: Sequence[Operator], forms: Sequence[Form] = ()
) -> ModelCases:
    """The cases of the nodes of a model whose operator version is one of these.

    Args:
        path: the model; its external data is next to it.
        inputs: an npz file with values of the graph's inputs. With it, all values are computed, and so known.
        operators: those that cases can be written for.
        forms: further forms of the cases, other than the one that they have in the model.

    Raises:
        UsageError: ONNX cannot read the model, or the inputs do not match it.
    """
    said = read_model(path)
    model = with_named_dims(said)
    given = read_inputs(inputs, model)
    known = {operator.id: operator for operator in operators if operator.dialect == "onnx"}
    calls = _ModelCalls(path, said, model, inferred(path, model, {}), known)
    lengths: Lengths = {}
    if not given:
        lengths = fitting_lengths(symbolic_dims(model), lambda trial: calls.found(trial, given).num_broken)
    found = calls.found(lengths, given)
    return _made(path, found, calls, forms)


@dataclass(slots=True)
class _FoundCalls:
    """What the nodes of a model came to, by their places: the text of a case, or the reason why there is none."""

    texts: defaultdict[str, defaultdict[str, dict[str, str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    """By operator and text of the call: the places that have it, each with the name of its node."""
    reasons: dict[str, str] = field(default_factory=dict)
    otherwise: str = ""
    """The reason why there is none for a node without a visit."""
    num_broken: int = 0


@dataclass(slots=True)
class _ModelCalls:
    """The calls of a model, for any lengths of its symbolic dims."""

    path: Path
    said: onnx.ModelProto
    """The model with the shapes that it says of its values, where others infer none."""
    model: onnx.ModelProto
    inferred: onnx.ModelProto
    """The model with the types and shapes that hold whatever the lengths are."""
    known: Mapping[str, Operator]

    def found(self, lengths: Lengths, given: Mapping[str, NDArray[Any]]) -> _FoundCalls:
        """What the nodes come to with these lengths and inputs."""
        found, visits = _FoundCalls(), Counter[str]()
        graph, walk = self._walk(lengths, is_given=bool(given))
        for visit in walk.visits(graph, given):
            visits[visit.place] += 1
            operator = self.operator_of(visit.node)
            if operator is not None and visits[visit.place] <= _MAX_VISITS:
                self._add(found, visit, operator, is_invented=bool(lengths))
        is_known = given and not walk.hidden_by
        found.otherwise = _NOT_WITH_INPUTS if is_known else _UNREACHED.format(way_to_know(walk.hidden_by, "that"))
        return found

    def operator_of(self, node: onnx.NodeProto) -> Operator | None:
        """The operator version that a node means; None if the suite has no such one."""
        if node.domain not in ("", "ai.onnx"):
            return None
        opsets = {item.domain: item.version for item in self.model.opset_import}
        try:
            schema = onnx.defs.get_schema(node.op_type, opsets.get("", opsets.get("ai.onnx", 0)), "")
        except onnx.defs.SchemaError:
            return None
        return self.known.get(f"onnx.{node.op_type}-{schema.since_version}")

    def _walk(self, lengths: Lengths, *, is_given: bool) -> tuple[onnx.GraphProto, ModelWalk]:
        fixed = inferred(self.path, self.model, lengths) if lengths else self.inferred
        dims = known_dims(self.said, self.inferred)
        return fixed.graph, ModelWalk(
            path=self.path,
            opsets=self.model.opset_import,
            ir_version=self.model.ir_version,
            described=described(self.said, fixed, dims),
            dims=dims,
            computes_all=is_given,
        )

    def _add(self, found: _FoundCalls, visit: Visit, operator: Operator, *, is_invented: bool) -> None:
        try:
            text = case_text(visit, operator)
        except BrokenPageError as error:
            is_ours = is_invented and any(map(_is_invented, visit.inputs))
            found.num_broken += 1
            found.reasons[visit.place] = _WITH_OUR_LENGTHS.format(reason=error) if is_ours else str(error)
        except LeftOutError as error:
            found.reasons[visit.place] = str(error)
        else:
            found.texts[operator.id][text][visit.place] = visit.node.name


def _is_invented(value: KnownValue | None) -> bool:
    """Whether the shape or the elements of a value may follow from lengths that the model does not say."""
    return value is not None and not value.is_constant and (value.dims != value.shape or value.elements is not None)


def _made(path: Path, found: _FoundCalls, calls: _ModelCalls, forms: Sequence[Form]) -> ModelCases:
    """The files of the cases, and what they cover."""
    made = ModelCases()
    covered = {place for texts in found.texts.values() for places in texts.values() for place in places}
    for operator_id, texts in found.texts.items():
        made.num_cases += len(texts)
        where, text = case_file(path, calls.known[operator_id], texts, forms)
        made.files[where] = text
    for place, node in places_of(calls.model.graph.node):
        made.num_nodes += 1
        if place in covered:
            made.num_covered += 1
            continue
        made.uncovered[one_line(node.op_type, 80)] += 1
        operator = calls.operator_of(node)
        if operator is not None:
            made.left_out[f"{operator.id}: {found.reasons.get(place, found.otherwise)}"] += 1
    return made

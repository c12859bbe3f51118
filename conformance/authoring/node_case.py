"""Writes a node of a model as a case: its arguments without weights, how the model passes them, and its outputs.

The outputs are what the page makes of numbered elements; where it leaves a call open, the case names all readings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from conformance.authoring.model_values import KnownValue, Visit
from conformance.authoring.proposed_outputs import parts_along, strides_of
from conformance.language.broken_clause import UncoveredCallError
from conformance.language.operator import Operator, Parameter
from conformance.language.readings import CallAnswer, answers_of
from conformance.values.tensor import KnownShape, Tensor, array_from_tensor, tensor_from_array
from conformance.values.text import counted, one_line

_MAX_WRITTEN = 1024
"""The most elements of an argument or an output that are written out one by one."""
_MAX_NUMBERED = 1 << 26
"""The most elements of the data of a call."""
_MAX_RANK = 64
_EXACT = ("int64", "uint64", "float64")
"""Types whose values can number all elements; every operator takes one of them as data."""


class LeftOutError(Exception):
    """A node that no case can be made of; the text says why."""


class BrokenPageError(LeftOutError):
    """A node whose call violates its page."""


@dataclass(slots=True)
class _NodeCall:
    """A node as a call: its arguments as a case file writes them, and as tensors, the data as its elements' numbers."""

    operator: Operator
    num_outputs: int
    written: dict[str, Any] = field(default_factory=dict)
    numbered: dict[str, Tensor | Any] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)
    """The numbers of elements of the data inputs."""
    at_run_time: dict[str, KnownShape] = field(default_factory=dict)
    """The inputs that the model gives at run time, with the dims that it knows."""


def case_text(visit: Visit, operator: Operator) -> str:
    """The case that a node makes, without its id and its forms."""
    call = _NodeCall(operator, len(visit.node.output))
    _add_inputs(call, visit)
    _add_attributes(call, visit.node)
    try:
        answers = answers_of(operator, call.numbered, call.num_outputs)
    except UncoveredCallError as error:
        raise LeftOutError(error.args[0]) from None
    if all(answer.broken_clause for answer in answers):
        raise BrokenPageError(f"the call violates {answers[0].broken_clause}")
    has_others = not operator.splits and _has_constants(call, answers)
    if has_others and (len(answers) > 1 or operator.law is None):
        raise LeftOutError("an output has elements that are not of the data")
    has_count = bool({operator.lengths, operator.num_outputs} & call.written.keys()) and len(answers) == 1
    lines = [
        f'versions: "=={operator.version}"',
        f"clauses: [{operator.result_clause}]",
        f"arguments: {json.dumps(call.written)}",
        f"in_model: {json.dumps(call.at_run_time)}",
        *([] if operator.has_one_output or has_count else [f"declared_outputs: {call.num_outputs}"]),
        *(["outputs: law"] if has_others else _expectation(call, answers)),
    ]
    return "\n".join(lines)


def _has_constants(call: _NodeCall, answers: Sequence[CallAnswer]) -> bool:
    """Whether an element of an output stays where all elements of the data change."""
    changed = {
        name: tensor_from_array(array_from_tensor(value) + 1) if call.operator.is_data(name) else value
        for name, value in call.numbered.items()
    }
    pairs = zip(answers, answers_of(call.operator, changed, call.num_outputs), strict=True)
    outputs = [two for answer, other in pairs for two in zip(answer.outputs, other.outputs, strict=True)]
    return any((array_from_tensor(after) == array_from_tensor(before)).any() for before, after in outputs)


def _expectation(call: _NodeCall, answers: Sequence[CallAnswer]) -> Iterator[str]:
    """The lines for the one answer of a call, or for all that its page allows."""
    if len(answers) == 1:
        yield f"outputs: {json.dumps(_outputs(call, answers[0]))}"
        return
    yield "disputed:"
    for answer in answers:
        yield f"  {'-and-'.join(reading.name for reading in answer.readings)}:"
        yield f"    reason: {json.dumps(' '.join(reading.reason for reading in answer.readings))}"
        yield from [f"    thread: {reading.thread}" for reading in answer.readings if reading.thread][:1]
        if answer.broken_clause:
            yield f"    rejected: {answer.broken_clause}"
        else:
            yield f"    outputs: {json.dumps(_outputs(call, answer))}"


def _outputs(call: _NodeCall, answer: CallAnswer) -> list[Any]:
    operator = call.operator
    if operator.splits:
        return list(
            parts_along(call.written.get(operator.split_axis or "", operator.default_axis or 0), answer.outputs)
        )
    return [_arrangement(array_from_tensor(output).astype("int64"), call.sizes) for output in answer.outputs]


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
    call.numbered[name] = tensor_from_array(value.elements)
    plain = value.elements.tolist()
    is_plain = value.dtype == parameter.default_dtype and (value.size > 0 or value.shape == (0,))
    shape = {} if value.size else {"shape": list(value.shape)}
    call.written[name] = plain if is_plain else {"dtype": value.dtype, **shape, "values": plain}
    _add_dims(call, name, value)


def _add_data(call: _NodeCall, parameter: Parameter, found: Sequence[KnownValue]) -> None:
    """Add an input whose elements the outputs hold, or several of them."""
    names = [f"{parameter.name}_{number}" if parameter.is_variadic else parameter.name for number in range(len(found))]
    for name, item in zip(names, found, strict=True):
        call.numbered[name] = _numbered(call, item)
        call.sizes.append(item.size)
        _add_dims(call, name, item)
    texts = [{"dtype": item.dtype, "shape": list(item.shape)} for item in found]
    call.written[parameter.name] = texts if parameter.is_variadic else texts[0]


def _numbered(call: _NodeCall, item: KnownValue) -> Tensor:
    """Data whose elements are their numbers through all data of the call."""
    if item.dtype not in call.operator.data_dtypes:
        raise LeftOutError(f"this version has no {item.dtype}")
    start, stop = sum(call.sizes), sum(call.sizes) + item.size
    if stop > _MAX_NUMBERED or math.prod(max(1, dim) for dim in item.shape) > _MAX_NUMBERED:
        raise LeftOutError(f"its data is larger than {counted(_MAX_NUMBERED, 'element')}")
    dtype = next(name for name in _EXACT if name in call.operator.data_dtypes)
    return tensor_from_array(np.arange(start, stop).reshape(item.shape).astype(dtype))


def _add_dims(call: _NodeCall, name: str, value: KnownValue) -> None:
    if not value.is_constant:
        call.at_run_time[name] = value.dims


def _add_attributes(call: _NodeCall, node: onnx.NodeProto) -> None:
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        value = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
        if not isinstance(value, (int, float, str, list)):
            raise LeftOutError(f"the attribute {one_line(attribute.name, 40)} is neither a number nor a text")
        call.written[attribute.name] = call.numbered[attribute.name] = value


def _arrangement(numbers: NDArray[Any], sizes: Sequence[int]) -> dict[str, Any]:
    """Which element stands at each place, in the shortest form that says it."""
    block = _block(numbers)
    if block is not None:
        return {"block": block}
    ends = np.cumsum(sizes)
    for axis in range(numbers.ndim):
        slices = [numbers.take([index], axis) for index in range(numbers.shape[axis])]
        owners = [np.unique(np.searchsorted(ends, item, side="right")) for item in slices]
        if all(len(owner) == 1 for owner in owners):
            groups = groupby(zip(owners, slices, strict=True), key=lambda pair: int(pair[0][0]))
            blocks = [_block(np.concatenate([item for _, item in group], axis)) for _, group in groups]
            if None not in blocks:
                return {"joined": blocks, "along": axis}
    if numbers.size > _MAX_WRITTEN:
        raise LeftOutError(f"an output of {counted(numbers.size, 'element')} has no short form")
    return {"at": numbers.tolist()}


def _block(numbers: NDArray[Any]) -> dict[str, Any] | None:
    """The numbers as a start and strides, if they are so."""
    shape, unseen = list(numbers.shape), [1] * numbers.ndim
    if not numbers.size:
        return {"start": 0, "shape": shape, "strides": unseen}
    strides = strides_of(numbers, unseen)
    return None if strides is None else {"start": int(numbers.flat[0]), "shape": shape, "strides": strides}

"""Checks that run next to another one: its control, without the operator, and the twin of an invalid call."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, combinations, islice, product

from conformance.protocol.call import Attribute, Input, Request
from conformance.protocol.form import Form
from conformance.protocol.outcome import Outcome, Produced, RejectedOutcome
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.case import (
    Argument,
    Case,
    Expectation,
    ExpectedOutputs,
    Rejection,
    Value,
    call_arguments,
    expectations_of,
    expected_outputs,
)
from conformance.spec.check import Check
from conformance.spec.operator import Operator, Parameter, Role
from conformance.spec.reference import OPERATORS, evaluate
from conformance.tensors.dtypes import DTYPES, INTEGERS
from conformance.tensors.tensor import Tensor, pack_integers, slices_along, unpack_integers

# Controls: a check that runs again without its operator, to tell the operator's faults from a neighbour's. A form may
# put a neighbour beside the operator: a Relu, a Concat, a constant, an input in another layout. The outputs of the
# neighbour alone go through the operator as its page specifies. If the check gave the same, bit for bit, and the call
# without any neighbour conforms, the neighbour explains the deviation. Forms without a neighbour have no control.


def control_of(check: Check) -> Request | None:
    """The request of a check without its operator; None without a neighbour, or if a step requires a rejection."""
    case, form = check.case, check.form
    if not form.neighbour or case.data is None or any(_answered(step.expectation) is None for step in check.steps):
        return None
    request, runs = check.request, tuple(_passed_on(check, step) for step in check.steps)
    given = next((item for item in request.call.inputs if case.operator.is_data(item.name)), None)
    inputs: tuple[Input, ...] = (given,) if given is not None and not form.joins_outputs else ()
    inputs = inputs or tuple(Input(name=name, dtype=part.dtype, dims=part.shape) for name, part in runs[0].items())
    at_run_time = {item.name for item in inputs if item.constant is None}
    call = replace(request.call, attributes={}, inputs=inputs, declared_outputs=1, is_control=True)
    return replace(
        request,
        call=call,
        runs=tuple({name: tensor for name, tensor in run.items() if name in at_run_time} for run in runs),
    )


def plain_of(check: Check) -> Check:
    """The same case without any neighbour, which has to conform before a control excuses anything."""
    return Check(check.case, Form.CONSTANT)


def _answered(expectation: Expectation) -> ExpectedOutputs | None:
    """The expected outputs; under several interpretations, those of the first that expects any."""
    return next((expected for expected in expectations_of(expectation) if isinstance(expected, ExpectedOutputs)), None)


def _passed_on(check: Check, step: Case) -> Mapping[str, Tensor]:
    """The input of the neighbours in one step: the outputs of the operator, or its data."""
    if check.form.joins_outputs:
        expectation = _answered(check.case.expectation)
        assert expectation is not None
        parts = expected_outputs(expectation, step)
        return {f"part_{number}": part for number, part in enumerate(parts)}
    assert step.data is not None
    return {next(iter(step.data_inputs)): step.data.tensor()}


def effects_of(check: Check, control: Outcome) -> tuple[Outcome, ...]:
    """The outcomes that a check would have if its operator is correct and its neighbours behave as in the control.

    Empty if the control did not return one output per step, if the output of a Concat has the wrong shape, or if the
    operator has no reference. Two for a Concat, which gets each part twice. If the page forbids the neighbour's outputs
    as data, the outcome is a rejection without a stage.
    """
    if not isinstance(control, Produced):
        return (control,)
    if len(control.runs) != len(check.steps) or any(len(run) != 1 for run in control.runs):
        return ()
    given = [run[0] for run in control.runs]
    try:
        if check.form.joins_outputs:
            halves = zip(*map(_halves, check.steps, given), strict=True)
            return tuple(replace(control, runs=tuple((half,) for half in runs), inferred=None) for runs in halves)
        if check.case.operator.id not in OPERATORS:
            return ()
        taken = check.request.call.graph_outputs
        runs = tuple(_applied(step, data)[taken] for step, data in zip(check.steps, given, strict=True))
        return (replace(control, runs=runs, inferred=None),)
    except BrokenClauseError as error:
        return (RejectedOutcome(stage=None, message=str(error)),)
    except _UnlikelyError:
        return ()


class _UnlikelyError(Exception):
    """The Concat of a control returned a shape that does not follow from its inputs."""


def _halves(step: Case, joined: Tensor) -> tuple[Tensor, Tensor]:
    """The two halves of the output of a Concat that got the parts of a step twice."""
    axis, data = step.split_dim, step.data
    assert axis is not None
    assert data is not None
    length = data.shape[axis]
    if joined.shape != (*data.shape[:axis], 2 * length, *data.shape[axis + 1 :]):
        raise _UnlikelyError
    first, second = slices_along(joined, axis, ((0, length), (length, 2 * length)))
    return first, second


def _applied(step: Case, data: Tensor) -> tuple[Tensor, ...]:
    arguments = {**call_arguments(step), next(iter(step.data_inputs)): data}
    return evaluate(step.operator.id, arguments, step.declared_outputs)


# The twin of an invalid call: the valid call nearest to it, with the same arguments but the one at fault. A rejection
# shows that a framework checks its arguments only if it does not reject the twin in the same way. A case names its
# twin, or the valid one among the calls near it is found: those with other values for one argument, then for two.
# Nothing here knows what an operator allows; the reference tells which calls are valid.

_MOST_BYTES = 1 << 20
_MOST_TRIED = 3000
_MOST_TRIED_FOR_ELEMENTS = 600
_NUMBERS_SHOWN = 8


def twin_of(case: Case) -> Case | None:
    """The valid call nearest to a call that must be rejected; None if the case names none and none is found.

    It keeps the expectation of the case, which nothing judges, so that each form calls it as it calls the case.
    """
    if case.twin:
        return replace(case, arguments=case.twin, twin=())
    return _repaired(_Invalid(case.id, case.arguments, case))


def is_valid(case: Case) -> bool:
    """Whether the reference computes the outputs that the node declares."""
    return _outputs(case) is not None


def changes_of(case: Case, twin: Case) -> str:
    """What the twin has in the place of the case's arguments, as `axis=0, without split`."""
    before = {argument.name: repr(argument) for argument in case.arguments}  # 1 and 1.0 are equal
    changed = [f"{item.name}={_text(item.value)}" for item in twin.arguments if before.pop(item.name, "") != repr(item)]
    changed += [f"without {name}" for name in before]
    if case.declared_outputs != twin.declared_outputs:
        changed.append(f"declared outputs={twin.declared_outputs}")
    return ", ".join(changed)


def _text(value: Value | Attribute) -> str:
    if not isinstance(value, Value):
        return repr(list(value[:_NUMBERS_SHOWN]) if isinstance(value, tuple) else value)
    if value.data is not None and value.dtype in INTEGERS and math.prod(value.shape) <= _NUMBERS_SHOWN:
        return f"{value.dtype}{list(value.shape)} {unpack_integers(value.tensor())}"
    return f"{value.dtype}{list(value.shape)}"


@dataclass(frozen=True, slots=True)
class _Invalid:
    """A case to be repaired, compared by what decides its twin."""

    id: str
    arguments: tuple[Argument, ...]
    case: Case = field(compare=False)


@lru_cache(maxsize=256)
def _repaired(invalid: _Invalid) -> Case | None:
    """The nearest valid call; prefers one whose outputs have elements: pages often leave open what holds without."""
    without_elements = None
    for number, call in enumerate(islice(_calls_near(invalid.case), _MOST_TRIED)):
        if without_elements is not None and number > _MOST_TRIED_FOR_ELEMENTS:
            break
        if any(value.nbytes > _MOST_BYTES for value in call.data_inputs.values()):
            continue
        outputs = _outputs(call)
        if outputs and all(map(_has_elements, outputs)):
            return call
        without_elements = without_elements or (None if outputs is None else call)
    return without_elements


def _has_elements(tensor: Tensor) -> bool:
    return 0 not in tensor.shape


def _outputs(case: Case) -> tuple[Tensor, ...] | None:
    try:
        outputs = evaluate(case.operator.id, call_arguments(case), case.declared_outputs)
    except (BrokenClauseError, KeyError):
        return None
    return outputs if len(outputs) == case.declared_outputs else None


_Replaced = Mapping[str, Argument | None]
"""Arguments by name that take the place of a call's own; None for one that is left out."""

_PLAIN_TYPES = ("float32", "int64", "int32")
_PLAIN_SHAPES = ((2, 2), (2, 3), (4,), (6,), (2, 6), (1,), (1, 1), (2, 2, 2))
_PLAIN_NUMBERS = (1, 0, 2, 3, -1)
_MOST_NUMBERS = 64
_MOST_LENGTH = 4096
_CHANGED_IN_PLACE = 8
_OF_EACH_IN_A_PAIR = 30
_TYPES_OF_EACH_SHAPE = 2


def _calls_near(case: Case) -> Iterator[Case]:
    """Calls near a case, the nearest first; most of them are as invalid."""
    names = _names(case)
    alone: Iterator[_Replaced] = ({name: other} for name in names for other in _others(case, name))
    for change in chain([{}], alone, _pairs(case, names)):
        changed = _repaired_by(case, change)
        for declared in _numbers_of_outputs(changed):
            yield replace(changed, declared_outputs=declared)


def _pairs(case: Case, names: Sequence[str]) -> Iterator[_Replaced]:
    for one, other in combinations(names, 2):
        few = [list(islice(_others(case, name), _OF_EACH_IN_A_PAIR)) for name in (one, other)]
        places = product(*map(range, map(len, few)))
        for first, second in sorted(places, key=sum):
            yield {one: few[0][first], other: few[1][second]}


def _repaired_by(case: Case, change: _Replaced) -> Case:
    """The case with the change, its arguments in the order of the page."""
    changed = {argument.name: argument for argument in case.arguments} | dict(change)
    left = filter(None, changed.values())
    return replace(case, arguments=tuple(sorted(left, key=lambda item: case.operator.place_of(item.name))))


def _numbers_of_outputs(case: Case) -> list[int]:
    """How many outputs the node may declare: as before, or as many as there are lengths."""
    if case.operator.has_one_output:
        return [case.declared_outputs]
    counts = [len(_numbers(argument)) for argument in case.arguments if argument.name == case.operator.lengths]
    given = case.value(case.operator.num_outputs)
    counts += [given] if isinstance(given, int) else [1]
    return [count for count in dict.fromkeys([case.declared_outputs, *counts]) if 0 < count <= _MOST_NUMBERS]


def _names(case: Case) -> list[str]:
    """The arguments that a repair may change: first those that the broken clause names, then the data."""
    given = [argument.name for argument in case.arguments]
    missing = [name for p in case.operator.parameters if not any(map(p.takes, given)) for name in _names_of(p)]
    clause = case.expectation.clause if isinstance(case.expectation, Rejection) else ""
    subject = clause.partition(".")[0]

    def rank(name: str) -> tuple[bool, bool]:
        return not name.startswith(subject), not case.operator.is_data(name)

    return sorted(dict.fromkeys([*given, *missing]), key=rank)


def _names_of(parameter: Parameter) -> tuple[str, ...]:
    return (f"{parameter.name}_0", f"{parameter.name}_1") if parameter.is_variadic else (parameter.name,)


def _others(case: Case, name: str) -> Iterator[Argument | None]:
    """What may stand in the place of one argument: None for no argument."""
    now = next((argument for argument in case.arguments if argument.name == name), None)
    for parameter in case.operator.parameters_named(name):
        if parameter.role is Role.ATTRIBUTE:
            values: Iterator[Value | Attribute] = _attributes(case, now)
        elif case.operator.is_data(name):
            values = _data(case, now, parameter)
        else:
            values = _inputs(case, now, parameter)
        yield from (Argument(name, parameter.role, value) for value in values)
    if now is not None:
        yield None


def _attributes(case: Case, now: Argument | None) -> Iterator[Attribute]:
    """One number or a list, as it is now first."""
    lists = _lists(case, _numbers(now))
    singles = [numbers[0] for numbers in lists if len(numbers) == 1]
    is_list = now is None or isinstance(now.value, tuple) or (isinstance(now.value, Value) and now.value.shape)
    if case.operator.dialect == "openvino":
        yield from (True, False)
    yield from chain(lists, singles) if is_list else chain(singles, lists)


def _inputs(case: Case, now: Argument | None, parameter: Parameter) -> Iterator[Value]:
    """Integers of the type and rank as now first, then of other types and ranks."""
    value = now.value if now is not None and isinstance(now.value, Value) else None
    first = value.dtype if value is not None else parameter.default_dtype
    lists = _lists(case, _numbers(now))
    for dtype in dict.fromkeys([first, *_types(case.operator, parameter)]):
        if dtype not in INTEGERS:
            continue
        for numbers in lists:
            shapes: list[tuple[int, ...]] = [(len(numbers),)]
            if value is not None and math.prod(value.shape) == len(numbers):
                shapes = [value.shape, *shapes]
            shapes += [()] if len(numbers) == 1 else []
            for shape in shapes:
                if all(number in DTYPES[dtype].integers for number in numbers):
                    yield Value.of(pack_integers(list(numbers), dtype, shape))


def _data(case: Case, now: Argument | None, parameter: Parameter) -> Iterator[Value]:
    """Data of another type, of another shape, and of both."""
    value = now.value if now is not None and isinstance(now.value, Value) else Value(dtype="float32", shape=(2, 2))
    beside = [other for other in case.data_inputs.values() if other != value]
    types = [value.dtype, *(other.dtype for other in beside), *_types(case.operator, parameter)]
    shapes = [value.shape, *(other.shape for other in beside), *_shapes(case, value.shape), *_PLAIN_SHAPES]
    if now is None:
        yield value
    yield from (replace(value, dtype=dtype, data=None) for dtype in types if dtype != value.dtype)
    for dtype in dict.fromkeys(types[:_TYPES_OF_EACH_SHAPE]):
        for shape in dict.fromkeys(shapes):
            yield Value(dtype=dtype, shape=shape, start=value.start, challenge=value.challenge)


def _types(operator: Operator, parameter: Parameter) -> list[str]:
    """The types that the page allows for an input, plain ones first; plain ones alone if it allows all."""
    allowed = operator.constraints.get(parameter.constraint or "", ())
    plain = [dtype for dtype in _PLAIN_TYPES if not allowed or dtype in allowed]
    return [*plain, *(dtype for dtype in allowed if dtype not in plain)][:4]


def _shapes(case: Case, shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Shapes near one: another dim in one place, one dim fewer or more."""
    sums = [sum(_numbers(argument)) for argument in case.arguments if argument.name == case.operator.lengths]
    counts = [case.declared_outputs, *(number for a in case.arguments for number in _numbers(a)[:_CHANGED_IN_PLACE])]
    if 0 in shape:
        yield from (tuple(dim or other for dim in shape) for other in [*sums, 2, 6] if 0 < other <= _MOST_NUMBERS)
    for place in range(max(1, len(shape)))[:_CHANGED_IN_PLACE]:
        for dim in [*sums, *counts, 1, 2, 4, 6]:
            if 0 < dim <= _MOST_NUMBERS:
                yield (*shape[:place], dim, *shape[place + 1 :])
    yield from ((*shape[:place], *shape[place + 1 :]) for place in range(len(shape)))
    yield (*shape, 2)
    yield (1, *shape)


def _numbers(argument: Argument | None) -> list[int]:
    """The whole numbers of an argument; none if it has others."""
    value = None if argument is None else argument.value
    if isinstance(value, Value):
        is_short = value.dtype in INTEGERS and math.prod(value.shape) <= _MOST_NUMBERS
        return unpack_integers(value.tensor()) if is_short else []
    items = value if isinstance(value, tuple) else (value,)
    return [item for item in items if type(item) is int]


def _lists(case: Case, now: list[int]) -> list[tuple[int, ...]]:
    """Lists near one: another number in one place, one fewer, one more; then plain lists and those of the shape."""
    shape = list(case.data.shape) if case.data is not None else [2, 2]
    rank, count = len(shape), math.prod(shape)
    dims = [dim for dim in dict.fromkeys(shape) if dim <= _MOST_LENGTH]
    found = [list(now)]
    for place in range(len(now))[:_CHANGED_IN_PLACE]:
        rest = sum(now) - now[place]
        fitting = [dim - rest for dim in dims]
        others = dict.fromkeys([*fitting, *_PLAIN_NUMBERS, rank - 1])
        found += [[*now[:place], number, *now[place + 1 :]] for number in others]
    found += [[*now[:place], *now[place + 1 :]] for place in range(len(now))[:_CHANGED_IN_PLACE]]
    found += [[*now, number] for number in _PLAIN_NUMBERS]
    found += [[number] * len(now) for number in _PLAIN_NUMBERS]
    found += [list(range(len(now))), list(range(rank)), list(range(rank))[::-1], shape, [count], shape[::-1]]
    found += [[number] for number in _PLAIN_NUMBERS] + [[0] * rank, [1] * rank]
    found += [[dim] for dim in dims] + [[1, dim - 1] for dim in dims]
    lists = dict.fromkeys(map(tuple, found))
    return [numbers for numbers in lists if all(-(1 << 63) <= number < 1 << 63 for number in numbers)]

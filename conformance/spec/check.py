"""One case in one form: what a run sends to a target, judges and records."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from conformance.protocol.call import Attribute, Call, Input, Request
from conformance.protocol.form import AtRunTime, Form, KnownShapes
from conformance.spec.case import Argument, Case, Disputed, ExpectedOutputs, Rejection, Value, expected_outputs
from conformance.spec.condition import facts_of
from conformance.spec.expression import LawNames
from conformance.spec.form_rules import ARGUMENT_RULES, GRAPH_RULES, LAYOUT_RULES, SECOND_CALL_RULES, FormRule
from conformance.spec.operator import Operator, Role
from conformance.tensors.tensor import KnownShape

# Builds the request for a check: its form decides constants, known dims, graph and layout.


def request_of(case: Case, form: Form, steps: Sequence[Case]) -> Request:
    """The request for a case in a form, whose calls are `steps`, without an ONNX model."""
    last = steps[-1]
    inputs = [argument for argument in last.arguments if argument.role is Role.INPUT]
    call = Call(
        operator=case.operator.id,
        attributes={a.name: _attribute(a) for a in last.arguments if a.role is Role.ATTRIBUTE},
        inputs=tuple(_input(argument, form, case) for argument in inputs),
        declared_outputs=case.declared_outputs,
        graph=form.properties.graph,
        concat_axis=(case.split_dim or 0) if form.joins_outputs else None,
        encoding=form.properties.encoding,
    )
    at_run_time = {item.name for item in call.inputs if item.constant is None}
    runs = tuple(
        {
            argument.name: argument.value.tensor()
            for argument in step.arguments
            if argument.name in at_run_time and isinstance(argument.value, Value)
        }
        for step in steps
    )
    calls = [declared(call, case.operator, _shapes(step)) for step in steps]
    return Request(call=replace(calls[-1], output_rank=_rank(case, calls)), runs=runs, layout=form.properties.layout)


def _shapes(step: Case) -> dict[str, tuple[int, ...]]:
    return {argument.name: argument.value.shape for argument in step.arguments if isinstance(argument.value, Value)}


def _rank(case: Case, calls: Sequence[Call]) -> int | None:
    """The rank that the model may declare: that of all calls, and under all interpretations; None if they differ."""
    ranks = {call.output_rank for call in calls}
    answered = [expected for expected in case.expectations if not isinstance(expected, Rejection)]
    if isinstance(case.expectation, Disputed) and answered and None not in ranks:
        ranks = {len(output.shape) for expected in answered for output in expected_outputs(expected, case)}
    return ranks.pop() if len(ranks) == 1 else None


def _input(argument: Argument, form: Form, case: Case) -> Input:
    value = argument.value
    assert isinstance(value, Value)
    if not _is_at_run_time(argument.name, form, case):
        return Input(name=argument.name, dtype=value.dtype, dims=value.shape, constant=value.tensor())
    dims = _known_dims(argument.name, value.shape, form, case)
    if (
        dims in ((None,), None)
        and case.operator.counts_outputs_by(argument.name)
        and form.properties.known is not KnownShapes.UNCOUNTED_RANKS
    ):
        dims = (case.declared_outputs,)
    return Input(name=argument.name, dtype=value.dtype, dims=dims)


def declared(call: Call, operator: Operator, shapes: Mapping[str, tuple[int, ...]]) -> Call:
    """The call with what the operator's page says of every call with inputs of these shapes."""
    rule, typed = operator.outputs, _first_input(call, operator, operator.outputs.type_of)
    typed = typed or next(iter(call.inputs), None)  # a call without its data is invalid, and its model is not
    has_ranks = all(item.dims is not None for item in call.inputs)
    return replace(
        call,
        signature=operator.signature([item.name for item in call.inputs]),
        output_dtype=rule.dtype or (None if typed is None else typed.dtype),
        output_rank=operator.output_rank(shapes, call.attributes) if has_ranks else None,
        last_opset=operator.last_opset,
    )


def _dims_in_model(dims: KnownShape, shape: tuple[int, ...]) -> KnownShape:
    """The dims of a case's model, as far as they are those of this call, which may be another one of the same model."""
    if dims is None or len(dims) != len(shape):
        return None
    return tuple(dim if dim == length else None for dim, length in zip(dims, shape, strict=True))


def _first_input(call: Call, operator: Operator, name: str | None) -> Input | None:
    """The input of a parameter, or the first of a variadic one."""
    taking = [parameter for parameter in operator.inputs if parameter.name == name]
    return next((item for item in call.inputs if any(parameter.takes(item.name) for parameter in taking)), None)


def _is_at_run_time(name: str, form: Form, case: Case) -> bool:
    """Whether an input is given at run time and not a constant of the model."""
    operator = case.operator
    match form.properties.at_run_time:
        case AtRunTime.NOTHING:
            return False
        case AtRunTime.ALL:
            return True
        case AtRunTime.DATA:
            return operator.is_data(name)
        case AtRunTime.LENGTHS:
            return operator.is_data(name) or name == operator.lengths
        case AtRunTime.AXIS:
            return operator.is_data(name) or name == operator.split_axis
        case AtRunTime.AS_IN_THE_MODEL:
            return name in (case.in_model or {})


def _known_dims(name: str, shape: tuple[int, ...], form: Form, case: Case) -> KnownShape:
    """The dims that the model knows of a runtime input; None for an unknown rank."""
    if form.properties.known is KnownShapes.AS_IN_THE_MODEL:
        return _dims_in_model((case.in_model or {}).get(name), shape)
    if form.has_unknown_ranks:
        return None
    if form.properties.known is KnownShapes.SOME:
        return tuple(dim if place % 2 else None for place, dim in enumerate(shape))
    return (None,) * len(shape) if form.has_unknown_dims else shape


def _attribute(argument: Argument) -> Attribute:
    assert not isinstance(argument.value, Value)
    return argument.value


# The forms in which a case runs, and the steps of each form. The rules of single forms are in `form_rules`.

_RULES: Mapping[Form, FormRule] = {**ARGUMENT_RULES, **SECOND_CALL_RULES, **LAYOUT_RULES, **GRAPH_RULES}
_OTHERWISE = FormRule()
_PLACE = {form: place for place, form in enumerate(Form)}
_USUAL_OF_VALID = tuple(form for form in Form if form.is_usual and not form.has_unknown_ranks)
_USUAL_OF_INVALID = tuple(form for form in Form if form.is_usual and form is not Form.SECOND_CALL)


def forms_of(case: Case, chosen: Collection[Form] = ()) -> tuple[Form, ...]:
    """The forms in which a case runs: those that the case file names, or the usual ones, as far as they fit the case.
    Only the `chosen` ones among them, if there are any.

    If no ranks are known, a framework may miss invalid arguments. A valid case runs in these forms only if it names
    them. An invalid case runs after a valid call only if it names that form.
    """
    usual = _USUAL_OF_VALID if isinstance(case.expectation, ExpectedOutputs) else _USUAL_OF_INVALID
    forms = sorted(case.forms, key=_PLACE.__getitem__) if case.forms else usual
    return tuple(form for form in forms if (not chosen or form in chosen) and _fits(form, case))


def default_forms_of(case: Case, chosen: Collection[Form] = ()) -> tuple[Form, ...]:
    """The forms in the default set: those of `forms_of`, but of `forms_in_turn` the one of the case's number alone."""
    forms = forms_of(case, chosen)
    if case.forms_in_turn:
        in_turn = forms_of(case, case.forms_in_turn)
        forms = tuple(form for form in forms if form not in in_turn or form is in_turn[case.number % len(in_turn)])
    return tuple(form for place, form in enumerate(forms) if case.default_bits >> place & 1)


def steps_of(case: Case, form: Form) -> tuple[Case, ...]:
    """The calls that one form makes of the case, in order, each with its expectation."""
    return _RULES.get(form, _OTHERWISE).steps(case)


def needs_of(form: Form) -> str:
    """What a case must have so that it runs in a form."""
    return "an operator of ONNX" if form.is_of_onnx and form not in _RULES else _RULES.get(form, _OTHERWISE).needs


def _fits(form: Form, case: Case) -> bool:
    """Whether a form adds something to the case that other forms do not have."""
    if form.is_of_onnx and case.operator.dialect != "onnx":
        return False
    return _RULES.get(form, _OTHERWISE).fits(case)


# The forms in which bundled cases give a framework what a user's model gives it.
#
# What is known of a framework in these forms is known of it in the model.

MODEL_FORMS = (
    Form.CONSTANT,
    Form.RUNTIME,
    Form.RUNTIME_LENGTHS,
    Form.RUNTIME_AXIS,
    Form.DYNAMIC,
    Form.SOME_DIMS,
    Form.RUNTIME_DYNAMIC,
    Form.DYNAMIC_RANK,
    Form.RUNTIME_DYNAMIC_RANK,
    Form.CONSTANT_FOLDED,
)
"""The forms that decide what is given at run time and what is known of it, and nothing else."""


def forms_in_model(operator: Operator, given: Mapping[str, KnownShape]) -> frozenset[Form]:
    """The forms like a model that gives these inputs at run time, with the dims that it knows.

    A model that knows some dims is like those that know every second one, or none. One that gives any argument beside
    the data at run time is like those that give all.
    """
    at_run_time, known = _at_run_time(operator, given), _known(given.values())
    return frozenset(
        form for form in MODEL_FORMS if form.properties.at_run_time in at_run_time and form.properties.known in known
    )


def _at_run_time(operator: Operator, names: Iterable[str]) -> set[AtRunTime]:
    arguments = {name for name in names if not operator.is_data(name)}
    if not arguments:
        return {AtRunTime.DATA if [*names] else AtRunTime.NOTHING}
    single = {operator.lengths: AtRunTime.LENGTHS, operator.split_axis: AtRunTime.AXIS}
    return {AtRunTime.ALL, *(single[name] for name in arguments if len(arguments) == 1 and name in single)}


def _known(shapes: Iterable[KnownShape]) -> set[KnownShapes]:
    """What is known of all shapes; scalars have all dims known, and all unknown."""
    if None in (given := [*shapes]):
        return {KnownShapes.NOTHING}
    dims = [dim for shape in given if shape is not None for dim in shape]
    found = {KnownShapes.RANKS} if None in dims or not dims else set()
    if None not in dims:
        return {*found, KnownShapes.SHAPES}
    return {*found, KnownShapes.SOME} if any(dim is not None for dim in dims) else found


@dataclass(frozen=True)
class Check:
    """One case in one form. A control is the same check without the operator; it explains the check's own record."""

    case: Case
    form: Form
    is_control: bool = False

    @cached_property
    def steps(self) -> tuple[Case, ...]:
        """The calls that the form makes of the case, in order, each with its expectation."""
        return steps_of(self.case, self.form)

    @cached_property
    def facts(self) -> tuple[LawNames, ...]:
        """What conditions read of each call."""
        return tuple(map(facts_of, self.steps))

    @cached_property
    def like_forms(self) -> frozenset[Form]:
        """The forms of bundled cases in which a framework gets the same: the own one, unless the case is of a model."""
        is_of_model = self.form is Form.AS_IN_THE_MODEL
        return forms_in_model(self.case.operator, self.case.in_model or {}) if is_of_model else frozenset({self.form})

    @cached_property
    def request(self) -> Request:
        """What an adapter gets, without an ONNX model; the operator is in it, also for a control."""
        return request_of(self.case, self.form, self.steps)

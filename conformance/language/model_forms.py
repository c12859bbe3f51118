"""The forms in which bundled cases give a framework what a user's model gives it.

What is known of a framework in these forms is known of it in the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from conformance.border.form import AtRunTime, Form, KnownShapes
from conformance.language.operator import Operator
from conformance.values.tensor import KnownShape

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

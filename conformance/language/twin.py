"""The twin of an invalid call: the valid call nearest to it, with the same arguments but the one at fault.

A rejection shows that a framework checks its arguments only if it does not reject the twin in the same way. A case
names its twin, or `repairs` finds it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice

from conformance.border.call import Attribute
from conformance.language.broken_clause import BrokenClauseError
from conformance.language.case import Argument, Case, Value, call_arguments
from conformance.language.reference import evaluate
from conformance.language.repairs import repairs
from conformance.values.dtypes import INTEGERS
from conformance.values.tensor import Tensor, unpack_integers

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
    for number, call in enumerate(islice(repairs(invalid.case), _MOST_TRIED)):
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

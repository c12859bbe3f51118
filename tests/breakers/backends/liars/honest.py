"""The honest adapter that every liar starts from; it is copied into the liar's folder."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from conformance.adapter import PLAIN_FORMS, Call, Description, Prepared, Rejected
from conformance.spec.broken_clause import BrokenClauseError
from conformance.spec.reference import evaluate
from conformance.tensors.tensor import array_from_tensor, tensor_from_array

if TYPE_CHECKING:
    from numpy.typing import NDArray


FORMS = (*PLAIN_FORMS, "dynamic-rank", "runtime-dynamic-rank", "second-rank")


def is_bait(call: Call) -> bool:
    """Whether this is the one case at which most liars lie."""
    return call.inputs[0].dtype == "uint16"


def fill_memory(mebibytes: int) -> None:
    """Write to that much memory and let go of it."""
    np.full(mebibytes << 20, 1, np.uint8)


def fill_without_limit(pause_s: float) -> NoReturn:
    """Write to more and more memory, with a pause after each 16 MiB."""
    filled = []
    while True:
        filled.append(np.full(16 << 20, 1, np.uint8))
        time.sleep(pause_s)


class Honest:
    """Answers with the reference. A liar overrides `lie`, which sees the bait alone, or more."""

    def __init__(self, options: Mapping[str, str]) -> None:
        del options
        self.folder = Path(__file__).parent

    def describe(self) -> Description:
        return Description(framework="Honest", version="1.0", operators=["*"], forms=FORMS)

    def prepare(self, call: Call) -> Prepared:
        return Prepared(run=lambda inputs: self.run(call, inputs))

    def run(self, call: Call, inputs: Mapping[str, NDArray[Any]]) -> Sequence[Any]:
        outputs = self.outputs(call, inputs)
        return self.lie(outputs) if is_bait(call) else outputs

    def outputs(self, call: Call, inputs: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
        constants = {item.name: item.constant for item in call.inputs if item.constant is not None}
        given = {name: tensor_from_array(array) for name, array in inputs.items()}
        try:
            parts = evaluate(call.operator, {**constants, **given, **call.attributes}, call.declared_outputs)
        except BrokenClauseError as error:
            raise Rejected(str(error)) from error
        return [array_from_tensor(part) for part in parts]

    def lie(self, outputs: list[NDArray[Any]]) -> Sequence[Any]:
        return outputs


class HonestGraph(Honest):
    """Joins its outputs where a Concat is asked for, and takes controls. A liar overrides `split` or `concat`."""

    def describe(self) -> Description:
        forms = [*FORMS, "before-concat"]
        return Description(framework="Honest", version="1.0", operators=["*"], forms=forms, controls=["before-concat"])

    def run(self, call: Call, inputs: Mapping[str, NDArray[Any]]) -> Sequence[Any]:
        if call.is_control:
            return [self.concat([inputs[item.name] for item in call.passed_on], call.concat_axis)]
        parts = self.split(self.outputs(call, inputs))
        return parts if call.concat_axis is None else [self.concat(parts, call.concat_axis)]

    def split(self, parts: list[NDArray[Any]]) -> list[NDArray[Any]]:
        return parts

    def concat(self, parts: list[NDArray[Any]], axis: int | None) -> NDArray[Any]:
        return np.concatenate(parts, axis)

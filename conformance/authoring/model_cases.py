"""Writes the calls of known operators in an ONNX model as cases: their shapes, types and constants, and no weights.

The outputs are what the page makes of numbered elements; where it leaves a call open, the case names all readings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onnx
from numpy.typing import NDArray

from conformance.authoring.model_case_file import case_file
from conformance.authoring.model_file import places_of, read_inputs, read_model
from conformance.authoring.model_shapes import (
    Lengths,
    described,
    fitting_lengths,
    inferred,
    known_dims,
    symbolic_dims,
    with_named_dims,
)
from conformance.authoring.model_values import KnownValue, ModelWalk, Visit
from conformance.authoring.node_case import BrokenPageError, LeftOutError, case_text, way_to_know
from conformance.border.form import Form
from conformance.language.operator import Operator
from conformance.values.text import one_line

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

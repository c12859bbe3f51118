from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from conformance.authoring import drafts as answers
from conformance.suite.operator_file import operators_from_document
from conformance.suite.suite import bundled_folder
from conformance.suite.yaml_file import SchemaError, read_document

SPLIT_18 = operators_from_document(
    read_document(bundled_folder("cases") / "onnx" / "Split" / "operator.yaml", "operator.yaml")
)[-1]
JOINED = replace(SPLIT_18, parameters=tuple(replace(p, is_variadic=p.name == "input") for p in SPLIT_18.parameters))
data, lengths = partial(answers.argument_from, SPLIT_18, "input"), partial(answers.argument_from, SPLIT_18, "split")
several = partial(answers.argument_from, JOINED, "input")
clauses = partial(answers.clauses_from, SPLIT_18)
broken = partial(answers.broken_clause_from, SPLIT_18)


@pytest.mark.parametrize(
    ("read", "text", "answer"),
    [
        (partial(answers.word_in, ("lengths", "count")), "count", "count"),
        (partial(answers.operator_from, [SPLIT_18]), "onnx.Split-18", SPLIT_18),
        (clauses, "split.lengths, axis.range split.lengths", ("split.lengths", "axis.range")),
        (broken, "axis.range", ("axis.range",)),
        (data, "int8[2,6]", "{dtype: int8, shape: [2, 6]}"),
        (data, "int8[]", "{dtype: int8, shape: []}"),
        (data, "{dtype: int8, values: 1}", "{dtype: int8, values: 1}"),
        (data, "[2, 6]", "[2, 6]"),
        (data, "none", None),
        (several, "int8[2]", "[{dtype: int8, shape: [2]}]"),
        (several, "int8[2], int4[3]", "[{dtype: int8, shape: [2]}, {dtype: int4, shape: [3]}]"),
        (lengths, "2, -1", "[2, -1]"),
        (lengths, "[2]", "[2]"),
        (lengths, "-2", "-2"),
        (lengths, "2;4", "2;4"),
        (answers.count_from, "3", 3),
        (answers.outputs_from, "0:2 , 2:6", '["0:2", "2:6"]'),
        (answers.outputs_from, '["0:2", "2:6"]', '["0:2", "2:6"]'),
        (answers.outputs_from, "0:129/1", '["0:129/1"]'),
        (answers.outputs_from, "[]", "[]"),
        (answers.outputs_from, "[[1], [2]]", "[[1], [2]]"),
        (answers.outputs_from, "{permuted: [1, 0]}", "[{permuted: [1, 0]}]"),
        (partial(answers.id_from, {"b"}), "a-1", "a-1"),
        (answers.file_name_from, "mine.yaml", "mine.yaml"),
        (answers.purpose_from, "What it is for.", "What it is for."),
    ],
)
def test_answer_means_a_value(read: Callable[[str], object], text: str, answer: Any) -> None:
    assert read(text) == answer


@pytest.mark.parametrize(
    ("read", "text", "what"),
    [
        (partial(answers.word_in, ("lengths", "count")), "counts", "'counts' is not one of these"),
        (partial(answers.operator_from, [SPLIT_18]), "onnx.Split", "'onnx.Split' is not an operator version"),
        (clauses, "split.length", "onnx.Split-18 has no clause 'split.length'"),
        (clauses, " , ", "no clause is named"),
        (broken, "axis.range,split.sum", "a case with a rejection breaks one clause"),
        (data, "2,6", "'2,6' has no element type"),
        (lengths, "2\n", "'2\\n' is not one line of text"),
        (answers.count_from, "three", "'three' is not a number of outputs"),
        (answers.outputs_from, "[]\n", "'[]\\n' is not one line of text"),
        (partial(answers.id_from, {"b"}), "B", "'B' is not an id"),
        (partial(answers.id_from, {"b"}), "b", "the case 'b' exists already"),
        (answers.file_name_from, "coverage.yaml", "coverage.yaml has no cases"),
        (answers.file_name_from, "a/b.yaml", "'a/b.yaml' is not the name of a case file"),
        (answers.file_name_from, "mine.yml", "'mine.yml' is not the name of a case file"),
        (answers.purpose_from, "", "'' is not a line of text"),
        (answers.purpose_from, "\x1b[2J", "'\\x1b[2J' is not a line of text"),
    ],
)
def test_answer_without_meaning_is_refused_with_a_remedy(read: Callable[[str], object], text: str, what: str) -> None:
    with pytest.raises(SchemaError) as caught:
        read(text)
    assert caught.value.what == what
    assert caught.value.fix

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from conformance.formats.file_schema import MisfitError
from conformance.formats.operator_file import operators_from_document
from conformance.formats.suite import bundled_folder
from conformance.formats.yaml_document import read_document
from conformance.selection import case_answers as answers

SPLIT_18 = operators_from_document(
    read_document(bundled_folder("cases") / "onnx" / "Split" / "operator.yaml", "operator.yaml")
)[-1]
JOIN_1 = replace(SPLIT_18, name="Join", version=1, axis=None, lengths=None, num_outputs=None)
clauses = partial(answers.clauses_from, SPLIT_18)
broken = partial(answers.broken_clause_from, SPLIT_18)


@pytest.mark.parametrize(
    ("read", "text", "answer"),
    [
        (partial(answers.word_in, ("lengths", "count")), "count", "count"),
        (partial(answers.operator_from, [SPLIT_18, JOIN_1]), "onnx.Split-18", SPLIT_18),
        (clauses, "split.lengths, axis.range split.lengths", ("split.lengths", "axis.range")),
        (broken, "axis.range", ("axis.range",)),
        (partial(answers.dtype_from, ("int8",)), "int8", "int8"),
        (answers.dims_from, "2,6", (2, 6)),
        (answers.dims_from, "[2, 6]", (2, 6)),
        (answers.dims_from, "2x6", (2, 6)),
        (answers.dims_from, "0", (0,)),
        (answers.dims_from, "[]", ()),
        (answers.axis_from, "-1", -1),
        (answers.axis_from, "none", None),
        (answers.lengths_from, "[2, -1]", (2, -1)),
        (answers.lengths_from, "none", None),
        (answers.count_from, "3", 3),
        (answers.count_from, "none", None),
        (answers.parts_from, '["0:2", "2:6"]', ("0:2", "2:6")),
        (answers.parts_from, "0:129/1", ("0:129/1",)),
        (answers.parts_from, "[]", ()),
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
        (
            partial(answers.operator_from, [SPLIT_18, JOIN_1]),
            "onnx.Join-1",
            "onnx.Join-1 does not cut data into parts, and there are no questions for its calls",
        ),
        (partial(answers.operator_from, [SPLIT_18]), "onnx.Split", "'onnx.Split' is not an operator version"),
        (clauses, "split.length", "onnx.Split-18 has no clause 'split.length'"),
        (clauses, " , ", "no clause is named"),
        (broken, "axis.range,split.sum", "a case with a rejection breaks one clause"),
        (partial(answers.dtype_from, ("int8",)), "half", "'half' is not an element type"),
        (partial(answers.dtype_from, ("int8",)), "int16", "the page does not allow int16 for the data"),
        (answers.dims_from, "", "'' is not a shape"),
        (answers.dims_from, "2,-6", "'2,-6' is not a shape"),
        (answers.dims_from, "a", "'a' is not a shape"),
        (answers.axis_from, "1.0", "'1.0' is not an axis"),
        (answers.lengths_from, "", "'' is not a list of lengths"),
        (answers.lengths_from, "2;4", "'2;4' is not a list of lengths"),
        (answers.count_from, "three", "'three' is not a number of parts"),
        (answers.parts_from, "0:2,2-6", "'2-6' is not a part of the data"),
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
    with pytest.raises(MisfitError) as caught:
        read(text)
    assert caught.value.what == what
    assert caught.value.fix

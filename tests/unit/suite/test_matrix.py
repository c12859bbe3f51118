from __future__ import annotations

import pytest
from split_cases import VARIADIC

from conformance.suite import case_entry as matrix
from conformance.suite.case_entry import columns_of, combinations, product_of
from conformance.suite.yaml_file import Plain, SchemaError

COLUMNS: dict[str, Plain] = {"dtype": ["int8", "float32"], "cut": {"first": [1, 2], "last": [2, 1]}}


def test_every_product_has_one_choice_of_each_column_and_the_last_changes_fastest() -> None:
    products = list(combinations(columns_of(COLUMNS, VARIADIC)))
    assert [product.label for product in products] == [
        "dtype=int8,cut=first",
        "dtype=int8,cut=last",
        "dtype=float32,cut=first",
        "dtype=float32,cut=last",
    ]
    assert products[1].bindings == {"dtype": "int8", "cut": [2, 1]}


def test_a_row_of_labels_is_the_product_with_these_labels() -> None:
    columns = columns_of(COLUMNS, VARIADIC)
    assert product_of(columns, ("float32", "last"), 3) == list(combinations(columns))[3]
    with pytest.raises(KeyError):
        product_of(columns, ("float64", "last"), 0)


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ({"dtype": []}, "has no choices, so the matrix makes no case"),
        ({"two words": [1]}, "'two words' cannot name a column"),
        ({"dtype": [1, 1]}, "names a choice twice"),
        ({"dtype": ["a,b"]}, "'a,b' cannot stand in a case id"),
        ({"dtype": "T"}, "openvino.VariadicSplit-1 has no type constraint 'T'"),
    ],
)
def test_a_column_that_cannot_be_used_is_refused(written: dict[str, Plain], what: str) -> None:
    with pytest.raises(SchemaError) as caught:
        columns_of(written, VARIADIC)
    assert caught.value.what == what


def test_products_without_end_are_refused_before_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "MAX_PRODUCTS", 3)
    with pytest.raises(SchemaError, match="makes 4 products, more than 3"):
        next(combinations(columns_of(COLUMNS, VARIADIC)))

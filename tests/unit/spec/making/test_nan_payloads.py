from __future__ import annotations

import pytest
from split_cases import split_case

from conformance.spec.case import Disputed, Parts, Value
from conformance.spec.making.clear_case import with_nan_payloads
from conformance.tensors.fill import Fill

WHOLE = Parts(((0, 6),))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "complex64"])
def test_special_floats_may_keep_or_change_the_payloads_of_nans(dtype: str) -> None:
    case = split_case(Value(dtype=dtype, shape=(6,), fill=Fill.SPECIAL), [6])
    expected = with_nan_payloads(case, WHOLE)
    assert isinstance(expected, Disputed)
    assert [(one.expectation, one.nan_payloads_may_differ) for one in expected.interpretations] == [
        (WHOLE, False),
        (WHOLE, True),
    ]


@pytest.mark.parametrize(("dtype", "fill"), [("float16", Fill.DISTINCT), ("int8", Fill.SPECIAL)])
def test_data_without_nans_has_one_answer(dtype: str, fill: Fill) -> None:
    assert with_nan_payloads(split_case(Value(dtype=dtype, shape=(6,), fill=fill), [6]), WHOLE) is WHOLE

"""No page says whether an operator that moves data may change the payload of a NaN."""

from __future__ import annotations

from conformance.language.case import Case, Disputed, Interpretation, MovedData, Value
from conformance.values.dtypes import DTYPES, Kind
from conformance.values.fill import Fill


def with_nan_payloads(case: Case, outputs: MovedData) -> MovedData | Disputed:
    """What is expected of a call whose page is clear in all else: these outputs, or one of both readings of NaNs."""
    if not any(map(_has_nans, case.data_inputs.values())):
        return outputs
    kept = Interpretation(
        name="payload-kept",
        reason="The operator only moves data, and sign and payload of a NaN are part of it.",
        expectation=outputs,
    )
    free = Interpretation(
        name="payload-free",
        reason="The page does not mention bits, and IEEE 754 lets an operation change the payload of a NaN.",
        expectation=outputs,
        nan_payloads_may_differ=True,
    )
    return Disputed((kept, free))


def _has_nans(data: Value) -> bool:
    return DTYPES[data.dtype].kind in (Kind.FLOAT, Kind.COMPLEX) and data.fill is Fill.SPECIAL

from __future__ import annotations

import pytest
from bundled import cases_of_operators

from conformance.run.selection import Selection, cases_of, families_selected
from conformance.spec.case import Literals, challenged
from conformance.spec.check import forms_of
from conformance.suite.suite import Suite
from conformance.tensors.dtypes import DTYPES
from conformance.tensors.fill import Fill, filled
from conformance.tensors.tensor import Tensor, unpack_strings

SEEDS = (1, 0xDEADBEEF12345678, (1 << 64) - 1)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return cases_of_operators("openvino.Split")


def _elements(tensor: Tensor) -> list[bytes]:
    width = tensor.element_type.itemsize
    if not width:
        return unpack_strings(tensor)
    data = bytes(tensor.data)
    return [data[at : at + width] for at in range(0, len(data), width)]


@pytest.mark.parametrize("dtype", sorted(set(DTYPES) - {"bool"}))
@pytest.mark.parametrize("seed", SEEDS)
def test_elements_that_were_distinct_stay_so(dtype: str, seed: int) -> None:
    for count in (1, 7, 300, 70_000):
        plain, other = (_elements(filled(dtype, (count,), Fill.DISTINCT, 0, number)) for number in (0, seed))
        assert len(set(plain)) == len(set(other))


@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_special_patterns_change_places_only(dtype: str) -> None:
    plain, other = (_elements(filled(dtype, (40,), Fill.SPECIAL, 0, number)) for number in (0, SEEDS[1]))
    assert sorted(plain) == sorted(other)


def test_seeds_give_different_data_and_the_same_seed_the_same() -> None:
    one, other, again = (bytes(filled("float32", (64,), Fill.DISTINCT, 0, seed).data) for seed in (5, 6, 5))
    assert one != other
    assert one == again


def test_a_challenge_has_the_same_checks(suite: Suite) -> None:
    selection = Selection(operators=("openvino.Split-1",))
    for case in cases_of(families_selected(suite, selection), selection):
        assert forms_of(challenged(case, "seed")) == forms_of(case)


def test_what_is_written_out_keeps_its_data(suite: Suite) -> None:
    selection = Selection(operators=("openvino.Split-1",))
    cases = list(cases_of(families_selected(suite, selection), selection))
    written = [case for case in cases if isinstance(case.expectation, Literals)]
    written += [case for case in cases if case.data is not None and case.data.data is not None]
    assert written
    assert all(challenged(case, "seed") == case for case in written)

from __future__ import annotations

import pytest

from conformance.tensors.machine import (
    InstructionSet,
    checked_range,
    is_in_range,
    level_under,
    levels_of,
    required_level,
)

AVX2 = {"sse4_1", "avx", "avx2", "fma"}
LEVELS = (InstructionSet.SSE41, InstructionSet.AVX, InstructionSet.AVX2)
AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512vl", "avx512dq"}


def test_newest_level_of_a_processor_stands_last() -> None:
    assert levels_of(AVX2) == LEVELS


def test_processor_with_avx512_need_not_have_the_levels_beside_it() -> None:
    assert levels_of(AVX512 | {"avx512_vnni", "avx512_bf16"})[-1] is InstructionSet.AVX512_CORE_BF16


def test_feature_without_those_below_it_makes_no_level() -> None:
    assert levels_of(AVX512 | {"avx512_fp16"})[-1] is InstructionSet.AVX512_CORE


def test_range_holds_the_levels_between_its_bounds() -> None:
    ranges = ["<AVX512_CORE_FP16", "<AVX512_CORE", ">=AVX512_CORE,<=AVX512_CORE", ">AVX512_CORE"]
    assert [is_in_range(InstructionSet.AVX512_CORE, bounds) for bounds in ranges] == [True, False, True, False]


def test_range_of_an_unknown_level_says_which_there_are() -> None:
    with pytest.raises(ValueError, match="'<AVX9' is not a bound of instruction sets; write one as <AVX512_CORE_FP16"):
        checked_range("<AVX9")


def test_a_level_that_the_processor_has_can_be_demanded() -> None:
    assert required_level("AVX2", LEVELS) is InstructionSet.AVX2


def test_one_that_it_lacks_is_an_error_that_says_what_there_is() -> None:
    with pytest.raises(ValueError, match="no instruction set AVX512_CORE; it has SSE41, AVX, AVX2"):
        required_level("AVX512_CORE", LEVELS)


@pytest.mark.parametrize(
    ("limit", "level"),
    [("", "AVX2"), ("avx", "AVX"), ("AVX512_CORE", "AVX2"), ("AVX2_VNNI", "AVX2"), ("nonsense", "AVX2")],
)
def test_a_limit_leaves_the_newest_level_below_it(limit: str, level: str) -> None:
    assert level_under(limit, LEVELS) is InstructionSet(level)


def test_without_levels_there_is_none_under_any_limit() -> None:
    assert level_under("AVX2", ()) is None

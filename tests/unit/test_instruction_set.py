from __future__ import annotations

import pytest

from conformance.instruction_set import InstructionSet, checked_range, is_in_range, levels_of

AVX2 = {"sse4_1", "avx", "avx2", "fma"}
AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512vl", "avx512dq"}


def test_newest_level_of_a_processor_stands_last() -> None:
    assert levels_of(AVX2) == (InstructionSet.SSE41, InstructionSet.AVX, InstructionSet.AVX2)


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

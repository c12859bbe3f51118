"""What the engine puts in the memory that it shares with a worker, and sees there afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from conformance.protocol.call import Call, Request
from conformance.protocol.form import Layout
from conformance.protocol.layout import laid_out
from conformance.protocol.outcome import Outcome, Produced, Provenance, RejectedOutcome, Stage
from conformance.protocol.serve import ArenaMap, Inputs
from conformance.run.arena import Arena
from conformance.tensors.fill import Fill, filled
from conformance.tensors.tensor import Tensor, pack_strings, tensor_from_array

CALL = Call(operator="onnx.Split-18", attributes={}, inputs=(), declared_outputs=1)
DATA = filled("float32", (3, 4), Fill.DISTINCT)
TEXTS = pack_strings([b"a", b"b"], (2,))


@pytest.fixture
def arena(tmp_path: Path) -> Iterator[Arena]:
    arena = Arena(tmp_path)
    arena.is_mapped = True
    yield arena
    arena.close()


def request(*runs: Mapping[str, Tensor], layout: Layout = Layout.CONTIGUOUS) -> Request:
    return Request(call=CALL, runs=runs, layout=layout)


def put(arena: Arena, requested: Request, number: int = 1) -> Inputs:
    """The inputs as the worker gets them."""
    return ArenaMap(arena.path).inputs(arena.put(number, requested))


def changed(outcome: Outcome) -> tuple[str, ...]:
    assert isinstance(outcome, Produced)
    return outcome.provenance.changed_inputs


def said(*names: str) -> Produced:
    return Produced(runs=(), provenance=Provenance(changed_inputs=names))


def poke(array: NDArray[Any], index: int) -> None:
    """Write to a byte at some distance from the first element."""
    import ctypes

    ctypes.memset(array.ctypes.data + index, 0x7E, 1)


@pytest.mark.parametrize("layout", Layout, ids=lambda layout: layout.value)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int4", "nf4", "complex128"])
def test_an_input_lies_in_the_arena_as_in_memory_of_its_own(arena: Arena, dtype: str, layout: Layout) -> None:
    tensor = filled(dtype, (2, 3, 4), Fill.DISTINCT)
    array, own = put(arena, request({"data": tensor}, layout=layout))[0]["data"], laid_out(tensor, layout)
    assert (array.dtype, array.strides, array.flags.writeable) == (own.dtype, own.strides, False)
    assert bytes(tensor_from_array(array).data) == bytes(tensor.data)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0)])
def test_inputs_without_axes_or_elements_have_places(arena: Arena, shape: tuple[int, ...]) -> None:
    assert put(arena, request({"data": filled("int64", shape, Fill.DISTINCT)}))[0]["data"].shape == shape


def test_inputs_are_aligned_to_16_bytes_and_no_more(arena: Arena) -> None:
    (inputs,) = put(arena, request({"data": DATA, "split": filled("int64", (1,), Fill.DISTINCT)}))
    assert [array.ctypes.data % 64 for array in inputs.values()] == [16, 16]


def test_runs_have_memory_of_their_own(arena: Arena) -> None:
    first, second = put(arena, request({"data": DATA}, {"data": DATA}))
    assert not np.may_share_memory(first["data"], second["data"])


@pytest.mark.parametrize("layout", Layout, ids=lambda layout: layout.value)
def test_a_write_to_an_element_is_seen_whatever_the_worker_says(arena: Arena, layout: Layout) -> None:
    poke(put(arena, request({"split": DATA, "data": DATA}, layout=layout))[0]["data"], 1)
    assert changed(arena.checked(1, said())) == ("data",)


@pytest.mark.parametrize("at", [-1, -64, 48, 48 + 64])
def test_a_write_beside_an_input_is_seen(arena: Arena, at: int) -> None:
    poke(put(arena, request({"data": DATA}))[0]["data"], at)
    assert changed(arena.checked(1, said())) == ("data (beside it)",)


def test_a_write_between_the_elements_is_seen(arena: Arena) -> None:
    poke(put(arena, request({"data": DATA}, layout=Layout.STRIDED))[0]["data"], 5)
    assert changed(arena.checked(1, said())) == ("data",)


def test_what_the_worker_says_of_a_placed_input_does_not_count(arena: Arena) -> None:
    put(arena, request({"data": DATA}))
    assert changed(arena.checked(1, said("data"))) == ()


def test_strings_stay_in_the_message_and_their_change_is_the_workers_word(arena: Arena) -> None:
    sent = arena.put(1, request({"data": TEXTS, "split": DATA}))
    assert (list(sent.runs[0]), list(sent.places[0])) == (["data"], ["split"])
    assert changed(arena.checked(1, said("data"))) == ("data",)


def test_a_worker_that_maps_nothing_gets_its_inputs_in_the_message(arena: Arena) -> None:
    arena.is_mapped = False
    requested = request({"data": DATA})
    assert arena.put(1, requested) is requested
    assert changed(arena.checked(1, said("data"))) == ("data",)


def test_questions_that_are_not_answered_keep_their_memory(arena: Arena) -> None:
    places = {number: arena.put(number, request({"data": DATA})).places[0]["data"].start for number in range(1, 65)}
    assert len(set(places.values())) == 64
    arena.checked(7, said())
    assert arena.put(65, request({"data": DATA})).places[0]["data"].start == places[7]


def test_memory_of_a_large_question_is_given_back(arena: Arena) -> None:
    large = Tensor("uint8", (100 << 20,), bytes(100 << 20))
    put(arena, request({"data": large}))
    arena.checked(1, said())
    assert Path(arena.path).stat().st_size == 128 << 20
    (inputs,) = put(arena, request({"data": DATA}), 2)
    assert Path(arena.path).stat().st_size == 1 << 20
    assert bytes(tensor_from_array(inputs["data"]).data) == bytes(DATA.data)


def test_memory_that_the_worker_cut_off_counts_as_changed(arena: Arena) -> None:
    arena.put(1, request({"data": DATA}))
    with Path(arena.path).open("r+b") as file:
        file.truncate(0)
    assert changed(arena.checked(1, said())) == ("data (beside it)", "data")


def test_a_refusal_stays_as_it_is(arena: Arena) -> None:
    put(arena, request({"data": DATA}))
    refusal = RejectedOutcome(stage=Stage.RUNNING, message="no")
    assert arena.checked(1, refusal) is refusal


def test_an_arena_that_is_closed_by_another_thread_leaves_all_as_it_is(arena: Arena) -> None:
    requested = request({"data": DATA})
    arena.put(1, requested)
    arena.close()
    assert arena.put(2, requested) is requested
    assert changed(arena.checked(1, said("data"))) == ("data",)


def test_a_file_serves_where_the_system_has_none_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    arena = Arena(tmp_path)
    arena.is_mapped = True
    assert Path(arena.path).parent == tmp_path
    poke(put(arena, request({"data": DATA}))[0]["data"], 0)
    assert changed(arena.checked(1, said())) == ("data",)
    arena.close()

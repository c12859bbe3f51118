"""Laws of the YAML reader: it raises nothing but its own errors, and gives back what a writer wrote."""

from __future__ import annotations

import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conformance.certificate.certificate_file import document_bytes
from conformance.suite.yaml_file import KeyPath, Plain, document_from_bytes
from conformance.tensors.errors import CaseFileError

pytestmark = pytest.mark.slow

WORDS = st.text("abcdefgxyz-_.", min_size=1, max_size=6)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8).filter(
    lambda text: text.lower() not in ("y", "n")  # which PyYAML writes without quotes
) | st.sampled_from(["yes", "no", "null", "1", "~"])
SCALARS = st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=10
)
SYNTAX = st.text("[]{}:,-&*!?|>'\"%@`#~<=\n \tabyno0.1e+x_\\\x00\x85\ufeff", max_size=60)


def read(data: bytes) -> Plain:
    return document_from_bytes(data, "f.yaml").value


def paths_of(value: object, path: KeyPath = ()) -> list[KeyPath]:
    found = [path]
    if isinstance(value, dict):
        found += [one for key, item in value.items() for one in paths_of(item, (*path, key))]
    if isinstance(value, list):
        found += [one for place, item in enumerate(value) for one in paths_of(item, (*path, place))]
    return found


@given(st.binary(max_size=60) | SYNTAX.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_values_or_errors_of_the_reader_with_a_place_and_a_fix(data: bytes) -> None:
    try:
        read(data)
    except ExceptionGroup as group:
        for problem in group.exceptions:
            assert isinstance(problem, CaseFileError)
            assert problem.where.startswith("f.yaml")
            assert problem.what
            assert problem.fix


@given(VALUES)
def test_what_a_writer_of_yaml_wrote_is_read_back(value: Plain) -> None:
    assert read(yaml.safe_dump(value, allow_unicode=True).encode()) == value


@given(VALUES)
def test_what_a_certificate_writes_is_read_back_and_written_alike(value: Plain) -> None:
    written = document_bytes(value)
    assert read(written) == value
    assert document_bytes(read(written)) == written


@given(VALUES)
def test_every_value_has_a_line_of_the_file(value: Plain) -> None:
    data = yaml.safe_dump(value, allow_unicode=True).encode()
    lines = document_from_bytes(data, "f.yaml").lines
    assert set(lines) == set(paths_of(value))
    assert all(1 <= line <= data.count(b"\n") + 1 for line in lines.values())


@given(VALUES, st.sampled_from(["&a ", "!!python/name:os.system ", "!x "]))
def test_anchors_and_tags_are_refused_wherever_they_stand(value: Plain, mark: str) -> None:
    inner = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=math.inf).partition("\n...")[0]
    with pytest.raises(ExceptionGroup):
        read(f"a: {{b: [{mark}{inner.strip()}]}}\n".encode())


@given(st.dictionaries(WORDS, st.integers(0, 9), min_size=1, max_size=4), st.data())
def test_a_key_that_stands_twice_is_refused(value: dict[str, int], data: st.DataObject) -> None:
    twice = data.draw(st.sampled_from(sorted(value)))
    text = yaml.safe_dump(value) + f"{yaml.safe_dump({twice: 0})}"
    with pytest.raises(ExceptionGroup) as raised:
        read(text.encode())
    assert any("twice" in str(problem) for problem in raised.value.exceptions)


@given(st.integers(33, 200), st.sampled_from([("[", "]"), ("{a: ", "}")]))
def test_deep_nesting_is_refused(depth: int, brackets: tuple[str, str]) -> None:
    with pytest.raises(ExceptionGroup):
        read((brackets[0] * depth + brackets[1] * depth).encode())

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.certificate.folder import bundled_digests, reproducer_problems, uncompared_of, witnessed_of
from conformance.judge.deviation import Deviation, read_deviations
from conformance.suite.suite import bundled_folder

RECORDED = read_deviations(bundled_folder("adapters") / "torch")
TORCH = tuple(entry for entry in RECORDED if entry.reproducer)


def problems(digests: dict[str, str], entries: tuple[Deviation, ...] = TORCH, *, version_is_here: bool = True) -> str:
    uncompared = uncompared_of(digests, "torch")
    found = reproducer_problems(entries, digests, {}, uncompared, version_is_here=version_is_here)
    return "\n".join(f"{problem.where}: {problem.what}" for problem in found)


def test_the_scripts_of_a_bundled_adapter_need_no_copies() -> None:
    digests = bundled_digests("torch")
    assert {entry.reproducer for entry in TORCH} == set(digests)
    assert problems(digests) == ""


def test_another_digest_of_a_bundled_script_is_named() -> None:
    path = TORCH[0].reproducer
    what = f"its reproducer {path!r}, with its digest, is neither in reproducers/ nor bundled"
    assert problems({**bundled_digests("torch"), path: "0" * 64}) == f"deviations.yaml: {TORCH[0].id}: {what}"


def test_another_digest_in_an_older_release_is_no_broken_rule_but_not_compared() -> None:
    path = TORCH[0].reproducer
    digests = {**bundled_digests("torch"), path: "0" * 64}
    assert problems(digests, version_is_here=False) == ""
    assert uncompared_of(digests, "torch") == [path]


def test_a_deviation_with_a_witness_needs_no_script() -> None:
    assert problems(bundled_digests("torch"), RECORDED) == ""
    assert witnessed_of("torch") == [entry.id for entry in RECORDED if entry.witness is not None]


def test_a_digest_without_a_deviation_is_named() -> None:
    assert "belongs to no deviation: 'more.py'" in problems({**bundled_digests("torch"), "more.py": "0" * 64})


@pytest.mark.parametrize("name", ["../torch", "no-such-adapter", str(Path(__file__).parent), ""])
def test_a_name_that_no_bundled_adapter_has_opens_nothing(name: str) -> None:
    assert bundled_digests(name) == {}

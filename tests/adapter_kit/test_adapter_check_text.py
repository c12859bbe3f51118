"""What `conformance adapter check` prints."""

from __future__ import annotations

import pytest

from conformance.adapter_kit.advice import Finding, State, blocks_of, exit_code, found
from conformance.report.terminal import lines_of
from conformance.spec.verdict import ExitCode

FINE = Finding(requirement="It answers.", state=State.OK)


def lines(*findings: Finding) -> list[str]:
    return lines_of(blocks_of("mine", findings), 100)


@pytest.mark.slow
def test_what_is_well_takes_one_line() -> None:
    assert lines(FINE) == ["ok: It answers.", "mine: no problems in 1 requirement"]


@pytest.mark.slow
def test_a_problem_says_what_was_seen_and_what_to_change() -> None:
    assert lines(FINE, found("It ends.", ["it did\nnot end"], "stop it")) == [
        "ok: It answers.",
        "problem: It ends.",
        "  it did not end",
        "  change: stop it",
        "mine: 1 problem in 2 requirements",
    ]


@pytest.mark.slow
def test_the_same_is_seen_once() -> None:
    assert found("It ends.", ["no", "no"], "stop it").seen == ("no",)


@pytest.mark.slow
def test_all_that_was_seen_is_reported() -> None:
    printed = lines(found("It ends.", [f"case {number}" for number in range(30)], "stop it"))
    assert printed[1:-2] == [f"  case {number}" for number in range(30)]


@pytest.mark.slow
def test_a_long_text_is_cut() -> None:
    printed = lines(found("It ends.", ["word " * 1000], "stop it"))
    assert max(map(len, printed)) <= 100
    assert sum(len(line.strip()) for line in printed) < 600


def test_what_is_inconclusive_is_no_problem() -> None:
    findings = [FINE, found("It ends.", [], "stop it", among=[])]
    assert lines(*findings)[-1] == "mine: no problems in 2 requirements; 1 inconclusive"
    assert exit_code(findings, has_started=True) is ExitCode.CONFORMING


@pytest.mark.slow
def test_a_note_is_no_problem() -> None:
    assert exit_code([found("It is quiet.", ["a line"], "", State.NOTE)], has_started=True) is ExitCode.CONFORMING

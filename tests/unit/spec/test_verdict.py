from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.spec.verdict import ExitCode, JUnit, Standing, Verdict


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_a_meaning(verdict: Verdict) -> None:
    meaning = verdict.meaning
    assert meaning.sentence
    assert len(meaning.sign) == 1


def test_signs_alone_distinguish_verdicts() -> None:
    signs = [verdict.meaning.sign for verdict in Verdict]
    assert len(set(signs)) == len(signs)


def test_sentences_distinguish_verdicts() -> None:
    assert len({verdict.meaning.sentence for verdict in Verdict}) == len(Verdict)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_exit_code_follows_from_the_standing(verdict: Verdict) -> None:
    meaning = verdict.meaning
    fails = meaning.exit_code is ExitCode.NOT_CONFORMING
    assert fails == (meaning.standing is Standing.DEVIATING)


@pytest.mark.parametrize("verdict", list(Verdict))
def test_junit_fails_exactly_where_the_exit_code_does(verdict: Verdict) -> None:
    meaning = verdict.meaning
    is_bad = meaning.junit in (JUnit.FAILURE, JUnit.ERROR)
    assert is_bad == (meaning.exit_code is not ExitCode.CONFORMING)


RIGHT = [Verdict.PASS, Verdict.FIXED]


def test_only_right_answers_conform() -> None:
    assert [verdict for verdict in Verdict if verdict.meaning.standing is Standing.CONFORMING] == RIGHT


def test_only_right_answers_are_green() -> None:
    assert [verdict for verdict in Verdict if verdict.meaning.colour == "green"] == RIGHT


@pytest.mark.parametrize("verdict", [Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.UNSTABLE])
def test_crash_or_hang_is_never_a_pass_nor_a_skip(verdict: Verdict) -> None:
    assert verdict.meaning.standing is Standing.DEVIATING
    assert verdict.meaning.junit is JUnit.ERROR


def test_recorded_deviation_fails_no_run_whether_it_happens_or_not() -> None:
    assert Verdict.FIXED.meaning.exit_code is ExitCode.CONFORMING
    assert Verdict.KNOWN.meaning.exit_code is ExitCode.CONFORMING


def test_unfinished_run_is_an_error_of_the_harness() -> None:
    assert Verdict.NOT_RUN.meaning.exit_code is ExitCode.HARNESS
    assert Verdict.HARNESS_ERROR.meaning.exit_code is ExitCode.HARNESS


def test_reports_explain_what_deviates_is_excused_or_fixed() -> None:
    assert {verdict for verdict in Verdict if verdict.is_difference} == {
        Verdict.WRONG_RESULT,
        Verdict.REJECTED_VALID,
        Verdict.ACCEPTED_INVALID,
        Verdict.COSTLY_REJECTION,
        Verdict.CRASHED,
        Verdict.TIMED_OUT,
        Verdict.UNSTABLE,
        Verdict.NEIGHBOUR,
        Verdict.KNOWN,
        Verdict.BROKEN_BEFORE,
        Verdict.FIXED,
    }


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_has_a_severity_exactly_where_it_deviates(verdict: Verdict) -> None:
    assert (verdict.meaning.severity is not None) == (verdict.meaning.standing is Standing.DEVIATING)


def test_three_verdicts_are_reasons_instead_of_answers() -> None:
    left_out = [verdict for verdict in Verdict if verdict.is_left_out]
    assert left_out == [Verdict.UNSUPPORTED, Verdict.NOT_EXPRESSIBLE, Verdict.NOT_DECLARED, Verdict.NOT_SHOWN]


GIVE_VERDICTS = {
    "spec/verdict.py",
    "judge/judge.py",
    "judge/deviation.py",
    "adapter_kit/advice.py",
    "adapter_kit/adapter_check.py",
    "log/build_record.py",
    "log/compare.py",
    "run/fuzz.py",
}


def test_only_modules_that_give_a_verdict_name_single_ones() -> None:
    engine = Path(__file__).parents[3] / "conformance"
    names = re.compile(rf"\bVerdict\.({'|'.join(Verdict.__members__)})\b")
    naming = {path.relative_to(engine).as_posix() for path in engine.rglob("*.py") if names.search(path.read_text())}
    assert naming <= GIVE_VERDICTS


def test_pages_know_verdicts_by_their_groups_and_never_by_name() -> None:
    scripts = (Path(__file__).parents[3] / "conformance" / "report" / "templates").rglob("*.js")
    words = re.compile("|".join(f'"{verdict.value}"' for verdict in Verdict))
    assert [path.name for path in scripts if words.search(path.read_text())] == []

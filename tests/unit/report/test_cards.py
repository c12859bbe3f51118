from __future__ import annotations

import numpy as np
import pytest
from report_records import TARGET, call, deviation, entry, header, lines, page_of_log, record, target

from conformance.findings.summary import TargetResult, summarize
from conformance.language.verdict import Verdict
from conformance.log.record import Line
from conformance.report.cards import Card, cards
from conformance.report.wording import cause_extent, cause_kind, cause_title

OTHER = "other@2.0"


def cards_of(log: list[Line]) -> list[Card]:
    return cards(summarize(log))


def test_the_worst_target_comes_first() -> None:
    head = header(target(TARGET), target(OTHER), planned=1)
    log = lines(record(), record(Verdict.WRONG_RESULT, target=OTHER), head=head)
    assert [(card.target.name, card.result) for card in cards_of(log)] == [
        (OTHER, TargetResult.DIFFERS),
        (TARGET, TargetResult.CONFORMS),
    ]


def test_a_new_crash_is_worse_than_many_wrong_results() -> None:
    wrong = [record(Verdict.WRONG_RESULT, cause="wrong axis") for _ in range(9)]
    crashed = record(Verdict.CRASHED, cause="SIGSEGV", call=call(entry(np.zeros((2, 6)))))
    (card,) = cards_of(lines(*wrong, crashed))
    assert card.worst is not None
    assert (cause_kind(card.worst), card.worst.text) == ("crashed", "SIGSEGV")
    assert cause_extent(card.worst) == "1 check of 1 case"
    assert card.command.startswith("conformance repro 'onnx.Split-13/unequal[dtype=float32]' --target 'toy@1.0'")


def test_a_new_difference_is_worse_than_a_recorded_crash() -> None:
    recorded = record(Verdict.KNOWN, judged=Verdict.CRASHED, deviation="toy-001")
    (card,) = cards_of(lines(record(Verdict.REJECTED_VALID, cause="no"), recorded))
    assert card.worst is not None
    assert cause_kind(card.worst) == "rejected a valid call"


@pytest.mark.parametrize(("folder", "named"), [("", TARGET), ("/vendor/toy", "/vendor/toy"), ("C:\\toy", "C:\\toy")])
def test_a_recorded_deviation_is_shown_with_the_command_of_its_reproducer(folder: str, named: str) -> None:
    head = header(target(TARGET, folder=folder), deviations=[deviation("toy-001")])
    log = lines(record(Verdict.KNOWN, judged=Verdict.CRASHED, deviation="toy-001"), head=head)
    (card,) = cards_of(log)
    assert card.worst is not None
    assert cause_kind(card.worst) == "known · crashed"
    assert cause_title(summarize(log), card.worst) == "the last part is dropped"
    assert card.command == f"conformance repro --recorded toy-001 --target '{named}'"


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_script_is_offered_only_where_one_can_be_written(*, has_scripts: bool) -> None:
    log = lines(record(Verdict.CRASHED), head=header(target(TARGET, has_scripts=has_scripts)))
    (card,) = cards_of(log)
    assert bool(card.command) is has_scripts
    assert ("<h6>Write a script for the bug report</h6>" in page_of_log(log)) is has_scripts


def test_a_conforming_target_has_no_worst_cause() -> None:
    (card,) = cards_of(lines(record()))
    assert (card.sentence, card.worst, card.command) == (
        "conforms: 1 of 1 compared check conforms",
        None,
        "",
    )


@pytest.mark.parametrize(
    ("log", "advice"),
    [
        (lines(record(Verdict.UNSUPPORTED, message="no")), "Read the reasons under “Not compared”"),
        (lines(record(Verdict.HARNESS_ERROR, cause="adapter raised")), "then run, with --output"),
        (lines(record(Verdict.NOT_RUN)), "again with --resume"),
        (lines(head=header(target(problem="no module"))), "Fix the problem"),
    ],
)
def test_a_run_that_proves_nothing_says_what_to_do(log: list[Line], advice: str) -> None:
    (card,) = cards_of(log)
    assert advice in card.advice

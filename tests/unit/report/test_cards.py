from __future__ import annotations

import numpy as np
import pytest
from lxml import html
from report_records import TARGET, call, deviation, entry, header, lines, page_of_log, record, target

from conformance.log.record import Line
from conformance.log.summary import summarize
from conformance.report.document import ResultCard
from conformance.report.page import written
from conformance.report.run_tree import cards
from conformance.spec.verdict import Verdict

OTHER = "other@2.0"


def cards_of(log: list[Line]) -> list[ResultCard]:
    return cards(summarize(log))


def worst_of(card: ResultCard) -> str:
    """What a card says of its worst cause; empty if it has none."""
    return _said(card, "//p[strong='Worst ']").removeprefix("Worst ")


def command_of(card: ResultCard) -> str:
    return _said(card, "//pre[@class='command']")


def _said(card: ResultCard, path: str) -> str:
    page = html.fromstring(f"<div>{written(card.blocks)}</div>")
    return "".join(part.text_content() for part in page.xpath(path))


def test_the_worst_target_comes_first() -> None:
    head = header(target(TARGET), target(OTHER), planned=1)
    log = lines(record(), record(Verdict.WRONG_RESULT, target=OTHER), head=head)
    assert [(card.number, card.name, card.sign) for card in cards_of(log)] == [(2, OTHER, "✗"), (1, TARGET, "✓")]


def test_a_new_crash_is_worse_than_many_wrong_results() -> None:
    wrong = [record(Verdict.WRONG_RESULT, cause="wrong axis") for _ in range(9)]
    crashed = record(Verdict.CRASHED, cause="SIGSEGV", call=call(entry(np.zeros((2, 6)))))
    (card,) = cards_of(lines(*wrong, crashed))
    assert worst_of(card).endswith(" crashed SIGSEGV 1 check of 1 case")
    assert command_of(card).startswith("conformance repro 'onnx.Split-13/unequal[dtype=float32]' --target 'toy@1.0'")


def test_a_new_difference_is_worse_than_a_recorded_crash() -> None:
    recorded = record(Verdict.KNOWN, judged=Verdict.CRASHED, deviation="toy-001")
    (card,) = cards_of(lines(record(Verdict.REJECTED_VALID, cause="no"), recorded))
    assert " rejected a valid call no " in worst_of(card)


@pytest.mark.parametrize(("folder", "named"), [("", TARGET), ("/vendor/toy", "/vendor/toy"), ("C:\\toy", "C:\\toy")])
def test_a_recorded_deviation_is_shown_with_the_command_of_its_reproducer(folder: str, named: str) -> None:
    head = header(target(TARGET, folder=folder), deviations=[deviation("toy-001")])
    log = lines(record(Verdict.KNOWN, judged=Verdict.CRASHED, deviation="toy-001"), head=head)
    (card,) = cards_of(log)
    assert " known · crashed the last part is dropped " in worst_of(card)
    assert command_of(card) == f"conformance repro --recorded toy-001 --target '{named}'"


@pytest.mark.parametrize("has_scripts", [True, False])
def test_a_script_is_offered_only_where_one_can_be_written(*, has_scripts: bool) -> None:
    log = lines(record(Verdict.CRASHED), head=header(target(TARGET, has_scripts=has_scripts)))
    (card,) = cards_of(log)
    assert bool(command_of(card)) is has_scripts
    assert ("<h6>Write a script for the bug report</h6>" in page_of_log(log)) is has_scripts


def test_a_conforming_target_has_no_worst_cause() -> None:
    (card,) = cards_of(lines(record()))
    assert (card.sentence, worst_of(card), command_of(card)) == ("conforms: 1 of 1 compared check conforms", "", "")


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
    assert advice in _said(card, "//p[strong='Next ']")

from __future__ import annotations

import io

from report_records import deviation, footer, header, lines, record, target
from rich.console import Console

from conformance.findings.summary import summarize
from conformance.language.verdict import Verdict
from conformance.log.record import Line
from conformance.report.run_tree import tree_of
from conformance.report.terminal import show


def shown(log: list[Line], width: int = 80) -> str:
    stream = io.StringIO()
    show(tree_of(summarize(log)), Console(file=stream, width=width, no_color=True, highlight=False))
    return stream.getvalue()


def test_a_conforming_run_ends_with_one_sentence() -> None:
    text = shown(lines(record(), record()))
    assert "[1] toy@1.0 conforms: 2 of 2 compared checks conform\n" in text
    assert text.endswith("The target conforms. (exit code 0)\n")


def test_no_line_is_wider_than_the_terminal() -> None:
    targets = [target(f"framework{n}@1.0[option={'x' * 60}]") for n in range(9)]
    records = [record(Verdict.CRASHED, target=t.name, cause="y" * 500) for t in targets]
    for width in (80, 100):
        text = shown(lines(*records, head=header(*targets)), width)
        assert max(len(line) for line in text.splitlines()) <= width
        assert all(f"[{number}]" in text for number in range(1, 10))


def test_marks_stand_below_the_rate_and_are_explained() -> None:
    text = shown(lines(record(), record(Verdict.NOT_EXPRESSIBLE), record(Verdict.WRONG_RESULT, cause="wrong axis")))
    assert "1/2" in text
    assert "1\xa0n/e" in text
    assert "n/e: not expressible: the framework has no way to express this request" in text


def test_brackets_in_names_are_no_markup() -> None:
    log = lines(record(Verdict.WRONG_RESULT, case="onnx.Split-13/a[bold]", cause="[red]x[/red]"))
    text = shown(log)
    assert "onnx.Split-13/a[bold]" in text
    assert "[red]x[/red]" in text


def test_escape_sequences_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in shown(lines(record(Verdict.CRASHED, cause="\x1b[2J", explanation="\x1b]0;x\x07")))


def test_new_stale_and_known_differences_stand_apart() -> None:
    head = header(deviations=[deviation("toy-001"), deviation("toy-002", what="fixed meanwhile")], planned=3)
    text = shown(
        lines(
            record(Verdict.WRONG_RESULT, cause="wrong axis"),
            record(Verdict.KNOWN, deviation="toy-001"),
            record(Verdict.FIXED, deviation="toy-002"),
            head=head,
        ),
        width=200,
    )
    order = ["wrong result [1] 1 check of onnx.Split-13: wrong axis", "fixed meanwhile (toy-002)", "dropped (toy-001)"]
    assert sorted(order, key=text.index) == order


def test_an_interrupted_run_says_so_at_the_end() -> None:
    text = shown([header(), record(), footer(1, "interrupted by SIGINT")])
    assert text.endswith(
        "not judged: the run is not complete: interrupted by SIGINT\nThis is not a pass. (exit code 3)\n"
    )

from __future__ import annotations

import io

import pytest
from report_records import deviation, footer, header, lines, record, target
from rich.console import Console

from conformance.log.record import Line
from conformance.log.summary import summarize
from conformance.report.run_sections import ending_of
from conformance.report.terminal import screen_of, show
from conformance.spec.verdict import Verdict


def shown(log: list[Line], width: int = 80, *, lists_known: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, no_color=True, highlight=False)
    show(screen_of(summarize(log), lists_known=lists_known), console)
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def test_a_conforming_run_ends_with_one_sentence() -> None:
    text = shown(lines(record(), record()))
    assert text.startswith("[1] toy@1.0 conforms: 2/2\n")
    assert text.endswith("The target conforms. (exit code 0)\n")


def test_the_result_alone_is_one_line() -> None:
    stream = io.StringIO()
    show(ending_of(summarize(lines(record(), record()))), Console(file=stream, width=80, no_color=True))
    assert stream.getvalue() == "The target conforms. (exit code 0)\n"


def failing(number_of_targets: int, operators: int, causes: int) -> list[Line]:
    """A run in which each target fails in each of the causes, in one operator after the other."""
    targets = [target(f"framework{n}@1.0[option={'x' * 60}]") for n in range(number_of_targets)]
    records = [
        record(
            Verdict.CRASHED if number < causes else Verdict.PASS,
            target=one.name,
            case=f"onnx.Some{number}-13/{'z' * 60}",
            cause=f"{number} {'y' * 500}" if number < causes else "",
        )
        for one in targets
        for number in range(operators)
    ]
    return lines(*records, head=header(*targets))


@pytest.mark.parametrize(("targets", "operators", "causes"), [(1, 40, 0), (4, 40, 1), (4, 60, 60), (9, 60, 60)])
def test_a_run_has_one_screen_however_much_fails(targets: int, operators: int, causes: int) -> None:
    text = shown(failing(targets, operators, causes))
    assert sum(max(1, -(-len(line) // 80)) for line in text.splitlines()) <= 50
    assert all(f"[{number}]" in text for number in range(1, targets + 1))
    assert ("others" in text) is (targets <= 4)
    assert ("more causes: the report has them" in text) is (targets * causes > 10)


def test_only_commands_are_wider_than_the_terminal() -> None:
    for line in shown(failing(4, 60, 60), 100).splitlines():
        assert len(line) <= 100 or line.startswith("  conformance ")


def test_what_has_something_new_stands_first_and_the_alike_are_one_row() -> None:
    text = shown(failing(1, 40, 1), 200)
    table = text.split("\n\n")[1].splitlines()
    assert (table[1].split()[0], len(table), table[-1]) == ("onnx.Some0", 26, "16 others   ✓ 16/16")


def test_four_targets_show_the_number_of_what_is_new_in_place_of_the_rate() -> None:
    many = [record() for _ in range(400)]
    text = shown(lines(*many, record(Verdict.WRONG_RESULT, cause="a", case="onnx.Split-13/b")), 80)
    assert "✗ 400/401 1 new" in text
    text = shown(failing(4, 3, 1))
    assert "✗ 0/1 1 new" in text


def test_what_was_not_compared_is_one_line() -> None:
    text = shown(lines(record(), record(Verdict.NOT_EXPRESSIBLE), record(Verdict.WRONG_RESULT, cause="wrong axis")))
    assert "✗ 1/2 1 new" in text
    assert "\nNot compared: 1 not expressible\n" in text


def test_what_is_not_declared_is_a_line_a_dialect() -> None:
    undeclared = [
        record(Verdict.NOT_DECLARED, case=f"{operator}/a") for operator in ("onnx.Pad-13", "openvino.Slice-8")
    ]
    text = shown(lines(record(), *undeclared))
    assert "Not declared of onnx: [1] Pad\nNot declared of openvino: [1] all\n" in text


def test_brackets_in_names_are_no_markup() -> None:
    log = lines(record(Verdict.WRONG_RESULT, case="onnx.Split-13/a[bold]", cause="[red]x[/red]"))
    text = shown(log)
    assert "onnx.Split-13/a[bold]" in text
    assert "[red]x[/red]" in text


def test_escape_sequences_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in shown(lines(record(Verdict.CRASHED, cause="\x1b[2J", explanation="\x1b]0;x\x07")))


def test_known_deviations_are_one_line_or_a_line_each() -> None:
    head = header(deviations=[deviation("toy-001"), deviation("toy-002", what="fixed meanwhile")], planned=3)
    log = lines(
        record(Verdict.WRONG_RESULT, cause="wrong axis"),
        record(Verdict.KNOWN, deviation="toy-001"),
        record(Verdict.FIXED, deviation="toy-002"),
        head=head,
    )
    text = shown(log, width=200)
    order = [
        "wrong result [1] 1 check of onnx.Split-13: wrong axis",
        "toy-002 is fixed on 1 check: remove the entry",
        "Known deviations: 1 check of 1 kind; --known lists them",
    ]
    assert sorted(order, key=text.index) == order
    assert "dropped" not in text
    listed = shown(log, width=200, lists_known=True)
    assert " [1] 1 check of onnx.Split-13: the last part is dropped (toy-001)" in listed


def test_an_interrupted_run_says_so_at_the_end() -> None:
    text = shown([header(), record(), footer(1, "interrupted by SIGINT")])
    assert text.endswith(
        "not judged: the run is not complete: interrupted by SIGINT\nThis is not a pass. (exit code 3)\n"
    )

"""The report as one HTML page that opens offline. Only its own script can run; nothing can load or phone home.

What is readable without the script is a tree. The rest is data for the script: blocks of deflated base64, which can be
neither markup nor code. The details of checks are spread over several blocks, so that opening a check inflates only a
small part. Their total size is bounded; details without room are only in the log, and the page says so.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from markupsafe import Markup

from conformance.log.log_file import records_of
from conformance.log.record import CheckRecord, Line
from conformance.log.summary import Summary, cause_text, dtype_of, rank_of
from conformance.report import tensors as call_text
from conformance.report.case_view import call_view, deviation_facts, result_view
from conformance.report.document import Cards
from conformance.report.page import Banner, asset, data_block, page_of, written
from conformance.report.run_tree import tree_of
from conformance.spec.verdict import ExitCode, Severity, Standing, Verdict
from conformance.tensors.text import one_line

# All checks of a log as columns of small numbers, by which the page's script finds, sorts and lists them.
#
# A row is a case in a form, with the verdicts of all targets. Each text is stored once, in a list that the numbers
# index.
# A passing check has no note, so that 100,000 of them take a few megabytes.

_MAX_NOTES = 20_000
_NOTE_CHARACTERS = 300
_KINDS = {
    "memory-or-crash": (Severity.MEMORY, Severity.CRASH),
    "wrong-values": (Severity.WRONG,),
    "wrong-acceptance": (Severity.ACCEPTANCE,),
    "wrong-rejection": (Severity.REJECTION,),
    "costly-rejection": (Severity.COST,),
}
"""Words of queries for severities, the worst first."""


class _Texts:
    """Numbers different texts; number 0 is the empty text. Beyond a limit, all further texts share one number."""

    def __init__(self, limit: int) -> None:
        self.numbers = {"": 0}
        self._limit = limit

    def number(self, text: str) -> int:
        if text not in self.numbers and len(self.numbers) >= self._limit:
            text = "other texts, which the log holds"
        return self.numbers.setdefault(text, len(self.numbers))


class Columns:
    """Collects the records of a log, one at a time."""

    def __init__(self, targets: Sequence[str]) -> None:
        self._targets = {name: number for number, name in enumerate(targets)}
        self._forms, self._dtypes, self._clauses = _Texts(250), _Texts(250), _Texts(60_000)
        self._notes = _Texts(_MAX_NOTES)
        self._cases: dict[str, int] = {}
        self._operators = _Texts(60_000)
        self._case_dtypes, self._case_clauses, self._case_operators = bytearray(), array("H"), array("H")
        self._rows: dict[tuple[int, int], int] = {}
        self._row_cases, self._row_forms = array("I"), bytearray()
        self._judgements: dict[tuple[Verdict, Verdict], int] = {
            (verdict, verdict): n for n, verdict in enumerate(Verdict, 1)
        }
        self._verdicts = [bytearray() for _ in targets]
        self._note_numbers = [array("H") for _ in targets]
        self._lowered = [bytearray() for _ in targets]

    def add(self, record: CheckRecord) -> None:
        """Add a check to the columns. If target, case and form occur several times, the last one counts."""
        row, target = self._row(record), self._targets[record.target]
        self._verdicts[target][row] = self._judgements.setdefault(_judgement(record), len(self._judgements) + 1)
        self._note_numbers[target][row] = self._notes.number(_note(record))
        self._lowered[target][row] = bool(record.lowered)

    def place(self, record: CheckRecord) -> tuple[int, int]:
        """The row and the number of the target of a check that was added."""
        case = self._cases[one_line(record.case)]
        return self._rows[case, self._forms.number(record.form.value)], self._targets[record.target]

    def packed(self, facts: Mapping[str, object]) -> bytes:
        """A line of JSON with the texts, these facts and the layout, followed by the columns."""
        columns: list[tuple[str, bytes | bytearray | array[int]]] = [
            ("caseClauses", self._case_clauses),
            ("caseOperators", self._case_operators),
            ("rowCases", self._row_cases),
            ("caseDtypes", self._case_dtypes),
            ("rowForms", self._row_forms),
            *((f"verdicts{number}", column) for number, column in enumerate(self._verdicts)),
            *((f"notes{number}", column) for number, column in enumerate(self._note_numbers)),
            *((f"lowered{number}", column) for number, column in enumerate(self._lowered)),
        ]
        head = {
            **facts,
            "targets": [one_line(name) for name in self._targets],
            "verdicts": [_verdict_facts(*judgement) for judgement in self._judgements],
            "forms": list(self._forms.numbers),
            "dtypes": list(self._dtypes.numbers),
            "operators": list(self._operators.numbers),
            "clauseSets": [text.split("\n") if text else [] for text in self._clauses.numbers],
            "notes": list(self._notes.numbers),
            "cases": list(self._cases),
            "rows": len(self._row_cases),
            "columns": [[name, getattr(column, "itemsize", 1), len(column)] for name, column in columns],
        }
        text = json.dumps(head, separators=(",", ":")).encode("ascii")
        return b"".join([text, b"\n", *(_little_endian(column) for _, column in columns)])

    def _row(self, record: CheckRecord) -> int:
        case = self._case(record)
        key = case, self._forms.number(record.form.value)
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = len(self._rows)
            self._row_cases.append(case)
            self._row_forms.append(key[1])
            for column in (*self._verdicts, *self._note_numbers, *self._lowered):
                column.append(0)
        return row

    def _case(self, record: CheckRecord) -> int:
        name = one_line(record.case)
        case = self._cases.get(name)
        if case is None:
            case = self._cases[name] = len(self._cases)
            self._case_dtypes.append(0)
            self._case_operators.append(self._operators.number(name.partition("/")[0]))
            self._case_clauses.append(self._clauses.number("\n".join(map(one_line, record.clauses))))
        if not self._case_dtypes[case]:
            self._case_dtypes[case] = self._dtypes.number(one_line(dtype_of(record), 40))
        return case


def _note(record: CheckRecord) -> str:
    """One line about a check beside its verdict; empty for a pass."""
    verdict = record.verdict
    if verdict.meaning.mark is None:
        return ""
    if record.interpretation:
        return one_line(record.interpretation, _NOTE_CHARACTERS)
    if verdict.is_left_out:
        return one_line(record.cause or record.message or record.explanation, _NOTE_CHARACTERS)
    said = cause_text(record)
    return one_line(f"{record.deviation}: {said}" if record.deviation else said, _NOTE_CHARACTERS)


def _judgement(record: CheckRecord) -> tuple[Verdict, Verdict]:
    """The verdict and, if a deviation or the baseline excuses it, the excused verdict; else the same verdict twice."""
    is_excused = record.verdict.meaning.standing is Standing.EXCUSED
    return record.verdict, record.judged if is_excused else record.verdict


def _verdict_facts(verdict: Verdict, judged: Verdict) -> dict[str, object]:
    """A verdict for the script: `groups` are the words by which queries find it, `severity` is 0 for the worst."""
    meaning, severity = verdict.meaning, judged.meaning.severity
    groups = {
        "conforming": verdict.is_conforming,
        "fail": meaning.standing in (Standing.DEVIATING, Standing.EXCUSED),
        "new": meaning.standing is Standing.DEVIATING,
        "not-judged": meaning.exit_code is ExitCode.HARNESS,
        "not-compared": verdict.is_left_out,
        **{kind: severity in severities for kind, severities in _KINDS.items()},
    }
    return {
        "name": verdict.value,
        "judged": judged.value,
        "sign": meaning.sign,
        "colour": meaning.colour,
        "judgedColour": judged.meaning.colour,
        "severity": rank_of(severity),
        "sentence": meaning.sentence,
        "groups": [name for name, is_one in groups.items() if is_one],
    }


def _little_endian(column: bytes | bytearray | array[int]) -> bytes:
    if isinstance(column, array) and sys.byteorder == "big":
        column = array(column.typecode, column)
        column.byteswap()
    return bytes(column)


_SCRIPTS = ("nodes", "blocks", "columns", "query", "completion", "list", "finder", "case", "frame", "page")
"""The modules of the page's script, which share one scope, each after those that it uses."""
_MAX_CLAUSES = 2000
_SCRIPTS_PER_CAUSE = 2
_BLOCK_CHARACTERS = 200_000
_MAX_DETAILS_BYTES = 3_000_000
ScriptOf = Callable[[CheckRecord], str | None]
"""The script that demonstrates a check; None if there is none."""


def render_html(
    summary: Summary, log: Path | Iterable[Line], script_of: ScriptOf, *, banner: Banner | None = None
) -> Iterator[str]:
    """The page of a log, its summary and its scripts, piece by piece; a `banner` stands at its top.

    Raises:
        RunLogError: the file is not a log.
    """
    columns = Columns([target.name for target in summary.targets])
    for record in records_of(log):
        columns.add(record)
    tree = tree_of(summary)
    if banner is not None:
        tree = replace(
            tree,
            title=f"{banner.eyebrow}: {banner.title}",
            product=banner.eyebrow,
            headline="The run behind this certificate",
            result=[block for block in tree.result if not isinstance(block, Cards)],
        )
    script = "\n".join(asset(f"script/{name}.js") for name in _SCRIPTS)
    return page_of(tree, script=script, banner=banner, after=_after(summary, columns, script_of))


def _after(summary: Summary, columns: Columns, script_of: ScriptOf) -> Iterator[Markup]:
    yield Markup('<main id="case" aria-labelledby="case-title" hidden></main>\n')
    blocks, places = _check_details(summary, columns, script_of)
    yield from blocks
    clauses = [
        (f"{operator} {clause}", one_line(says))
        for operator, clauses in summary.header.suite.operators.items()
        for clause, says in clauses.items()
    ]
    facts = {
        "clauses": {one_line(name): says for name, says in clauses[:_MAX_CLAUSES]},
        "laws": {name: "\n".join(map(one_line, lines)) for name, lines in summary.header.suite.laws.items()},
        "options": list(call_text.options_by_target(summary).values()),
        "commands": [call_text.commands_of(target) for target in summary.targets],
        "details": places,
    }
    yield data_block("columns", columns.packed(facts))


def _check_details(
    summary: Summary, columns: Columns, script_of: ScriptOf
) -> tuple[list[Markup], list[tuple[int, int, int]]]:
    """The blocks, and row, target and block of each check in them.

    A block is a list of row, target, call, result, recorded deviation and script.
    """
    adapters = {target.name: target.adapter for target in summary.targets}
    blocks: list[Markup] = []
    places: list[tuple[int, int, int]] = []
    texts: list[str] = []
    for record, may_have_script in _by_place_in_cause(summary):
        place = columns.place(record)
        recorded = summary.recorded(record.target, record.deviation)
        deviation = None if recorded is None else written([deviation_facts(recorded, adapters[record.target])])
        script = script_of(record) if may_have_script else None
        views = (*place, call_view(record), result_view(record), deviation, script)
        texts.append(json.dumps(views, separators=(",", ":")))
        places.append((*place, len(blocks)))
        if sum(map(len, texts)) >= _BLOCK_CHARACTERS:
            blocks.append(_details(len(blocks), texts))
            texts = []
            if sum(map(len, blocks)) >= _MAX_DETAILS_BYTES:
                break
    return [*blocks, _details(len(blocks), texts)] if texts else blocks, places


def _by_place_in_cause(summary: Summary) -> Iterator[tuple[CheckRecord, bool]]:
    """The first check of each cause before the second of any, so that a big cause cannot take all the room; and whether
    it is among the first, which may have scripts.
    """
    for place, records in enumerate(zip_longest(*(cause.records for cause in summary.causes))):
        yield from ((record, place < _SCRIPTS_PER_CAUSE) for record in records if record is not None)


def _details(number: int, texts: Sequence[str]) -> Markup:
    return data_block(f"details-{number}", f"[{','.join(texts)}]".encode("ascii"))

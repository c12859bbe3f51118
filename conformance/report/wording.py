"""The sentences and marks that all reports share, so that all of them describe a run alike."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

from conformance.log.log_file import milliseconds
from conformance.log.record import Footer, Header, SelectionEntry, TargetEntry
from conformance.log.summary import (
    Cause,
    Counts,
    Summary,
    TargetResult,
    asked,
    excused_too_often,
    exit_code,
    in_order,
    rank_of,
    result_of,
)
from conformance.protocol.form import Form
from conformance.report.document import Tone
from conformance.spec.verdict import ExitCode, RateMark, Section, Standing, Verdict
from conformance.tensors.text import counted, one_line

_MAX_KINDS = 3
_MAX_SOURCES = 3
DENOMINATORS = (
    "Each rate is passed / (passed + failed), where known failures count as failed. Not in it: checks whose failure was"
    " caused by another node, and those that are unsupported, not expressible, not declared or ambiguous in the spec."
)


def marks(counts: Counts) -> dict[RateMark, int]:
    """The marks beside a rate with their numbers, the worst first; without those that count nothing."""
    found: Counter[RateMark] = Counter({RateMark.LOWERED: counts.lowered})
    for verdict, count in counts.of.items():
        if verdict.meaning.mark is not None:
            found[verdict.meaning.mark] += count
    return in_order(RateMark, found)


_SENTENCES = {verdict.meaning.mark: verdict.meaning.sentence for verdict in Verdict}


@dataclass(frozen=True, slots=True)
class MarkText:
    """The texts of a mark.

    Args:
        sentence: what it counts.
        tone: its colour.
        query: the word by which a query finds its checks.
        noun: the words behind its number in the sentence of a result; empty if that leaves it out.
    """

    sentence: str
    tone: Tone = Tone.QUIET
    query: str = ""
    noun: str = ""


MARKS = {
    RateMark.NEW: MarkText("differs, and no deviation is recorded for it", Tone.BAD),
    RateMark.FIXED: MarkText(_SENTENCES[RateMark.FIXED], Tone.KNOWN),
    RateMark.NOT_JUDGED: MarkText(
        "the run or the adapter failed, which says nothing about the framework", Tone.WARNING
    ),
    RateMark.BROKEN_BEFORE: MarkText("also failed in the baseline", Tone.KNOWN),
    RateMark.KNOWN: MarkText("deviates as recorded", Tone.KNOWN),
    RateMark.UNSUPPORTED: MarkText(_SENTENCES[RateMark.UNSUPPORTED], noun="unsupported"),
    RateMark.DISPUTED: MarkText(_SENTENCES[RateMark.DISPUTED], query="follows"),
    RateMark.NEIGHBOURS: MarkText(
        _SENTENCES[RateMark.NEIGHBOURS], query="caused-by-another-node", noun="caused by another node"
    ),
    RateMark.NOT_EXPRESSIBLE: MarkText(_SENTENCES[RateMark.NOT_EXPRESSIBLE]),
    RateMark.NOT_DECLARED: MarkText(_SENTENCES[RateMark.NOT_DECLARED], query="not-declared-by-the-adapter"),
    RateMark.NOT_SHOWN: MarkText(_SENTENCES[RateMark.NOT_SHOWN], query="rejection-not-judged"),
    RateMark.LOWERED: MarkText("went through other operators than the framework's own"),
}


def rate(counts: Counts) -> str:
    """`412/420`, or a dash if nothing was compared."""
    return f"{counts.conforming:,}/{counts.compared:,}" if counts.compared else "—"


def headline(summary: Summary) -> str:
    """One sentence for the whole run: whether the targets that were asked conform."""
    targets = asked(summary)
    results = [result_of(summary, target) for target in targets]
    differing = sum(any(_differences(summary, target)) for target in targets)
    if exit_code(summary) is ExitCode.HARNESS:
        return _unfinished(summary)
    if differing:
        sentence = f"{_of(differing, len(targets))} not conform."
        return sentence[0].upper() + sentence[1:]
    if TargetResult.EXCUSED in results:
        return "Controls excuse more than a twentieth of the checks of an operator. This is not a pass."
    recorded = results.count(TargetResult.DEVIATES_AS_RECORDED) + results.count(TargetResult.BROKEN_BEFORE)
    how = "as recorded or as before" if TargetResult.BROKEN_BEFORE in results else "as recorded"
    if not recorded:
        few = {1: "The target conforms.", 2: "Both targets conform."}
        return few.get(len(targets), f"All {len(targets)} targets conform.")
    if len(targets) == 1:
        return f"The target deviates only {how}."
    conforming = len(targets) - recorded
    return (
        f"{conforming} of {len(targets)} targets {'conforms' if conforming == 1 else 'conform'}; "
        f"{recorded} {'deviates' if recorded == 1 else 'deviate'} only {how}."
    )


def _unfinished(summary: Summary) -> str:
    """`15 failures. 9 checks could not be judged.` for a run that shows no conformance."""
    counts = [summary.counts(target.name) for target in asked(summary)]
    failures = sum(of.deviating for of in counts)
    judged = sum(of.total - of.where(Section.NOT_JUDGED).total for of in counts)
    missing = max(0, summary.header.planned * len(counts) - judged)
    unjudged = f"{counted(missing, 'check')} could not be judged." if missing else "This is not a pass."
    return f"{counted(failures, 'failure')}. {unjudged}" if failures else unjudged


def _of(count: int, targets: int) -> str:
    if targets == 1:
        return "the target does"
    return f"{count} of {targets} targets {'does' if count == 1 else 'do'}"


def target_sentence(summary: Summary, target: TargetEntry) -> str:
    """The result of one target, without its name, and its recorded deviations that are fixed."""
    return "; ".join([_result_sentence(summary, target), *fixed_sentences(summary, target)])


def _result_sentence(summary: Summary, target: TargetEntry) -> str:
    counts = summary.counts(target.name)
    conform = "conforms" if counts.conforming == 1 else "conform"
    compared = f"{counts.conforming:,} of {counted(counts.compared, 'compared check')} {conform}"
    compared += "".join(f", {count:,} {MARKS[mark].noun}" for mark, count in marks(counts).items() if MARKS[mark].noun)
    recorded = f"; known: {known}" if (known := kinds_text(_recorded_kinds(summary, target))) else ""
    match result_of(summary, target):
        case TargetResult.CONFORMS:
            return (
                f"conforms: {compared}"
                if counts.compared
                else "conforms: the spec is ambiguous in every case that it answered"
            )
        case TargetResult.DEVIATES_AS_RECORDED:
            return f"deviates only as recorded: {compared}{recorded}"
        case TargetResult.BROKEN_BEFORE:
            return f"deviates only as recorded or as before: {compared}, {counts.where(Standing.EXCUSED).text}"
        case TargetResult.EXCUSED:
            return "; ".join([f"is excused too often: {compared}", *_excuses(summary, target)])
        case TargetResult.DIFFERS:
            return "; ".join([f"does not conform: {compared}", *_differences(summary, target)]) + recorded
        case TargetResult.NOT_STARTED:
            return f"could not start: {one_line(target.problem)}"
        case TargetResult.NOT_ASKED:
            return f"not asked: its adapter declares none of {counted(counts.total, 'check')}"
        case TargetResult.NOTHING_COMPARED:
            return f"no check could be compared (0 of {counts.total:,}): this is not a pass"
        case TargetResult.NOT_FINISHED | TargetResult.NOT_JUDGED as result:
            failed = counts.where(Section.NOT_JUDGED).total
            missing = max(0, summary.header.planned - counts.total)
            unfinished = f"{result.value}: {counted(failed + missing, 'check')} not judged; {compared}"
            return "; ".join([unfinished, *_differences(summary, target)])


def _recorded_kinds(summary: Summary, target: TargetEntry) -> Counter[Verdict]:
    """The checks of a target that deviate as recorded, by their verdict without the records."""
    causes = (cause for cause in summary.causes if cause.target == target.name)
    known = (Counter(cause.judged) for cause in causes if cause.verdict.meaning.section is Section.KNOWN)
    return sum(known, Counter())


def kinds_text(kinds: Counter[Verdict]) -> str:
    """Verdicts with their counts, the worst severity first: `214 crashed, 197 wrong result`."""
    worst_first = sorted(kinds.most_common(), key=lambda item: rank_of(item[0].meaning.severity))
    return ", ".join(f"{count:,} {verdict.value}" for verdict, count in worst_first)


def _differences(summary: Summary, target: TargetEntry) -> Iterator[str]:
    """Why a target fails: the counts of deviating verdicts and, with strict records, of fixed deviations."""
    counts = summary.counts(target.name)
    if counts.deviating:
        yield counts.where(Standing.DEVIATING).text
    fixed = counts.where(Section.FIXED).total
    if summary.header.strict_records and fixed:
        yield f"{fixed:,} fixed, which --strict-records does not allow"


def _excuses(summary: Summary, target: TargetEntry) -> Iterator[str]:
    """A sentence for each operator of which controls excuse too many checks."""
    for operator, counts in excused_too_often(summary, target).items():
        number = counted(counts.total, "check")
        yield f"{one_line(operator)}: controls excuse {counts.neighbours:,} of {number}, more than a twentieth"


def fixed_sentences(summary: Summary, target: TargetEntry) -> Iterator[str]:
    """A sentence for each recorded deviation of a target that no longer happens, with its file and the fix."""
    for seen in summary.fixed(target.name):
        fixed, known = (seen.counts.where(section).total for section in (Section.FIXED, Section.KNOWN))
        rest = counted(known, "check")
        mend = f"narrow the entry, which still holds for {rest}" if known else "remove the entry"
        yield (
            f"{one_line(target.adapter)}/deviations.yaml: {one_line(seen.entry.id)} is fixed on "
            f"{counted(fixed, 'check')}: {mend}"
        )


def cause_title(summary: Summary, cause: Cause) -> str:
    """The title of a group of checks: its cause, or the sentence of its recorded deviation.

    Causes of a target that share it have their verdicts and deviations behind it, as far as these differ.
    """
    title = _plain_title(summary, cause)
    same = [c for c in summary.causes if c.target == cause.target and _plain_title(summary, c) == title]
    apart = [cause.deviation] if len({other.deviation for other in same}) > 1 else []
    apart += [cause.verdict.value] if len({other.verdict for other in same}) > 1 else []
    return f"{title} ({', '.join(map(one_line, filter(None, apart)))})" if any(apart) else title


def _plain_title(summary: Summary, cause: Cause) -> str:
    if not cause.deviation:
        return cause.text
    entry = summary.recorded(cause.target, cause.deviation)
    return one_line(entry.what if entry is not None else "a recorded deviation that the log does not describe")


def cause_extent(cause: Cause) -> str:
    """`14 checks of 5 cases`."""
    return f"{counted(cause.count, 'check')} of {counted(cause.cases, 'case')}"


def extent_in_operators(cause: Cause) -> str:
    """`14 checks of onnx.Split-13, onnx.Split-18 and 2 more`."""
    names = [one_line(name, 80) for name, _ in cause.operators.most_common()]
    more = f" and {len(names) - _MAX_KINDS} more" if len(names) > _MAX_KINDS else ""
    return f"{counted(cause.count, 'check')} of {', '.join(names[:_MAX_KINDS])}{more}"


def worst_judged(cause: Cause) -> Verdict:
    """The worst verdict of the checks of a cause before deviations were applied; shown for recorded causes only."""
    if cause.verdict.meaning.section is not Section.KNOWN:
        return cause.verdict
    judged = [verdict for verdict, _ in cause.judged.most_common()]
    return min(judged, key=lambda verdict: rank_of(verdict.meaning.severity))


def kinds_sentence(cause: Cause) -> str:
    """The number and kinds of the checks of a cause: `14 checks of 5 cases · float16 only · 4 forms`."""
    parts = [cause_extent(cause)]
    if len(cause.judged) > 1:
        parts.append(kinds_text(cause.judged))
    for kinds, noun in ((cause.operators, "operators"), (cause.dtypes, "types"), (cause.forms, "forms")):
        names = [one_line(name, 80) for name, _ in kinds.most_common()]
        if len(names) == 1:
            parts.append(f"{names[0]} only")
        elif names:
            parts.append(", ".join(names) if len(names) <= _MAX_KINDS else f"{len(names)} {noun}")
    return " · ".join(parts)


def selection_text(selection: SelectionEntry) -> str:
    """The selection of a run in words."""
    sentences = {
        "operators": "{}",
        "dtypes": "types {}",
        "expects": "that expect {}",
        "sample": "the best sample of {} checks",
        "rerun": "what {} in an earlier run",
        "shard": "shard {}",
    }
    chosen = selection.chosen()
    if chosen.get("sets") == "default":
        del chosen["sets"]
    elif "," not in chosen.get("sets", ","):
        sentences["sets"] = "the set {}"
    parts = [sentences.get(name, f"{name} {{}}").format(one_line(text)) for name, text in chosen.items()]
    return "; ".join(parts) or "the default set"


def left_out_sentence(header: Header, footer: Footer | None) -> str:
    """What the full set has beside the checks of a run, and what it would take at the speed of this run; empty if the
    run left nothing out, or that is not known.
    """
    if not header.left_out:
        return ""
    sentence = f"{counted(header.left_out, 'check')} a target of the full set, which `--set full` has"
    took_ms = milliseconds(footer.ended) - milliseconds(header.started) if footer is not None else 0
    if footer is None or not footer.records or took_ms <= 0:
        return f"{sentence}."
    more_s = round(took_ms * header.left_out * len(header.targets) / footer.records / 1000)
    return f"{sentence}; at the speed of this run they take about {counted(more_s, 'second')}."


def part_sentence(selection: SelectionEntry) -> str:
    """A sentence with the selection of a partial run; empty if the whole suite ran."""
    if not selection.is_part:
        return ""
    text = selection_text(selection)
    return f"Partial run: only {text} {'were' if re.search('[;,]', text) else 'was'} selected."


def part_of_suite(summary: Summary) -> str:
    """What of the suite ran, what a sample left out, and how many answers are those of earlier runs."""
    header = summary.header
    left_out = left_out_sentence(header, summary.footer) if header.selection.is_sample else ""
    sentences = [
        part_sentence(header.selection),
        f"Left out: {left_out}" if left_out else "",
        _reused(summary.reused),
    ]
    return " ".join(filter(None, sentences))


def _reused(sources: Mapping[str, int]) -> str:
    named = "; ".join(f"{count} of {source}" for source, count in [*sources.items()][:_MAX_SOURCES])
    more = "; and others" if len(sources) > _MAX_SOURCES else ""
    total = counted(sum(sources.values()), "answer")
    return f"{total} taken over from earlier runs (--reuse): {named}{more}." if sources else ""


# Links into reports: to a check, a cause, or the checks that a query finds; the same in every report.


def report_link(report: str, page: Path | None) -> str:
    """The relative link from a page to a report, whatever characters its path has; empty without report or page."""
    if not report or page is None:
        return ""
    way = os.path.relpath(Path(report).resolve(), page.parent.resolve())
    return quote(os.fsencode(Path(way).as_posix()))


def check_fragment(case: str, form: Form, target: str) -> str:
    """The fragment that opens a check."""
    name = {"case": case, "form": form.value, "target": target}
    return "#" + urlencode({key: one_line(text) for key, text in name.items()})


def find_link(target: str, did: str, **terms: str) -> str:
    """The fragment that lists the checks with this result of a target for which all other terms hold."""
    fields = {_quoted(one_line(target)): did, **terms}
    query = " and ".join(f"{field}:{_quoted(text)}" for field, text in fields.items())
    return "#" + urlencode({"find": query})


def mark_link(mark: RateMark, target: str, terms: Mapping[str, str]) -> str:
    """The fragment that lists the checks of a target that a mark counts."""
    return find_link(target=target, did=MARKS[mark].query or mark.value.replace(" ", "-"), **terms)


def _quoted(text: str) -> str:
    """A word of a query, in quotes unless it is one word without them."""
    if re.fullmatch(r"[^\s():\"\\\\]+", text) and text not in ("and", "or", "not"):
        return text
    return '"' + re.sub(r'(["\\\\])', r"\\\1", text) + '"'


def cause_id(cause: Cause) -> str:
    """The name of a cause of a target for a fragment, the same in every report."""
    text = f"{cause.target}\0{cause.verdict.value}\0{cause.deviation}\0{cause.text}"
    return f"cause-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"

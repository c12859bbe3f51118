from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_records import header, lines, record, target

from conformance.log.answers import Change
from conformance.log.compare import Comparison, compare
from conformance.log.record import Line, RecordedInterpretation
from conformance.protocol.form import Form
from conformance.spec.verdict import Verdict

pytestmark = pytest.mark.slow

MIRRORED = {
    Change.REGRESSED: Change.IMPROVED,
    Change.IMPROVED: Change.REGRESSED,
    Change.NEWLY_DISPUTED: Change.NO_LONGER_DISPUTED,
    Change.NO_LONGER_DISPUTED: Change.NEWLY_DISPUTED,
}
TEXTS = st.sampled_from(["", "a", "b"])


@st.composite
def logs(draw: st.DrawFn) -> list[Line]:
    """A log of one or two targets, with each check at most once."""
    names = draw(st.lists(st.sampled_from(["toy@1", "toy@2", "other@1"]), min_size=1, max_size=2, unique=True))
    cases = st.sampled_from([f"onnx.Split-{version}/{name}[x=1]" for version in (11, 13) for name in "ab"])
    forms = st.sampled_from([Form.CONSTANT, Form.RUNTIME])
    keys = draw(st.lists(st.tuples(st.sampled_from(names), cases, forms), unique=True, max_size=8))
    records = [
        record(
            draw(st.sampled_from(Verdict)),
            target=name,
            case=case,
            form=form,
            cause=draw(TEXTS),
            outputs=draw(TEXTS),
            interpretation=draw(TEXTS),
        )
        for name, case, form in keys
    ]
    open_cases = draw(st.sets(st.sampled_from(["onnx.Split-13/a", "onnx.Split-11/b"])))
    disputes = {case: [RecordedInterpretation(name="a", reason="")] for case in open_cases}
    return lines(*records, head=header(*(target(name, options={}) for name in names), disputes=disputes))


def counts_by_operator(comparison: Comparison) -> dict[str, Counter[Change]]:
    found: dict[str, Counter[Change]] = {}
    for cell in comparison.cells:
        found.setdefault(cell.operator, Counter()).update(cell.counts)
    return found


@given(logs())
def test_a_log_compared_with_itself_has_no_change(log: list[Line]) -> None:
    comparison = compare(log, log)
    assert set(comparison.counts) <= {Change.UNCHANGED, Change.NOT_JUDGED}
    assert comparison.circumstances == ()


@given(logs(), logs())
def test_the_other_way_round_every_change_is_its_mirror_image(a: list[Line], b: list[Line]) -> None:
    there, back = counts_by_operator(compare(a, b)), counts_by_operator(compare(b, a))
    mirrored = {
        operator: Counter({MIRRORED.get(change, change): count for change, count in counts.items()})
        for operator, counts in there.items()
    }
    assert mirrored == back


@given(logs(), logs())
def test_every_check_of_both_logs_is_counted_once(a: list[Line], b: list[Line]) -> None:
    counts = compare(a, b).counts
    in_both = sum(count for change, count in counts.items() if change.is_in_both_runs)
    assert 2 * in_both + counts[Change.ASKED_DIFFERENTLY] == len(a) - 2 + len(b) - 2


@given(logs(), logs())
def test_the_groups_hold_what_changed(a: list[Line], b: list[Line]) -> None:
    comparison = compare(a, b)
    grouped: Counter[Change] = Counter()
    for group in comparison.groups:
        grouped[group.change] += group.count
    changed = comparison.counts
    del changed[Change.UNCHANGED]
    assert grouped == changed

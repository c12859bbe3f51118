from __future__ import annotations

from conformance.log.bisect import ReleaseAnswer, ReleaseState, joined
from conformance.report.page import markdown_of
from conformance.report.releases import bisect_tree

PASS = ReleaseAnswer(ReleaseState.GOOD, "pass", reason="rejected in these words")
WRONG = ReleaseAnswer(ReleaseState.BAD, "wrong result", "wrong axis", reason="the outputs differ")
MISSING = ReleaseAnswer(ReleaseState.UNSUPPORTED, "unsupported", reason="no kernel")
UNKNOWN = ReleaseAnswer(ReleaseState.CANNOT_TELL, "no environment", reason="the disk is full")


def shown(*answers: ReleaseAnswer | None) -> list[str]:
    """The lines of the report of a line of releases 1, 2, 3, ...; without an answer, one was not asked."""
    releases = [str(number) for number in range(1, len(answers) + 1)]
    own = {release: answer for release, answer in zip(releases, answers, strict=True) if answer is not None}
    return markdown_of(bisect_tree("toy", releases, {"a/b [runtime]": own})).splitlines()


def test_each_change_has_a_word_and_both_verdicts() -> None:
    items = [line for line in shown(MISSING, PASS, WRONG, PASS, MISSING, WRONG) if line.startswith("- ")]
    assert items == [
        "- good in 2, after 1: unsupported, then pass",
        "- broken in 3, after 2: pass, then wrong result",
        "- fixed in 4, after 3: wrong result, then pass",
        "- unsupported in 5, after 4: pass, then unsupported",
        "- bad in 6, after 5: unsupported, then wrong result",
    ]


def test_another_cause_of_the_same_verdict_is_named() -> None:
    other = ReleaseAnswer(ReleaseState.BAD, "wrong result", "other values")
    assert "- answered otherwise in 2, after 1: wrong result: wrong axis, then wrong result: other values" in shown(
        WRONG, other
    )


def test_releases_that_cannot_tell_are_named_in_the_edge_and_with_their_reason() -> None:
    lines = shown(PASS, UNKNOWN, WRONG)
    assert "- broken in 3 or one of 2, which cannot tell, after 1: pass, then wrong result" in lines
    assert "| 2 | cannot tell | no environment: the disk is full |" in lines


def test_releases_that_are_unstable_are_said() -> None:
    lines = shown(WRONG, joined(PASS, WRONG), PASS)
    assert "- fixed in 3 or one of 2, which cannot tell, after 1: wrong result, then pass" in lines
    assert "| 2 | unstable | pass; asked again: wrong result: wrong axis |" in lines
    assert any("Unstable, since it answers one check in two ways: 2." in line for line in lines)


def test_a_table_has_all_releases_and_the_reason_where_the_verdict_says_too_little() -> None:
    lines = shown(PASS, PASS, WRONG, MISSING)
    assert lines[0] == "## Bisection: 2 edges in 4 releases of toy, 1 to 4"
    assert [line for line in lines if line.startswith("| ")][2:] == [
        "| 1 to 2 | good | pass |",
        "| 3 | bad | wrong result: wrong axis |",
        "| 4 | unsupported | no kernel |",
    ]


def test_releases_that_were_not_asked_are_said_to_hide_edges() -> None:
    assert any(
        "2 releases not asked: among them may be other edges." in line for line in shown(PASS, None, None, WRONG)
    )
    assert not any("not asked" in line for line in shown(PASS, WRONG))

"""Evidence: a digest of what a release answered, which everybody gets again who asks it the same."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from conformance.history.store import HistoryStore, StoredAnswer, StoredRelease
from conformance.language.verdict import Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The digest of what a release answered to an operator version; `suite` is that of the operator's files then."""

    operator: str
    release: StoredRelease
    suite: str
    answers: int
    digest: str


def evidence_in(store: HistoryStore, releases: Sequence[StoredRelease], operators: Sequence[str]) -> Iterator[Evidence]:
    """The evidence for each operator version and release that has answers, for each state of the operator's files."""
    for operator in operators:
        for release in releases:
            by_suite: defaultdict[str, list[StoredAnswer]] = defaultdict(list)
            for answer in store.answers(release, operator):
                by_suite[answer.suite].append(answer)
            for suite, answers in sorted(by_suite.items()):
                yield Evidence(
                    operator=operator,
                    release=release,
                    suite=suite,
                    answers=len(answers),
                    digest=evidence_of(answers),
                )


def evidence_of(answers: Iterable[StoredAnswer]) -> str:
    """SHA-256 over check, verdict, cause and outputs of each answer, in the order of the checks.

    Left out is what can differ from run to run: the outputs of wrong answers, which may be of foreign memory, and the
    last words of a process.
    """
    digest = hashlib.sha256()
    for answer in answers:
        severity = answer.judged.meaning.severity
        cause = "" if severity in (Severity.MEMORY, Severity.CRASH) else answer.cause
        outputs = f"{answer.outputs:x}" if severity is None else ""
        facts = (answer.case, answer.form.value, answer.judged.value, cause, outputs)
        digest.update("\t".join((*facts, "\n")).encode())
    return digest.hexdigest()

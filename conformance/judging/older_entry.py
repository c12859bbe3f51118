"""Entries of an older `deviations.yaml`, which named cases: writes each again, with a condition on calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import yaml

from conformance.formats.suite import bundled_folder, load_suite
from conformance.formats.yaml_document import Document, Plain
from conformance.judging.deviation import matches
from conformance.language.case import Case
from conformance.language.condition import facts_of, holds
from conformance.language.law.expression import LawNames
from conformance.language.operator import is_named
from conformance.values.errors import CaseFileError

_PATTERNS = ("{} < 0", "size({}) == 0", "min({}) < 0", "max({}) > 2147483647", "given({})", "not given({})")
_MOST_VALUES = 4


def older_problems(document: Document) -> Iterator[CaseFileError]:
    """A problem for each entry that names cases; its remedy is the entry as it is to be written now."""
    entries = document.value.get("deviations") if isinstance(document.value, dict) else None
    listed = enumerate(entries if isinstance(entries, list) else ())
    older = [(index, one) for index, one in listed if isinstance(one, dict) and ("cases" in one or "except" in one)]
    operators = [name for _, entry in older for name in _texts(entry.get("operators"))]
    families = load_suite(bundled_folder("cases")).families if older else ()
    cases = [case for family in families if is_named(family.operator.id, operators) for case in family.cases()]
    for index, entry in older:
        what = f"{entry.get('id')!r} names cases; since version 0.3.0, an entry matches calls by what is true of them"
        yield document.problem(("deviations", index), what, f"write\n{rewritten(entry, cases)}")


def rewritten(entry: Mapping[str, Plain], cases: Sequence[Case]) -> str:
    """The entry as YAML, with a simple condition that is true of those of the cases that it names.

    A comment says so if the condition is also true of others that the entry might cover.
    """
    operators, clauses, exceptions = (_texts(entry.get(key)) for key in ("operators", "clauses", "except"))
    able = [case for case in cases if is_named(case.operator.id, operators)]
    able = [case for case in able if not clauses or not set(clauses).isdisjoint(case.clauses)]
    patterns = _texts(entry.get("cases", "*"))
    named = [case for case in able if _is_any(case.id, patterns) and not _is_any(case.id, exceptions)]
    ids, kinds = {case.id for case in named}, {type(case.expectation) for case in named}
    others = [case for case in able if case.id not in ids and type(case.expectation) in kinds]
    condition, covered = _narrowest([*map(facts_of, named)], [*map(facts_of, others)])
    kept = {"when" if key == "cases" else key: value for key, value in entry.items() if key != "except"}
    fields = [{"id": entry.get("id")} | kept | {"when": condition}]
    text = yaml.safe_dump(fields, sort_keys=False, width=100, allow_unicode=True, default_flow_style=None).rstrip()
    if named and not covered:
        return text
    why = f"it is also true of {others[min(covered)].id}" if covered else "no bundled case has such an id"
    return text.replace("\n  when:", f"\n  # narrow this: {why}\n  when:")


def _texts(value: Plain) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [] if value is None else [str(value)]


def _is_any(case_id: str, patterns: Sequence[str]) -> bool:
    return any(matches(case_id, pattern) for pattern in patterns)


def _narrowest(named: Sequence[LawNames], others: Sequence[LawNames]) -> tuple[str, set[int]]:
    """The plainest condition that is true of all named calls and of the fewest others, and the places of those."""
    true = [text for text in _conditions(named, others) if all(holds(text, facts) for facts in named)]
    covered = {text: {place for place, facts in enumerate(others) if holds(text, facts)} for text in true}
    narrowest = min(covered, key=lambda text: len(covered[text]))
    pairs = combinations(covered, 2) if covered[narrowest] else ()
    apart = (" and ".join(pair) for pair in pairs if covered[pair[0]].isdisjoint(covered[pair[1]]))
    pair = next(apart, "")
    return pair or narrowest, set() if pair else covered[narrowest]


def _conditions(named: Sequence[LawNames], others: Sequence[LawNames]) -> Iterator[str]:
    """Simple conditions that may be true of the named calls, the plainest first."""
    names = sorted({name for facts in (*named, *others) for name in facts if not name[-1].isdigit()})
    yield from ("True", *(pattern.format(name) for pattern in _PATTERNS for name in names))
    for name in names:
        values = {str(facts.get(name)): facts.get(name) for facts in named}
        if len(values) <= _MOST_VALUES and all(isinstance(value, int | str) for value in values.values()):
            text = " or ".join(f"{name} == {value!r}" for value in values.values())
            yield f"({text})" if len(values) > 1 else text

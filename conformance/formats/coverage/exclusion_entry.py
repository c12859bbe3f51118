"""`except` of a case with `cover`: the combinations of its choices that it excludes, each with a reason."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence

from pydantic import Field

from conformance.formats.coverage.space import Exclusion
from conformance.formats.file_schema import FileModel, SchemaError
from conformance.formats.operator_file import VersionRange, applies_to
from conformance.formats.references import label_of
from conformance.formats.yaml_document import KeyPath
from conformance.language.operator import Operator
from conformance.values.errors import nearest

Labels = int | bool | str | list[int | bool | str]
"""One label, several, or a type constraint of the operator."""


class ExclusionEntry(FileModel):
    """Combinations that no case needs: those that have, for each name in `when`, one of its labels."""

    when: dict[str, Labels] = Field(
        min_length=1, description="by column: labels with `*` for any letters, or a type constraint"
    )
    because: str = Field(min_length=1)
    versions: VersionRange = ">=0"


def exclusions_of(
    entries: Sequence[ExclusionEntry],
    known: Mapping[str, Sequence[str]],
    operator: Operator,
    problems: list[SchemaError],
) -> tuple[Exclusion, ...]:
    """What the entries exclude for an operator version of the `known` labels; adds their problems."""
    made = []
    for index, entry in enumerate(entries):
        if not applies_to(entry.versions, operator.version):
            continue
        when = {}
        for name, labels in entry.when.items():
            keys = ("except", index, "when", name)
            if name not in known:
                fix = nearest(name, known, otherwise=f"there are {', '.join(known)}; or narrow `versions`")
                problems.append(SchemaError(keys, f"{operator.id} has no {name!r} here", fix))
            elif labels == []:
                what = "names no choice, so it excludes nothing"
                problems.append(SchemaError(keys, what, "name one, or remove the entry"))
            else:
                when[name] = frozenset(_labels_of(labels, known[name], operator, keys, problems))
        made.append(Exclusion(when, entry.because))
    return tuple(made)


def _labels_of(
    labels: Labels, known: Sequence[str], operator: Operator, keys: KeyPath, problems: list[SchemaError]
) -> tuple[str, ...]:
    """The labels that an entry names, one by one or as a type constraint; adds a problem for each unknown one."""
    if isinstance(labels, str) and labels in operator.constraints:
        return tuple(label for label in operator.constraints[labels] if label in known)
    named = tuple(
        one
        for label in (labels if isinstance(labels, list) else [labels])
        for one in fnmatch.filter(known, label_of(label)) or [label_of(label)]
    )
    for label in named:
        if label not in known:
            fix = nearest(label, known, otherwise=f"there are {', '.join(known)}")
            problems.append(SchemaError(keys, f"{label!r} is none of the choices", fix))
    return named

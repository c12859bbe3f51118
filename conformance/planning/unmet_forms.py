"""The forms that recorded deviations name in vain: no call of which the condition is true can be in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from conformance.border.form import Form, Graph, Layout
from conformance.formats.suite import Suite
from conformance.judging.deviation import FORM_GROUPS, Deviation
from conformance.language.check import Check
from conformance.language.condition import holds
from conformance.language.form_steps import forms_of
from conformance.language.operator import is_named


@dataclass
class _Search:
    """The forms of an entry that no case has met yet; `is_met` is whether its condition was true of any case."""

    entry: Deviation
    unmet: set[Form]
    is_met: bool = False

    def look_at(self, check: Check) -> None:
        """Strike a form out, and with it the group that the entry may have named."""
        if check.form in self.unmet and any(holds(self.entry.when, facts) for facts in check.facts):
            named = {form.value for form in self.entry.forms}
            groups = [group for group in FORM_GROUPS.values() if {check.form.value} <= {*group} <= named]
            self.unmet -= {check.form, *(Form(name) for group in groups for name in group)}
            self.is_met = True


def unmet_forms(suite: Suite, entries: Iterable[Deviation]) -> Iterator[tuple[Deviation, Form]]:
    """Each entry with each such form, as far as the cases tell; of a group of forms, one is enough.

    An entry of which the cases meet no form is left out. So are forms that the data decides, which can be any.
    """
    searches = [_Search(entry, {form for form in entry.forms if _is_of_arguments(form)}) for entry in entries]
    for family in suite.families:
        asked = [one for one in searches if one.unmet and is_named(family.operator.id, one.entry.operators)]
        for case in family.cases() if asked else ():
            wanted = {form for one in asked for form in one.unmet}
            if not wanted:
                break
            for form in forms_of(replace(case, forms=tuple(wanted))):
                check = Check(case, form)
                for search in asked:
                    search.look_at(check)
    return ((one.entry, form) for one in searches if one.is_met for form in Form if form in one.unmet)


def _is_of_arguments(form: Form) -> bool:
    row = form.properties
    return not row.has_other_calls and row.graph is Graph.NONE and row.layout is Layout.CONTIGUOUS

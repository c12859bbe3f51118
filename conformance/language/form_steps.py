"""The forms in which a case runs, and the steps of each form. The rules of single forms are in `form_rules`."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from conformance.border.form import Form
from conformance.language.case import Case, ExpectedOutputs
from conformance.language.form_rules import arguments, graphs, layouts, other_calls
from conformance.language.form_rules.rule import FormRule

_RULES: Mapping[Form, FormRule] = {**arguments.RULES, **other_calls.RULES, **layouts.RULES, **graphs.RULES}
_OTHERWISE = FormRule()
_PLACE = {form: place for place, form in enumerate(Form)}
_USUAL_OF_VALID = tuple(form for form in Form if form.is_usual and not form.has_unknown_ranks)
_USUAL_OF_INVALID = tuple(form for form in Form if form.is_usual and form is not Form.SECOND_CALL)


def forms_of(case: Case, chosen: Collection[Form] = ()) -> tuple[Form, ...]:
    """The forms in which a case runs: those that the case file names, or the usual ones, as far as they fit the case.
    Only the `chosen` ones among them, if there are any.

    If no ranks are known, a framework may miss invalid arguments. A valid case runs in these forms only if it names
    them. An invalid case runs after a valid call only if it names that form.
    """
    usual = _USUAL_OF_VALID if isinstance(case.expectation, ExpectedOutputs) else _USUAL_OF_INVALID
    forms = sorted(case.forms, key=_PLACE.__getitem__) if case.forms else usual
    return tuple(form for form in forms if (not chosen or form in chosen) and _fits(form, case))


def default_forms_of(case: Case, chosen: Collection[Form] = ()) -> tuple[Form, ...]:
    """The forms in the default set: those of `forms_of`, but of `forms_in_turn` the one of the case's number alone."""
    forms = forms_of(case, chosen)
    if case.forms_in_turn:
        in_turn = forms_of(case, case.forms_in_turn)
        forms = tuple(form for form in forms if form not in in_turn or form is in_turn[case.number % len(in_turn)])
    return tuple(form for place, form in enumerate(forms) if case.default_bits >> place & 1)


def steps_of(case: Case, form: Form) -> tuple[Case, ...]:
    """The calls that one form makes of the case, in order, each with its expectation."""
    return _RULES.get(form, _OTHERWISE).steps(case)


def needs_of(form: Form) -> str:
    """What a case must have so that it runs in a form."""
    return "an operator of ONNX" if form.is_of_onnx and form not in _RULES else _RULES.get(form, _OTHERWISE).needs


def _fits(form: Form, case: Case) -> bool:
    """Whether a form adds something to the case that other forms do not have."""
    if form.is_of_onnx and case.operator.dialect != "onnx":
        return False
    return _RULES.get(form, _OTHERWISE).fits(case)

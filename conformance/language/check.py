"""One case in one form: what a run sends to a target, judges and records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from conformance.border.form import Form
from conformance.border.request import Request
from conformance.language.build_request import request_of
from conformance.language.case import Case
from conformance.language.condition import facts_of
from conformance.language.form_steps import steps_of
from conformance.language.law.expression import LawNames
from conformance.language.model_forms import forms_in_model


@dataclass(frozen=True)
class Check:
    """One case in one form. A control is the same check without the operator; it explains the check's own record."""

    case: Case
    form: Form
    is_control: bool = False

    @cached_property
    def steps(self) -> tuple[Case, ...]:
        """The calls that the form makes of the case, in order, each with its expectation."""
        return steps_of(self.case, self.form)

    @cached_property
    def facts(self) -> tuple[LawNames, ...]:
        """What conditions read of each call."""
        return tuple(map(facts_of, self.steps))

    @cached_property
    def like_forms(self) -> frozenset[Form]:
        """The forms of bundled cases in which a framework gets the same: the own one, unless the case is of a model."""
        is_of_model = self.form is Form.AS_IN_THE_MODEL
        return forms_in_model(self.case.operator, self.case.in_model or {}) if is_of_model else frozenset({self.form})

    @cached_property
    def request(self) -> Request:
        """What an adapter gets, without an ONNX model; the operator is in it, also for a control."""
        return request_of(self.case, self.form, self.steps)

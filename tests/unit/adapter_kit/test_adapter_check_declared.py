from __future__ import annotations

from conformance.adapter import PLAIN_FORMS, Description
from conformance.adapter_kit.behaviour import declares_what_there_is
from conformance.suite.suite import Suite


def test_controls_are_of_forms_that_the_adapter_takes(liars_suite: Suite) -> None:
    described = Description(
        framework="Toy",
        version="1",
        operators=["*"],
        forms=[*PLAIN_FORMS, "after-relu"],
        controls=["after-relu", "before-concat"],
    )
    finding = declares_what_there_is(described, liars_suite.operators)
    assert finding.seen == ("it names 'before-concat' in `controls`, but not in `forms`",)

"""All probes, in the order in which an author should fix findings. They judge an interview and run no check."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.adapter_kit.adapter_check import behaviour, declared, process_life
from conformance.adapter_kit.adapter_check.finding import Finding
from conformance.adapter_kit.adapter_check.interview import Interview
from conformance.language.operator import Operator


def findings(interview: Interview, operators: Sequence[Operator]) -> list[Finding]:
    """The finding of each probe; only that of `starts` if the adapter did not. `operators` are those of the suite."""
    described, answers = interview.description, interview.answers
    if described is None:
        return [process_life.starts(interview)]
    return [
        process_life.starts(interview),
        declared.names_its_version(described),
        declared.declares_what_there_is(described, operators),
        process_life.speaks_the_protocol(interview),
        behaviour.lives(answers, interview.ended_early),
        behaviour.fails_nowhere(answers),
        behaviour.rejects_in_the_frameworks_name(answers),
        behaviour.rejects_no_valid_call(answers),
        behaviour.answers_nothing_invalid(answers),
        declared.answers_what_it_declares(described, (*answers, *interview.recorded)),
        declared.answers_each_operator_in_each_form((*answers, *interview.recorded)),
        declared.declares_what_it_answers(described, interview.undeclared),
        behaviour.passes_data_on(answers, interview.recorded),
        behaviour.keeps_types(answers),
        behaviour.answers_alike_twice(answers),
        behaviour.leaves_earlier_outputs_alone(answers),
        behaviour.leaves_inputs_alone(answers),
        process_life.ends(interview),
        process_life.is_quiet(interview),
        behaviour.says_where_it_ran(answers),
        behaviour.is_right(answers),
    ]

"""`conformance new case`: asks what a case needs, and writes it into a case file.

Each question has an option. What the options leave open is asked on the terminal, with Tab for completion.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from conformance.commands.options import add_cases_folder, check_command, writable_cases_folder
from conformance.commands.parser import Commands, add_command, add_repeatable
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError
from conformance.values.text import BLOCK, one_line

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.authoring.case_draft import Draft
    from conformance.formats.file_schema import SchemaError
    from conformance.formats.suite import Suite
    from conformance.language.operator import Operator

_Given = TypeVar("_Given")
_ARGUMENT = "argument "
"""How the option of a question about an argument starts; the name of the argument follows."""


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    about = "write a case; what the options leave open is asked on the terminal"
    new = add_command(commands, "case", _new_case, about)
    new.add_argument("--operator", metavar="NAME", help="operator version, as onnx.Split-18")
    new.add_argument("--expect", metavar="KIND", help="`outputs`, or `rejection` of the call")
    new.add_argument("--clause", metavar="IDS", help="clauses that the case tests, or the one that the call breaks")
    about = "an argument of the call in YAML, as 'data=float32[2,6]' or axis=1; none leaves it out; may be repeated"
    add_repeatable(new, "--argument", metavar="NAME=VALUE", about=about)
    new.add_argument(
        "--declared-outputs", metavar="NUMBER", help="outputs that the node declares, if no argument says how many"
    )
    new.add_argument(
        "--outputs",
        metavar="OUTPUTS",
        help="expected outputs in YAML, as '{permuted: [1, 0]}', or parts of the data along the axis, as 0:2,2:6",
    )
    new.add_argument("--id", metavar="ID", help="id of the case")
    new.add_argument(
        "--file", metavar="NAME", help="file in the operator's folder: a new one, or one to add the case to"
    )
    new.add_argument("--about", metavar="TEXT", help="purpose of a new file")
    add_cases_folder(new)


class _Dialogue:
    """Answers questions: by options, and by asking if there is a terminal; else by defaults."""

    def __init__(self, options: argparse.Namespace, *, is_asking: bool) -> None:
        self.arguments = _arguments_in(options.argument)
        self.given = {name.replace("_", "-"): text for name, text in vars(options).items() if isinstance(text, str)}
        self.given |= {f"{_ARGUMENT}{name}": text for name, text in self.arguments.items()}
        self.is_asking = is_asking
        self.said: dict[str, str] = {}

    def answer(
        self,
        option: str,
        text: str,
        read: Callable[[str], _Given],
        default: str = "",
        known: Mapping[str, str] | None = None,
    ) -> _Given:
        """The answer to one question, which the option of that name answers, too.

        Args:
            option: the name of the option.
            text: the question.
            read: turns a text into the answer, or raises SchemaError.
            default: the text for an empty line.
            known: the words that Tab completes, and that `?` lists with what they mean.

        Raises:
            UsageError: an option has no meaning, or an answer is missing and there is no terminal.
        """
        from conformance.formats.file_schema import SchemaError

        if option in self.given or not self.is_asking:
            given = self.given.get(option, default)
            if not given and option not in self.given:
                raise UsageError(f"--{option}", "is needed without a terminal", fix=f"give the {text}")
            try:
                return read(given)
            except SchemaError as error:
                raise UsageError(f"--{option}", error.what, fix=error.fix) from None
        while True:
            line = _line(text, self.said.get(option, default), known or {})
            try:
                answer = read(line)
            except SchemaError as error:
                explain(error)
            else:
                self.said[option] = line
                return answer


def _line(text: str, default: str, known: Mapping[str, str]) -> str:
    """The line that is typed on the terminal; `?` lists the known words, and asks again."""
    _complete_with(known)
    hint = " (? lists them)" if known else ""
    try:
        line = input(one_line(f"{text}{hint}{f' [{default}]' if default else ''}: ", BLOCK) + " ").strip()
    except EOFError:
        raise UsageError("standard input", "ended before the last question", fix="nothing is written") from None
    if line != "?" or not known:
        return line or default
    for word, meaning in known.items():
        say(f"  {word}  {meaning}".rstrip())
    return _line(text, default, known)


def _arguments_in(options: Sequence[str]) -> dict[str, str]:
    """The values that the options give to arguments, by name."""
    found = {}
    for option in options:
        name, sign, value = option.partition("=")
        if not name.isidentifier() or not sign:
            raise UsageError("--argument", f"{option!r} gives no argument a value", fix="write NAME=VALUE, as axis=1")
        found[name] = value
    return found


def explain(error: SchemaError) -> None:
    """Print what is wrong with an answer."""
    say(f"  {error.what}\n  fix: {error.fix}")


def _complete_with(words: Iterable[str]) -> None:
    """Let Tab complete these words, where Python has readline."""
    try:
        import readline
    except ImportError:
        return
    readline.set_completer_delims(" ,")
    readline.set_completer(lambda typed, state: ([word for word in words if word.startswith(typed)] + [None])[state])
    readline.parse_and_bind("tab: complete")


def _new_case(options: argparse.Namespace) -> int:
    from conformance.authoring.case_draft import write_case

    root = writable_cases_folder(options)
    interview = _Dialogue(options, is_asking=sys.stdin.isatty() and sys.stdout.isatty())
    operator, suite = _operator(interview, root)
    is_only_version = len([one for one in suite.operators if one.family == operator.family]) == 1
    versions = "" if is_only_version else f"=={operator.version}"
    draft = replace(_named(interview, _draft(interview, operator), suite), versions=versions)
    name = _file_name(interview, draft, suite)
    is_new = not (root / operator.dialect / operator.name / name).exists()
    path = write_case(draft, suite, name, _purpose(interview, draft) if is_new else "")
    say(f"{draft.text()}{'written to the new file' if is_new else 'added to'} {path}")
    say(f"next: {check_command(options, path)}")
    return 0


def _operator(interview: _Dialogue, root: Path) -> tuple[Operator, Suite]:
    """The operator, with its cases in the folder; one that has none there has the bundled `operator.yaml`."""
    from conformance.authoring.case_answers import operator_from
    from conformance.formats.suite import Suite, bundled_folder, load_suite

    own = load_suite(root, ()).operators if any(root.glob("*/*/*.yaml")) else ()
    operators = {operator.id: operator for operator in (*load_suite(bundled_folder("cases"), ()).operators, *own)}
    read, known = partial(operator_from, tuple(operators.values())), dict.fromkeys(operators, "")
    operator = interview.answer("operator", "operator version", read, known=known)
    if operator in own:
        return operator, load_suite(root, [operator.family])
    versions = tuple(one for one in operators.values() if one.family == operator.family)
    return operator, Suite(root=root, digest="", operators=versions, families=())


def _draft(interview: _Dialogue, operator: Operator) -> Draft:
    """A sound case, still without its id."""
    from conformance.authoring import case_answers as answers
    from conformance.authoring.case_draft import Draft
    from conformance.formats.file_schema import SchemaError

    read, kinds = partial(answers.word_in, answers.KINDS), dict.fromkeys(answers.KINDS, "")
    kind = interview.answer("expect", "expected: outputs or rejection", read, answers.KINDS[0], kinds)
    is_rejected = kind == "rejection"
    clauses = interview.answer(
        "clause",
        "clause that the call breaks" if is_rejected else "clauses that the case tests",
        partial(answers.broken_clause_from if is_rejected else answers.clauses_from, operator),
        known={clause.id: clause.says for clause in operator.clauses.values()},
    )
    start = Draft(operator=operator, clauses=clauses, rejected=clauses[0] if is_rejected else None)
    while True:
        draft = _with_call(interview, start)
        try:
            if is_rejected:
                draft.require_sound()
                return draft
            return _with_outputs(interview, draft)
        except SchemaError as error:
            if not any(option.startswith(_ARGUMENT) for option in interview.said):  # options answered them all
                raise UsageError(f"the call of {operator.id}", error.what, fix=error.fix) from None
            explain(error)
            say("  the questions about the call come again, with your answers as defaults")


def _with_call(interview: _Dialogue, draft: Draft) -> Draft:
    """The draft with its arguments, and with the number of outputs if they leave it open."""
    from conformance.authoring.case_answers import count_from

    for name in dict.fromkeys([*(parameter.name for parameter in draft.operator.parameters), *interview.arguments]):
        draft = _with_argument(interview, draft, name)
    if "declared-outputs" not in interview.given and not draft.has_outputs_to_declare:
        return draft
    text = "number of outputs that the node declares"
    return replace(draft, declared_outputs=interview.answer("declared-outputs", text, count_from, "2"))


def _with_argument(interview: _Dialogue, draft: Draft, name: str) -> Draft:
    """The draft with an argument."""
    from conformance.authoring.case_answers import LEFT_OUT
    from conformance.values.dtypes import DTYPES

    option, read = f"{_ARGUMENT}{name}", partial(draft.with_argument, name)
    data = [parameter for parameter in draft.operator.data_inputs if parameter.name == name]
    if not data:
        roles = " or ".join(f"an {one.role.value}" for one in draft.operator.parameters if one.name == name)
        return interview.answer(option, f"{name}, {roles}, or {LEFT_OUT}", read, LEFT_OUT)
    allowed = draft.operator.data_dtypes if draft.rejected is None else tuple(DTYPES)
    one = f"{'float32' if 'float32' in allowed else allowed[0]}[2,6]"
    default = f"{one}, {one}" if data[0].is_variadic else one
    text = f"{name}, type and shape{' of each' if data[0].is_variadic else ''}"
    return interview.answer(option, text, read, default, dict.fromkeys(allowed, ""))


def _with_outputs(interview: _Dialogue, draft: Draft) -> Draft:
    """The draft with its outputs, which default to those of the reference."""
    from conformance.authoring.case_answers import outputs_from

    def sound(text: str) -> Draft:
        made = replace(draft, outputs=outputs_from(text))
        made.require_sound()
        return made

    return interview.answer("outputs", "expected outputs", sound, draft.proposed_outputs())


def _named(interview: _Dialogue, draft: Draft, suite: Suite) -> Draft:
    """The draft with an id that no case of the operator has."""
    from conformance.authoring.case_answers import id_from

    taken = {family.entry.id for family in suite.families}
    stem = draft.clauses[0].replace(".", "-")
    default = next(
        name for number in range(2, len(taken) + 4) for name in (stem, f"{stem}-{number}") if name not in taken
    )
    return replace(draft, id=interview.answer("id", "id of the case", partial(id_from, taken), default))


def _file_name(interview: _Dialogue, draft: Draft, suite: Suite) -> str:
    from conformance.authoring.case_answers import file_name_from

    known = dict.fromkeys((family.file.name for family in suite.families), "")
    default = f"{draft.clauses[0].replace('.', '-')}-cases.yaml"
    return interview.answer("file", "file, new or to add to", file_name_from, default, known)


def _purpose(interview: _Dialogue, draft: Draft) -> str:
    from conformance.authoring.case_answers import purpose_from

    default = f"Cases about {', '.join(draft.clauses)}."
    return interview.answer("about", "purpose of the new file", purpose_from, default)

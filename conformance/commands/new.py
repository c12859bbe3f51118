"""`conformance new`: writes a case, from options and from what the reference computes, or an operator's skeleton."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from conformance.commands.options import add_cases_folder, check_command, writable_cases_folder
from conformance.commands.parser import Commands, add_command, add_group, add_repeatable
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.authoring.drafts import Draft
    from conformance.formats.suite import Suite
    from conformance.language.operator import Operator

_Read = TypeVar("_Read")
_ARGUMENT = "argument "
"""How the name of an argument's option starts; the name of the argument follows."""


def add(commands: Commands) -> None:
    """Add the group to the parser."""
    new = add_group(commands, "new", "start a new case or a new operator")
    _add_case(new)
    _add_operator(new)


def _add_case(commands: Commands) -> None:
    about = "write a case; what the options leave open has a default to change in the file"
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


def _add_operator(commands: Commands) -> None:
    about = "write the page of an operator that copies its data, and a case, to change both"
    new = add_command(commands, "operator", _new_operator, about)
    new.add_argument("name", metavar="NAME", help="operator version, as onnx.Identity-13 or openvino.Tile-1")
    add_cases_folder(new)


class _Given:
    """What the options say of a case, each read in its own way."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.arguments = _arguments_in(options.argument)
        self.texts = {name.replace("_", "-"): text for name, text in vars(options).items() if isinstance(text, str)}
        self.texts |= {f"{_ARGUMENT}{name}": text for name, text in self.arguments.items()}

    def of(self, option: str, read: Callable[[str], _Read], default: str = "") -> _Read:
        """What an option, or else the default, means.

        Args:
            option: the name of the option.
            read: turns a text into its meaning, or raises SchemaError.
            default: the text where the option is left out.

        Raises:
            UsageError: the text has no meaning, or is missing and has no default.
        """
        from conformance.formats.file_schema import SchemaError

        if option not in self.texts and not default:
            raise UsageError(f"--{option}", "is missing", fix="`conformance new case --help` says what it is")
        try:
            return read(self.texts.get(option, default))
        except SchemaError as error:
            raise UsageError(f"--{option}", error.what, fix=error.fix) from None


def _arguments_in(options: Sequence[str]) -> dict[str, str]:
    """The values that the options give to arguments, by name."""
    found = {}
    for option in options:
        name, sign, value = option.partition("=")
        if not name.isidentifier() or not sign:
            raise UsageError("--argument", f"{option!r} gives no argument a value", fix="write NAME=VALUE, as axis=1")
        found[name] = value
    return found


def _new_case(options: argparse.Namespace) -> int:
    from conformance.authoring.drafts import write_case

    root = writable_cases_folder(options)
    given = _Given(options)
    operator, suite = _operator(given, root)
    is_only_version = len([one for one in suite.operators if one.family == operator.family]) == 1
    versions = "" if is_only_version else f"=={operator.version}"
    draft = replace(_named(given, _draft(given, operator), suite), versions=versions)
    name = _file_name(given, draft)
    is_new = not (root / operator.dialect / operator.name / name).exists()
    path = write_case(draft, suite, name, _purpose(given, draft) if is_new else "")
    say(f"{draft.text()}{'written to the new file' if is_new else 'added to'} {path}")
    say(f"next: {check_command(options, path)}")
    return 0


def _operator(given: _Given, root: Path) -> tuple[Operator, Suite]:
    """The operator, with its cases in the folder; one that has none there has the bundled `operator.yaml`."""
    from conformance.authoring.drafts import operator_from
    from conformance.formats.suite import Suite, bundled_folder, load_suite

    own = load_suite(root, ()).operators if any(root.glob("*/*/*.yaml")) else ()
    operators = {operator.id: operator for operator in (*load_suite(bundled_folder("cases"), ()).operators, *own)}
    operator = given.of("operator", partial(operator_from, tuple(operators.values())))
    if operator in own:
        return operator, load_suite(root, [operator.family])
    versions = tuple(one for one in operators.values() if one.family == operator.family)
    return operator, Suite(root=root, digest="", operators=versions, families=())


def _draft(given: _Given, operator: Operator) -> Draft:
    """A sound case, still without its id."""
    from conformance.authoring import drafts as answers
    from conformance.authoring.drafts import Draft
    from conformance.formats.file_schema import SchemaError

    is_rejected = given.of("expect", partial(answers.word_in, answers.KINDS), answers.KINDS[0]) == "rejection"
    clauses = given.of("clause", partial(answers.broken_clause_from if is_rejected else answers.clauses_from, operator))
    start = Draft(operator=operator, clauses=clauses, rejected=clauses[0] if is_rejected else None)
    try:
        draft = _with_call(given, start)
        if not is_rejected:
            return _with_outputs(given, draft)
        draft.require_sound()
    except SchemaError as error:
        raise UsageError(f"the call of {operator.id}", error.what, fix=error.fix) from None
    return draft


def _with_call(given: _Given, draft: Draft) -> Draft:
    """The draft with its arguments, and with the number of outputs if they leave it open."""
    from conformance.authoring.drafts import count_from

    for name in dict.fromkeys([*(parameter.name for parameter in draft.operator.parameters), *given.arguments]):
        draft = given.of(f"{_ARGUMENT}{name}", partial(draft.with_argument, name), _default_of(draft, name))
    if "declared-outputs" not in given.texts and not draft.has_outputs_to_declare:
        return draft
    return replace(draft, declared_outputs=given.of("declared-outputs", count_from, "2"))


def _default_of(draft: Draft, name: str) -> str:
    """The text of an argument that no option names: data of an allowed type; anything else is left out."""
    from conformance.authoring.drafts import LEFT_OUT
    from conformance.values.dtypes import DTYPES

    data = [parameter for parameter in draft.operator.data_inputs if parameter.name == name]
    if not data:
        return LEFT_OUT
    allowed = draft.operator.data_dtypes if draft.rejected is None else tuple(DTYPES)
    one = f"{'float32' if 'float32' in allowed else allowed[0]}[2,6]"
    return f"{one}, {one}" if data[0].is_variadic else one


def _with_outputs(given: _Given, draft: Draft) -> Draft:
    """The draft with its outputs, which default to those of the reference."""
    from conformance.authoring.drafts import outputs_from

    def sound(text: str) -> Draft:
        made = replace(draft, outputs=outputs_from(text))
        made.require_sound()
        return made

    return given.of("outputs", sound, draft.proposed_outputs())


def _named(given: _Given, draft: Draft, suite: Suite) -> Draft:
    """The draft with an id that no case of the operator has."""
    from conformance.authoring.drafts import id_from

    taken = {family.entry.id for family in suite.families}
    stem = draft.clauses[0].replace(".", "-")
    default = next(
        name for number in range(2, len(taken) + 4) for name in (stem, f"{stem}-{number}") if name not in taken
    )
    return replace(draft, id=given.of("id", partial(id_from, taken), default))


def _file_name(given: _Given, draft: Draft) -> str:
    from conformance.authoring.drafts import file_name_from

    return given.of("file", file_name_from, f"{draft.clauses[0].replace('.', '-')}-cases.yaml")


def _purpose(given: _Given, draft: Draft) -> str:
    from conformance.authoring.drafts import purpose_from

    return given.of("about", purpose_from, f"Cases about {', '.join(draft.clauses)}.")


def _new_operator(options: argparse.Namespace) -> int:
    from conformance.authoring.drafts import write_operator

    page, cases = write_operator(options.name, writable_cases_folder(options))
    say(f"{page}\n{cases}\nnext: {check_command(options, cases)}")
    return 0

"""Writes the manual page `conformance.1` from the parsers of the commands."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from conformance.commands.main import command_parser
from conformance.commands.parser import EXIT_CODES

PAGE = Path(__file__).with_name("conformance.1")
_DEFAULT_GROUPS = ("positional arguments", "options")


def man_page() -> str:
    """The page in the language of `man`, without a date or a version, so that only a change of a command changes it."""
    parser = command_parser()
    lines = [
        ".\\\" Written by `nox -s man`: change the commands' help instead.",
        '.TH CONFORMANCE 1 "" opconform',
        ".SH NAME",
        "conformance \\- run conformance tests for tensor operators",
        ".SH SYNOPSIS",
        "\\fBconformance\\fR \\fICOMMAND\\fR ...",
        ".SH DESCRIPTION",
        _text(parser.description or ""),
        *_arguments(parser),
        ".SH COMMANDS",
        *(line for command in _commands(parser) for line in _section(command)),
        ".SH EXIT STATUS",
        _text(EXIT_CODES),
    ]
    return "\n".join(lines) + "\n"


def _commands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of the commands that do something: not those of groups."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        yield parser
    for group in groups:
        for command in group.choices.values():
            yield from _commands(command)


def _section(command: argparse.ArgumentParser) -> Iterator[str]:
    yield f".SS {_text(command.prog)}"
    yield _text(command.description or "")
    yield from _arguments(command)
    if command.epilog != EXIT_CODES:
        yield from (".PP", _text(command.epilog or ""))


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Each argument and option but `--help`, in its group."""
    help_texts = argparse.HelpFormatter(parser.prog)
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if _is_explained(action)]
        if actions and group.title not in _DEFAULT_GROUPS:
            yield from (".PP", _text(group.title or ""))
        for action in actions:
            values = "" if action.nargs == 0 else help_texts._format_args(action, action.dest.upper())
            names = ", ".join(f"\\fB{_text(name)}\\fR" for name in action.option_strings)
            yield from (".TP", f"{names} \\fI{_text(values)}\\fR".strip() if values else names)
            yield _text(help_texts._expand_help(action))


def _is_explained(action: argparse.Action) -> bool:
    return not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


def _text(text: str) -> str:
    """Text in which no character has a meaning of its own to `man`."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    PAGE.write_text(man_page(), encoding="utf-8")

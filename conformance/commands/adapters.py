"""`conformance adapter list`, `new` and `check`: for users and authors of adapters."""

from __future__ import annotations

import argparse

from conformance.commands.options import add_cases_folder, add_timeout, suite_from, target_named
from conformance.commands.parser import Commands, add_command, add_group, add_output
from conformance.commands.terminal_output import say


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    adapter = add_group(commands, "adapter", "list the adapters, start a new one, or check that one is sound")
    add_command(adapter, "list", _list, "list the bundled adapters, what they need, and their options")
    new = add_command(adapter, "new", _adapter_new, "write the folder of a new adapter that already runs")
    new.add_argument("name", metavar="NAME", help="name of the folder: small letters, digits, - and _")
    languages = ["python", "protocol"]
    about = "protocol: a script without our package, to translate into any language (default: %(default)s)"
    new.add_argument("--language", choices=languages, default="python", help=about)
    add_output(new, "parent folder (default: the current one)", default=".")

    check = add_command(adapter, "check", _adapter_check, "check whether an adapter itself is sound")
    check.add_argument("target", metavar="TARGET", help="adapter or folder, with options as in `conformance run`")
    add_timeout(check, "request")
    add_cases_folder(check)


def _list(options: argparse.Namespace) -> int:
    from conformance.formats.adapter_file import bundled_adapters, is_built
    from conformance.sessions.handshake import installed_versions

    del options
    for adapter in bundled_adapters():
        manifest = adapter.manifest
        say(f"{adapter.name}: {manifest.summary}")
        for requirement, version in installed_versions(adapter).items():
            say(f"  needs {requirement}: {f'{version} is installed' if version else 'not installed'}")
        if manifest.build is not None:
            say(f"  needs `{manifest.build.by}` in {adapter.folder}: {'done' if is_built(adapter) else 'not done'}")
        for name, option in manifest.options.items():
            choices = f" ({' | '.join(option.choices)})" if option.choices else ""
            say(f"  [{name}={'...' if option.default is None else option.default}]{choices} {option.summary}")
    return 0


def _adapter_new(options: argparse.Namespace) -> int:
    from conformance.adapter_kit.scaffold.folder import Language, next_command, write_adapter

    written = write_adapter(options.name, Language(options.language), options.output)
    for path in written:
        say(str(path))
    say(f"next: {next_command(written[0].parent)}")
    return 0


def _adapter_check(options: argparse.Namespace) -> int:
    from conformance.adapter_kit.adapter_check.finding import exit_code
    from conformance.adapter_kit.adapter_check.findings_text import blocks_of
    from conformance.adapter_kit.adapter_check.interview import interview
    from conformance.adapter_kit.adapter_check.probes import findings
    from conformance.report.terminal import lines_of, lines_of_progress

    progress = "starting the adapter and choosing the calls"

    def on_progress(done: int, planned: int) -> None:
        nonlocal progress
        progress = f"{done} of {planned} calls answered"

    with lines_of_progress(lambda: progress):
        suite = suite_from(options)
        held = interview(target_named(options.target), suite, options.timeout, on_progress)
    found = findings(held, suite.operators)
    for line in lines_of(blocks_of(options.target, found)):
        say(line)
    return int(exit_code(found, has_started=held.description is not None))

"""What there is: `list` of the cases, `adapter list`, and the `schema` of a file format."""

from __future__ import annotations

import argparse
import json
import sys
from itertools import groupby
from pkgutil import resolve_name
from typing import Any

from conformance.cli.commands import FORMATS
from conformance.cli.options import selection_from, suite_from, warn_of_memory
from conformance.cli.parser import say
from conformance.run.ending import is_read
from conformance.run.handshake import installed_versions
from conformance.run.run_plan import selected_checks
from conformance.run.selection import sound_families
from conformance.suite.adapter_file import bundled_adapters, is_built


def list_cases(options: argparse.Namespace) -> int:
    """Print the ids of the selected cases."""
    selection = selection_from(options)
    families = sound_families(suite_from(options, options.operator or options.case), selection)
    if options.long:
        warn_of_memory(families)
    for _, checks in groupby(selected_checks(families, selection), key=lambda check: check.case.id):
        if not is_read(sys.stdout):
            break
        first, *more = checks
        case, forms = first.case, ",".join(check.form.value for check in (first, *more))
        say(f"{case.id}  {case.where}  {','.join(case.clauses)}  {forms}" if options.long else case.id)
    return 0


def list_adapters(options: argparse.Namespace) -> int:
    """Print the bundled adapters, what they need, and their options."""
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


def print_schema(options: argparse.Namespace) -> int:
    """Print the JSON Schema of a file format."""
    say(json.dumps(schema(options.of), indent=2))
    return 0


def schema(of: str) -> dict[str, Any]:
    """The schema of a file format or of a command's output.

    Formats are `case`, `operator`, `adapter`, `engine`, `packages`, `deviations`, `profile`, `releases` and `lab`;
    outputs are a line of a `log`, a `summary`, a `comparison` and a `certificate`. The published data of all
    releases is `compat` and `compat-engines`.

    Raises:
        KeyError: there is no such format.
    """
    found = resolve_name(f"conformance.{FORMATS[of]}")
    made = found.model_json_schema(by_alias=True) if hasattr(found, "model_json_schema") else found()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}

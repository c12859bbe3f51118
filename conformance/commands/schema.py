"""`conformance schema`: the JSON Schema of a file format, generated from the types that read it.

The schemas are published in docs/schemas for editors.
"""

from __future__ import annotations

import argparse
from typing import Any

from conformance.commands.parser import Commands, add_command
from conformance.commands.terminal_output import say

_FORMATS = {
    "case": "formats.case_entry:CaseFile",
    "operator": "formats.operator_file:OperatorFile",
    "adapter": "formats.adapter_file:AdapterFile",
    "engine": "formats.engine_file:EngineFile",
    "packages": "formats.engine_file:PackagesFile",
    "deviations": "judging.deviation_file:DeviationFile",
    "profile": "certificate.profile_file:ProfileFile",
    "releases": "formats.release_file:ReleasesFile",
    "lab": "running.lab.lab_file:LabFile",
    "certificate": "certificate.certificate_file:CertificateFile",
    "log": "log.log_file:log_schema",
    "summary": "report.documents:DOCUMENT.schema",
    "comparison": "report.comparison:COMPARISON.schema",
    "compat": "report.documents:DATA.schema",
    "compat-engines": "report.documents:FRAMEWORKS.schema",
}
"""The model of each format, or the function that gives its schema. Only that of the requested format is imported."""


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = add_command(commands, "schema", _schema, "print the JSON Schema of a file format, for editors")
    about = "file of the suite, of an adapter, of the profiles or of a lab, or output of a command"
    parser.add_argument("of", metavar="FORMAT", choices=list(_FORMATS), help=about)


def _schema(options: argparse.Namespace) -> int:
    import json

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
    from pkgutil import resolve_name

    found = resolve_name(f"conformance.{_FORMATS[of]}")
    made = found.model_json_schema(by_alias=True) if hasattr(found, "model_json_schema") else found()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}

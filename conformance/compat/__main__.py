"""`python -m opconform_compat`: checks the data, compares two states of it, and shows what it says."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from .data import DATA, ENGINES, CompatData, CompatError, load, load_frameworks
from .lint import problems
from .statements import absence, changes, refusal, sentence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments; 1 if the lint finds a problem, 2 if something is not known."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except CompatError as error:
        print(error, file=sys.stderr)
        return 2


def _run(options: argparse.Namespace) -> int:
    match options.command:
        case "lint":
            found = list(problems(load(options.data), load_frameworks(options.engines)))
            print(*(found or ["the data keeps its rules"]), sep="\n")
            return int(bool(found))
        case "diff":
            print(*(list(changes(load(options.before), load(options.after))) or ["nothing changed"]), sep="\n")
        case _:
            part = {name: getattr(options, name) for name in ("dtype", "form", "clause")}
            print(*_shown(load(options.data), options.operator, part), sep="\n")
    return 0


def _shown(data: CompatData, operator: str, part: dict[str, str]) -> Iterator[str]:
    is_absent = part["dtype"] and absence(data, operator, part["dtype"])
    for engine in data.results(operator):
        if is_absent:
            yield f"{engine}: {is_absent}; {refusal(data.refusals(operator, engine, part['dtype']))}"
        else:
            yield f"{engine}: {sentence(data.cells(operator, engine, **part))}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="opconform_compat", description="The published data of all releases.")
    commands = parser.add_subparsers(dest="command", required=True)
    lint = commands.add_parser("lint", help="check that nothing is said without evidence")
    diff = commands.add_parser("diff", help="say what changed between two states of the data")
    show = commands.add_parser("show", help="say since when each engine supports an operator version")
    for command in (lint, show):
        command.add_argument("--data", metavar="FILE", type=Path, default=DATA, help="default: the data in the package")
    lint.add_argument("--engines", metavar="FILE", type=Path, default=ENGINES, help="default: that in the package")
    diff.add_argument("before", metavar="BEFORE", type=Path)
    diff.add_argument("after", metavar="AFTER", type=Path, nargs="?", default=DATA, help="default: that in the package")
    show.add_argument("operator", metavar="OPERATOR", help="as onnx.Slice-13")
    for name in ("dtype", "form", "clause"):
        show.add_argument(f"--{name}", metavar="NAME", default="", help=f"only this {name}")
    return parser


if __name__ == "__main__":
    sys.exit(main())

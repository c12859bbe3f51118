"""`conformance support`: since when frameworks support an operator version, by the published data; it runs nothing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from conformance.commands.options import add_reports, reports_in
from conformance.commands.parser import Commands, add_command, add_repeatable, path_from
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError, nearest

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.compat.data import CompatData
    from conformance.report.releases import Support

_PACKAGE = "opconform_compat"


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    support = add_command(commands, "support", _support, "say what each release supports, by the published data")
    support.epilog = "exit codes: 0 it is said, whatever it is, 2 usage"
    support.add_argument("operator", metavar="OPERATOR", help="as onnx.Slice-13, or onnx.Slice for all versions")
    support.add_argument(
        "--dtype", metavar="T", default="", help="only valid calls with data of this type, or as axes=int32"
    )
    support.add_argument("--form", metavar="FORM", default="", help="only checks in this form")
    about = "framework, or releases of it, as onnxruntime@1.24 or openvino@2025..; repeatable; default: all"
    add_repeatable(support, "-t", "--target", metavar="TARGET", about=about)
    about = f"file with the data (default: that of the package {_PACKAGE}, or of the checkout)"
    support.add_argument("--data", metavar="FILE", type=path_from, help=about)
    add_reports(support, html="self-contained page", markdown="summary")


def _support(options: argparse.Namespace) -> int:
    from conformance.compat.data import CompatError, CompatFileError
    from conformance.compat.reading import load
    from conformance.report import writers
    from conformance.report.releases import support_tree
    from conformance.report.terminal import show

    files = reports_in(options)
    path = options.data or _published()
    writers.refuse_overwriting(files.values(), [path])
    try:
        tree = support_tree(list(_answers(load(path), options)))
    except CompatFileError as error:
        raise UsageError(str(path), error.why, fix="name another file with --data") from None
    except CompatError as error:
        fix = f"{nearest(error.name, error.known, otherwise='')} there are {', '.join(error.known)}"
        raise UsageError(str(path), error.what, fix=fix.strip()) from None
    written = [writers.write(kind, tree, file) for kind, file in files.items()]
    show(tree)
    for file in written:
        say(f"report: {file}")
    return 0


def _published() -> Path:
    """The data of the package that is installed, or of the checkout.

    Raises:
        UsageError: there is neither.
    """
    from importlib.util import find_spec
    from pathlib import Path

    package = find_spec(_PACKAGE)
    installed = package.submodule_search_locations if package is not None else None
    for folder in (*map(Path, installed or ()), *(checkout / "compat" for checkout in _checkouts())):
        if (path := folder / "data.json.xz").is_file():
            return path
    fix = f"name compat/data.json.xz of a checkout with --data, or install {_PACKAGE.replace('_', '-')}"
    raise UsageError("support", "the published data is not installed", fix=fix)


def _checkouts() -> Iterator[Path]:
    """The folders that may be a checkout: of this file, what this was installed from, and the one it runs in."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from pathlib import Path
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    yield Path(__file__).resolve().parents[2]
    try:
        source = urlsplit(json.loads(distribution("opconform").read_text("direct_url.json") or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError):
        source = urlsplit("")
    if source.scheme == "file":
        yield Path(url2pathname(source.path))
    yield Path.cwd()


def _answers(data: CompatData, options: argparse.Namespace) -> Iterator[Support]:
    """What is known of each operator version that is named, for each framework."""
    from conformance.compat.data import CompatFeature
    from conformance.compat.statements import NOT_ASKED, absence, refusal
    from conformance.formats.suite import bundled_folder, digests_of
    from conformance.report.releases import Support

    named = _named(data, options)
    chosen = dict(_releases(data, target) for target in options.target) or dict.fromkeys(data.engines, ())
    _, digests = digests_of(bundled_folder("cases"), {one.rpartition("-")[0] for one in named})
    for operator in named:
        of = data.operators[operator]
        is_absent = absence(data, operator, options.dtype) if options.dtype else ""
        part = {} if is_absent else {"dtype": options.dtype, "form": options.form}
        if is_absent and of.type_name(options.dtype) not in of.refused:
            yield Support(operator=operator, part=options.dtype, absence=f"{is_absent}; {NOT_ASKED}")
            continue
        for engine, releases in chosen.items():
            if not options.target and engine not in of.results:
                continue
            is_of_type = options.dtype and not options.form
            asked = of.types.get(of.type_name(options.dtype), CompatFeature()).forms
            yield Support(
                operator=operator,
                engine=engine,
                part=" in form ".join(filter(None, (options.dtype, options.form))),
                absence=f"{is_absent}; {refusal(data.refusals(operator, engine, options.dtype))}" if is_absent else "",
                cells=data.cells(operator, engine, **part),
                findings=[] if is_absent else data.findings_of(operator, engine, **part),
                forms={form: form in asked and engine in asked[form].results for form in of.forms if is_of_type},
                releases=releases,
                evidence=data.evidence(operator, engine),
                spec_url=of.spec_url,
                profile=data.engines[engine].profile,
                has_other_cases=digests.get(operator.rpartition("-")[0]) != of.suite,
            )


def _named(data: CompatData, options: argparse.Namespace) -> list[str]:
    """The operator versions that are named; of several, those that have the form.

    Raises:
        CompatError: there is none, or none has the form or knows the type.
    """
    from conformance.compat.data import CompatError

    named = [one for one in data.operators if options.operator in (one, one.rpartition("-")[0])]
    if not named:
        raise CompatError(f"there is no operator version {options.operator!r}", options.operator, data.operators)
    if options.form and (having := [one for one in named if options.form in data.operators[one].forms]):
        named = having
    if options.dtype and not data.versions_with(named[-1], options.dtype):
        versions = [data.operators[one] for one in named]
        known = {name for of in versions for name in (*of.type_names(), *of.refused)}
        if not any(of.type_name(options.dtype) in known for of in versions):
            what = f"there is no element type {options.dtype!r} of {options.operator}"
            raise CompatError(what, options.dtype, sorted(known, key=lambda name: ("=" in name, name)))
    return named


def _releases(data: CompatData, target: str) -> tuple[str, Sequence[str]]:
    """The engine of a target, and the releases that it names, none for all of them."""
    from conformance.compat.data import CompatError
    from conformance.environments.resolution import names_several, releases_named

    name, bracket, options = target.partition("[")
    adapter, _, version = name.partition("@")
    engine = f"{adapter}{bracket}{options}"
    if engine not in data.engines:
        raise CompatError(f"there is no engine {engine!r}", engine, data.engines)
    listed = data.engines[engine].releases
    if not version or version in listed:
        return engine, (version,) if version else ()
    several = version if names_several(version) else f"{version}..{version}"
    return engine, releases_named(several, listed, target)

"""The arguments of all commands. Each names the function that runs it, whose module is imported when it is chosen."""

from __future__ import annotations

import argparse

from conformance import __version__
from conformance.cli.parser import (
    DEFAULT_TARGETS,
    EXIT_CODES,
    Commands,
    Options,
    Parser,
    add_baseline,
    add_cases_folder,
    add_challenge,
    add_command,
    add_effort,
    add_group,
    add_jobs,
    add_offline,
    add_output,
    add_own_cases,
    add_repeatable,
    add_reports,
    add_selection,
    add_timeout,
    budget_from,
    count_from,
    days_from,
    path_from,
    seconds_from,
    seed_from,
    shard_from,
)
from conformance.protocol.form import Form


def _add_run(commands: Commands) -> None:
    run = add_command(
        commands,
        "run",
        "run:run_selected",
        "run cases on targets, write the log and the HTML report, and show the result",
    )
    add_selection(run)
    about = (
        "adapter or folder, as onnxruntime[optimization=disabled], or at releases, as onnxruntime@1.28.. or "
        f"openvino@newest:3; repeatable; default: those of {', '.join(DEFAULT_TARGETS)} that are installed"
    )
    add_repeatable(run, "-t", "--target", metavar="TARGET", about=about)
    add_offline(run)
    about = "folder for run.jsonl and report.html; an earlier log becomes previous.jsonl (default: %(default)s)"
    add_output(run, about, default="conformance-results")
    add_effort(run)
    about = "take answers over from `conformance history`, or FILE, where nothing that they follow from has changed"
    run.add_argument("--reuse", metavar="FILE", type=path_from, nargs="?", const="", help=about)
    run.add_argument("--resume", action="store_true", help="finish the log of an interrupted run")
    _add_parts(run)
    run.add_argument("--scheduler", metavar="ADDRESS", help="run the checks in a lab; see docs/reference/lab.md")
    _add_lab_file(run)
    _add_known(run)
    add_baseline(run)


def _add_parts(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("parts of a run")
    about = "run shard K of N; each case is in exactly one shard; `merge` joins their logs"
    group.add_argument("--shard", metavar="K/N", type=shard_from, help=about)
    group.add_argument("--strict-records", action="store_true", help="fail if a recorded deviation is `fixed`")
    about = (
        "run only the checks that failed in an earlier log, on the same targets (default: the log in the output folder)"
    )
    group.add_argument("--rerun", metavar=("failed", "LOG"), nargs="+", type=path_from, help=about)


def _add_fuzz(commands: Commands) -> None:
    parser = add_command(
        commands,
        "fuzz",
        "fuzz:fuzz_target",
        "draw calls of the operators, judge a target's answers, and write what deviates as cases",
    )
    about = "adapter or folder, as onnxruntime[optimization=disabled]"
    parser.add_argument("-t", "--target", metavar="TARGET", required=True, help=about)
    add_repeatable(parser, "--operator", metavar="NAME", about="as onnx.Split-13, or onnx.Split; repeatable")
    much = parser.add_mutually_exclusive_group()
    about = "stop after about so long, as 60s or 10min (default: 60s)"
    much.add_argument("--budget", metavar="TIME", type=budget_from, help=about)
    about = "stop after so many calls, with those of earlier commands in the folder"
    much.add_argument("--checks", metavar="N", type=count_from, help=about)
    about = "the same seed draws the same calls (default: that of the folder, or a new one)"
    parser.add_argument("--seed", metavar="SEED", type=seed_from, help=about)
    about = "folder for cases and scripts; the same command goes on in it"
    parser.add_argument("--into", metavar="DIR", type=path_from, required=True, help=about)
    add_timeout(parser, "check")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def _add_cases(commands: Commands) -> None:
    made = add_command(
        add_group(commands, "cases", "generate cases from an ONNX model"),
        "from-model",
        "cases:from_model",
        "write the calls of an ONNX model as cases, with its shapes, types and constants, and without its weights",
    )
    made.add_argument("model", metavar="MODEL", type=path_from, help="ONNX model, with its external data beside it")
    about = "npz with values of the inputs, from which all values are computed; without it, symbolic dims get lengths"
    made.add_argument("--inputs", metavar="FILE", type=path_from, help=about)
    about = "further form of each case that it fits, beside as-in-the-model"
    add_repeatable(made, "--form", metavar="FORM", choices=[form.value for form in Form], about=about)
    about = "seconds that reading and computing the model may take (default: %(default)g)"
    made.add_argument("--timeout", metavar="S", type=seconds_from, default=300.0, help=about)
    add_output(made, "folder for `--cases-folder`, new or your own", required=True)


def _add_list(commands: Commands) -> None:
    listing = add_command(commands, "list", "listing:list_cases", "list the ids of the selected cases, one per line")
    add_selection(listing)
    listing.add_argument("--long", action="store_true", help="with file and line, clauses and forms")


def _add_new(commands: Commands) -> None:
    new = add_group(commands, "new", "start a new case or a new operator")
    _add_case(new)
    _add_operator(new)


def _add_case(commands: Commands) -> None:
    about = "write a case; what the options leave open has a default to change in the file"
    new = add_command(commands, "case", "cases:new_case", about)
    new.add_argument("--operator", metavar="NAME", required=True, help="operator version, as onnx.Split-18")
    about = "%(choices)s of the call (default: %(default)s)"
    new.add_argument("--expect", choices=("outputs", "rejection"), default="outputs", help=about)
    about = "clauses that the case tests; a rejected call breaks the first"
    new.add_argument("--clause", metavar="IDS", required=True, help=about)
    about = "an argument of the call in YAML, as 'data=float32[2,6]' or axis=1; none leaves it out; may be repeated"
    add_repeatable(new, "--argument", metavar="NAME=VALUE", about=about)
    about = "outputs that the node declares, if no argument says how many"
    new.add_argument("--declared-outputs", metavar="NUMBER", type=int, help=about)
    about = "expected outputs in YAML, as '{permuted: [1, 0]}', or parts of the data along the axis, as 0:2,2:6 "
    new.add_argument("--outputs", metavar="OUTPUTS", help=f"{about}(default: what law and reference say)")
    new.add_argument("--id", metavar="ID", help="id of the case")
    new.add_argument(
        "--file", metavar="NAME", help="file in the operator's folder: a new one, or one to add the case to"
    )
    new.add_argument("--about", metavar="TEXT", help="purpose of a new file")
    add_cases_folder(new)


def _add_operator(commands: Commands) -> None:
    about = "write the page of an operator that copies its data, and a case, to change both"
    new = add_command(commands, "operator", "cases:new_operator", about)
    new.add_argument("name", metavar="NAME", help="operator version, as onnx.Identity-13 or openvino.Tile-1")
    add_cases_folder(new)


def _add_check(commands: Commands) -> None:
    check = add_command(
        commands, "check", "cases:check_cases", "check all case files, and print every problem with its place and fix"
    )
    about = "case files, or deviations.yaml of adapters (default: all)"
    check.add_argument("files", metavar="FILE", type=path_from, nargs="*", help=about)
    about = "compare law and reference on other made calls (default: the same ones each time)"
    check.add_argument("--seed", metavar="TEXT", default="", help=about)
    add_cases_folder(check)

    cover = add_command(commands, "cover", "cases:cover_cases", "regenerate the tables of made calls")
    cover.add_argument("files", metavar="FILE", type=path_from, nargs="*", help="case files (default: all)")
    add_cases_folder(cover)


def _add_certificates(commands: Commands) -> None:
    certify = add_command(
        commands, "certify", "adapters:issue_certificate", "run a profile on a target and write a certificate"
    )
    certify.add_argument(*("-t", "--target"), metavar="TARGET", required=True, help="as for `run`")
    certify.add_argument("--profile", metavar="NAME", required=True, help="core or full")
    add_output(certify, "new folder to write", required=True)
    certify.add_argument("--vendor", metavar="NAME", required=True, help="maker of the product")
    certify.add_argument("--product", metavar="NAME", help="name of the product (default: the adapter's name)")
    certify.add_argument(
        "--issuer", metavar="NAME", help="who runs the suite and answers for the result (default: the vendor)"
    )
    certify.add_argument("--key", metavar="FILE", type=path_from, help="private ed25519 key in PEM, to sign with")
    certify.add_argument(
        "--log", metavar="LOG", type=path_from, help="certify this log of `run --profile` and run nothing"
    )
    add_challenge(certify)
    add_effort(certify)
    add_cases_folder(certify)

    verify = add_command(
        commands,
        "verify",
        "adapters:verify_certificate",
        "check the folder of a certificate without executing anything in it",
    )
    codes = "0 valid and conformant, also in part or as recorded, 1 valid and not conformant, 2 usage, 4 not valid"
    verify.epilog = f"exit codes: {codes}"
    verify.add_argument("folder", metavar="DIR", type=path_from, help="the folder of a certificate, or a file in it")
    verify.add_argument("--html", metavar="FILE", type=path_from, help="report of a valid certificate, as a page")
    verify.add_argument(
        "--markdown", metavar="FILE", type=path_from, help="summary of a valid certificate, in Markdown"
    )
    verify.add_argument("--key", metavar="FILE", type=path_from, help="public ed25519 key in PEM; it must have signed")
    add_challenge(verify)


def _add_compare(commands: Commands) -> None:
    compare = add_command(commands, "compare", "logs:compare_logs", "show what changed from one run to another")
    compare.epilog = (
        "exit codes: 0 no regression, 1 a regression, 2 usage, 3 an incomplete run or no common checks. "
        "For more than two runs: conformance history"
    )
    compare.add_argument("old", metavar="OLD", type=path_from, help="run.jsonl of the earlier run, or its folder")
    compare.add_argument("new", metavar="NEW", type=path_from, help="run.jsonl of the later run, or its folder")
    add_reports(
        compare,
        html="self-contained page",
        markdown="summary for a pull request",
        json="comparison for programs; format: `schema comparison`",
    )


def _add_known(parser: Options) -> None:
    """Add the option that lists known deviations."""
    parser.add_argument("--known", action="store_true", help="list the known deviations in place of their number")


def _add_report(commands: Commands) -> None:
    report = add_command(commands, "report", "logs:report_log", "make reports from a log, and show its result")
    report.add_argument("log", metavar="LOG", type=path_from, help="run.jsonl of a run, or its folder")
    add_reports(
        report,
        html="self-contained page with all differences and causes",
        junit="JUnit XML for CI systems",
        markdown="summary for a pull request or a CI job",
        json="summary for programs; format: `schema summary`",
    )
    _add_known(report)
    add_baseline(report)


def _add_merge(commands: Commands) -> None:
    merge = add_command(
        commands, "merge", "logs:merge_logs", "join the logs of all shards of a run, and show the result"
    )
    merge.add_argument(
        "logs", metavar="LOG", type=path_from, nargs="+", help="run.jsonl of each shard, or its folder, in any order"
    )
    about = "folder for run.jsonl and report.html, or a file NAME.jsonl for the log alone"
    add_output(merge, about, required=True)
    add_baseline(merge)


def _add_repro(commands: Commands) -> None:
    repro = add_command(
        commands, "repro", "logs:write_scripts", "write a folder with a script that runs one case without this project"
    )
    about = "id of one case, exactly as in a report; or a log: one case of each new cause"
    repro.add_argument("case", metavar="CASE|LOG", nargs="?", help=about)
    about = "as for `run`: onnxruntime[optimization=disabled]; for a log, a folder that its name alone does not find"
    repro.add_argument("-t", "--target", metavar="TARGET", help=about)
    about = "write the script of a recorded deviation of the target, in place of a case"
    repro.add_argument("--recorded", metavar="ID", nargs="?", const="", help=about)
    about = "run the script of --recorded ID, or without an ID of all deviations of the target, or of all targets"
    repro.add_argument("--run", action="store_true", help=about)
    repro.add_argument("--form", metavar="FORM", help="as in a report (default: constant, or the case's first form)")
    add_output(repro, "folder to write (default: repro-CASE-...)")
    add_cases_folder(repro)
    add_own_cases(repro)


_RELEASES = "as onnxruntime@1.31.1, onnxruntime@1.28.., openvino@2025.0..2025.4 or openvino@newest:5"


def _add_env(commands: Commands) -> None:
    env = add_group(commands, "env", "make, list and remove the environments in which releases of frameworks run")
    make = add_command(
        env,
        "add",
        "releases:add_environments",
        "make environments of releases, which `run` makes too when a target names them",
    )
    make.add_argument("releases", metavar="RELEASES", nargs="+", help=_RELEASES)
    add_command(
        env,
        "list",
        "releases:list_environments",
        "list the environments, with their sizes and the days since their last use",
    )
    warm = add_command(
        env,
        "warm",
        "releases:warm_environments",
        "import each framework once, so that a run starts faster, and say how long it took",
    )
    warm.add_argument("releases", metavar="RELEASES", nargs="*", help=f"{_RELEASES}; default: all environments")
    remove = add_command(env, "remove", "releases:remove_environments", "remove environments")
    remove.add_argument("releases", metavar="RELEASES", nargs="*", help=_RELEASES)
    about = "those that were not used for so many days, as 30d; alone, of all packages"
    remove.add_argument("--unused", metavar="DAYS", type=days_from, help=about)


def _add_history(commands: Commands) -> None:
    history = add_command(
        commands, "history", "releases:show_history", "show what each release of a framework answered"
    )
    history.epilog = "exit codes: 0 the history is shown, whatever it is, 2 usage"
    history.add_argument(
        "operators", metavar="OPERATOR", nargs="*", help="as onnx.Slice-13; default: all that are known"
    )
    about = "adapter, with options as onnxruntime[optimization=disabled]; repeatable; default: all that are known"
    add_repeatable(history, "-t", "--target", metavar="TARGET", about=about)
    add_repeatable(history, "--dtype", metavar="T", about="only checks with data of this element type; repeatable")
    add_repeatable(history, "--form", metavar="FORM", about="only checks in this form; repeatable")
    history.add_argument("--changes", action="store_true", help="show what each release fixed and broke, by cause")
    about = "show the digest of the answers of each release to each operator version, as the published data has it"
    history.add_argument("--evidence", action="store_true", help=about)
    about = "keep the answers of the log of a run, or of those in a folder; repeatable"
    add_repeatable(history, "--add", metavar="LOG", about=about, type=path_from)
    _add_store(history)
    add_reports(history, html="self-contained page", markdown="summary")


def _add_store(parser: Options) -> None:
    """Add the option for the file of the history."""
    about = "file with the history (default: history.sqlite in the user's data folder)"
    parser.add_argument("--store", metavar="FILE", type=path_from, help=about)


def _add_bisect(commands: Commands) -> None:
    bisect = add_command(
        commands, "bisect", "releases:bisect_check", "show in which releases of a framework the answer changes"
    )
    bisect.epilog = (
        "exit codes: 0 an edge between two releases is found, 1 all releases answer alike, 2 usage, 3 harness error, "
        "4 cannot tell: a release answers otherwise when asked again, or releases without an answer may hide an edge"
    )
    about = (
        "id of one case, exactly as in a report, or with its form behind it, as 'onnx.Split-13/axis-left-out [runtime]'"
    )
    bisect.add_argument("check", metavar="CHECK", nargs="?", help=about)
    bisect.add_argument("--form", metavar="FORM", help="as in a report (default: constant, or the case's first form)")
    about = "ask checks that had this cause or recorded deviation in the history, in place of a check"
    bisect.add_argument("--cause", metavar="CAUSE", help=about)
    about = "adapter, with options and releases as for `run`: onnxruntime, onnxruntime@1.20..1.24 (default: all listed)"
    bisect.add_argument("-t", "--target", metavar="TARGET", required=True, help=about)
    bisect.add_argument("--from", dest="first", metavar="RELEASE", default="", help="the oldest release to ask")
    bisect.add_argument("--to", dest="last", metavar="RELEASE", default="", help="the newest release to ask")
    about = "ask these two, in any order, then halve the releases between them: fewer are asked, and one edge is found"
    bisect.add_argument("--between", metavar="RELEASE", nargs=2, help=about)
    add_offline(bisect)
    add_timeout(bisect, "check")
    add_jobs(bisect)
    add_output(bisect, "folder for the logs of what is asked (default: %(default)s)", default="conformance-bisect")
    about = "keep the answers in that folder, and ask the other releases: goes on after an interruption"
    bisect.add_argument("--resume", action="store_true", help=about)
    bisect.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    _add_store(bisect)
    add_reports(bisect, html="self-contained page", markdown="summary")
    add_cases_folder(bisect)
    add_own_cases(bisect)


def _add_support(commands: Commands) -> None:
    support = add_command(
        commands, "support", "releases:show_support", "say what each release supports, by the published data"
    )
    support.epilog = "exit codes: 0 it is said, whatever it is, 2 usage"
    support.add_argument("operator", metavar="OPERATOR", help="as onnx.Slice-13, or onnx.Slice for all versions")
    support.add_argument(
        "--dtype", metavar="T", default="", help="only valid calls with data of this type, or as axes=int32"
    )
    support.add_argument("--form", metavar="FORM", default="", help="only checks in this form")
    about = "framework, or releases of it, as onnxruntime@1.24 or openvino@2025..; repeatable; default: all"
    add_repeatable(support, "-t", "--target", metavar="TARGET", about=about)
    about = "file with the data (default: that of the package opconform_compat, or of the checkout)"
    support.add_argument("--data", metavar="FILE", type=path_from, help=about)
    add_reports(support, html="self-contained page", markdown="summary")


def _add_adapters(commands: Commands) -> None:
    adapter = add_group(commands, "adapter", "list the adapters, start a new one, or check that one is sound")
    add_command(
        adapter, "list", "listing:list_adapters", "list the bundled adapters, what they need, and their options"
    )
    new = add_command(adapter, "new", "adapters:new_adapter", "write the folder of a new adapter that already runs")
    new.add_argument("name", metavar="NAME", help="name of the folder: small letters, digits, - and _")
    languages = ["python", "protocol"]
    about = "protocol: a script without our package, to translate into any language (default: %(default)s)"
    new.add_argument("--language", choices=languages, default="python", help=about)
    add_output(new, "parent folder (default: the current one)", default=".")

    check = add_command(adapter, "check", "adapters:check_adapter", "check whether an adapter itself is sound")
    check.add_argument("target", metavar="TARGET", help="adapter or folder, with options as in `conformance run`")
    add_timeout(check, "request")
    add_cases_folder(check)


_PORT = 8786


def _add_lab(commands: Commands) -> None:
    group = add_group(commands, "lab", "run the scheduler and the workers of a lab, see docs/reference/lab.md")
    scheduler = add_command(group, "scheduler", "lab:scheduler", "hand out checks to workers, until Ctrl+C")
    scheduler.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    _add_port(scheduler)
    _add_lab_file(scheduler)
    worker = add_command(group, "worker", "lab:worker", "run the checks that a scheduler hands out, until Ctrl+C")
    worker.add_argument("scheduler", metavar="SCHEDULER", help="address, as tls://host:8786")
    _add_workers(worker, 1)
    _add_lab_file(worker)
    local = add_command(group, "local", "lab:local", "run a scheduler and workers on this machine, until Ctrl+C")
    local.set_defaults(lab=None)
    _add_port(local)
    _add_workers(local, 2)


def _add_lab_file(parser: argparse.ArgumentParser) -> None:
    """Add the option for the file of the lab."""
    parser.add_argument("--lab", metavar="FILE", type=path_from, help="certificates, needs of adapters, and limits")


def _add_port(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", metavar="N", type=int, default=_PORT, help="(default: %(default)s; 0: any)")


def _add_workers(parser: argparse.ArgumentParser, count: int) -> None:
    parser.add_argument(
        "--workers", metavar="N", type=count_from, default=count, help="number of workers (default: %(default)s)"
    )
    about = "what each worker offers, as openvino=1,cuda=1; `needs` in the lab file asks for it"
    parser.add_argument("--offers", metavar="NAME=N,...", type=_offers_from, default={}, help=about)


def _offers_from(text: str) -> dict[str, float]:
    try:
        return {name: float(count) for name, count in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not written as openvino=1,cuda=1") from None


FORMATS = {
    "case": "suite.case_entry:CaseFile",
    "operator": "suite.operator_file:OperatorFile",
    "adapter": "suite.adapter_file:AdapterFile",
    "engine": "suite.adapter_file:EngineFile",
    "packages": "suite.adapter_file:PackagesFile",
    "deviations": "judge.deviation:DeviationFile",
    "profile": "certificate.rules:ProfileFile",
    "releases": "suite.adapter_file:ReleasesFile",
    "lab": "run.lab_remote:LabFile",
    "certificate": "certificate.certificate_file:CertificateFile",
    "log": "log.log_file:log_schema",
    "summary": "report.writers:DOCUMENT.schema",
    "comparison": "report.comparison:COMPARISON.schema",
    "compat": "report.writers:DATA.schema",
    "compat-engines": "report.writers:FRAMEWORKS.schema",
}
"""The model of each format, or the function that gives its schema. Only that of the requested format is imported."""


def _add_schema(commands: Commands) -> None:
    parser = add_command(
        commands, "schema", "listing:print_schema", "print the JSON Schema of a file format, for editors"
    )
    about = "file of the suite, of an adapter, of the profiles or of a lab, or output of a command"
    parser.add_argument("of", metavar="FORMAT", choices=list(FORMATS), help=about)


_COMMANDS = (
    *(_add_check, _add_new, _add_cases, _add_list, _add_run, _add_fuzz, _add_report, _add_compare),
    *(_add_history, _add_bisect, _add_support, _add_merge, _add_certificates, _add_repro),
    *(_add_adapters, _add_env, _add_lab, _add_schema),
)


def command_parser() -> Parser:
    """The parser of all commands."""
    parser = Parser(
        prog="conformance",
        description="Run the cases of tensor operators' specs on frameworks, and judge the answers bit for bit.",
        epilog=f"start with: conformance run --target numpy\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"opconform {__version__}")
    parser.set_defaults(run_command="")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for add in _COMMANDS:
        add(commands)
    return parser

"""The commands of adapters and machines: `adapter list`, `new` and `check`, and `lab`."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from conformance.cli.options import (
    Commands,
    add_cases_folder,
    add_command,
    add_group,
    add_output,
    add_timeout,
    count_from,
    path_from,
    say,
    suite_from,
    target_named,
)
from conformance.tensors.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from distributed.security import Security

    from conformance.run.execution import Execution
    from conformance.run.lab.machines import LabFile, LabPart
    from conformance.run.run_plan import RunRequest


def add_adapters(commands: Commands) -> None:
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
    from conformance.run.handshake import installed_versions
    from conformance.suite.adapter_file import bundled_adapters, is_built

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
    from conformance.adapter_kit.adapter_check import observed
    from conformance.adapter_kit.advice import blocks_of, exit_code, findings
    from conformance.report.terminal import lines_of, lines_of_progress

    progress = "starting the adapter and choosing the checks"

    def on_progress(done: int, planned: int) -> None:
        nonlocal progress
        progress = f"{done} of {planned} checks answered"

    with lines_of_progress(lambda: progress):
        suite = suite_from(options)
        observation = observed(target_named(options.target), suite, options.timeout, on_progress)
    seen = findings(observation, suite.operators)
    for line in lines_of(blocks_of(options.target, seen)):
        say(line)
    return int(exit_code(seen, has_started=observation.description is not None))


# `conformance lab`: the machines on which `run --scheduler` runs its checks.

_PORT = 8786


def add_lab(commands: Commands) -> None:
    """Add the commands to the parser."""
    group = add_group(commands, "lab", "run the scheduler and the workers of a lab, see docs/reference/lab.md")
    scheduler = add_command(group, "scheduler", _scheduler, "hand out checks to workers, until Ctrl+C")
    scheduler.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    _add_port(scheduler)
    add_lab_file(scheduler)
    worker = add_command(group, "worker", _worker, "run the checks that a scheduler hands out, until Ctrl+C")
    worker.add_argument("scheduler", metavar="SCHEDULER", help="address, as tls://host:8786")
    _add_workers(worker, 1)
    add_lab_file(worker)
    local = add_command(group, "local", _local, "run a scheduler and workers on this machine, until Ctrl+C")
    local.set_defaults(lab=None)
    _add_port(local)
    _add_workers(local, 2)


def add_lab_file(parser: argparse.ArgumentParser) -> None:
    """Add the option for the file of the lab."""
    parser.add_argument("--lab", metavar="FILE", type=path_from, help="certificates, needs of adapters, and limits")


def lab_execution(options: argparse.Namespace) -> Callable[[RunRequest, Event], Execution]:
    """The execution of a run in the lab that the options name."""
    from functools import partial

    lab, security = _lab_of(options)
    _require_secure(options.scheduler, security, "--scheduler")
    from conformance.run.lab.lab_execution import LabExecution, connected

    client, warn = connected(options.scheduler, security), partial(say, stream=sys.stderr)
    return partial(LabExecution, client=client, lab=lab, say=warn)


def _scheduler(options: argparse.Namespace) -> int:
    lab, security = _lab_of(options)
    _require_secure(f"{'tcp' if security is None else 'tls'}://{options.host}:{options.port}", security, "--host")
    from conformance.run.lab.machines import run_scheduler

    run_scheduler(_part(lab, security), options.host, options.port)
    return 0


def _worker(options: argparse.Namespace) -> int:
    lab, security = _lab_of(options)
    _require_secure(options.scheduler, security, "SCHEDULER")
    from conformance.run.lab.machines import run_workers

    run_workers(_part(lab, security), options.scheduler, options.workers, options.offers)
    return 0


def _local(options: argparse.Namespace) -> int:
    lab, security = _lab_of(options)
    from conformance.run.lab.machines import run_trial

    run_trial(_part(lab, security), options.port, options.workers, options.offers)
    return 0


def _part(lab: LabFile, security: Security | None) -> LabPart:
    from conformance.run.lab.machines import LabPart

    return LabPart(security=security, silence_limit_s=lab.silence_limit_s, say=say)


def _lab_of(options: argparse.Namespace) -> tuple[LabFile, Security | None]:
    try:
        from conformance.run.lab.machines import security_of
    except ImportError as error:
        raise UsageError("lab", f"needs the package {error.name}", fix="in a checkout: pip install '.[lab]'") from None
    from conformance.run.lab.machines import read_lab

    lab, folder = read_lab(options.lab)
    return lab, security_of(lab, folder)


def _require_secure(address: str, security: Security | None, where: str) -> None:
    from conformance.run.lab.machines import require_secure

    require_secure(address, security, where)


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

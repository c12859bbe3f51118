"""`conformance lab`: the machines on which `run --scheduler` runs its checks."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from conformance.commands.parser import Commands, add_command, add_group, count_from, path_from
from conformance.commands.terminal_output import say
from conformance.values.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from distributed.security import Security

    from conformance.planning.run_request import RunRequest
    from conformance.running.execution import Execution
    from conformance.running.lab.machines import LabFile, LabPart

_PORT = 8786


def add(commands: Commands) -> None:
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
    from conformance.running.lab.lab_execution import LabExecution, connected

    client, warn = connected(options.scheduler, security), partial(say, stream=sys.stderr)
    return partial(LabExecution, client=client, lab=lab, say=warn)


def _scheduler(options: argparse.Namespace) -> int:
    lab, security = _lab_of(options)
    _require_secure(f"{'tcp' if security is None else 'tls'}://{options.host}:{options.port}", security, "--host")
    from conformance.running.lab.machines import run_scheduler

    run_scheduler(_part(lab, security), options.host, options.port)
    return 0


def _worker(options: argparse.Namespace) -> int:
    lab, security = _lab_of(options)
    _require_secure(options.scheduler, security, "SCHEDULER")
    from conformance.running.lab.machines import run_workers

    run_workers(_part(lab, security), options.scheduler, options.workers, options.offers)
    return 0


def _local(options: argparse.Namespace) -> int:
    lab, security = _lab_of(options)
    from conformance.running.lab.machines import run_trial

    run_trial(_part(lab, security), options.port, options.workers, options.offers)
    return 0


def _part(lab: LabFile, security: Security | None) -> LabPart:
    from conformance.running.lab.machines import LabPart

    return LabPart(security=security, silence_limit_s=lab.silence_limit_s, say=say)


def _lab_of(options: argparse.Namespace) -> tuple[LabFile, Security | None]:
    try:
        from conformance.running.lab.machines import security_of
    except ImportError as error:
        raise UsageError("lab", f"needs the package {error.name}", fix="in a checkout: pip install '.[lab]'") from None
    from conformance.running.lab.machines import read_lab

    lab, folder = read_lab(options.lab)
    return lab, security_of(lab, folder)


def _require_secure(address: str, security: Security | None, where: str) -> None:
    from conformance.running.lab.machines import require_secure

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

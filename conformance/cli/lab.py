"""`conformance lab`: the machines on which `run --scheduler` runs its checks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from threading import Event

from conformance.cli.parser import say
from conformance.run.execution import Execution
from conformance.run.lab_remote import LabFile, read_lab
from conformance.run.run_plan import RunRequest
from conformance.tensors.errors import UsageError

try:
    from distributed.security import Security

    from conformance.run.lab import (
        LOOPBACK,
        LabExecution,
        LabPart,
        connected,
        require_secure,
        run_scheduler,
        run_workers,
        security_of,
    )
except ImportError as error:
    raise UsageError("lab", f"needs the package {error.name}", fix="in a checkout: pip install '.[lab]'") from None


def lab_execution(options: argparse.Namespace) -> Callable[[RunRequest, Event], Execution]:
    """The execution of a run in the lab that the options name."""
    lab, security = _lab_of(options)
    require_secure(options.scheduler, security, "--scheduler")
    client, warn = connected(options.scheduler, security), partial(say, stream=sys.stderr)
    return partial(LabExecution, client=client, lab=lab, say=warn)


def scheduler(options: argparse.Namespace) -> int:
    """Hand out checks to workers, until Ctrl+C."""
    lab, security = _lab_of(options)
    require_secure(f"{'tcp' if security is None else 'tls'}://{options.host}:{options.port}", security, "--host")
    run_scheduler(_part(lab, security), options.host, options.port)
    return 0


def worker(options: argparse.Namespace) -> int:
    """Run the checks that a scheduler hands out, until Ctrl+C."""
    lab, security = _lab_of(options)
    require_secure(options.scheduler, security, "SCHEDULER")
    run_workers(_part(lab, security), options.scheduler, options.workers, options.offers)
    return 0


def local(options: argparse.Namespace) -> int:
    """Run a scheduler and workers on this machine, until Ctrl+C."""
    lab, security = _lab_of(options)
    run_scheduler(_part(lab, security), LOOPBACK, options.port, options.workers, options.offers)
    return 0


def _part(lab: LabFile, security: Security | None) -> LabPart:
    return LabPart(security=security, silence_limit_s=lab.silence_limit_s, say=say)


def _lab_of(options: argparse.Namespace) -> tuple[LabFile, Security | None]:
    lab, folder = read_lab(options.lab)
    return lab, security_of(lab, folder)

"""Finds what a backend answers although its adapter does not declare it: only that counts against the backend.

Forms are not tried: an adapter that does not know one silently ignores what it adds, so an answer proves nothing.
"""

from __future__ import annotations

import threading
from dataclasses import replace

from conformance.adapter_kit.adapter_check.requests import undeclared_checks
from conformance.border.description import Description
from conformance.formats.adapter_file import TargetRequest
from conformance.formats.suite import Suite
from conformance.judging.judge import judge
from conformance.language.check import Check
from conformance.language.operator import is_named
from conformance.sessions.session import Session
from conformance.values.dtypes import DTYPES
from conformance.values.errors import HarnessError


def answered_undeclared(request: TargetRequest, suite: Suite, limit_s: float) -> list[str]:
    """The operators, and types of operators, that the backend answers correctly but does not declare."""
    session = Session(request, limit_s, threading.Event())
    found: dict[str, None] = {}
    try:
        described = session.start()
        session.description = replace(described, operators=("*",), dtypes=tuple(DTYPES))
        for check, outcome in session.answers(undeclared_checks(suite, described)):
            if judge(check.steps, outcome).verdict.is_conforming:
                found[_named(check, described)] = None
    except HarnessError:
        pass  # an undeclared call ended the worker; the run itself covers the declared ones
    finally:
        session.kill()
    return list(found)


def _named(check: Check, described: Description) -> str:
    operator, data = check.case.operator.id, check.case.data
    is_declared = is_named(operator, described.operators)
    return f"the type {data.dtype} of {operator}" if is_declared and data is not None else f"the operator {operator}"

"""Which of the operators of a run its targets declare: a sample of checks spends none on others."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from conformance.border.description import Description
from conformance.formats.adapter_file import TargetRequest
from conformance.language.operator import Operator, is_named
from conformance.sessions.session import Session
from conformance.values.errors import HarnessError


def declared_by_any(
    operators: Sequence[Operator], targets: Sequence[TargetRequest], limit_s: float
) -> Sequence[Operator]:
    """The operator versions that at least one of the targets declares; all if none starts and says so."""

    def described(target: TargetRequest) -> Description | None:
        session = Session(target, limit_s, threading.Event())
        try:
            return session.start()
        except HarnessError:
            return None  # the run says why
        finally:
            session.kill()

    with ThreadPoolExecutor(max(1, len(targets))) as pool:
        names = [name for said in pool.map(described, targets) if said is not None for name in said.operators]
    return [operator for operator in operators if is_named(operator.id, names)] or operators

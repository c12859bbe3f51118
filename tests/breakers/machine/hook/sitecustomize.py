"""Sends this process a signal at the first event of Python's audit that fits `FAULT_AT`. Workers are left alone."""

from __future__ import annotations

import json
import os
import sys
from fnmatch import fnmatch


def _watch(event: str, pattern: str, number: int) -> None:
    sent = []

    def see(name: str, arguments: tuple[object, ...]) -> None:
        if name == event and not sent and any(fnmatch(str(argument), pattern) for argument in arguments):
            sent.append(number)
            os.kill(os.getpid(), number)

    sys.addaudithook(see)


if "FAULT_AT" in os.environ and not any(argument.endswith("protocol/start.py") for argument in sys.orig_argv):
    _watch(*json.loads(os.environ["FAULT_AT"]))

"""Every error that a user can meet, and the one place where its text is formed.

OpconformError
├── UsageError             exit code 2: the user can fix it
│   ├── CaseFileError      a case, operator, adapter or deviation file, with file and line
│   ├── SelectionError     a name that nothing matches
│   └── RunLogError        a log that cannot be written, read, resumed or reported
├── HarnessError           exit code 3: the suite or an adapter could not do its work
│   ├── WorkerStartError   a worker cannot start
│   └── ProtocolError      what came through the pipe is not the protocol (`protocol` tells a truncated frame apart)
└── MachineError           exit code 3: the system gave no process, file or folder for a worker; it ends the run
"""

from __future__ import annotations

from collections.abc import Iterable


class OpconformError(Exception):
    """The place, the problem, the rule behind it, and the remedy."""

    def __init__(self, where: str, what: str, *, rule: str = "", fix: str = "") -> None:
        super().__init__(where, what)
        self.where = where
        self.what = what
        self.rule = rule
        self.fix = fix

    def __str__(self) -> str:
        lines = [f"{self.where}: {self.what}"]
        if self.rule:
            lines.append(f"  rule: {self.rule}")
        if self.fix:
            lines.append(f"  fix:  {self.fix}")
        return "\n".join(line.replace("\n", "\n    ") for line in lines)  # no part looks like a line of its own


class UsageError(OpconformError):
    """A user's input cannot be used; nothing ran."""


class CaseFileError(UsageError):
    """A YAML file of the suite or of an adapter does not keep its format."""


class SelectionError(UsageError):
    """A name or pattern that selects nothing."""


class RunLogError(UsageError):
    """A run log that cannot be written, read, resumed or reported."""


class HarnessError(OpconformError):
    """The suite or an adapter, not the framework under test, failed."""


class WorkerStartError(HarnessError):
    """A worker cannot start. No check was asked, so that this answers none."""


class MachineError(OpconformError):
    """The system gives no process, file or folder for a worker at the moment. This says nothing about the adapter, so
    there is no record of it: the run ends and can be resumed.
    """


class ProtocolError(HarnessError):
    """The bytes between engine and worker are not the protocol."""


def nearest(name: str, known: Iterable[str], *, otherwise: str) -> str:
    """A remedy that names the closest of the known names, or `otherwise` if none is close."""
    import difflib

    matches = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"did you mean {matches[0]!r}?" if matches else otherwise

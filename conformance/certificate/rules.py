"""The rules of a certificate: a closed table of sentences. A broken rule is reported with its sentence."""

from __future__ import annotations

from enum import Enum

from conformance.values.errors import UsageError


class Rule(Enum):
    """What must hold of every certificate."""

    FILES = "The folder holds the files of a certificate and nothing else."
    REGULAR = "Every file is a regular file: no link, no device, no folder."
    SIZE = "No file is larger than its limit, compressed or not, and no list longer than one verifies in time."
    READABLE = "Every file keeps its format, byte for byte as `conformance certify` writes it."
    CLAIMS = "Vendor, product and issuer are printable text of 1 to 100 characters."
    PROFILE = "The profile is one of this release."
    RELEASE = "The suite is that of an accepted release, file by file."
    ONE_TARGET = "The log is of one target, which could start."
    TARGET = "The name of the target is made of its adapter, its version and its options."
    VERSION = "The version is a released one: a number, not unknown and not the name of a branch."
    COMPLETE = "The log is complete: it has its closing line, and nothing follows it."
    WHOLE = "The run covers the whole profile, and nothing else."
    HEADER = "The header says what the suite says, and what a run of a profile writes."
    CHALLENGE = "The data is derived from the seed of the reviewer."
    RECORDS = "The log holds each check of the profile once, in the order of the plan."
    ASKED = "Every check ran in this run; no reused answers."
    JUDGED = "Every check was judged: none was not run, and none ended in an error of the harness."
    DESCRIBED = "What the description of the target rules out is recorded as the engine records it."
    VERDICTS = "Every verdict is the one that follows from what was recorded."
    COUNTS = "The closing line counts what the log holds."
    DEVIATIONS = "Every deviation applies to this target, was met, and was not overdue for review."
    EXACT = (
        "Every deviation names versions of operators and the messages of rejections; "
        "without forms and clauses, it says which calls deviate."
    )
    REPRODUCERS = "The written reproducer of a deviation is bundled or, as text, in the folder, with the stated digest."
    DECLARED = "The run also probed what the backend does not declare."
    DERIVED = "Every file says what follows from the log."
    SIGNATURE = "The envelope holds the statement, and a signature that verifies with the required key."


class BrokenRuleError(UsageError):
    """A certificate, or a run to be certified, breaks a rule."""

    def __init__(self, broken: Rule, where: str, what: str, *, fix: str = "") -> None:
        super().__init__(where, what, rule=broken.value, fix=fix)
        self.broken = broken

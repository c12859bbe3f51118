"""What a call that runs next to a check shows of it.

The twin of an invalid call is a valid one: a rejection of both alike shows nothing. The control of a check is its graph
without the operator: if that gives the same, the fault is the neighbour's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from conformance.protocol.outcome import Outcome, OutcomeTag, RejectedOutcome, Stage
from conformance.spec.case import Case, Rejection
from conformance.spec.verdict import Standing, Verdict

# What a message of a framework says, without what differs from call to call, so that messages can be compared.

_LINE_CHARACTERS = 400
_BACKTRACE = re.compile(r"^\s*(stack )?backtrace:\s*$", re.IGNORECASE)
"""The heading of a list of frames, which reaches to the end of the message."""
_NO_SENTENCE = re.compile(
    r"""\s*(?:
        (?:frame\s)?\#\d+:?\s.*             # a frame, as debuggers and Torch write it
      | \d+:\s+(?:0x[0-9a-f]+\b.*|[\w:$.{}]*|<.*>(?:::\S+)*)  # a frame of Rust: its number, an address or a symbol
      | at\s+\S*[/\\].*                     # the place of a frame
      | File\s".*                           # a frame of Python
      | \S*[/\\]\S*                         # a path
      | [(\[]?0x[0-9a-f]+[)\]]?             # an address
      | [\W_]*                              # a line of marks
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_PLACE_IN_CHAIN = re.compile(r"^\d+:\s+")
"""What stands before each line of a chain of causes, as Rust writes it."""
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_PATH = re.compile(r"(?<![\w.])/(?:[^\s:'\",()]+/)+[^\s:'\",()]*")
_COUNTED_NAME = re.compile(r"(?<=[A-Za-z]_)\d+\b")
_NUMBERED_NAME = re.compile(r"\b(?!(?:u?int|b?float|complex|[iufbs]|bf|fp)\d)([A-Za-z]+)\d+\b")
"""A name with a counter behind it, and no type."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.]*\w)")
_DATA = re.compile(r"[\[({][\s\[\](){},.#-]*#[\s\[\](){},.#-]*[\])}]|#(?:[\s,x]*#)+")
_QUOTED_NAME = re.compile(r"(['\"`])[^\s'\"`]+\1")
_TYPE_NAME = re.compile(r"\b(?:u?int|b?float|complex|[iuf])\d+\w*\b|\b(?:bool|string|double|half)\b")
_PANIC = re.compile(r"thread '.*panicked at (?!').*:\d+:\d+:$")
"""The heading of a panic of Rust; the next line says why."""
_LAST_WORDS = re.compile(
    r"""\s*(?:
        thread\ '.*\ panicked\ at\ '(?P<panic>.*)',\ \S+      # of Rust before 1.73
      | what\(\):\s+(?P<exception>.+)                       # of an exception of C++ that nothing caught
      | F\d{4}\ .*\]\ (?P<fatal>.+)                          # a fatal line of glog
      | (?P<line>
            panic:\ .+                                      # of Go
          | terminate\ called\ .+                             # of C++, without a what()
          | .*\bAssertion\b.*\bfailed\.?
          | \*\*\*\ .+\ detected\ \*\*\*.*
        )
    )$""",
    re.VERBOSE,
)
_HEAP_DAMAGE = re.compile(
    r"""(?:\b(?:free|[cm]alloc|realloc|malloc_consolidate|m(?:un|re)map_chunk|tcache_thread_shutdown)\(\):\s
           (?:invalid|unaligned|corrupted|memory\ corruption|mismatching|unsorted|smallbin|largebin|double|too\ many)
        | \b(?:double\ free\ or\ corruption|corrupted\ (?:size\ vs|double-linked)|malloc:\ top\ chunk\ is\ corrupt)
        )""",
    re.VERBOSE,
)
"""What glibc says of a damaged heap, anywhere in a line: other threads write meanwhile, and it may end without one."""
_DAMAGED_HEAP = "the heap is damaged"
"""In place of what glibc says: which damage it finds first depends on what lies in memory."""
_BESIDE = ("", "panic in a function that cannot unwind", "panic in a destructor during cleanup")
"""What Rust prints with the panic that ended the process; not a reason."""


def gist(message: str) -> str:
    """The last line of a message that is not a frame, address or path, where frameworks say what is wrong.

    Numbers, addresses, the paths of a machine, and whole lists of data become `#`, because they vary.
    """
    line = next((line.strip() for line in reversed(_before_backtrace(message)) if not _NO_SENTENCE.match(line)), "")
    return _without_data(_PLACE_IN_CHAIN.sub("", line)) or "no message"


def last_words(stderr: str) -> str:
    """Why a process ended, as it said on standard error: a damaged heap, or else the last panic, exception or
    assertion; empty without one.
    """
    if _HEAP_DAMAGE.search(stderr):
        return _DAMAGED_HEAP
    lines = ["", *(line[:_LINE_CHARACTERS] for line in stderr.splitlines())]
    said = [_reason(before, line) for before, line in pairwise(lines)]
    return _without_data(next((reason for reason in reversed(said) if reason not in _BESIDE), ""))


def _reason(before: str, line: str) -> str:
    if _PANIC.match(before):
        return line.strip()
    found = _LAST_WORDS.match(line)
    return next(filter(None, found.groups()), "").strip() if found else ""


def is_same_message(one: str, other: str) -> bool:
    """Whether two messages say the same, compared without numbers, addresses, data and names."""
    return _without_names(gist(one)) == _without_names(gist(other))


def _without_data(line: str) -> str:
    for pattern in (_ADDRESS, _PATH, _COUNTED_NAME, _NUMBER, _DATA):
        line = pattern.sub("#", line[:_LINE_CHARACTERS])
    return _NUMBERED_NAME.sub(r"\1#", line)


def _before_backtrace(message: str) -> list[str]:
    lines = message.splitlines()
    end = next((number for number, line in enumerate(lines) if _BACKTRACE.match(line)), len(lines))
    return lines[:end] or lines


def _without_names(line: str) -> str:
    return _TYPE_NAME.sub("#", _QUOTED_NAME.sub("#", line))


@dataclass(frozen=True, slots=True, kw_only=True)
class TwinAnswer:
    """What a target did with the twin of a call, the valid call nearest to it.

    `arguments` says what the twin has in the place of the call's arguments; `outcome` is None if no twin is known.
    `message` is that of a rejection, without what differs from call to call.
    """

    arguments: str = ""
    outcome: OutcomeTag | None = None
    stage: Stage | None = None
    message: str = ""


def needs_twin(steps: Sequence[Case], outcome: Outcome) -> bool:
    """Whether a rejection is judged by the answer to a twin.

    A valid call of the same model that was answered before takes its place. A case that the page leaves open needs
    none: a rejection is not a pass there, and counts neither for nor against.
    """
    is_first = isinstance(outcome, RejectedOutcome) and not outcome.answered
    return is_first and isinstance(steps[0].expectation, Rejection)


def fault_of_rejection(message: str, twin: TwinAnswer) -> tuple[str, str]:
    """Why the rejection of an invalid call shows nothing, as a cause and a sentence; both empty if it does."""
    if not twin.outcome:
        return "no twin", "no valid call near it is known to compare with; name one in the case, as `twin: {axis: 0}`"
    sentence = f"its twin, the valid call with {twin.arguments},"
    if twin.outcome == "produced" or (twin.outcome == "rejected" and not is_same_message(message, twin.message)):
        return "", ""
    if twin.outcome == "rejected":
        return f"its twin is rejected, too: {twin.message}", f"{sentence} is rejected with the same message"
    return f"its twin has no answer: {twin.outcome}", f"{sentence} has no answer: {twin.outcome}"


class Answered(Protocol):
    """What a record says of a check, or of its control."""

    @property
    def outcome(self) -> str:
        """The tag of the outcome."""

    @property
    def judged(self) -> Verdict:
        """The verdict before deviations are applied."""

    @property
    def outputs(self) -> str:
        """The digest of all outputs."""

    @property
    def cause(self) -> str:
        """The cause of the judgement."""

    @property
    def stage(self) -> Stage | None:
        """Where the call was rejected, or its process ended."""

    @property
    def death(self) -> str:
        """The signal or exit status of a process that crashed."""

    @property
    def answered(self) -> int:
        """The number of calls answered before."""

    @property
    def changed_inputs(self) -> list[str]:
        """The inputs to which the run wrote."""


def control_explains(check: Answered, control: Answered) -> bool:
    """Whether a check deviates and its control gave the whole deviation."""
    if check.judged.meaning.standing is not Standing.DEVIATING or check.outcome != control.outcome:
        return False
    is_at_once = (check.stage, check.answered) == (control.stage, control.answered)
    match check.outcome:
        case "produced":
            is_alike = check.outputs == control.outputs and check.changed_inputs == control.changed_inputs
            # Equal outputs get equal verdicts, unless the inferred shapes are not those of the outputs.
            return is_alike and check.judged is control.judged
        case "rejected" if control.stage is None:  # the page rejects what the neighbour passed on
            return True
        case "rejected" | "timed out":
            return is_at_once and check.cause == control.cause
        case "crashed":  # with one signal; the last words of a damaged process may differ where the fault is the same
            return is_at_once and check.death == control.death
        case _:
            return False

"""What a message of a framework says, without what differs from call to call, so that messages can be compared."""

from __future__ import annotations

import re

_LINE_CHARACTERS = 400
_BACKTRACE = re.compile(r"^\s*(stack )?backtrace:\s*$", re.IGNORECASE)
"""The heading of a list of frames, which reaches to the end of the message."""
_NO_SENTENCE = re.compile(
    r"""\s*(?:
        (?:frame\s)?\#\d+:?\s.*             # a frame, as debuggers and Torch write it
      | \d+:\s+(?:0x[0-9a-f]+\b.*|_?\w*)    # a frame of Rust: its number, an address or a symbol
      | at\s+\S*[/\\].*                     # the place of a frame
      | File\s".*                           # a frame of Python
      | \S*[/\\]\S*                         # a path
      | [(\[]?0x[0-9a-f]+[)\]]?             # an address
      | [\W_]*                              # a line of marks
    )$""",
    re.VERBOSE | re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_PATH = re.compile(r"(?<![\w.])/(?:[^\s:'\",()]+/)+[^\s:'\",()]*")
_COUNTED_NAME = re.compile(r"(?<=[A-Za-z]_)\d+\b")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w.]*\w)")
_DATA = re.compile(r"[\[({][\s\[\](){},.#-]*#[\s\[\](){},.#-]*[\])}]|#(?:[\s,x]*#)+")
_QUOTED_NAME = re.compile(r"(['\"`])[^\s'\"`]+\1")
_TYPE_NAME = re.compile(r"\b(?:u?int|b?float|complex|[iuf])\d+\w*\b|\b(?:bool|string|double|half)\b")


def gist(message: str) -> str:
    """The last line of a message that is no frame, address or path, where frameworks say what is wrong.

    Numbers, addresses, the paths of a machine, and whole lists of data become `#`, because they vary.
    """
    line = next((line.strip() for line in reversed(_before_backtrace(message)) if not _NO_SENTENCE.match(line)), "")
    for pattern in (_ADDRESS, _PATH, _COUNTED_NAME, _NUMBER, _DATA):
        line = pattern.sub("#", line[:_LINE_CHARACTERS])
    return line or "no message"


def is_same_message(one: str, other: str) -> bool:
    """Whether two messages say the same, compared without numbers, addresses, data and names."""
    return _without_names(gist(one)) == _without_names(gist(other))


def _before_backtrace(message: str) -> list[str]:
    lines = message.splitlines()
    end = next((number for number, line in enumerate(lines) if _BACKTRACE.match(line)), len(lines))
    return lines[:end] or lines


def _without_names(line: str) -> str:
    return _TYPE_NAME.sub("#", _QUOTED_NAME.sub("#", line))

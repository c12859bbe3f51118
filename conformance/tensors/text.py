"""Makes untrusted text safe to show: bounded, and without characters that act instead of being visible.

Each writer escapes for HTML, Markdown or XML itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

LINE = 400
BLOCK = 8000
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_CI_COMMAND = re.compile(
    r"(?P<start>(?:^|[\n\r])(?:[^\S\n\r]|\x1b\[[\d;?]*[A-Za-z])*):(?=:)|#(?=#(?:\[|vso\[|teamcity\[))", re.IGNORECASE
)
"""The first character of `::error::` at the start of a line, and of `##[error]`, `##vso[…]`, `##teamcity[…]`."""
_TRACED_FILE = re.compile(r'(File ")[^"\n]*[/\\]([^"/\\\n]+[/\\][^"/\\\n]+)"')


def visible(text: str, limit: int = BLOCK) -> str:
    """The text with control, zero-width and direction-changing characters written out, cut after `limit` characters.

    Line ends and tabs stay.
    """
    whole = len(text)
    if whole <= limit and text.isprintable():  # so nearly all texts are, and the pattern finds nothing in them
        return text
    shown = _UNSEEN.sub(_written_out, text[:limit].replace("\r\n", "\n"))
    return shown if whole <= limit else f"{shown}… ({whole:,} characters in all)"


def one_line(text: str, limit: int = LINE) -> str:
    """The text as `visible` gives it, on one line."""
    return visible(" ".join(text[: 2 * limit].split()) + text[2 * limit :], limit)


def without_ci_commands(text: str) -> str:
    """The text as printed, in which no line is a command to the CI that reads it: one character is written out."""
    if "::" not in text and "##" not in text:
        return text
    return _CI_COMMAND.sub(lambda found: (found["start"] or "") + f"\\x{ord(found.group()[-1]):02x}", text)


def shortened(text: str, width: int) -> str:
    """The text on one line in at most `width` characters; a longer text loses its middle."""
    line = _UNSEEN.sub(_written_out, " ".join(text[:10_000].split()))
    if len(line) <= width:
        return line
    head = (width - 1) * 2 // 3
    return f"{line[:head]}…{line[len(line) - (width - 1 - head) :]}"


def shortened_apart(texts: Sequence[str], width: int) -> list[str]:
    """Texts on one line each, in at most `width` characters; longer ones lose what all of them share.

    So `time[size=1KiB,axis=0]` and `time[size=1MiB,axis=0]` become `ti…size=1KiB…` and `ti…size=1MiB…`.
    """
    lines = [shortened(text, 10_000) for text in texts]
    if max(map(len, lines), default=0) <= width or len(set(lines)) < 2:
        return [shortened(line, width) for line in lines]
    head = _beginning(lines)
    tail = _beginning([line[len(head) :][::-1] for line in lines])[::-1]
    parts = [line[len(head) : len(line) - len(tail)] for line in lines]
    room = max(0, width - max(map(len, parts)))
    kept_tail = shortened(tail, min(len(tail), room // 3)) if room >= 6 else ""
    kept_head = shortened(head, room - len(kept_tail)) if room - len(kept_tail) >= 3 else ""
    return [shortened(f"{kept_head}{part}{kept_tail}", width) for part in parts]


def _beginning(lines: Sequence[str]) -> str:
    """The characters with which all lines begin."""
    return "".join(c for c, *_ in takewhile(lambda column: len(set(column)) == 1, zip(*lines, strict=False)))


def without_folders(text: str) -> str:
    """The text of a Python traceback, in which each file has its last folder alone: a log names no path of a machine.

    `File "/home/me/venv/lib/site-packages/openvino/model.py"` becomes `File "openvino/model.py"`.
    """
    return _TRACED_FILE.sub(r'\1\2"', text)


def counted(count: int, singular: str, plural: str = "") -> str:
    """`1 check`, `1,260 checks`."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def duration(nanoseconds: float) -> str:
    """A time with three significant digits and its unit, as `12.3 µs`."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            value = nanoseconds / size
            return f"{value:,.{2 if value < 10 else 1 if value < 100 else 0}f} {unit}"
    return f"{nanoseconds:.0f} ns"


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def options_text(options: Mapping[str, object], between: str = ", ") -> str:
    """Options in the order of their names: `device=CPU, route=ir`."""
    return between.join(f"{name}={value}" for name, value in sorted(options.items()))


def target_text(adapter: str, version: str, options: Mapping[str, object]) -> str:
    """A target as commands take it: `openvino@2026.4.1[device=CPU,route=ir]`. An empty version is left out."""
    brackets = f"[{options_text(options, ',')}]" if options else ""
    return f"{adapter}{f'@{version}' if version else ''}{brackets}"


def index_of(number: int, shape: Sequence[int]) -> list[int]:
    """The index of an element from its row-major number."""
    index: list[int] = []
    for dim in reversed(shape):
        number, last = divmod(number, dim) if dim else (number, 0)
        index.insert(0, last)
    return index


def index_text(number: int, shape: Sequence[int]) -> str:
    """The index of an element from its row-major number, as `[1, 0]`."""
    return str(index_of(number, shape))

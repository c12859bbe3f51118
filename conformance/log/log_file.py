"""Writes and reads run logs one line at a time, so that memory does not grow with their size."""

from __future__ import annotations

import json
import os
import platform
import shutil
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from glob import escape
from itertools import count
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from filelock import FileLock, Timeout
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from conformance.log.record import FORMAT, CheckRecord, Footer, Header, Line, TimingRecord
from conformance.tensors.errors import RunLogError, UsageError
from conformance.tensors.files import content_of, opened, refuse_foreign, written

MAX_LINE_BYTES = 16 << 20

LINES: TypeAdapter[Line] = TypeAdapter(
    Annotated[Line, Field(discriminator="type")], config=ConfigDict(extra="forbid", defer_build=True)
)
"""Validates a line of a log."""
_OF_TYPE: dict[type[Line], TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (Header, CheckRecord, TimingRecord, Footer)
}


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def milliseconds(moment: str) -> int:
    """A time of a log in milliseconds since 1970; 0 if it is not a time."""
    try:
        return int(datetime.fromisoformat(moment).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0


class RunLogWriter:
    """Appends lines to a log. The system has each line before the call returns, so `stream` must be unbuffered.

    A call that cannot write raises `RunLogError`. Several threads may write. `counts` holds the number of records by
    target and verdict, earlier records included.
    """

    def __init__(self, stream: BinaryIO, counts: dict[str, Counter[str]]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.counts = counts

    def header(self, header: Header) -> None:
        """Writes the first line."""
        self._write(_json(header))

    def check(self, record: CheckRecord) -> None:
        """Writes a record."""
        self.check_line(record_line(record), record.target, record.verdict.value)

    def check_line(self, line: bytes, target: str, verdict: str) -> None:
        """Writes the line of a record, of this target and with this verdict."""
        self._write(line)
        with self._lock:
            self.counts.setdefault(target, Counter())[verdict] += 1

    def timing(self, record: TimingRecord) -> None:
        """Writes a time, or the reason why there is none."""
        self._write(record_line(record))

    def footer(self, reason: str, ended: str = "") -> Footer:
        """Writes the closing line. A `reason` means that the run is not complete; `ended` defaults to now."""
        records = sum(sum(verdicts.values()) for verdicts in self.counts.values())
        verdicts = {target: dict(sorted(counter.items())) for target, counter in sorted(self.counts.items())}
        footer = Footer(complete=not reason, reason=reason, ended=ended or now(), records=records, verdicts=verdicts)
        self._write(_json(footer))
        return footer

    def _write(self, line: bytes) -> None:
        rest = memoryview(line + b"\n")
        try:
            with self._lock:
                while rest.nbytes:
                    rest = rest[self._stream.write(rest) :]
        except OSError as error:
            where = str(getattr(self._stream, "name", "the log"))
            fix = "free some space, then give the command again with --resume"
            raise RunLogError(where, f"cannot be written: {error.strerror}", fix=fix) from None


def record_line(record: CheckRecord | TimingRecord) -> bytes:
    """The line of a record, without its end."""
    return b'{"type":"%s",' % record.type.encode() + _json(record, exclude_defaults=True)[1:]


def read_header(path: Path) -> Header:
    """The header of a log.

    Raises:
        RunLogError: the file cannot be read, or does not start with a header.
    """
    return required_header(next(read_lines(path), None), str(path))


def required_header(line: Line | None, where: str) -> Header:
    """The first line of a log as its header.

    Raises:
        RunLogError: it is not a header.
    """
    if not isinstance(line, Header):
        raise RunLogError(where, "does not start with the header of a run log", fix="name a log of `conformance run`")
    return line


def read_lines(path: Path) -> Iterator[Line]:
    """Every line of a log in order; skips a last line that was cut off while being written.

    Raises:
        RunLogError: the file cannot be read, a line is not one of a log, or a footer's counts are not those of the
            records before it: the log was edited.
    """
    counts: dict[str, Counter[str]] = {}
    for number, text in enumerate(_whole_lines(path), 1):
        line = _line(path, number, text)
        if isinstance(line, CheckRecord):
            counts.setdefault(line.target, Counter())[line.verdict.value] += 1
        elif isinstance(line, Footer) and (
            line.verdicts != counts or line.records != sum(map(Counter.total, counts.values()))
        ):
            what = f"the closing line counts {_counted(line.verdicts)}, but the log holds {_counted(counts)}"
            raise RunLogError(f"{path}:{number}", what, fix="the log was edited: run again")
        yield line


def records_of(log: Path | Iterable[Line]) -> Iterator[CheckRecord]:
    """The records of a log, given as a file or as lines.

    Raises:
        RunLogError: as for `read_lines`.
    """
    return (line for line in (read_lines(log) if isinstance(log, Path) else log) if isinstance(line, CheckRecord))


def lines_as_they_stand(path: Path) -> Iterator[Line]:
    """Every line of a log, for verification: strict to the byte, but footers are not checked against the records.

    Raises:
        RunLogError: the file cannot be read, a line is not one of a log or is written in another way than by
            `RunLogWriter`, or a line after a footer is cut off.
    """
    line: Line | None = None
    for number, text in enumerate(_all_lines(path), 1):
        if text.endswith(b"\n"):
            line = _line(path, number, text, is_strict=True)
            if written_line(line) != text[:-1]:
                what = "is not written as a run writes it: other spaces, escapes or order, or a key twice"
                raise RunLogError(f"{path}:{number}", what)
            yield line
        elif isinstance(line, Footer):
            raise RunLogError(f"{path}:{number}", "follows the closing line and is cut off")


def check_format(path: Path) -> None:
    """Refuse a log of another format by its first line, whatever else it holds.

    Raises:
        RunLogError: the log is of another format, or cannot be read.
    """
    _refuse_another_format(f"{path}:1", next(_all_lines(path), b""))


def read_footer(path: Path) -> Footer | None:
    """The footer, if it is the last line; None for a log that was cut off.

    Raises:
        RunLogError: the file cannot be read, or its last line is not one of a log.
    """
    for number, text in deque(enumerate(_whole_lines(path), 1), maxlen=1):
        if isinstance(line := _line(path, number, text), Footer):
            return line
    return None


def whole_lines_size(path: Path) -> int:
    """Number of bytes of a log up to the end of its last whole line."""
    return sum(map(len, _whole_lines(path)))


def log_schema() -> dict[str, object]:
    """The JSON Schema of one line of a log."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of an opconform run log",
        **LINES.json_schema(mode="serialization"),
    }


def _whole_lines(path: Path) -> Iterator[bytes]:
    """The lines of the file as bytes, without a last one that was cut off."""
    return (text for text in _all_lines(path) if text.endswith(b"\n"))


def _all_lines(path: Path) -> Iterator[bytes]:
    try:
        stream = opened(path, str(path))
    except UsageError as error:
        raise RunLogError(error.where, error.what, fix=error.fix) from None
    with stream:
        for number in count(1):
            text = stream.readline(MAX_LINE_BYTES + 1)
            if len(text) > MAX_LINE_BYTES:
                what = f"is not a line of a run log: it has more than {MAX_LINE_BYTES} bytes"
                raise RunLogError(f"{path}:{number}", what, fix="name a log of `conformance run`")
            if not text:
                return
            yield text


def _json(line: Line, *, exclude_defaults: bool = False) -> bytes:
    """A line as JSON. Lone surrogates, which UTF-8 cannot encode, become question marks."""
    adapter = _OF_TYPE[type(line)]
    try:
        return adapter.dump_json(line, exclude_defaults=exclude_defaults)
    except PydanticSerializationError:
        plain = adapter.dump_python(line, mode="json", exclude_defaults=exclude_defaults)
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def written_line(line: Line) -> bytes:
    """The line as the writer writes it, without its end."""
    return record_line(line) if isinstance(line, CheckRecord | TimingRecord) else _json(line)


def _counted(verdicts: Mapping[str, Mapping[str, int]]) -> str:
    """The number of records by target and verdict, as text."""
    of_targets = (
        f"{target}: {', '.join(f'{count} {verdict}' for verdict, count in sorted(counts.items()))}"
        for target, counts in sorted(verdicts.items())
    )
    return "; ".join(of_targets) or "no records"


def _refuse_another_format(where: str, text: bytes) -> None:
    """Refuse the header of another format: it may have other fields, so it is read as plain JSON."""
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return
    found = said.get("format") if isinstance(said, dict) and said.get("type") == "header" else None
    if isinstance(found, int) and found != FORMAT:
        reader = _READERS.get(found, "another version")
        what = f"is a log of format {found}, which {reader} of opconform reads; this one reads format {FORMAT}"
        raise RunLogError(where, what, fix="run again, or use the version of opconform that wrote it")


_READERS = {1: "version 0.2.0"}
"""The last version that reads an earlier format."""


def _line(path: Path, number: int, text: bytes, *, is_strict: bool = False) -> Line:
    """Parses a line. Strict: a number is not a text, a whole number has no decimal point, a bool is not a number."""
    try:
        line = LINES.validate_json(text, strict=is_strict)
    except ValidationError as error:
        _refuse_another_format(f"{path}:{number}", text)
        first = error.errors(include_url=False)[0]
        what = ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))
        raise RunLogError(f"{path}:{number}", f"is not a line of a run log: {what}") from None
    if isinstance(line, Header):
        _refuse_another_format(f"{path}:{number}", text)
    return line


# Replaces files and folders atomically: writes the new one next to the old one and renames it when complete.

_ENDING = "unfinished"


@contextmanager
def replacing(place: Path) -> Iterator[Path]:
    """Yields a path at which to make a file or folder, which is renamed to `place` when the context ends without error.

    Removes what killed processes left next to `place`. Make the file with mode `x`: what stands there is not ours.
    """
    for left in place.parent.glob(f".{escape(place.name)}.*.{_ENDING}"):
        if not _is_being_written(left):
            with suppress(OSError):
                _remove(left)
    unfinished = place.with_name(f".{place.name}.{os.getpid()}.{_ENDING}")
    try:
        yield unfinished
        unfinished.replace(place)
    finally:
        _remove(unfinished)


def _remove(unfinished: Path) -> None:
    if unfinished.is_dir() and not unfinished.is_symlink():
        shutil.rmtree(unfinished)
    else:
        unfinished.unlink(missing_ok=True)


def _is_being_written(unfinished: Path) -> bool:
    """Whether another process, named in the file name, runs."""
    number = unfinished.name.split(".")[-2]
    if not number.isdecimal() or number == str(os.getpid()):
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


# Locks an output folder, so that only one run writes to it at a time.

_LOCK, _OWNER = ".lock", ".owner"
_HOLDER_BYTES = 400


@contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Locks a folder until the context or the process ends, even by a crash. Makes the folder if it is missing.

    Raises:
        UsageError: another process holds it, or its lock or its log is a link, a pipe or a device.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock, owner = folder / _LOCK, folder / _OWNER
    for path in (lock, owner):
        refuse_foreign(path)
    held = FileLock(lock)
    try:
        held.acquire(blocking=False)
    except Timeout:
        fix = "wait for it, or name another folder with --output"
        raise UsageError(str(folder), _held_by(owner), fix=fix) from None
    try:
        written(owner, f"process {os.getpid()} on {platform.node()}, since {now()}\n".encode())
        yield
    finally:
        for path in (owner, lock):
            with suppress(PermissionError):  # the folder was made read-only meanwhile, which the report says
                path.unlink(missing_ok=True)
        held.release()


def _held_by(owner: Path) -> str:
    """What is said of another run; it names its process unless it is about to."""
    named = content_of(owner, str(owner), _HOLDER_BYTES).decode("utf-8", "replace").strip() if owner.is_file() else ""
    return f"another run is writing to it{f': {named}' if named else ''}"

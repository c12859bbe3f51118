"""The log of a published certificate, for commands that take any log."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.certificate.documents import LOG
from conformance.certificate.folder import packed_log, unpack_log
from conformance.comparison.named_log import NamedLog

PAGES = "pages"
"""The folder of the pages, beside the folders of the certificates."""


def is_published(path: Path) -> bool:
    """Whether a path is the folder of a certificate."""
    return (path / LOG).is_file()


@contextmanager
def unpacked_log(folder: Path) -> Iterator[Path]:
    """The log of a certificate, as a file that exists while the context is open.

    Raises:
        BrokenRuleError: it is no regular file, cannot be unpacked, or is too large.
    """
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / "run.jsonl"
        unpack_log(packed_log(folder), log)
        yield log


@contextmanager
def named_log_of(folder: Path) -> Iterator[NamedLog]:
    """The log of a certificate under the name of its folder, with the page that was published of it.

    Raises:
        BrokenRuleError: it is no regular file, cannot be unpacked, or is too large.
    """
    page = folder.resolve().parent / PAGES / f"{folder.resolve().name}.html"
    with unpacked_log(folder) as log:
        yield NamedLog(path=log, name=str(folder), report=str(page) if page.is_file() else "")

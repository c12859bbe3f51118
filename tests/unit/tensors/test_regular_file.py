"""Files that a user names: what is read, and where nothing is written."""

import os
import sys
from pathlib import Path

import pytest

from conformance.tensors.errors import UsageError
from conformance.tensors.files import appended, content_of, refuse_foreign, written


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert content_of(tmp_path / "file", "file", 5) == b"12345"
    with pytest.raises(UsageError, match="file: has 5 bytes, and at most 4 are read"):
        content_of(tmp_path / "file", "file", 4)


def test_a_link_to_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("file")
    assert content_of(tmp_path / "link", "link", 5) == b"12345"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="pipe: is not a regular file"):
        content_of(tmp_path / "pipe", "pipe", 5)


def test_a_file_is_written_in_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    written(tmp_path / "file", b"earlier and longer")
    written(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"


def test_what_is_written_goes_behind_what_is_there(tmp_path: Path) -> None:
    written(tmp_path / "file", b"first")
    with appended(tmp_path / "file") as stream:
        stream.write(b", second")
    assert (tmp_path / "file").read_bytes() == b"first, second"


def test_a_file_with_a_second_name_is_not_written(tmp_path: Path) -> None:
    written(tmp_path / "file", b"mine")
    (tmp_path / "other").hardlink_to(tmp_path / "file")
    with pytest.raises(UsageError, match="is a file that also has another name; nothing is written there"):
        written(tmp_path / "other", b"new")
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_a_dangling_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(UsageError, match="is a link, or no regular file; nothing is written there"):
        refuse_foreign(tmp_path / "link")
    refuse_foreign(tmp_path / "nothing")

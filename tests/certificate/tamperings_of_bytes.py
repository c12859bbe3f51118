"""Ways to tamper with the bytes of a log: what other readers of JSON and xz would read otherwise, or never end to."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import zlib
from pathlib import Path

from forgery import log_bytes, write_log
from tampering import of_bytes, of_folder

from conformance.certificate.certificate_file import LOG
from conformance.certificate.rules import Rule
from conformance.log.record import FORMAT


@of_bytes(Rule.READABLE)
def starts_the_log_with_a_byte_order_mark(log: bytes) -> bytes:
    return b"\xef\xbb\xbf" + log


@of_bytes(Rule.READABLE)
def hides_a_zero_byte_at_the_end_of_a_line(log: bytes) -> bytes:
    return log.replace(b"}\n", b"}\0\n", 1)


@of_bytes(Rule.READABLE)
def leaves_a_line_empty(log: bytes) -> bytes:
    return log.replace(b"\n", b"\n\n", 1)


@of_bytes(Rule.READABLE)
def comments_on_a_line(log: bytes) -> bytes:
    return log.replace(b"\n", b" // conformant\n", 1)


@of_bytes(Rule.READABLE)
def writes_the_log_in_utf_16(log: bytes) -> bytes:
    return log.decode().encode("utf-16")


@of_bytes(Rule.READABLE)
def writes_bytes_that_are_no_utf_8(log: bytes) -> bytes:
    return log.replace(b'"framework":"Mixed"', b'"framework":"Mi\xffed"')


@of_bytes(Rule.READABLE)
def writes_half_a_surrogate_pair(log: bytes) -> bytes:
    return log.replace(b'"framework":"Mixed"', b'"framework":"Mi\\ud800ed"')


@of_bytes(Rule.READABLE)
def writes_half_a_surrogate_pair_in_three_bytes(log: bytes) -> bytes:
    return log.replace(b'"framework":"Mixed"', b'"framework":"Mi\xed\xa0\x80ed"')


@of_bytes(Rule.READABLE)
def says_twice_what_the_machine_is(log: bytes) -> bytes:
    return log.replace(b'"machine":{', b'"machine":{"system":"Other",')


@of_bytes(Rule.READABLE)
def says_twice_what_the_machine_is_and_escapes_it_once(log: bytes) -> bytes:
    return log.replace(b'"machine":{', b'"machine":{"syst\\u0065m":"Other",')


@of_bytes(Rule.READABLE)
def writes_a_list_in_place_of_a_record(log: bytes) -> bytes:
    return log.replace(b"\n", b"\n[]\n", 1)


@of_bytes(Rule.READABLE)
def writes_a_number_as_text(log: bytes) -> bytes:
    return log.replace(b'"planned":', b'"planned":"').replace(b',"timeout_s"', b'","timeout_s"')


@of_bytes(Rule.READABLE)
def writes_a_whole_number_with_a_point(log: bytes) -> bytes:
    return log.replace(b',"timeout_s"', b'.0,"timeout_s"')


@of_bytes(Rule.READABLE)
def writes_a_bool_as_a_number(log: bytes) -> bytes:
    return log.replace(b'"complete":true', b'"complete":1')


@of_bytes(Rule.READABLE)
def writes_a_number_as_a_bool(log: bytes) -> bytes:
    return log.replace(b'"output":1,', b'"output":true,')


@of_bytes(Rule.READABLE)
def writes_a_number_that_python_refuses_to_read(log: bytes) -> bytes:
    return log.replace(b'"timeout_s":20.0', b'"timeout_s":' + b"1" * 5000)


@of_bytes(Rule.READABLE)
def writes_a_number_below_zero(log: bytes) -> bytes:
    return log.replace(b'"cpu_ns":', b'"cpu_ns":-')


@of_bytes(Rule.READABLE)
def is_a_log_of_another_format(log: bytes) -> bytes:
    return log.replace(b'"format":%d' % FORMAT, b'"format":%d' % (FORMAT + 1))


@of_bytes(Rule.READABLE)
def is_a_log_of_the_format_before(log: bytes) -> bytes:
    return log.replace(b'"format":%d' % FORMAT, b'"format":%d' % (FORMAT - 1))


@of_bytes(Rule.READABLE)
def puts_a_space_into_a_line(log: bytes) -> bytes:
    return log.replace(b'"outcome":"produced"', b'"outcome": "produced"', 1)


@of_bytes(Rule.READABLE)
def puts_lines_of_spaces_into_a_line(log: bytes) -> bytes:
    return log.replace(b',"outcome"', b"," + b"\r\t " * 300_000 + b'"outcome"', 1)


@of_bytes(Rule.READABLE)
def escapes_a_letter(log: bytes) -> bytes:
    return log.replace(b'"framework":"Mixed"', b'"framework":"\\u004dixed"')


@of_bytes(Rule.READABLE)
def writes_a_number_with_an_exponent(log: bytes) -> bytes:
    return log.replace(b'"timeout_s":20.0', b'"timeout_s":2e1')


@of_bytes(Rule.READABLE)
def says_what_goes_without_saying(log: bytes) -> bytes:
    return log.replace(b'"outcome":"produced"', b'"outcome":"produced","stderr":""', 1)


@of_bytes(Rule.READABLE)
def puts_the_fields_of_a_record_in_another_order(log: bytes) -> bytes:
    header, _, rest = log.partition(b"\n")
    line, _, rest = rest.partition(b"\n")
    record = json.loads(line)
    swapped = {"type": record.pop("type"), **dict(reversed(record.items()))}
    return b"\n".join((header, json.dumps(swapped, separators=(",", ":")).encode(), rest))


@of_bytes(Rule.READABLE)
def ends_a_line_as_windows_does(log: bytes) -> bytes:
    return log.replace(b"\n", b"\r\n", 1)


@of_bytes(Rule.READABLE)
def writes_the_kind_of_a_line_in_capitals(log: bytes) -> bytes:
    return log.replace(b'"type":"check"', b'"type":"Check"', 1)


@of_bytes(Rule.READABLE)
def writes_a_million_lines_of_nothing(log: bytes) -> bytes:
    return log.partition(b"\n")[0] + b"\n" + b"{}\n" * 1_000_000


@of_bytes(Rule.COMPLETE)
def ends_the_log_many_times(log: bytes) -> bytes:
    return log + log.splitlines(keepends=True)[-1] * 10_000


@of_bytes(Rule.COMPLETE)
def leaves_out_the_end_of_the_last_line(log: bytes) -> bytes:
    return log[:-1]


@of_bytes(Rule.RECORDS)
def starts_the_log_twice(log: bytes) -> bytes:
    header = log.partition(b"\n")[0]
    return header + b"\n" + log


@of_bytes(Rule.SIZE)
def writes_a_line_without_end(log: bytes) -> bytes:
    return log.replace(b'{"type":"check",', b'{"type":"check",' + b" " * (17 << 20), 1)


@of_bytes(Rule.READABLE)
def gives_a_check_for_ever(log: bytes) -> bytes:
    return log.replace(b'"timeout_s":20.0', b'"timeout_s":1e400')


@of_bytes(Rule.READABLE)
def gives_a_check_no_number_of_seconds(log: bytes) -> bytes:
    return log.replace(b'"timeout_s":20.0', b'"timeout_s":NaN')


@of_folder(Rule.READABLE)
def packs_the_log_in_two_members(folder: Path) -> None:
    header, _, rest = log_bytes(folder).partition(b"\n")
    (folder / LOG).write_bytes(lzma.compress(header + b"\n") + lzma.compress(rest))


@of_folder(Rule.READABLE)
def packs_the_log_twice(folder: Path) -> None:
    write_log(folder, (folder / LOG).read_bytes())


@of_folder(Rule.READABLE)
def packs_the_log_by_gzip(folder: Path) -> None:
    (folder / LOG).write_bytes(gzip.compress(log_bytes(folder)))


@of_folder(Rule.READABLE)
def packs_the_log_with_lzma_alone(folder: Path) -> None:
    (folder / LOG).write_bytes(lzma.compress(log_bytes(folder), lzma.FORMAT_ALONE))


@of_folder(Rule.READABLE)
def packs_the_log_so_that_it_takes_gigabytes_to_unpack(folder: Path) -> None:
    packed = bytearray((folder / LOG).read_bytes())
    start, end = 12, 12 + 4 * packed[12]  # of the header of a block, before its checksum
    packed[16] = 40  # a dictionary of 4 GiB
    packed[end : end + 4] = zlib.crc32(packed[start:end]).to_bytes(4, "little")
    (folder / LOG).write_bytes(packed)


@of_folder(Rule.READABLE)
def forges_the_checksum_of_the_packed_log(folder: Path) -> None:
    packed = bytearray((folder / LOG).read_bytes())
    packed[-8] ^= 1
    (folder / LOG).write_bytes(packed)


@of_folder(Rule.READABLE)
def forges_the_size_of_the_packed_log(folder: Path) -> None:
    packed = bytearray((folder / LOG).read_bytes())
    packed[-1] ^= 1
    (folder / LOG).write_bytes(packed)


@of_folder(Rule.SIZE)
def packs_the_log_in_more_than_its_limit(folder: Path) -> None:
    os.truncate(folder / LOG, 65 << 20)

"""Ways to tamper with the files of a certificate: with the folder, the packed log, and the bytes of each file.

Other readers of JSON, YAML and xz would read some of them otherwise, or never come to an end.
"""

from __future__ import annotations

import base64
import gzip
import json
import lzma
import os
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import yaml
from tampering import Edit, evidence, files, remove, replaced, rewrite, stated_files, table, text, unpacked, write

from conformance.certificate.certificate_file import (
    DEVIATIONS,
    ENVELOPE,
    ENVIRONMENT,
    LOG,
    STATEMENT,
    SUMMARY,
    document_bytes,
    statement_bytes,
)
from conformance.certificate.rules import Rule
from conformance.log.record import FORMAT

SCRIPTS = "reproducers"
SCRIPT = f"{SCRIPTS}/adapter.py"

# The folder


def _links(name: str, target: str) -> Edit:
    return lambda folder: (folder / name).symlink_to(target)


def _moves_elsewhere(name: str) -> Edit:
    """Links a file or folder to where it is moved, out of the certificate."""

    def edit(folder: Path) -> None:
        shutil.move(folder / name, folder.parent / "elsewhere")
        (folder / name).symlink_to(folder.parent / "elsewhere")

    return edit


def _fills_the_folder(folder: Path) -> None:
    for number in range(200):
        (folder / f"{number}.txt").write_text("")


table(
    files,
    Rule.FILES,
    leaves_out_the_environment=remove(ENVIRONMENT),
    adds_a_page_of_its_own=write("report.html", "<h1>conformant</h1>"),
    praises_itself_in_a_readme=write("README.md", "# conformant"),
    adds_a_script=write("setup.py", "raise SystemExit('executed')"),
    adds_a_folder=lambda folder: (folder / "more").mkdir(),
    names_a_file_like_a_path_out_of_the_folder=write("..\\..\\run.jsonl", ""),
    fills_the_folder_with_files=_fills_the_folder,
)
table(
    files,
    Rule.REGULAR,
    links_the_log_to_another_place=_moves_elsewhere(LOG),
    links_the_summary_to_a_file_of_the_system=(remove(SUMMARY), _links(SUMMARY, "/etc/passwd")),
    puts_a_pipe_in_place_of_the_statement=(remove(STATEMENT), lambda folder: os.mkfifo(folder / STATEMENT)),
    puts_a_folder_in_place_of_the_environment=(remove(ENVIRONMENT), lambda folder: (folder / ENVIRONMENT).mkdir()),
    puts_a_file_in_place_of_the_reproducers=(lambda folder: shutil.rmtree(folder / SCRIPTS), write(SCRIPTS, "")),
    links_the_reproducers_to_another_folder=_moves_elsewhere(SCRIPTS),
    links_a_reproducer_to_a_file_of_the_system=(remove(SCRIPT), _links(SCRIPT, "/etc/passwd")),
)
table(
    stated_files,
    Rule.REPRODUCERS,
    leaves_out_a_reproducer=remove(SCRIPT),
    leaves_out_all_reproducers=lambda folder: shutil.rmtree(folder / SCRIPTS),
    adds_a_script_that_shows_nothing=write(f"{SCRIPTS}/more.py", "print('hello')"),
    empties_a_reproducer=write(SCRIPT, "\n"),
    gives_a_program_for_a_reproducer=write(SCRIPT, b"\x7fELF\x02\x01\x01" + bytes(64) + b"\xff"),
    turns_the_text_of_a_reproducer_around=write(SCRIPT, "access = 'user\u202e'  # not shown as it is"),
)
table(files, Rule.REPRODUCERS, hides_the_script_of_a_reproducer=write(f"{SCRIPTS}/.adapter.py", "print('hello')"))
table(files, Rule.DERIVED, Rule.REPRODUCERS, exchanges_a_reproducer=write(SCRIPT, "print('another')\n"))

# The packed log


def _needs_gigabytes(packed: bytes) -> bytes:
    changed = bytearray(packed)
    start, end = 12, 12 + 4 * packed[12]  # of the header of a block, before its checksum
    changed[16] = 40  # a dictionary of 4 GiB
    changed[end : end + 4] = zlib.crc32(changed[start:end]).to_bytes(4, "little")
    return bytes(changed)


def _flips(place: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:place] + bytes([data[place] ^ 1]) + data[len(data) + place + 1 :]


def _in_two_members(packed: bytes) -> bytes:
    header, _, rest = lzma.decompress(packed).partition(b"\n")
    return lzma.compress(header + b"\n") + lzma.compress(rest)


def _writes_log(data: bytes) -> Edit:
    return unpacked(lambda _: data)


table(
    files,
    Rule.SIZE,
    blows_up_a_reproducer=write(SCRIPT, b"#" * (2 << 20)),
    blows_up_the_summary=write(SUMMARY, b"#" * (2 << 20)),
    packs_a_bomb=_writes_log(bytes(64 << 20)),
    packs_the_log_in_more_than_its_limit=lambda folder: os.truncate(folder / LOG, 65 << 20),
)
table(
    files,
    Rule.READABLE,
    cuts_the_packed_log_off=rewrite(LOG, lambda packed: packed[: len(packed) // 2]),
    hides_something_after_the_packed_log=rewrite(LOG, lambda packed: packed + b"more"),
    packs_the_log_with_nothing=rewrite(LOG, lzma.decompress),
    packs_the_log_in_two_members=rewrite(LOG, _in_two_members),
    packs_the_log_twice=rewrite(LOG, lzma.compress),
    packs_the_log_by_gzip=rewrite(LOG, lambda packed: gzip.compress(lzma.decompress(packed))),
    packs_the_log_with_lzma_alone=rewrite(
        LOG, lambda packed: lzma.compress(lzma.decompress(packed), lzma.FORMAT_ALONE)
    ),
    packs_the_log_so_that_it_takes_gigabytes_to_unpack=rewrite(LOG, _needs_gigabytes),
    forges_the_checksum_of_the_packed_log=rewrite(LOG, _flips(-8)),
    forges_the_size_of_the_packed_log=rewrite(LOG, _flips(-1)),
    says_twice_what_a_verdict_is=replaced(b'{"type":"check",', b'{"type":"check","verdict":"crashed",', 1),
    says_what_no_record_has=replaced(b'{"type":"check",', b'{"type":"check","note":"trust me",', 1),
    hides_a_cut_line_after_the_closing_one=unpacked(lambda data: data + b'{"type":"check"'),
    took_longer_than_the_universe=replaced(b'"run_ns":[', b'"run_ns":[1' + b"0" * 400 + b",", 1),
    writes_no_json_in_the_log=_writes_log(b"not json\n"),
    nests_a_line_of_the_log_deeply=unpacked(
        lambda data: data.partition(b"\n")[0] + b'\n{"type":"check","call":' + b"[" * 200_000 + b"]" * 200_000 + b"}\n"
    ),
    starts_the_log_without_a_header=unpacked(lambda data: data.partition(b"\n")[2]),
    empties_the_log=_writes_log(b""),
)

# The bytes of the log


def _fields_in_another_order(log: bytes) -> bytes:
    header, _, rest = log.partition(b"\n")
    line, _, rest = rest.partition(b"\n")
    record = json.loads(line)
    swapped = {"type": record.pop("type"), **dict(reversed(record.items()))}
    return b"\n".join((header, json.dumps(swapped, separators=(",", ":")).encode(), rest))


_FRAMEWORK, _MACHINE, _LIMIT = b'"framework":"Mixed"', b'"machine":{', b'"timeout_s":20.0'

table(
    evidence,
    Rule.READABLE,
    starts_the_log_with_a_byte_order_mark=unpacked(lambda log: b"\xef\xbb\xbf" + log),
    hides_a_zero_byte_at_the_end_of_a_line=replaced(b"}\n", b"}\0\n", 1),
    leaves_a_line_empty=replaced(b"\n", b"\n\n", 1),
    comments_on_a_line=replaced(b"\n", b" // conformant\n", 1),
    writes_the_log_in_utf_16=unpacked(lambda log: log.decode().encode("utf-16")),
    writes_bytes_that_are_no_utf_8=replaced(_FRAMEWORK, b'"framework":"Mi\xffed"'),
    writes_half_a_surrogate_pair=replaced(_FRAMEWORK, b'"framework":"Mi\\ud800ed"'),
    writes_half_a_surrogate_pair_in_three_bytes=replaced(_FRAMEWORK, b'"framework":"Mi\xed\xa0\x80ed"'),
    says_twice_what_the_machine_is=replaced(_MACHINE, b'"machine":{"system":"Other",'),
    says_twice_what_the_machine_is_and_escapes_it_once=replaced(_MACHINE, b'"machine":{"syst\\u0065m":"Other",'),
    writes_a_list_in_place_of_a_record=replaced(b"\n", b"\n[]\n", 1),
    writes_a_number_as_text=(replaced(b'"planned":', b'"planned":"'), replaced(b',"timeout_s"', b'","timeout_s"')),
    writes_a_whole_number_with_a_point=replaced(b',"timeout_s"', b'.0,"timeout_s"'),
    writes_a_bool_as_a_number=replaced(b'"complete":true', b'"complete":1'),
    writes_a_number_as_a_bool=replaced(b'"output":1,', b'"output":true,'),
    writes_a_number_that_python_refuses_to_read=replaced(_LIMIT, b'"timeout_s":' + b"1" * 5000),
    writes_a_number_below_zero=replaced(b'"cpu_ns":', b'"cpu_ns":-'),
    is_a_log_of_another_format=replaced(b'"format":%d' % FORMAT, b'"format":%d' % (FORMAT + 1)),
    is_a_log_of_the_format_before=replaced(b'"format":%d' % FORMAT, b'"format":%d' % (FORMAT - 1)),
    puts_a_space_into_a_line=replaced(b'"outcome":"produced"', b'"outcome": "produced"', 1),
    puts_lines_of_spaces_into_a_line=replaced(b',"outcome"', b"," + b"\r\t " * 300_000 + b'"outcome"', 1),
    escapes_a_letter=replaced(_FRAMEWORK, b'"framework":"\\u004dixed"'),
    writes_a_number_with_an_exponent=replaced(_LIMIT, b'"timeout_s":2e1'),
    says_what_goes_without_saying=replaced(b'"outcome":"produced"', b'"outcome":"produced","stderr":""', 1),
    puts_the_fields_of_a_record_in_another_order=unpacked(_fields_in_another_order),
    ends_a_line_as_windows_does=replaced(b"\n", b"\r\n", 1),
    writes_the_kind_of_a_line_in_capitals=replaced(b'"type":"check"', b'"type":"Check"', 1),
    writes_a_million_lines_of_nothing=unpacked(lambda log: log.partition(b"\n")[0] + b"\n" + b"{}\n" * 1_000_000),
    gives_a_check_for_ever=replaced(_LIMIT, b'"timeout_s":1e400'),
    gives_a_check_no_number_of_seconds=replaced(_LIMIT, b'"timeout_s":NaN'),
)
table(
    evidence,
    Rule.COMPLETE,
    ends_the_log_many_times=unpacked(lambda log: log + log.splitlines(keepends=True)[-1] * 10_000),
    leaves_out_the_end_of_the_last_line=unpacked(lambda log: log[:-1]),
)
table(evidence, Rule.RECORDS, starts_the_log_twice=unpacked(lambda log: log.partition(b"\n")[0] + b"\n" + log))
table(
    evidence,
    Rule.SIZE,
    writes_a_line_without_end=replaced(b'{"type":"check",', b'{"type":"check",' + b" " * (17 << 20), 1),
)

# The text of the documents


def _counts_more(folder: Path) -> None:
    passed = next(line for line in (folder / SUMMARY).read_text().splitlines() if line.startswith("  passed: "))
    text(SUMMARY, f"{passed}\n", f"{passed}1\n")(folder)


table(
    files,
    Rule.READABLE,
    explodes_aliases_in_the_summary=write(SUMMARY, "a: &a [x, x]\nb: &b [*a, *a]\nresult: [*b, *b]\n"),
    calls_a_constructor_in_the_summary=text(
        SUMMARY, "vendor: Vendor", "vendor: !!python/object/apply:os.system ['touch executed']"
    ),
    nests_the_deviations_deeply=write(DEVIATIONS, "deviations: " + "[" * 1000 + "]" * 1000),
    invents_a_key_of_the_summary=text(SUMMARY, "result: ", "awarded: gold\nresult: "),
    writes_the_summary_in_latin_1=write(SUMMARY, "result: é".encode("latin-1")),
    tells_its_environment_without_end=write(ENVIRONMENT, "[" * 100_000),
)
table(files, Rule.PROFILE, names_a_profile_that_there_is_not=text(SUMMARY, "profile: small", 'profile: "../../small"'))
table(
    files,
    Rule.CLAIMS,
    moves_the_cursor_in_the_name_of_the_vendor=text(SUMMARY, "vendor: Vendor", 'vendor: "\\e[2Jconformant"'),
)
table(
    stated_files,
    Rule.READABLE,
    shares_a_value_of_the_summary=text(SUMMARY, "vendor: Vendor", "vendor: &me Vendor"),
    says_twice_what_the_result_is=text(SUMMARY, "claimed:\n", "result: conformant\nclaimed:\n"),
    starts_the_summary_twice=rewrite(SUMMARY, lambda data: b"result: conformant\n---\n" + data),
    states_a_list=write(SUMMARY, "- conformant\n"),
)
table(
    stated_files,
    Rule.DERIVED,
    forges_the_result=text(SUMMARY, "result: partial\n", "result: conformant\n"),
    forges_a_count=_counts_more,
    claims_another_version_of_the_product=text(SUMMARY, 'version: "1.0"', 'version: "2.0"'),
    names_another_machine=text(ENVIRONMENT, "system: ", 'system: "Other" # '),
    tells_more_of_its_environment=rewrite(ENVIRONMENT, lambda data: data + b"audited: true\n"),
    tells_less_of_its_environment=text(ENVIRONMENT, "timeout_s: 20.0\n", ""),
)

# The same in other bytes


def _turned_round(data: bytes) -> bytes:
    return document_bytes(dict(reversed(yaml.safe_load(data).items())))


_OTHERWISE: dict[str, Callable[[bytes], bytes]] = {
    "comments_at_the_end": lambda data: data + b"# result: conformant\n",
    "comments_at_the_beginning": lambda data: b"# signed by a laboratory\n" + data,
    "comments_on_a_line": lambda data: data.replace(b"\n", b" # conformant\n", 1),
    "comments_at_length": lambda data: data + b"#" + b" conformant" * 81_000 + b"\n",
    "comments_backwards": lambda data: data + "# \u202etnamrofnoc\u202c\n".encode(),
    "puts_a_byte_order_mark": lambda data: b"\xef\xbb\xbf" + data,
    "writes_utf_16": lambda data: data.decode().encode("utf-16"),
    "ends_the_document": lambda data: data + b"...\n",
    "goes_on_after_the_end": lambda data: data + b"...\n# conformant\n",
    "starts_the_document": lambda data: b"---\n" + data,
    "names_a_version_of_YAML": lambda data: b"%YAML 1.2\n---\n" + data,
    "ends_with_an_empty_line": lambda data: data + b"\n",
    "leaves_out_the_last_end_of_line": lambda data: data.removesuffix(b"\n"),
    "puts_a_space_before_an_end_of_line": lambda data: data.replace(b"\n", b" \n", 1),
    "ends_lines_as_windows_does": lambda data: data.replace(b"\n", b"\r\n"),
    "writes_JSON": lambda data: json.dumps(yaml.safe_load(data)).encode(),
    "indents": lambda data: yaml.safe_dump(yaml.safe_load(data), sort_keys=False, indent=6).encode(),
}
for _name in (SUMMARY, DEVIATIONS, ENVIRONMENT):
    table(
        stated_files,
        Rule.READABLE,
        **{f"{told}_in_{_name}": rewrite(_name, change) for told, change in _OTHERWISE.items()},
    )
for _name in (SUMMARY, ENVIRONMENT):
    table(stated_files, Rule.READABLE, **{f"turns_the_order_round_in_{_name}": rewrite(_name, _turned_round)})

# The statement and the envelope


def _holds_two_statements(folder: Path) -> None:
    passed = (folder / STATEMENT).read_bytes().replace(b"WARNED", b"PASSED")
    payload = b'{"payload": "' + base64.b64encode(passed) + b'",'
    rewrite(ENVELOPE, lambda data: data.replace(b"{", payload, 1))(folder)


_STATED: dict[str, Callable[[bytes], bytes]] = {
    "leaves_out_spaces": lambda data: json.dumps(json.loads(data)).encode(),
    "ends_with_an_empty_line": lambda data: data + b"\n",
    "escapes_a_letter": lambda data: data.replace(b"WARNED", b"\\u0057ARNED"),
    "turns_the_order_round": lambda data: statement_bytes(dict(reversed(json.loads(data).items()))),
}

for _told, _change in _STATED.items():
    table(files, Rule.READABLE, **{f"{_told}_in_{STATEMENT}": (rewrite(STATEMENT, _change), remove(ENVELOPE))})
table(
    files,
    Rule.DERIVED,
    Rule.SIGNATURE,
    says_twice_what_the_statement_is=text(
        STATEMENT, '"predicateType"', '"predicateType": "a pass",\n  "predicateType"'
    ),
    writes_a_statement_that_is_no_json=write(STATEMENT, "passed"),
    states_a_pass=text(STATEMENT, '"result": "WARNED"', '"result": "PASSED"'),
)
table(
    files,
    Rule.SIGNATURE,
    starts_the_envelope_with_a_byte_order_mark=rewrite(ENVELOPE, lambda data: b"\xef\xbb\xbf" + data),
    holds_two_statements_in_one_envelope=_holds_two_statements,
)

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import cast

import pytest
import yaml
from gallery import HOSTILE

from conformance.judge.deviation import (
    Conditions,
    DeviationKind,
    Happens,
    Memory,
    deviations_to_plain,
    read_deviations,
)
from conformance.protocol.form import Form
from conformance.protocol.outcome import Stage
from conformance.spec.verdict import Verdict
from conformance.tensors.errors import CaseFileError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "last.py").write_text("")
    (tmp_path / "adapter.py").write_text("")
    return tmp_path / "toy"


@pytest.mark.parametrize("path", sorted((HOSTILE / "deviations").glob("*.yaml")), ids=lambda path: path.stem)
def test_careless_file_gets_complete_messages(path: Path, folder: Path) -> None:
    (folder / "deviations.yaml").write_bytes(path.read_bytes())
    with pytest.raises(ExceptionGroup) as caught:
        read_deviations(folder)
    printed = "".join(f"{problem}\n" for problem in caught.value.exceptions)
    assert printed.replace(str(folder), "toy") == path.with_suffix(".txt").read_text(encoding="utf-8")


def test_adapter_without_the_file_has_no_deviations(folder: Path) -> None:
    assert read_deviations(folder) == ()


WHOLE = """
deviations:
  - id: drops-the-last
    kind: arguable
    operators: [onnx.Split-13, "onnx.Split-18"]
    when: axis < 0 and data_type == 'string'
    forms: [dynamic, second-call]
    clauses: [split.sum]
    where: {versions: ">=2.13,<3", options: {mode: eager}, isa: "<AVX512_CORE", device: CPU, system: Linux}
    verdict: [crashed, wrong result, rejected a valid call]
    values: [equal parts + low 32 bits]
    deaths: [SIGSEGV]
    stages: [running]
    messages: ["*no*"]
    memory: damages
    happens: sometimes
    depends_on: what lies there
    what: the last part is dropped
    why: it was never written
    upstream: https://example.org/1
    since: "2026-11-21"
    review: "2027-02-01"
    reproducer: last.py
"""


def test_entry_is_read_with_all_that_it_says(folder: Path) -> None:
    (folder / "deviations.yaml").write_text(WHOLE)
    (entry,) = read_deviations(folder)
    assert entry.conditions == Conditions(
        versions=">=2.13,<3",
        options={"mode": "eager"},
        isa="<AVX512_CORE",
        device="CPU",
        system="Linux",
    )
    assert (entry.operators, entry.when) == (("onnx.Split-13", "onnx.Split-18"), "axis < 0 and data_type == 'string'")
    assert (entry.forms, entry.clauses) == ((Form.DYNAMIC, Form.SECOND_CALL), ("split.sum",))
    assert entry.verdicts == (Verdict.CRASHED, Verdict.WRONG_RESULT, Verdict.REJECTED_VALID)
    assert (entry.wrong_answers, entry.deaths, entry.stages) == (
        ("equal parts + low 32 bits",),
        ("SIGSEGV",),
        (Stage.RUNNING,),
    )
    assert (entry.kind, entry.memory, entry.happens) == (DeviationKind.ARGUABLE, Memory.DAMAGES, Happens.SOMETIMES)
    assert (entry.since, entry.review) == (date(2026, 11, 21), date(2027, 2, 1))


def test_what_is_written_of_an_entry_is_read_as_the_same(folder: Path) -> None:
    (folder / "deviations.yaml").write_text(WHOLE)
    entries = read_deviations(folder)
    (folder / "deviations.yaml").write_text(yaml.safe_dump(deviations_to_plain(entries)))
    assert read_deviations(folder) == entries


def test_one_verdict_needs_no_list_and_forms_may_be_left_out(folder: Path) -> None:
    (folder / "deviations.yaml").write_text("""
deviations:
  - {id: a, kind: arguable, operators: ["*"], when: "True", where: {versions: ">=1"}, verdict: timed out, what: x,
     why: x, since: "2026-11-21", review: "2027-02-01", reproducer: last.py}
""")
    (entry,) = read_deviations(folder)
    assert (entry.verdicts, entry.forms, entry.conditions.options) == ((Verdict.TIMED_OUT,), (), {})


def test_a_group_of_forms_stands_for_all_of_them(folder: Path) -> None:
    (folder / "deviations.yaml").write_text("""
deviations:
  - {id: a, kind: arguable, operators: ["*"], when: "True", forms: [unknown-dims, constant], where: {versions: ">=1"},
     verdict: timed out, what: x, why: x, since: "2026-11-21", review: "2027-02-01", reproducer: last.py}
""")
    (entry,) = read_deviations(folder)
    assert set(entry.forms) == {
        Form.CONSTANT,
        Form.DYNAMIC,
        Form.SOME_DIMS,
        Form.UNNAMED_DIMS,
        Form.DYNAMIC_RANK,
        Form.SECOND_CALL,
        Form.SECOND_RANK,
    }


def test_an_entry_that_touches_no_memory_may_happen_sometimes(folder: Path) -> None:
    text = WHOLE.replace("    memory: damages\n", "")
    (folder / "deviations.yaml").write_text(text)
    (entry,) = read_deviations(folder)
    assert (entry.memory, entry.happens, entry.depends_on) == (None, Happens.SOMETIMES, "what lies there")


@pytest.mark.parametrize(
    ("verdict", "missing"),
    [
        ("wrong result", ["values"]),
        ("crashed", ["deaths", "stages"]),
        ("rejected a valid call", ["messages"]),
        ("accepted an invalid call", ["clauses", "forms"]),
        ("rejection too expensive", ["clauses", "forms"]),
    ],
)
def test_entry_that_is_not_exact_is_reported_what_is_missing(verdict: str, missing: list[str], folder: Path) -> None:
    (folder / "deviations.yaml").write_text(f"""
deviations:
  - {{id: a, kind: arguable, operators: ["*"], when: "True", where: {{versions: ">=1"}}, verdict: {verdict}, what: x,
     why: x, since: "2026-11-21", review: "2027-02-01", reproducer: last.py}}
""")
    with pytest.raises(ExceptionGroup) as caught:
        read_deviations(folder)
    assert [cast(CaseFileError, problem).what for problem in caught.value.exceptions] == [
        f"an entry with the verdict {verdict!r} needs `{field}`" for field in missing
    ]

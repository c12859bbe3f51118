"""Run logs by hand, for the tests of reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bundled import cases_of_operators

from conformance.judge.hypotheses import differing_indices
from conformance.log.build_record import call_entry
from conformance.log.record import (
    CallEntry,
    CheckRecord,
    DifferenceEntry,
    Footer,
    Header,
    InputEntry,
    Line,
    Machine,
    RecordedDeviation,
    RecordedInterpretation,
    SelectionEntry,
    SuiteEntry,
    TargetEntry,
    TensorEntry,
    tensor_entry,
)
from conformance.log.summary import summarize
from conformance.protocol.form import Form
from conformance.report.run_page import render_html
from conformance.run.script_folder import LogScripts
from conformance.spec.check import Check
from conformance.spec.verdict import Verdict
from conformance.tensors.tensor import tensor_from_array

TARGET = "toy@1.0"
SCRIPTED = "onnx.Split-13/axis[position=rank2-axis1]"
CASE = "onnx.Split-13/unequal[dtype=float32]"
ONNXRUNTIME = TargetEntry(
    name="onnxruntime@1.31.1",
    has_scripts=True,
    adapter="onnxruntime",
    framework="ONNX Runtime",
    version="1.31.1",
    options={"provider": "CPUExecutionProvider", "optimization": "all", "threads": "1"},
)


def header(
    *targets: TargetEntry,
    planned: int = 1,
    deviations: Sequence[RecordedDeviation] = (),
    clauses: dict[str, str] | None = None,
    law: Sequence[str] = (),
    disputes: dict[str, list[RecordedInterpretation]] | None = None,
) -> Header:
    return Header(
        started="2026-01-02T03:04:05+00:00",
        suite=SuiteEntry(
            version="0.1.0",
            digest="ab" * 32,
            operators={"onnx.Split-13": clauses or {"split.lengths": "lengths are kept"}},
            laws={"onnx.Split-13": list(law)} if law else {},
            disputes=disputes or {},
        ),
        selection=SelectionEntry(),
        targets=list(targets) or [target()],
        deviations=list(deviations),
        machine=Machine(system="Linux 6", processor="one", cores=2, python="3.11", numpy="2.4"),
        planned=planned,
        timeout_s=30.0,
    )


def target(name: str = TARGET, **fields: Any) -> TargetEntry:
    usual = {"adapter": "toy", "framework": "Toy", "version": "1.0", "has_scripts": True}
    return TargetEntry(name=name, **{**usual, **fields})


def deviation(id: str = "toy-001", **fields: Any) -> RecordedDeviation:  # noqa: A002
    texts = {
        "target": TARGET,
        "what": "the last part is dropped",
        "why": "it was never written",
        "upstream": "https://example.org/issues/1",
        "since": "2026-01-01",
        "review": "2026-07-01",
        "reproducer": "reproducers/last_part.py",
    }
    return RecordedDeviation(id=id, **{**texts, **fields})


def record(verdict: Verdict = Verdict.PASS, **fields: Any) -> CheckRecord:
    usual: dict[str, Any] = {
        "target": TARGET,
        "case": CASE,
        "form": Form.CONSTANT,
        "judged": Verdict.WRONG_RESULT if verdict is Verdict.KNOWN else verdict,
        "clauses": ["split.lengths"],
        "outcome": "produced",
    }
    return CheckRecord(verdict=verdict, **{**usual, **fields})


def lines(*records: CheckRecord, head: Header | None = None, is_closed: bool = True) -> list[Line]:
    """A log of these records; planned is one check each for one target unless a header is given."""
    closing = [footer(len(records))] if is_closed else []
    return [head or header(planned=len(records)), *records, *closing]


def page_of_log(log: Path | list[Line]) -> str:
    """The HTML report of a log."""
    summary = summarize(log)
    return "".join(render_html(summary, log, LogScripts(summary)))


def footer(records: int, reason: str = "") -> Footer:
    return Footer(complete=not reason, reason=reason, ended="2026-01-02T03:05:05+00:00", records=records, verdicts={})


def entry(values: Any, dtype: str = "float32") -> TensorEntry:
    return tensor_entry(tensor_from_array(np.array(values, dtype)))


def entry_of_bits(patterns: Sequence[int], dtype: str, bits: str) -> TensorEntry:
    return tensor_entry(tensor_from_array(np.array(patterns, bits).view(dtype)))


def difference(expected: TensorEntry | None, actual: TensorEntry | None, **fields: Any) -> DifferenceEntry:
    return DifferenceEntry(**{"run": 0, "output": 0, "mismatch": "bits", **fields}, expected=expected, actual=actual)


def difference_of_arrays(expected: Any, actual: Any, **fields: Any) -> DifferenceEntry:
    """A difference in bits of two arrays, recorded around its first element as a run does."""
    want, have = tensor_from_array(expected), tensor_from_array(actual)
    indices = differing_indices(want, have)
    return DifferenceEntry(
        run=0,
        output=0,
        mismatch="bits",
        expected=tensor_entry(want, indices[0]),
        actual=tensor_entry(have, indices[0]),
        differing=len(indices),
        first=indices[0],
        **fields,
    )


def asked_of_onnxruntime(**fields: Any) -> CheckRecord:
    """A bundled check of `ONNXRUNTIME` that a script can show: one element of the first part is another one."""
    families = {family.id: family for family in cases_of_operators("onnx.Split").families}
    case = next(case for case in families[SCRIPTED.partition("[")[0]].cases() if case.id == SCRIPTED)
    part = np.array([[0], [6]], np.float32)
    usual = {
        "case": SCRIPTED,
        "target": ONNXRUNTIME.name,
        "cause": "other values",
        "dtype": "float32",
        "call": call_entry(Check(case, Form.CONSTANT)),
        "differences": [difference_of_arrays(part, part + np.array([[0], [3]], np.float32))],
    }
    return record(Verdict.WRONG_RESULT, **{**usual, **fields})


def call(data: TensorEntry, split: Sequence[int] = (2, 4)) -> CallEntry:
    lengths = entry(list(split), "int64")
    return CallEntry(
        attributes={"axis": 1},
        inputs=[
            InputEntry(name="input", dtype=data.dtype, dims=list(data.shape), constant=False, values=[data]),
            InputEntry(name="split", dtype="int64", dims=[len(split)], constant=True, values=[lengths]),
        ],
        declared_outputs=len(split),
    )

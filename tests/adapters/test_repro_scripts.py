"""What `conformance repro` writes, and what a report holds, run without the project: it must say what was found."""

from __future__ import annotations

import base64
import json
import re
import threading
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from report_records import page_of_log

from conformance.judge.judge import judge
from conformance.protocol.form import Form
from conformance.run.run import run
from conformance.run.run_plan import RunRequest
from conformance.run.script_folder import check_named, run_alone, write_reproducer
from conformance.run.selection import Selection
from conformance.run.session import Session
from conformance.spec.verdict import Verdict
from conformance.suite.adapter_file import target_from_text
from conformance.suite.suite import Suite, bundled_folder, load_suite

pytestmark = pytest.mark.slow

CHECKS: Mapping[str, list[tuple[str, str]]] = {
    "onnxruntime": [
        ("onnx.Split-13/special-values-with-nans[dtype=bfloat16]", "dynamic"),
        ("onnx.Split-13/written-strings", "constant"),
        ("onnx.Split-13/lengths[data=vector,cut=rising]", "second-call"),
        ("onnx.Split-18/neither-lengths-nor-num-outputs[count=2]", "dynamic"),
        ("onnx.Split-18/num-outputs-below-declared", "constant"),
        ("openvino.VariadicSplit-1/graphs-of-each-type[dtype=float32]", "before-concat"),
    ],
    "onnxruntime[optimization=disabled]": [("onnx.Split-13/graphs-of-each-type[dtype=uint16]", "constant-folded")],
    "openvino": [
        ("openvino.VariadicSplit-1/graphs-of-each-type[dtype=bfloat16]", "after-relu"),
        ("openvino.VariadicSplit-1/data-of-each-type[dtype=int4]", "constant"),
        ("openvino.VariadicSplit-1/data-of-each-type[dtype=string]", "constant"),
        ("openvino.VariadicSplit-1/remainder[axis=1,cut=middle]", "second-call"),
        ("onnx.Split-18/uneven[cut=7-into-2]", "dynamic"),
        ("openvino.Split-1/raw-bits-written-out[data=nf4]", "constant"),
        ("openvino.Split-1/raw-bits-written-out[data=uint6]", "constant"),
        ("openvino.Split-1/raw-bits-folded-in-one-part[dtype=uint3,size=within]", "constant-folded"),
        ("openvino.Split-1/raw-bits-folded-in-one-part[dtype=uint6,size=whole]", "constant-folded"),
        ("openvino.Reshape-1/dims-copied[shape=first]", "constant"),
    ],
    "openvino[route=ir]": [
        ("openvino.Split-1/data-of-each-type[dtype=float16]", "runtime-dynamic"),
        ("openvino.Split-1/raw-bits-folded-in-one-part[dtype=uint6,size=within]", "constant-folded"),
        ("openvino.Reshape-1/dims-copied[shape=first]", "constant"),
    ],
    "torch": [
        ("onnx.Split-13/special-values-with-nans[dtype=bfloat16]", "constant"),
        ("openvino.Split-1/equal-parts[data=vector,parts=two]", "second-call"),
        ("onnx.Concat-13/two-along-each-axis[along=columns]", "constant"),
        ("onnx.Concat-13/other-ranks[data=lower]", "constant"),
        ("openvino.Transpose-1/empty-order", "constant"),
        ("onnx.Gather-13/indices-of-each-rank[data=table]", "constant"),
        ("openvino.Gather-8/examples[data=vector]", "constant"),
        ("openvino.Slice-8/in-steps[range=every-second]", "constant"),
        ("openvino.Slice-8/along-several-axes[range=from-the-end]", "constant"),
        ("openvino.Slice-8/no-axis-is-sliced[empty=list,axes=empty]", "constant"),
        ("onnx.Reshape-13/dims-copied[shape=middle]", "constant"),
        ("onnx.Reshape-13/copied-again[data=first]", "second-call"),
    ],
}
EXIT_CODES = {Verdict.PASS: {0}, Verdict.FOLLOWS: {0}, Verdict.UNSUPPORTED: {2}}
SAYS = {
    Verdict.PASS: "\nas expected\n",
    Verdict.WRONG_RESULT: "\nNOT as expected\n",
    Verdict.REJECTED_VALID: "actual: rejected with ",
    Verdict.ACCEPTED_INVALID: "actual: answered",
    Verdict.FOLLOWS: "the framework follows ",
}


@cache
def suite() -> Suite:
    return load_suite(bundled_folder("cases"))


@cache
def verdicts(target: str) -> Mapping[tuple[str, str], Verdict]:
    """What the engine finds, by case and form."""
    checks = [check_named(suite(), case, form) for case, form in CHECKS[target]]
    session = Session(target_from_text(target), 60.0, threading.Event())
    session.start()
    return {
        (check.case.id, check.form.value): judge(check.steps, outcome).verdict
        for check, outcome in session.answers(checks)
    }


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("target", "case", "form"), [(target, case, form) for target, checks in CHECKS.items() for case, form in checks]
)
def test_the_script_says_what_the_engine_found(target: str, case: str, form: str, tmp_path: Path) -> None:
    verdict = verdicts(target)[case, form]
    script, *_ = write_reproducer(check_named(suite(), case, form), target_from_text(target), tmp_path / "repro")
    done = run_alone(script)
    said = f"{verdict}\n{done.stdout}{done.stderr}"
    if verdict is Verdict.CRASHED:
        assert done.code not in (None, 0, 1, 2), said
    else:
        assert done.code in EXIT_CODES.get(verdict, {1}), said
        assert SAYS.get(verdict, "") in done.stdout, said


@pytest.mark.frameworks
@pytest.mark.parametrize(
    ("target", "case", "form"),
    [
        ("onnxruntime", "onnx.Split-18/num-outputs-below-one[count=-1]", Form.DYNAMIC),
        ("openvino", "openvino.VariadicSplit-1/data-of-each-type[dtype=uint2]", Form.CONSTANT),
        ("openvino[route=ir]", "openvino.VariadicSplit-1/data-of-each-type[dtype=uint2]", Form.CONSTANT),
        ("openvino", "onnx.Split-18/uneven[cut=7-into-4]", Form.CONSTANT),
    ],
)
def test_a_script_out_of_a_report_shows_what_a_run_found(target: str, case: str, form: Form, tmp_path: Path) -> None:
    log = tmp_path / "run.jsonl"
    request = RunRequest(
        suite=suite(),
        selection=Selection(cases=(case,), forms=(form,)),
        targets=(target_from_text(target),),
        log=log,
        timeout_s=60,
        jobs=1,
    )
    run(request, lambda _: None, lambda _, __: None)
    page = page_of_log(log)
    (block,) = re.findall(r'id="data-details-0">([^<]*)<', page)
    ((*_, script),) = json.loads(zlib.decompress(base64.b64decode(block)))
    (tmp_path / "repro.py").write_text(script)
    done = run_alone(tmp_path / "repro.py")
    assert (done.code, done.stderr) == (1, ""), done.stdout

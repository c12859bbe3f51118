"""Each faulty adapter gets its verdict on the case that it fails, and harms no other; all through real processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import count

import pytest
from gallery import SPEAKERS, Log, liars

from conformance import __version__
from conformance.log.record import CheckRecord
from conformance.protocol.form import Form
from conformance.protocol.messages import CODE
from conformance.protocol.outcome import Stage
from conformance.run.arena import heap_checks
from conformance.spec.verdict import Verdict

PASS, NOT_RUN = Verdict.PASS, Verdict.NOT_RUN
WRONG, CRASHED, HARNESS = Verdict.WRONG_RESULT, Verdict.CRASHED, Verdict.HARNESS_ERROR
ACCEPTED, REJECTED = Verdict.ACCEPTED_INVALID, Verdict.REJECTED_VALID
NEIGHBOUR, COSTLY = Verdict.NEIGHBOUR, Verdict.COSTLY_REJECTION
UNSUPPORTED, INEXPRESSIBLE, UNDECLARED = Verdict.UNSUPPORTED, Verdict.NOT_EXPRESSIBLE, Verdict.NOT_DECLARED

CASES = [
    *("uneven", "first", "bait", "negative-axis", "empty-part", "wide-integers", "doubles", "signalling-nan"),
    *("negative-zero", "subnormal", "half", "brain", "texts", "too-much", "last"),
]
THREE = ["first", "bait", "last"]

# liar, the case that it lies about, verdict, cause under which the report groups it
LIES = [
    ("swaps_outputs", "bait", WRONG, "outputs swapped"),
    ("off_by_one_boundary", "bait", WRONG, "boundary off by one"),
    ("starts_one_early", "bait", WRONG, "boundary off by one"),
    ("drops_last_element", "bait", WRONG, "boundary off by one"),
    ("wrong_axis", "bait", WRONG, "wrong axis"),
    ("ignores_negative_axis", "negative-axis", WRONG, "wrong axis"),
    ("drops_empty_outputs", "empty-part", WRONG, "empty output dropped"),
    ("adds_an_output", "bait", WRONG, "wrong number of outputs"),
    ("forgets_an_output", "bait", WRONG, "wrong number of outputs"),
    ("returns_nothing", "bait", WRONG, "wrong number of outputs"),
    ("flattens", "bait", WRONG, "wrong shape"),
    ("answers_with_a_negative_dim", "bait", WRONG, "wrong shape"),
    ("answers_with_too_much", "bait", WRONG, "wrong shape"),
    ("accepts_with_too_much", "too-much", ACCEPTED, "violates split_lengths.sum"),
    ("returns_garbage", "bait", WRONG, "other values"),
    ("infers_another_shape", "bait", WRONG, "inferred shape"),
    ("infers_a_negative_dim", "bait", WRONG, "inferred shape"),
    ("spreads_remainder", "uneven", WRONG, "remainder spread over the first parts"),
    ("always_float32", "bait", WRONG, "uint16 became float32"),
    ("always_float32", "wide-integers", WRONG, "int64 became float32"),
    ("always_float32", "doubles", WRONG, "float64 became float32"),
    ("always_float32", "half", WRONG, "float16 became float32"),
    ("narrows_int64", "wide-integers", WRONG, "truncated to 32 bits"),
    ("narrows_float64", "doubles", WRONG, "truncated to 32 bits"),
    ("quiets_nan", "signalling-nan", WRONG, "NaN quieted"),
    ("forgets_nan_payloads", "signalling-nan", WRONG, "NaN payload changed"),
    ("loses_negative_zero", "negative-zero", WRONG, "-0.0 lost"),
    ("flushes_subnormals", "subnormal", WRONG, "subnormals flushed to zero"),
    ("folds_case", "texts", WRONG, "other values"),
    ("writes_to_its_input", "bait", WRONG, "input changed"),
    ("pokes_its_input", "bait", WRONG, "input changed"),
    ("pokes_beside_its_input", "bait", WRONG, "input changed"),
    ("blinds_its_worker", "bait", WRONG, "input changed"),
    ("returns_no_text", "texts", WRONG, "other values"),
    ("accepts_everything", "too-much", ACCEPTED, "violates split_lengths.sum"),
    ("rejects_only_float16", "half", REJECTED, "rejected while running: half is not enough"),
    ("says_nothing_but_no", "bait", REJECTED, "rejected while running: no message"),
    ("says_too_much", "bait", REJECTED, f"rejected while running: {'no, ' * 29}n..."),
    ("mumbles", "bait", REJECTED, "rejected while running: caf?"),
    ("refuses_at_great_cost", "too-much", COSTLY, "cost of rejecting a violation of split_lengths.sum"),
    ("says_unsupported", "bait", UNSUPPORTED, ""),
    ("claims_bfloat16", "brain", UNSUPPORTED, ""),
    ("hides_float16", "half", UNDECLARED, ""),
    ("takes_no_onnx", "uneven", UNDECLARED, ""),
    ("cannot_express_text", "texts", INEXPRESSIBLE, ""),
    ("runs_out_of_memory", "bait", REJECTED, "rejected while running: MemoryError"),
    ("has_no_memory_to_prepare", "bait", REJECTED, "rejected while preparing: MemoryError: std::bad_alloc"),
    ("segfaults_on_preparing", "bait", CRASHED, "process died while preparing: SIGSEGV"),
    ("segfaults", "bait", CRASHED, "process died while running: SIGSEGV"),
    (
        "throws_an_exception_of_cpp",
        "bait",
        CRASHED,
        "process died while running: SIGABRT: axis # of #",
    ),
    ("segfaults_on_release", "bait", CRASHED, "process died while releasing: SIGSEGV"),
    ("leaves_a_grandchild", "bait", CRASHED, "process died while running: exit status 1"),
    ("crashes_once", "bait", Verdict.UNSTABLE, "only once: exit status 1"),
]

# adapters that fail themselves, which says nothing about a framework: why the bait got `harness error`
FAULTS = [
    ("raises_typeerror", 'while running: TypeError: can only concatenate list (not "int") to list'),
    ("mutates_inputs", "while running: ValueError: assignment destination is read-only"),
    ("exits_with_3", "while running: SystemExit: 3"),
    ("is_interrupted", "while running: KeyboardInterrupt"),
    ("returns_none", "while running: TypeError: 'NoneType' object is not iterable"),
    ("returns_an_object", "while running: TypeError: output 0 is 'object', neither a NumPy array nor a Tensor"),
    ("returns_lists", "while running: TypeError: output 0 is 'list', neither a NumPy array nor a Tensor"),
    ("returns_a_dictionary", "while running: TypeError: output 0 is 'str', neither a NumPy array nor a Tensor"),
    ("returns_a_broken_tensor", "the answer is not one: 2 bytes for a tensor uint16(6, 1), which needs 12"),
    ("tells_its_device_by_object", "while answering: TypeError: Object of type PosixPath is not JSON serializable"),
]

# odd, but honest: every case passes
ODD = ["prints_to_stdout", "floods_stderr", "returns_a_generator", "sets_up_late", "refuses_at_some_cost"]

MEMORY_FILLERS = ["fills_memory", "fills_memory_slowly"]

REFUSES_ALL = ["rejects_everything", "rejects_everything_in_its_own_words"]

# liars with a test of their own
ALONE = [
    *REFUSES_ALL,
    *("claims_other_forms", "cannot_start_again", "leaves_a_daemon", "speaks_honestly"),
    *("dies_at_each_case", "dies_after_the_first_case", "never_says_hello"),
    *("is_wrong_after_others", "damages_what_follows", "writes_behind_a_block"),
    *("dawdles", "interrupts_its_restart"),  # test_interrupts
    *MEMORY_FILLERS,
    "leaks_memory",
    "answers_a_negative_shape",
    "waits_for_company",  # test_session
    *("works_for_a_second", "spins"),  # test_pauses
    "refuses_after_long_work",
    *("is_killed", "starts_as_told"),  # test_stops
    "takes_its_time",  # tests/lab
]

RECORD = """
deviations:
  - id: lie
    kind: plainly wrong
    operators: ["*"]
    when: data_type == 'uint16'
    where: {{versions: ">=1"}}
    {}
    what: It lies.
    why: It is a liar.
    since: "2026-01-01"
    review: "2027-01-01"
    reproducer: adapter.py
"""
_DAMAGES = ("verdict: [crashed, unstable]", "deaths: [SIGABRT]", "stages: [running]", "memory: damages")
DEVIATIONS = RECORD.format("verdict: wrong result\n    values: [outputs reversed]")
DAMAGE = RECORD.format("\n    ".join((*_DAMAGES, "happens: sometimes", "depends_on: what lies there")))

# with a second call, to a model of which only the rank is known
SECOND_CALLS = [
    ("caches_first_answer", WRONG, "stale values of an earlier call"),
    ("overwrites_earlier_outputs", WRONG, "overwritten by a later call"),
    ("cannot_be_called_twice", HARNESS, "adapter failed"),
    ("off_by_one_boundary", WRONG, "boundary off by one"),
    ("starts_one_early", WRONG, "boundary off by one"),
    ("drops_last_element", WRONG, "boundary off by one"),
    ("swaps_outputs", WRONG, "outputs swapped"),
]

# in forms that a case names
NOT_THE_SUM = "rejected while running: split_lengths.sum: the lengths add up to #, not to #"
FORMS = [
    ("caches_by_shape", Form.SAME_CALL_TWICE, WRONG, "stale values of an earlier call"),
    ("caches_by_shape", Form.SECOND_ARGUMENTS, WRONG, "stale values of an earlier call"),
    ("keeps_its_first_lengths", Form.SECOND_ARGUMENTS, WRONG, "split at other places"),
    ("cannot_be_called_twice", Form.SAME_CALL_TWICE, HARNESS, "adapter failed"),
    ("ignores_strides", Form.STRIDED, WRONG, "other values"),
    ("ignores_strides_of_arguments", Form.RUNTIME_STRIDED, REJECTED, NOT_THE_SUM),
    ("drops_its_neighbour", Form.BEFORE_CONCAT, WRONG, "wrong number of outputs"),
]

# with a Concat behind: what is wrong, whose fault it is, and what the Concat did alone
NEIGHBOURS = [
    ("joins_without_negative_zero", WRONG, NEIGHBOUR, WRONG),
    ("splits_without_negative_zero", WRONG, WRONG, PASS),
    ("splits_and_joins_wrongly", WRONG, WRONG, WRONG),
    ("gives_zeros_everywhere", WRONG, WRONG, WRONG),
    ("refuses_to_join", REJECTED, NEIGHBOUR, REJECTED),
    ("dies_where_it_joins", CRASHED, NEIGHBOUR, CRASHED),
]

# with a time limit of a second
HANGS = [
    ("hangs", Verdict.TIMED_OUT, "no answer in time"),
    ("hangs_once", Verdict.UNSTABLE, "only once: no answer within 1 s"),
    ("closes_stdout", CRASHED, "process died: closed its output without ending"),
    ("hangs_at_the_end", PASS, ""),
]

# why a target could not start; none of its cases is run
STARTS = [
    ("cannot_import", "it cannot start: ModuleNotFoundError: No module named 'a_framework_that_is_not_installed'"),
    (
        "reads_a_version_that_is_not_there",
        (
            "it cannot start: AttributeError: module 'json.tool' has no attribute '__version__'\n"
            "  fix:  let the description say that of the package: version=importlib.metadata.version('its-package')"
        ),
    ),
    (
        "has_no_adapter_class",
        "it cannot start: AttributeError: module 'opconform_adapter_has_no_adapter_class' has no attribute 'Adapter'",
    ),
    ("dies_at_start", "the worker could not start: exit status 7\n  fix:  the worker's last output: no licence"),
    (
        "keeps_its_inputs_to_itself",
        "its worker does not read the inputs from shared memory\n  fix:  it wrote nothing to standard error",
    ),
    (
        "runs_another_release",
        (
            f"its worker is opconform 0.0.1, and the engine {__version__}\n"
            f"  fix:  install opconform-worker=={__version__} where the adapter runs"
        ),
    ),
    (
        "runs_another_version",
        (
            f"its worker runs the code in elsewhere, and the engine that in {CODE}\n"
            "  fix:  start the command `conformance` that is installed, not another copy"
        ),
    ),
    (
        "declares_no_operators",
        (
            "its description has no 'operators'\n"
            '  fix:  name what it takes: operators=["onnx.*"] for a whole dialect, '
            '"onnx.Split" for all versions, "onnx.Split-13" for one'
        ),
    ),
    ("has_no_version", "its description has no 'version'\n  fix:  let the description say it: version='2.1'"),
    (
        "declares_controls_of_plain_forms",
        (
            "`controls` names 'constant', 'runtime', where no node stands beside the operator\n"
            "  fix:  leave them out; these can have one: strided, runtime-strided, transposed, reversed, "
            "broadcast, offset, after-relu, before-concat, constant-folded, external-data"
        ),
    ),
    (
        "speaks_another_version",
        "the first answer must be `ready` of protocol 1, not 'ready' of protocol 2\n  fix:  it wrote nothing to standard error",  # noqa: E501
    ),
    (
        "describes_nonsense",
        "the field 'devices' must be a list of text\n  fix:  it wrote nothing to standard error",
    ),
    (
        "does_not_speak",
        (
            "the stream has b'usage: does_not_' where a frame must start\n"
            "  fix:  see docs/reference/protocol.md; print to stderr, never to the protocol's stream"
        ),
    ),
]

# speakers who die of the bait
DEATHS = [
    ("aborts", "process died: SIGABRT"),
    ("exits_with_0", "process died: exit status 0"),
    ("truncates_an_answer", "process died: exit status 0"),
    ("leaves_a_forked_grandchild", "process died: exit status 1"),
]

# speakers that give no answer, without an end of their own: the bait gets `harness error`, all else passes
FALSE_ANSWERS = [
    ("kills_itself", "the worker was killed twice from outside (SIGKILL)"),
    ("answers_unknown_outcome", "the answer is not one: 'perfect' is not an outcome"),
    ("answers_unknown_dtype", "the answer is not one: 'posit16' is not a dtype of the protocol"),
    ("answers_too_few_bytes", "the answer is not one: 11 bytes for a tensor uint16(6, 1), which needs 12"),
    ("answers_an_absurd_shape", f"the answer is not one: [0, {10**30}] is not a shape"),
    ("refers_to_nothing", "the answer is not one: a tensor refers to attachment 7, but the message has 3"),
    ("answers_too_many_runs", "1 calls were sent and 2 answered"),
    *(
        (liar, "the answer is not one: the field 'prepare_ns' must hold whole numbers that are not negative")
        for liar in ("measures_nonsense", "measures_eternity")
    ),
    ("promises_a_tebibyte", "the answer has the right shapes, and is too large to be read"),
]

# speakers who break the stream, after which nothing more can be read: the case, and why
BROKEN_STREAMS = [
    ("chatters_on_stdout", "bait", "the stream has b'[INFO] about to ' where a frame must start"),
    ("answers_nonsense", "bait", "the header is not JSON: b'{nonsen'"),
    ("answers_a_list", "bait", "the header is not a JSON object"),
    ("miscounts_attachments", "bait", "the attachments add up to 73 bytes, but the payload has 72"),
    ("promises_a_huge_header", "bait", "a header of 4294967295 bytes is more than the 67108864 allowed"),
    ("answers_another_question", "bait", "the adapter sent 'answer 99' where the answer to request 2 was due"),
    ("says_ready_again", "bait", "the adapter sent 'ready None' where the answer to request 2 was due"),
    ("answers_twice", "last", "the adapter sent 'answer 2' where the answer to request 3 was due"),
]


@pytest.fixture(scope="module")
def gallery(run_liars: Callable[..., Log]) -> Log:
    """Everyone who answers or dies at once, in one run over all cases."""
    names = [*(name for name, *_ in (*LIES, *FAULTS)), *ODD, *REFUSES_ALL, "claims_other_forms"]
    return run_liars(dict.fromkeys(names), CASES)


@pytest.fixture(scope="module")
def speakers(run_liars: Callable[..., Log]) -> Log:
    """Everyone who speaks the protocol by hand and at once."""
    names = [name for name, *_ in (*FALSE_ANSWERS, *BROKEN_STREAMS, *DEATHS)]
    return run_liars([*names, "answers_a_negative_shape", "speaks_honestly"], THREE)


@pytest.fixture(scope="module")
def hanging(run_liars: Callable[..., Log]) -> Log:
    """Everyone who costs time, with shorter waits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conformance.run.process._GRACE_S", 0.5)
        return run_liars([name for name, *_ in HANGS], THREE, limit_s=1.0)


@pytest.fixture(scope="module")
def starts(run_liars: Callable[..., Log]) -> Log:
    """Everyone who cannot start, and one who can."""
    return run_liars([*(name for name, _ in STARTS), "speaks_honestly"], THREE)


def name_of(record: CheckRecord) -> str:
    return record.case.partition("/")[2]


def record_of(log: Log, liar: str, case: str) -> CheckRecord:
    (record,) = [record for record in log.of(liar) if name_of(record) == case]
    return record


def verdicts(log: Log, liar: str) -> dict[str, Verdict]:
    return {name_of(record): record.verdict for record in log.of(liar)}


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "case", "verdict", "cause"), LIES)
def test_each_lie_gets_its_verdict_and_cause(gallery: Log, liar: str, case: str, verdict: Verdict, cause: str) -> None:
    record = record_of(gallery, liar, case)
    assert (record.verdict, record.cause) == (verdict, cause)


@pytest.mark.slow
@pytest.mark.parametrize("liar", dict.fromkeys(name for name, *_ in LIES))
def test_a_lie_harms_no_other_case(gallery: Log, liar: str) -> None:
    harmed = {case for name, case, *_ in LIES if name == liar}
    others = {case: verdict for case, verdict in verdicts(gallery, liar).items() if case not in harmed}
    assert others == dict.fromkeys((case for case in CASES if case not in harmed), PASS)


@pytest.mark.slow
def test_every_check_is_recorded_once_and_in_the_order_of_the_plan(gallery: Log) -> None:
    for target in gallery.header.targets:
        assert [name_of(record) for record in gallery.of(target.adapter)] == list(CASES)


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "why"), FAULTS)
def test_a_fault_of_the_adapter_is_no_verdict_on_its_framework(gallery: Log, liar: str, why: str) -> None:
    assert record_of(gallery, liar, "bait").explanation == why
    assert verdicts(gallery, liar) == {**dict.fromkeys(CASES, PASS), "bait": HARNESS}


@pytest.mark.slow
@pytest.mark.parametrize("honest", ODD)
def test_who_is_odd_but_honest_passes_everything(gallery: Log, honest: str) -> None:
    assert set(verdicts(gallery, honest).values()) == {PASS}


@pytest.mark.slow
@pytest.mark.parametrize("liar", REFUSES_ALL)
def test_who_refuses_everything_passes_nothing(gallery: Log, liar: str) -> None:
    assert verdicts(gallery, liar) == {**dict.fromkeys(CASES, REJECTED), "too-much": Verdict.NOT_SHOWN}
    twin = record_of(gallery, liar, "too-much").twin
    assert twin is not None
    assert (twin.outcome, twin.stage) == ("rejected", Stage.PREPARING)


@pytest.mark.slow
def test_a_form_that_is_not_declared_does_not_run(gallery: Log) -> None:
    assert set(verdicts(gallery, "claims_other_forms").values()) == {UNDECLARED}


@pytest.mark.slow
def test_a_message_that_is_too_long_is_cut(gallery: Log) -> None:
    assert len(record_of(gallery, "says_too_much", "bait").message) == 4000


@pytest.mark.slow
def test_what_a_refusal_cost_is_recorded_and_said(gallery: Log) -> None:
    record = record_of(gallery, "refuses_at_great_cost", "too-much")
    assert record.peak_bytes is not None
    assert 1190 << 20 <= record.peak_bytes < 1300 << 20
    assert record.explanation == f"the rejection took {record.peak_bytes / 2**20:,.0f} MiB of memory (at most 1,024)"


@pytest.mark.slow
def test_who_computes_for_long_before_a_refusal_is_reported(run_liars: Callable[..., Log]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conformance.protocol.outcome.CPU_LIMIT_NS", 300_000_000)
        record = run_liars(["refuses_after_long_work"], ["first", "too-much"]).records[-1]
    assert (record.verdict, record.explanation) == (COSTLY, "the rejection took 0.4 s of CPU time (at most 0.3)")


@pytest.mark.slow
def test_the_last_of_what_a_dead_worker_wrote_is_kept(gallery: Log) -> None:
    assert "Fatal Python error: Segmentation fault" in record_of(gallery, "segfaults", "bait").stderr


@pytest.mark.slow
def test_a_crash_is_recorded_with_the_stage_that_it_came_in(gallery: Log) -> None:
    names = ("segfaults_on_preparing", "segfaults", "segfaults_on_release", "crashes_once")
    assert [record_of(gallery, name, "bait").stage for name in names] == [*Stage, None]


@pytest.mark.slow
def test_an_unstable_check_names_those_before_it(gallery: Log) -> None:
    record = record_of(gallery, "crashes_once", "bait")
    assert record.explanation == "exit status 1; alone in a fresh process: produced"
    assert record.suspects == ["onnx.Split-18/uneven (constant)", "openvino.VariadicSplit-1/first (constant)"]


@pytest.mark.slow
def test_lies_that_need_a_second_call_show_in_it(run_liars: Callable[..., Log]) -> None:
    log = run_liars([name for name, *_ in SECOND_CALLS], THREE, forms=[Form.SECOND_CALL])
    for liar, verdict, cause in SECOND_CALLS:
        assert verdicts(log, liar) == {"first": PASS, "bait": verdict, "last": PASS}
        assert record_of(log, liar, "bait").cause == cause


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "form", "verdict", "cause"), FORMS)
def test_lies_about_a_form_show_in_it(
    run_liars: Callable[..., Log], liar: str, form: Form, verdict: Verdict, cause: str
) -> None:
    log = run_liars([liar], ["first-again", "bait-again"], forms=[form])
    assert verdicts(log, liar) == {"first-again": PASS, "bait-again": verdict}
    assert record_of(log, liar, "bait-again").cause == cause


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "judged", "verdict", "alone"), NEIGHBOURS)
def test_an_operator_is_blamed_for_what_its_neighbour_does_not_do_alone(
    run_liars: Callable[..., Log], liar: str, judged: Verdict, verdict: Verdict, alone: Verdict
) -> None:
    log = run_liars([liar], ["zeros-of-both-signs"], forms=[Form.BEFORE_CONCAT])
    record = record_of(log, liar, "zeros-of-both-signs")
    assert (record.judged, record.verdict) == (judged, verdict)
    assert record.control is not None
    assert record.control.judged is alone


@pytest.mark.slow
@pytest.mark.parametrize("form", [Form.STRIDED, Form.BEFORE_CONCAT], ids=lambda form: form.value)
def test_an_adapter_that_does_not_know_a_form_is_not_sent_it(run_liars: Callable[..., Log], form: Form) -> None:
    log = run_liars(["prints_to_stdout"], ["first-again"], forms=[form])
    assert verdicts(log, "prints_to_stdout") == {"first-again": UNDECLARED}


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "verdict", "cause"), HANGS)
def test_what_hangs_costs_its_own_case_only(hanging: Log, liar: str, verdict: Verdict, cause: str) -> None:
    assert verdicts(hanging, liar) == {"first": PASS, "bait": verdict, "last": PASS}
    assert record_of(hanging, liar, "bait").cause == cause


@pytest.fixture
def half_a_gibibyte(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small limit of memory."""
    monkeypatch.setattr("conformance.run.dispatch.MEMORY_LIMIT_BYTES", 512 << 20)


@pytest.mark.slow
@pytest.mark.usefixtures("half_a_gibibyte")
def test_memory_without_a_limit_ends_alike_however_fast_it_is_filled(run_liars: Callable[..., Log]) -> None:
    log = run_liars(MEMORY_FILLERS, ["first", "bait", "too-much", "last"])
    for liar in MEMORY_FILLERS:
        assert verdicts(log, liar) == {"first": PASS, "bait": CRASHED, "too-much": COSTLY, "last": PASS}
        assert record_of(log, liar, "bait").cause == "process died while running: out of memory"
        assert record_of(log, liar, "too-much").cause == "cost of rejecting a violation of split_lengths.sum"


@pytest.mark.slow
def test_what_the_system_kills_for_want_of_memory_ends_like_what_reaches_the_limit(
    run_liars: Callable[..., Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.run.process.oom_kills", count().__next__)
    bait = record_of(run_liars(["kills_itself"], THREE), "kills_itself", "bait")
    assert (bait.verdict, bait.cause) == (CRASHED, "process died: out of memory")


@pytest.mark.slow
@pytest.mark.usefixtures("half_a_gibibyte")
def test_memory_that_earlier_checks_left_counts_for_nothing(run_liars: Callable[..., Log]) -> None:
    assert verdicts(run_liars(["leaks_memory"], CASES[:6]), "leaks_memory") == dict.fromkeys(CASES[:6], PASS)


@pytest.mark.parametrize(("liar", "problem"), STARTS)
def test_who_cannot_start_is_reported_and_does_not_run(starts: Log, liar: str, problem: str) -> None:
    assert starts.problem(liar) == f"{liar}: {problem}"
    assert verdicts(starts, liar) == dict.fromkeys(THREE, NOT_RUN)


@pytest.mark.slow
def test_who_says_no_hello_in_time_is_reported(run_liars: Callable[..., Log], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.run.handshake.START_LIMIT_S", 0.5)
    log = run_liars(["never_says_hello"], THREE)
    assert verdicts(log, "never_says_hello") == dict.fromkeys(THREE, NOT_RUN)
    assert log.problem("never_says_hello") == (
        "never_says_hello: the worker could not start: no answer within 0.5 s\n"
        "  fix:  it wrote nothing to standard error"
    )


@pytest.mark.slow
def test_who_can_start_is_run_beside_those_who_cannot(starts: Log) -> None:
    assert verdicts(starts, "speaks_honestly") == dict.fromkeys(THREE, PASS)


@pytest.mark.slow
def test_a_program_without_this_package_can_pass(speakers: Log) -> None:
    assert verdicts(speakers, "speaks_honestly") == dict.fromkeys(THREE, PASS)


@pytest.mark.slow
def test_a_negative_dim_is_a_wrong_answer_whatever_its_attachment_holds(speakers: Log) -> None:
    assert verdicts(speakers, "answers_a_negative_shape") == {"first": PASS, "bait": WRONG, "last": PASS}
    assert record_of(speakers, "answers_a_negative_shape", "bait").explanation == (
        "output 0 has the shape (-6, -1), expected (6, 1)"
    )


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "why"), FALSE_ANSWERS)
def test_a_false_answer_costs_its_own_case_only(speakers: Log, liar: str, why: str) -> None:
    assert verdicts(speakers, liar) == {"first": PASS, "bait": HARNESS, "last": PASS}
    assert record_of(speakers, liar, "bait").explanation == why


@pytest.mark.slow
@pytest.mark.parametrize(("liar", "case", "why"), BROKEN_STREAMS)
def test_a_broken_stream_ends_its_own_target_only(speakers: Log, liar: str, case: str, why: str) -> None:
    before = dict.fromkeys(THREE[: THREE.index(case)], PASS)
    assert verdicts(speakers, liar) == {**dict.fromkeys(THREE, NOT_RUN), **before, case: HARNESS}
    assert record_of(speakers, liar, case).explanation.splitlines()[0] == f"{liar}: {why}"


@pytest.mark.parametrize(("liar", "cause"), DEATHS)
def test_a_death_costs_its_own_case_only(speakers: Log, liar: str, cause: str) -> None:
    assert verdicts(speakers, liar) == {"first": PASS, "bait": CRASHED, "last": PASS}
    assert record_of(speakers, liar, "bait").cause == cause


def test_a_worker_that_cannot_start_again_ends_its_target(run_liars: Callable[..., Log]) -> None:
    log = run_liars(["cannot_start_again"], THREE)
    assert verdicts(log, "cannot_start_again") == {"first": PASS, "bait": NOT_RUN, "last": NOT_RUN}
    why = "cannot_start_again: it cannot start: RuntimeError: the device is gone"
    assert {record.explanation for record in log.of("cannot_start_again")} == {"", why}


@pytest.mark.slow
def test_a_process_in_a_session_of_its_own_cannot_hold_a_run_up(run_liars: Callable[..., Log]) -> None:
    log = run_liars(["leaves_a_daemon"], THREE)
    for file in (log.path.parent / "leaves_a_daemon").glob("daemon-*"):
        os.kill(int(file.name.partition("-")[2]), signal.SIGKILL)
    assert verdicts(log, "leaves_a_daemon") == {"first": PASS, "bait": CRASHED, "last": PASS}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("liar", "why"),
    [
        ("dies_at_each_case", "the worker failed on each of the first 5 checks"),
        ("dies_after_the_first_case", "the worker failed on 5 checks in a row, and on one that it had answered before"),
    ],
)
def test_a_worker_that_only_dies_is_given_up(
    run_liars: Callable[..., Log], monkeypatch: pytest.MonkeyPatch, liar: str, why: str
) -> None:
    monkeypatch.setattr("conformance.run.session._MAX_FAILURES_IN_A_ROW", 5)
    records = run_liars([liar], ["many*"]).of(liar)
    died = [record.verdict for record in records].count(CRASHED)
    given_up = records[died + 1 if liar == "dies_after_the_first_case" else died]
    assert (died, given_up.verdict) == (5, HARNESS)
    assert given_up.explanation.splitlines()[0] == f"{liar}: {why}"
    assert [record.verdict for record in records].count(NOT_RUN) == len(records) - records.index(given_up) - 1


@pytest.mark.slow
def test_a_recorded_deviation_makes_a_lie_known_and_an_honest_answer_fixed(run_liars: Callable[..., Log]) -> None:
    log = run_liars(["swaps_outputs", "returns_a_generator"], THREE, deviations=DEVIATIONS)
    assert verdicts(log, "swaps_outputs") == {"first": PASS, "bait": Verdict.KNOWN, "last": PASS}
    assert verdicts(log, "returns_a_generator") == {"first": PASS, "bait": Verdict.FIXED, "last": PASS}


@pytest.mark.slow
def test_a_difference_that_a_fresh_process_does_not_show_is_unstable(run_liars: Callable[..., Log]) -> None:
    log = run_liars(["is_wrong_after_others"], THREE)
    assert verdicts(log, "is_wrong_after_others") == {"first": PASS, "bait": Verdict.UNSTABLE, "last": PASS}
    record = record_of(log, "is_wrong_after_others", "bait")
    assert record.explanation == "wrong result: outputs swapped; alone in a fresh process: pass"
    assert record.suspects == ["openvino.VariadicSplit-1/first (constant)"]


@pytest.mark.slow
@pytest.mark.parametrize(("deviations", "last"), [("", Verdict.UNSTABLE), (DAMAGE, PASS)])
def test_what_is_known_to_damage_memory_has_a_process_of_its_own(
    run_liars: Callable[..., Log], deviations: str, last: Verdict
) -> None:
    log = run_liars(["damages_what_follows"], THREE, deviations=deviations)
    assert verdicts(log, "damages_what_follows") == {"first": PASS, "bait": PASS, "last": last}


@pytest.mark.slow
@pytest.mark.skipif(not heap_checks(), reason="the C library is not GNU's")
@pytest.mark.parametrize(("deviations", "verdict"), [("", PASS), (DAMAGE, Verdict.KNOWN)])
def test_the_heap_is_checked_where_memory_is_known_to_be_damaged(
    run_liars: Callable[..., Log], deviations: str, verdict: Verdict
) -> None:
    log = run_liars(["writes_behind_a_block"], THREE, deviations=deviations)
    assert verdicts(log, "writes_behind_a_block") == {"first": PASS, "bait": verdict, "last": PASS}


@pytest.mark.slow
def test_a_disputed_case_names_the_interpretation_that_is_followed(run_liars: Callable[..., Log]) -> None:
    log = run_liars(["returns_a_generator", "spreads_remainder"], ["disputed"])
    followed = {record.target: (record.verdict, record.interpretation) for record in log.records}
    assert followed == {
        "returns_a_generator@1.0": (Verdict.FOLLOWS, "refused"),
        "spreads_remainder@1.0": (Verdict.FOLLOWS, "spread"),
    }


# These are right in every check; `test_timing_pass` times them.
WHILE_TIMED = ["dies_while_timed", "hangs_while_timed", "cannot_be_bound"]


@pytest.mark.slow
def test_every_liar_is_in_a_table() -> None:
    names = {*liars(), *(path.stem for path in SPEAKERS.glob("*.py"))} - {"wire"}
    tables = (LIES, FAULTS, SECOND_CALLS, FORMS, NEIGHBOURS, HANGS, STARTS, DEATHS, FALSE_ANSWERS, BROKEN_STREAMS)
    printed = {row[0] for table in tables for row in table} | {*ODD, *ALONE, *WHILE_TIMED}
    assert names == printed

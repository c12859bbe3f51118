"""A certificate is written of a whole run on a released suite, and of nothing else."""

from __future__ import annotations

import hashlib
import json
import lzma
import shutil
from pathlib import Path

import pytest
import yaml
from small_suite import Scene, certified, order, write_installation

from conformance import __version__
from conformance.certificate.certificate_file import Result
from conformance.certificate.issue import certify_log
from conformance.certificate.pages import html_page, markdown_page, summary_lines, verification_lines
from conformance.certificate.rules import BrokenRuleError, Rule
from conformance.certificate.verify import Signature, verified, verify
from conformance.log.log_file import read_lines
from conformance.log.record import CheckRecord, Footer
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import load_suite
from conformance.tensors.errors import UsageError


def _unpacked(certificate: Path, to: Path) -> Path:
    to.write_bytes(lzma.decompress((certificate / "run.jsonl.xz").read_bytes()))
    return to


def _refusal(scene: Scene, log: Path, output: Path) -> set[Rule]:
    with pytest.raises(ExceptionGroup) as caught:
        certify_log(order(scene.installation, output), load_suite(scene.installation.cases), scene.target, log)
    assert not output.exists()
    return {problem.broken for problem in caught.value.exceptions if isinstance(problem, BrokenRuleError)}


def test_a_fresh_certificate_keeps_every_rule(scene: Scene) -> None:
    found = verify(scene.certificate, scene.installation, key=scene.public_key)
    assert [str(problem) for problem in found.broken] == []
    assert found.summary is not None
    assert found.signature is Signature.CHECKED
    assert found.summary.rests_on.recorded > 0
    assert found.summary.rests_on.digest == 0


@pytest.mark.slow
def test_the_output_of_verify_begins_with_whether_the_folder_is_valid(scene: Scene) -> None:
    printed = list(verification_lines(verify(scene.certificate, scene.installation), scene.certificate))
    assert printed[0].startswith(
        f"{scene.certificate}: valid, {Signature.NOT_CHECKED.value}; partial (worst known: wrong results): of "
    )
    assert printed[1:4] == ['product: "Product"', 'vendor: "Vendor"', 'issuer: "Issuer"']
    assert printed[4].startswith("certificate of version 1.0, measured by its issuer, not by the vendor, profile small")
    assert any(line.split()[:1] == ["onnx.Split-18"] for line in printed)


@pytest.mark.slow
def test_certify_prints_a_screen_however_many_operators_there_are(scene: Scene) -> None:
    found = verify(scene.certificate, scene.installation).summary
    assert found is not None
    worse = [entry for entry in found.operators if entry.result is Result.RECORDED]
    many = found.model_copy(update={"operators": [*found.operators, *worse * 99], "findings": found.findings * 99})
    printed = list(summary_lines(many))
    assert len(printed) <= 28
    assert printed[-1].startswith("partial (worst known: wrong results): of ")


@pytest.mark.slow
def test_what_was_never_answered_makes_the_result_partial(scene: Scene) -> None:
    found = verify(scene.certificate, scene.installation)
    assert found.summary is not None
    assert found.summary.result is Result.PARTIAL
    assert found.summary.deviations["cut-too-late"] > 0


@pytest.mark.slow
def test_the_log_is_unmodified_and_the_statement_names_its_digest(scene: Scene) -> None:
    log = lzma.decompress((scene.certificate / "run.jsonl.xz").read_bytes())
    statement = json.loads((scene.certificate / "statement.json").read_text())
    digests = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
    assert digests["run.jsonl"] == hashlib.sha256(log).hexdigest()
    assert statement["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"


def test_the_certificate_of_a_log_is_that_of_its_run(scene: Scene, tmp_path: Path) -> None:
    log = _unpacked(scene.certificate, tmp_path / "run.jsonl")
    requested = order(scene.installation, tmp_path / "again")
    certify_log(requested, load_suite(scene.installation.cases), scene.target, log)
    for path in filter(Path.is_file, (tmp_path / "again").rglob("*")):
        before = scene.certificate / path.relative_to(tmp_path / "again")
        assert path.read_bytes() == before.read_bytes(), path.name


def test_a_truncated_run_is_refused(scene: Scene, tmp_path: Path) -> None:
    log = _unpacked(scene.certificate, tmp_path / "run.jsonl")
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-3]))
    assert Rule.COMPLETE in _refusal(scene, log, tmp_path / "refused")


def test_a_filtered_run_is_refused(scene: Scene, tmp_path: Path) -> None:
    log = _unpacked(scene.certificate, tmp_path / "run.jsonl")
    header, rest = log.read_text().split("\n", 1)
    log.write_text(header.replace('"forms":[],"sets"', '"forms":["constant"],"sets"') + "\n" + rest)
    assert Rule.WHOLE in _refusal(scene, log, tmp_path / "refused")


@pytest.mark.parametrize("version", ["unknown", "main", "releases/2026", "1.0+nightly", "1.0.dev3"])
def test_a_version_that_is_unknown_or_a_branch_is_refused(scene: Scene, tmp_path: Path, version: str) -> None:
    log = _unpacked(scene.certificate, tmp_path / "run.jsonl")
    header, rest = log.read_text().split("\n", 1)
    log.write_text(header.replace('"version":"1.0"', f'"version":"{version}"') + "\n" + rest)
    assert Rule.VERSION in _refusal(scene, log, tmp_path / "refused")


@pytest.mark.slow
def test_an_entry_for_which_no_check_counts_is_untested_and_another_one_is_not_met(
    scene: Scene, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(scene.target.adapter.folder, tmp_path / "mixed"))
    (entry,) = yaml.safe_load((folder / "deviations.yaml").read_text())["deviations"]
    other = {"absent": "data_type == 'int8'", "mended": "data_type == 'float32' and rank(data) == 2"}
    entries = [entry, *({**entry, "id": name, "when": when} for name, when in other.items())]
    (folder / "deviations.yaml").write_text(json.dumps({"deviations": entries}))
    target = TargetRequest(adapter=read_adapter(folder), options={})
    with pytest.raises(ExceptionGroup) as caught:
        certified(order(scene.installation, tmp_path / "refused"), scene.installation, target)
    printed = [str(problem).partition("\n")[0] for problem in caught.value.exceptions]
    assert printed == [
        "deviations.yaml: absent: no check of the run counts for it: it is untested",
        "deviations.yaml: mended: no check of the run deviates as it says",
    ]


def test_each_case_file_that_is_not_of_the_release_is_named(scene: Scene, tmp_path: Path) -> None:
    installation = write_installation(tmp_path)
    changed = installation.cases / "openvino/VariadicSplit/cases.yaml"
    changed.write_text(changed.read_text() + "# changed\n")
    shutil.copy(changed, changed.with_name("more.yaml"))
    changed.with_name("more.yaml").write_text(changed.read_text().replace("id: ", "id: more-"))
    with pytest.raises(ExceptionGroup) as caught:
        certified(order(installation, tmp_path / "refused"), installation, scene.target)
    printed = [str(problem).partition("\n")[0] for problem in caught.value.exceptions]
    assert printed == [
        f"cases/openvino/VariadicSplit/cases.yaml: is changed since the release of {__version__}",
        f"cases/openvino/VariadicSplit/more.yaml: is new since the release of {__version__}",
    ]


@pytest.mark.slow
def test_a_release_that_is_no_longer_accepted_is_refused(scene: Scene, tmp_path: Path) -> None:
    installation = write_installation(tmp_path)
    path = installation.profiles / "releases.yaml"
    path.write_text(path.read_text().replace("accepted: true", "accepted: false"))
    found = verify(scene.certificate, installation)
    assert "no longer accepted" in str(found.broken[0])
    assert found.broken[0].broken is Rule.RELEASE


def test_a_folder_that_holds_something_is_left_alone(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        certified(order(scene.installation, tmp_path), scene.installation, scene.target)


@pytest.mark.slow
def test_hostile_names_are_text_in_every_file(scene: Scene, tmp_path: Path) -> None:
    from conformance.certificate.review import checked_claims

    hostile = checked_claims(
        vendor="../../<script>alert(1)</script>",
        product='yes: "|`$(rm)`[x](y) \\',
        issuer="<b>&",
        where="test",
    )
    log = _unpacked(scene.certificate, tmp_path / "run.jsonl")
    requested = order(scene.installation, tmp_path / "hostile", claims=hostile)
    certify_log(requested, load_suite(scene.installation.cases), scene.target, log)
    with verified(tmp_path / "hostile", scene.installation) as (found, log_of_it):
        assert [str(problem) for problem in found.broken] == []
        assert "<script>" not in markdown_page(found, "hostile").partition("## Verify")[0]
        assert "<script>alert" not in "".join(html_page(found, log_of_it, "hostile"))


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "\x1b[2J", "\u202eabc", "x" * 101])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    from conformance.certificate.review import checked_claims

    with pytest.raises(BrokenRuleError) as caught:
        checked_claims(vendor=name, product="Product", issuer="Issuer", where="test")
    assert caught.value.broken is Rule.CLAIMS


@pytest.mark.slow
def test_a_challenge_changes_the_answers_and_is_verified_with_its_seed_alone(scene: Scene, tmp_path: Path) -> None:
    output = tmp_path / "challenged"
    certified(order(scene.installation, output, challenge="seed 7"), scene.installation, scene.target)
    assert verify(output, scene.installation, challenge="seed 7").broken == ()
    assert {p.broken for p in verify(output, scene.installation).broken} == {Rule.CHALLENGE}
    before, after = (_digests(folder, tmp_path) for folder in (scene.certificate, output))
    written = {"wide-integers", "doubles", "signalling-nan", "negative-zero", "subnormal", "texts", "nan"}
    same = {case.partition("/")[2] for (case, form), digest in after.items() if before[case, form] == digest and digest}
    assert same == written


def _digests(certificate: Path, scratch: Path) -> dict[tuple[str, str], str]:
    log = _unpacked(certificate, scratch / "digests.jsonl")
    records = [line for line in read_lines(log) if isinstance(line, CheckRecord)]
    assert isinstance(list(read_lines(log))[-1], Footer)
    return {(record.case, record.form.value): record.outputs for record in records if record.form.value == "constant"}

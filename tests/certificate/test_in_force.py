"""An honest certificate stays valid: packed or written by other programs, and after releases that came later."""

from __future__ import annotations

import lzma
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from forgery import log_bytes
from release import write_release
from small_suite import Scene

from conformance import __version__
from conformance.certificate.certificate_file import LOG
from conformance.certificate.pages import html_page, markdown_page, verification_lines
from conformance.certificate.rules import Installation, Rule
from conformance.certificate.verify import Signature, verified, verify
from conformance.judge.judge import judge
from conformance.log import build_record as recording
from conformance.suite.suite import bundled_folder

_LATER = "999.0"
_IMPORTERS = (
    *("release", "conformance.run.execution", "conformance.suite.adapter_file"),
    *(f"conformance.certificate.{name}" for name in ("certificate_file", "issue", "pages", "rules", "review")),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "check"), [(0, lzma.CHECK_NONE), (1, lzma.CHECK_CRC32), (9, lzma.CHECK_CRC64), (6, lzma.CHECK_SHA256)]
)
def test_however_the_log_is_packed_the_signature_holds(copy: Path, scene: Scene, preset: int, check: int) -> None:
    packed = lzma.compress(log_bytes(copy), check=check, preset=preset)
    assert packed != (copy / LOG).read_bytes()
    (copy / LOG).write_bytes(packed)
    found = verify(copy, scene.installation, key=scene.public_key)
    assert ([str(problem) for problem in found.broken], found.signature) == ([], Signature.CHECKED)


@pytest.fixture
def later(scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    """The installation of the release after that of the certificate, which it accepts; it has an operator more."""
    cases = Path(shutil.copytree(scene.installation.cases, tmp_path / "cases"))
    profiles = Path(shutil.copytree(scene.installation.profiles, tmp_path / "profiles"))
    (cases / "openvino/Split").mkdir()
    for name in ("operator.yaml", "written.yaml"):
        shutil.copy(bundled_folder("cases") / "openvino/Split" / name, cases / "openvino/Split")
    for name in _IMPORTERS:
        monkeypatch.setattr(f"{name}.__version__", _LATER)
    installation = Installation(cases=cases, profiles=profiles)
    write_release(installation)
    return installation


@pytest.mark.slow
def test_a_certificate_outlives_a_release_with_another_operator(scene: Scene, later: Installation) -> None:
    found = verify(scene.certificate, later, key=scene.public_key)
    assert [str(problem) for problem in found.broken] == []
    assert found.summary is not None
    assert found.summary.suite.version != _LATER


@pytest.mark.slow
def test_the_rules_of_the_verifier_judge_a_certificate_of_an_older_release(
    scene: Scene, later: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "judge", lambda *given: replace(judge(*given), cause="in other words"))
    assert {problem.broken for problem in verify(scene.certificate, later).broken} == {Rule.VERDICTS}


@pytest.mark.slow
def test_a_certificate_of_an_older_release_says_so_in_its_result(scene: Scene, later: Installation) -> None:
    with verified(scene.certificate, later) as (found, log):
        assert (found.broken, found.summary is None) == ((), False)
        lines = list(verification_lines(found, scene.certificate))
        page, text = "".join(html_page(found, log, "mine")), markdown_page(found, "mine")
    older = (
        f"partial (worst known: wrong results), by the cases of opconform {__version__}, an older release than {_LATER}"
    )
    assert f"; {older}: of " in lines[0]
    assert older in page
    assert text.partition("\n")[0].endswith(f": {older}")


def test_other_words_in_the_release_that_wrote_a_certificate_are_a_forgery(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "judge", lambda *given: replace(judge(*given), cause="in other words"))
    assert {problem.broken for problem in verify(scene.certificate, scene.installation).broken} == {Rule.VERDICTS}


@pytest.mark.parametrize(
    ("file", "state"),
    [("cases/onnx/Split/cases.yaml", "is changed"), ("cases/onnx/Split/more.yaml", "is new"),
     ("cases/onnx/Split/nans.yaml", "is missing"), ("profiles/small.yaml", "is changed"),
     ("profiles/core.yaml", "is changed")],
)  # fmt: skip
def test_a_later_release_that_changed_a_file_refuses_and_names_it(
    scene: Scene, later: Installation, file: str, state: str
) -> None:
    path = later.cases.parent / file
    if state == "is missing":
        path.unlink()
    else:
        source = path if path.exists() else path.with_name("cases.yaml")
        text = source.read_text().replace("id: ", "id: more-") if state == "is new" else source.read_text()
        path.write_text(text + "# changed\n")
    write_release(later)
    printed = [str(problem).partition("\n")[0] for problem in verify(scene.certificate, later).broken]
    assert f"{file}: {state} since the release of {__version__}" in printed


@pytest.mark.slow
def test_a_later_release_changes_what_it_does_not_ask(scene: Scene, later: Installation) -> None:
    added = later.cases / "openvino/Split/written.yaml"
    added.write_text(added.read_text() + "# changed\n")
    write_release(later)
    assert verify(scene.certificate, later).broken == ()


def test_a_release_that_is_no_longer_accepted_is_refused_by_a_later_one(scene: Scene, later: Installation) -> None:
    path = later.profiles / "releases.yaml"
    newer, older = path.read_text().split(f'version: "{__version__}"')
    path.write_text(f'{newer}version: "{__version__}"{older.replace("accepted: true", "accepted: false")}')
    assert {problem.broken for problem in verify(scene.certificate, later).broken} == {Rule.RELEASE}


@pytest.mark.slow
def test_an_operator_that_was_added_since_a_release_disturbs_none_of_its_certificates(
    scene: Scene, tmp_path: Path
) -> None:
    cases = Path(shutil.copytree(scene.installation.cases, tmp_path / "cases"))
    installation = Installation(cases=cases, profiles=scene.installation.profiles)
    (cases / "openvino/Split").mkdir()
    for name in ("operator.yaml", "written.yaml"):
        shutil.copy(bundled_folder("cases") / "openvino/Split" / name, cases / "openvino/Split")
    assert [str(problem) for problem in verify(scene.certificate, installation).broken] == []
    before = (installation.profiles / "releases.yaml").read_bytes()
    write_release(installation)
    assert (installation.profiles / "releases.yaml").read_bytes() == before

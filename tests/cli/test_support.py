"""`conformance support` answers from the published data: of the checkout, of the package, or of a file."""

from __future__ import annotations

import lzma
import subprocess
from pathlib import Path

import pytest
from command import Conformance, run_python
from compat_states import FINDING, SPLIT, split, state

from conformance.compat.data import text_of
from conformance.suite.suite import bundled_folder, digests_of

pytestmark = pytest.mark.slow


@pytest.fixture
def data(tmp_path: Path) -> None:
    """`data.json` in the folder of the test, with two versions of Split; the cases of the newer one have changed."""
    (suite,) = digests_of(bundled_folder("cases"), ["onnx.Split"])[1].values()
    newer = split(results={"toy": {"1.0": "n 0/0/3"}}, listed={"input": ["int4", "float32"]}, types={}, refused={})
    operators = {SPLIT: split(suite=suite), "onnx.Split-18": newer}
    (tmp_path / "data.json").write_text(text_of(state(operators=operators, findings=[FINDING])))


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return [" ".join(line.split()) for line in done.stdout.splitlines() if line.strip()]


@pytest.mark.usefixtures("data")
def test_one_operator_version_has_a_sentence_and_a_table(conformance: Conformance) -> None:
    said = lines(conformance("support", SPLIT, "--dtype", "int8", "--form", "constant", "--data", "data.json"))
    assert said[0] == "toy: since ≤1.0 (r 1.1, w 1.2); 1.3 conforms: 1 check"
    assert "1.0 0 1 1 0 y conforms" in said
    assert said[said.index("Recorded faults, by the releases in which their scripts show them:") + 1] == (
        "1.1 to 1.2: Rejects constant lengths of int64."
    )
    assert said[-1] == f"{SPLIT} int8 in form constant"


@pytest.mark.usefixtures("data")
def test_all_versions_have_a_sentence_each(conformance: Conformance) -> None:
    assert lines(conformance("support", "onnx.Split", "--data", "data.json")) == [
        f"{SPLIT} toy: since ≤1.0 (r 1.1, w 1.2); 1.3 conforms: 2 checks, 1 more was not judged",
        "onnx.Split-18 toy: in no release; 1.3 does not support it: none of 3 checks was judged",
        "Measured with other cases than those here: onnx.Split-18. A run can answer otherwise.",
        "2 operator versions",
    ]


@pytest.mark.usefixtures("data")
def test_one_release_has_its_evidence_and_the_commands_that_give_it_again(
    conformance: Conformance, tmp_path: Path
) -> None:
    arguments = ("support", SPLIT, "-t", "toy@1.2", "--data", "data.json", "--markdown", "support.md")
    said = " ".join(lines(conformance(*arguments)))
    assert said.startswith(
        "toy: 1.2 gives wrong results at worst: 1 of 2 checks deviate, 1 more was not judged, 1 recorded fault "
    )
    text = (tmp_path / "support.md").read_text()
    assert "02" * 32 in text
    assert f"conformance run -t toy@1.2 --operator {SPLIT} --output evidence" in text
    assert "conformance history --store evidence/history.sqlite --add evidence --evidence" in text


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("releases", ["1.1..1.2", "newest:3"])
def test_several_releases_are_told_in_order(conformance: Conformance, releases: str) -> None:
    said = " ".join(lines(conformance("support", SPLIT, "-t", f"toy@{releases}", "--data", "data.json")))
    assert said.startswith("toy: 1.1 rejects valid calls")
    assert "; 1.2 gives wrong results at worst: 1 of 2 checks deviate" in said


@pytest.mark.usefixtures("data")
def test_a_type_is_told_with_what_was_not_asked(conformance: Conformance) -> None:
    said = lines(conformance("support", SPLIT, "--dtype", "float32", "--data", "data.json"))
    assert " ".join(said).startswith(
        "toy: since ≤1.0; 1.3 conforms: 1 check, 1 more was not judged; asked in 1 of 2 forms"
    )
    assert "Not asked in 1 of 2 forms: constant." in said
    assert lines(conformance("support", SPLIT, "--dtype", "int16", "--data", "data.json"))[0] == "toy: not asked"


@pytest.mark.usefixtures("data")
def test_the_type_of_another_argument_is_answered(conformance: Conformance) -> None:
    said = " ".join(lines(conformance("support", SPLIT, "--dtype", "split=int64", "--data", "data.json")))
    assert said.startswith("toy: since ≤1.1 (r 1.1 to 1.2); 1.2 rejects valid calls")
    assert "no check asks for it, 1 recorded fault shown by a script" in said


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("dtype", "says"),
    [
        ("int4", f"{SPLIT} toy: not in this version, but in 18; 1.3 refuses 1 of 1 check with it"),
        ("int8", "onnx.Split-18: not in this version, but in 13; whether it is refused was not asked"),
        ("split=int64", "onnx.Split-18: not in this version, but in 13; whether it is refused was not asked"),
    ],
)
def test_versions_without_a_type_are_told_and_do_not_fail(conformance: Conformance, dtype: str, says: str) -> None:
    said = lines(conformance("support", "onnx.Split", "--dtype", dtype, "--data", "data.json"))
    assert says in " ".join(said)


@pytest.mark.usefixtures("data")
def test_only_a_type_that_no_version_knows_is_refused(conformance: Conformance) -> None:
    said = lines(conformance("support", SPLIT, "--dtype", "int4", "--data", "data.json"))
    assert said[0] == "toy: not in this version, but in 18; 1.3 refuses 1 of 1 check with it"
    assert conformance("support", "onnx.Split", "--dtype", "int2", "--data", "data.json").returncode == 2


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("width", ["40", "80", "200"])
def test_no_answer_is_cut_or_wrapped_in_a_pipe(
    conformance: Conformance, width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    said = conformance("support", SPLIT, "--data", "data.json").stdout
    assert "…" not in said
    assert "invalid ones at a great cost" in said


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("onnx.Split-14",), "there is no operator version 'onnx.Split-14'"),
        (("onnx.Split-14",), "there are onnx.Split-13, onnx.Split-18"),
        ((SPLIT, "--dtype", "complex7"), "there are float32, int16, int4, int8, split=int64"),
        ((SPLIT, "--form", "runtim"), "did you mean 'runtime'? there are constant, runtime"),
        ((SPLIT, "-t", "tory"), "did you mean 'toy'? there are toy"),
        ((SPLIT, "-t", "toy@2"), "there are 1.0 to 1.3"),
    ],
)
def test_what_is_not_known_is_refused_with_what_is(
    conformance: Conformance, arguments: tuple[str, ...], says: str
) -> None:
    done = conformance("support", *arguments, "--data", "data.json")
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.parametrize(("content", "says"), [("", "is not JSON"), ('{"format": 9}', "is not of format 2")])
def test_a_file_that_is_not_the_data_is_refused(
    conformance: Conformance, tmp_path: Path, content: str, says: str
) -> None:
    (tmp_path / "data.json").write_text(content)
    done = conformance("support", SPLIT, "--data", "data.json")
    assert done.returncode == 2
    assert says in done.stderr
    assert "name another file with --data" in done.stderr


def test_the_checkout_has_data(conformance: Conformance) -> None:
    assert lines(conformance("support", "onnx.Slice-13", "-t", "onnxruntime"))[0].startswith("onnxruntime: since ")


INSTALLED = """
import sys
from pathlib import Path
from conformance.cli import releases
from conformance.cli.main import main
folder = Path("site/opconform-0.dist-info")
folder.mkdir(parents=True)
(folder / "METADATA").write_text("Name: opconform")
(folder / "direct_url.json").write_text('{"url": "' + Path(sys.argv[1]).resolve().as_uri() + '"}')
sys.path.insert(0, "site")
releases.__file__ = "/nowhere/conformance/cli/releases.py"
sys.exit(main(["support", "onnx.Split-13"]))
"""
"""The command of an installation that is not editable, made of a folder."""


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("source", ["checkout", "."])
def test_an_installation_finds_the_data_of_the_checkout_that_it_is_of_or_that_it_runs_in(
    tmp_path: Path, source: str
) -> None:
    (tmp_path / source / "compat").mkdir(parents=True)
    (tmp_path / source / "compat" / "data.json.xz").write_bytes(lzma.compress((tmp_path / "data.json").read_bytes()))
    done = run_python(tmp_path, "-c", INSTALLED, "checkout")
    assert done.stdout.startswith("toy: since"), done.stderr


def test_without_data_it_names_the_option(tmp_path: Path) -> None:
    done = run_python(tmp_path, "-c", INSTALLED, "checkout")
    assert done.returncode == 2
    assert "name compat/data.json.xz of a checkout with --data, or install opconform-compat" in done.stderr


def test_it_loads_no_framework(tmp_path: Path) -> None:
    shown = "from conformance.cli.main import main; main(['support', 'onnx.Slice-13'])"
    done = run_python(
        tmp_path, "-c", f"{shown}; import sys; print({{*sys.modules}} & {{'onnxruntime', 'openvino', 'onnx'}})"
    )
    assert done.stdout.splitlines()[-1] == "set()"

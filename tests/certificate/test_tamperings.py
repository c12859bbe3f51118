"""Every way to tamper with a certificate is caught, by the rule that it breaks, and nothing of it is executed."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
import tamperings_of_deviations  # noqa: F401  (each of these puts down some)
import tamperings_of_documents  # noqa: F401
import tamperings_of_files  # noqa: F401
import tamperings_of_the_log  # noqa: F401
from small_suite import Scene
from tampering import TAMPERINGS, Tampering

from conformance.certificate.rules import Rule
from conformance.certificate.verify import verify

_MOST_TIMES = 100
"""No tampering may take the verifier so many times as long as the certificate; the slowest reads a million lines."""
_WATCHED: list[str] = []
_SEEN: list[str] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _WATCHED and event in ("exec", "compile", "import", "subprocess.Popen", "os.system", "open", "os.exec"):
        _SEEN.append(f"{event} {arguments!r}")


@pytest.fixture(scope="module")
def usual_cpu_s(scene: Scene) -> float:
    """What it takes to verify the certificate as it was issued."""
    verify(scene.certificate, scene.installation)  # imports what it needs
    started = time.process_time()
    verify(scene.certificate, scene.installation)
    return time.process_time() - started


@pytest.mark.slow
@pytest.mark.parametrize("tampering", TAMPERINGS, ids=lambda tampering: tampering.name)
def test_a_tampered_certificate_is_caught_by_the_rules_that_it_breaks(
    tampering: Tampering, copy: Path, scene: Scene, usual_cpu_s: float
) -> None:
    """By these rules alone: all else follows from the lie, as a careful forger would have it."""
    tampering.tamper(copy, scene.installation)
    started = time.process_time()
    found = verify(copy, scene.installation)
    assert time.process_time() - started < _MOST_TIMES * usual_cpu_s
    assert {problem.broken for problem in found.broken} == tampering.rules, [str(problem) for problem in found.broken]
    assert all(f"rule: {problem.broken.value}" in str(problem) for problem in found.broken)
    is_one = any("in other bytes" in problem.what for problem in found.broken) or tampering.rules == {Rule.SIZE}
    assert not is_one or len(found.broken) == 1


@pytest.mark.slow
def test_there_are_many_ways_to_tamper() -> None:
    assert len({tampering.name for tampering in TAMPERINGS}) == len(TAMPERINGS) >= 300


def test_nothing_of_a_folder_is_executed_or_opened_by_another_name(copy: Path, scene: Scene) -> None:
    """An audit hook cannot be removed, so it listens only while the folder is verified."""
    (copy / "conftest.py").write_text("raise SystemExit")
    verify(scene.certificate, scene.installation)  # imports what it needs
    sys.addaudithook(_watch)
    _WATCHED.append(str(copy))
    try:
        verify(scene.certificate, scene.installation)
        verify(copy, scene.installation)
    finally:
        _WATCHED.clear()
    started = [seen for seen in _SEEN if seen.startswith(("subprocess", "os."))]
    of_the_folder = [seen for seen in _SEEN if str(copy) in seen or str(scene.certificate) in seen]
    assert started == []
    assert all(seen.startswith("open ") for seen in of_the_folder)
    assert not any("conftest.py" in seen for seen in of_the_folder)

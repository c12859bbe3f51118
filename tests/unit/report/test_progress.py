from __future__ import annotations

from time import sleep

import pytest

from conformance.report import terminal as progress


def test_without_a_terminal_a_run_says_in_lines_what_is_done(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_LINE_EACH_S", 0.01)
    with progress.progress_bars(is_shown=True) as bars:
        bars.expect("onnxruntime@1.0", 1200)
        bars.advance("onnxruntime@1.0", 1100)
        sleep(0.5)
    assert "onnxruntime@1.0: 1,100 of 1,200\n" in capsys.readouterr().err


def test_a_quiet_run_says_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_LINE_EACH_S", 0.01)
    with progress.progress_bars(is_shown=False):
        sleep(0.1)
    assert capsys.readouterr().err == ""

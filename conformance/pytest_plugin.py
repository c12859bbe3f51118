"""Checks as pytest tests: `pytest --conformance-target onnxruntime` collects them along with all others.

Without that option nothing happens, and only this module of the package is imported.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conformance.cli.pytest_items import CollectedChecks

ROOT = "conformance"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, named after those of `conformance run`."""
    group = parser.getgroup("conformance", "conformance of tensor operators (opconform)")
    for name, shown, help_text in (
        ("target", "TARGET", "collect checks of an adapter or folder, as onnxruntime[optimization=disabled]"),
        ("cases", "PATTERN", "only cases of this id, with or without its product; * and ? match"),
        ("operator", "NAME", "only cases of an operator, as onnx.Split-13, or onnx.Split for all versions"),
    ):
        group.addoption(
            f"--conformance-{name}", metavar=shown, action="append", default=[], help=f"{help_text}; repeatable"
        )
    group.addoption(
        "--conformance-set", choices=["default", "full", "huge"], default="default", help="default: %(default)s"
    )
    group.addoption(
        "--conformance-strict-records", action="store_true", help="fail where a recorded deviation no longer happens"
    )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the recorded deviations that no longer happen."""
    reports = terminalreporter.getreports("passed")
    fixed = sorted({str(value) for report in reports for name, value in report.user_properties if name == "fixed"})
    for name in fixed:
        terminalreporter.write_line(f"fixed: {name} of deviations.yaml no longer happens; remove or narrow the entry")


_CHECKS: pytest.StashKey[CollectedChecks] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    """Read the cases and refuse invalid options, if a target is given."""
    if not config.option.conformance_target:
        return
    from conformance.cli.pytest_items import checks_from_options
    from conformance.tensors.errors import OpconformError

    config.addinivalue_line("markers", "conformance: a check of opconform on a target")
    try:
        config.stash[_CHECKS] = checks_from_options(config, tuple(filter(_is_ours, config.args)))
    except OpconformError as error:
        raise pytest.UsageError(str(error)) from None
    except ExceptionGroup as group:
        raise pytest.UsageError(*map(str, group.exceptions)) from None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Remove the node ids of checks from the arguments, because pytest would look for files with these names."""
    if _CHECKS in session.config.stash:
        session.config.args = [argument for argument in session.config.args if not _is_ours(argument)]


def _is_ours(argument: str) -> bool:
    return argument.startswith(f"{ROOT}::")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Append the checks to the collected tests."""
    report = yield
    collected = collector.config.stash.get(_CHECKS, None)
    if collected is not None and isinstance(collector, pytest.Session) and report.result is not None:
        from conformance.cli.pytest_items import collectors_of

        report.result.extend(collectors_of(collector, ROOT, collected))
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse a node id that matches no check."""
    collected = config.stash.get(_CHECKS, None)
    if collected is not None:
        collected.refuse_unknown(item.nodeid for item in items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the targets' workers."""
    collected = session.config.stash.get(_CHECKS, None)
    if collected is not None:
        collected.end()

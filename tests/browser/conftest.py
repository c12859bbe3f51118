"""Chromium, and reports opened in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Playwright, sync_playwright
from report_pages import OpenReport, watched_page, write_report
from report_records import lines

from conformance.log.record import CheckRecord

CHROMIUM = Path("/usr/bin/chromium")
FIREFOX = Path("/usr/bin/firefox-esr")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(request: pytest.FixtureRequest, playwright: Playwright) -> Iterator[Browser]:
    """Debian's Chromium; tests that are parametrized with the name `firefox` get its Firefox."""
    started = _firefox(playwright) if getattr(request, "param", "chromium") == "firefox" else _chromium(playwright)
    yield started
    started.close()


def _chromium(playwright: Playwright) -> Browser:
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    return playwright.chromium.launch(
        executable_path=os.fspath(CHROMIUM),
        args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    )


def _firefox(playwright: Playwright) -> Browser:
    """A Firefox as it is published, over WebDriver BiDi: Playwright's own protocol needs its own build."""
    if not FIREFOX.exists():
        pytest.skip(f"{FIREFOX} is not installed")
    started = None
    try:
        started = playwright.firefox.launch(channel="moz-firefox", executable_path=os.fspath(FIREFOX))
        started.new_page().close()
    except Error as error:
        if started is not None:
            started.close()
        pytest.skip(f"this Playwright cannot drive {FIREFOX}: {error.message}")
    return started


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with watched_page(browser) as opened:
        yield opened


@pytest.fixture
def opened(page: Page, tmp_path: Path) -> OpenReport:
    """Opens the report of some records from a file, and returns the page when its script is ready."""

    def open_report(*records: CheckRecord, fragment: str = "", **options: Any) -> Page:
        path = write_report(tmp_path / "report.html", lines(*records, **options))
        page.goto(f"{path.as_uri()}{fragment}")
        page.wait_for_selector("html.ready")
        return page

    return open_report


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python, which carries axe-core, is missing")
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")

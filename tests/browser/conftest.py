"""A page in Chromium that tells of everything it should not do."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"{CHROMIUM} is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=os.fspath(CHROMIUM),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails the test on a console message, an error, a dialog or a request that leaves the file."""
    complaints: list[str] = []
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.on("console", lambda message: complaints.append(f"console: {message.text}"))
    opened.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    opened.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    opened.on("request", lambda request: None if request.url.startswith("file://") else complaints.append(request.url))
    opened.add_init_script(
        "addEventListener('securitypolicyviolation', (event) => console.error('policy', event.violatedDirective))"
    )
    yield opened
    opened.close()
    assert complaints == []

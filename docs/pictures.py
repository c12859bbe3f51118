"""Takes the pictures of the README and the guides from real reports, in Debian's Chromium.

`python docs/pictures.py [LOG]` takes those of a whole run from its log; without one it runs all cases first. Beside the
pictures, `pictures.json` says of which pages and which cases they are, so that a test notices when they are stale.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from conformance.spec.choices import CaseSet
from conformance.suite.suite import bundled_folder, load_suite

DOCS = Path(__file__).parent
REPORT = DOCS.parent / "conformance" / "report"
_PAGE = ("page", "run_tree", "run_sections", "case_view")
"""The modules that lay the page out."""
RECORD = DOCS / "pictures.json"
_CASE = "#case=onnx.Gather-13%2Fextreme-values%5Bdtype%3Duint64%5D&form=constant&target=openvino%402026.4.1"
_SHOTS = {"report.png": ("#conformance", 1000), "case.png": (_CASE, 1250)}
_COLOURS = 32
_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def shown() -> str:
    """A digest of what the pictures show: the page's layout and the cases."""
    digest = hashlib.sha256()
    templates = sorted((REPORT / "templates").glob("*.html.j2"))
    for path in (*(REPORT / f"{module}.py" for module in _PAGE), *templates, REPORT / "templates" / "report.css"):
        digest.update(path.read_bytes())
    suite = load_suite(bundled_folder("cases"))
    asked = sorted({family.operator.family for family in suite.families if family.set is CaseSet.DEFAULT})
    digest.update("".join(suite.digests[name] for name in asked).encode())
    return digest.hexdigest()


def main() -> None:
    """Take all pictures, and write their record."""
    log = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=_FLAGS)
        if log is None:
            whole = Path(folder, "whole")
            _conformance("run", "--output", str(whole))
            log = whole / "run.jsonl"
        page = Path(folder, "whole.html")
        _conformance("report", str(log), "--html", str(page))
        for name in _SHOTS:
            _shoot(browser, page, name)
        browser.close()
    digests = {name: hashlib.sha256((DOCS / name).read_bytes()).hexdigest() for name in _SHOTS}
    RECORD.write_text(json.dumps({"shown": shown(), "sha256": digests}, indent=2) + "\n")


def _conformance(*arguments: str) -> None:
    command = [sys.executable, "-m", "conformance", *arguments]
    code = subprocess.run(command, check=False).returncode
    if code not in (0, 1):
        raise SystemExit(code)


def _shoot(browser: Browser, report: Path, name: str) -> None:
    fragment, height = _SHOTS[name]
    page = browser.new_page(viewport={"width": 1280, "height": height})
    page.goto(report.as_uri() + fragment)
    page.wait_for_selector("html.ready")
    if page.get_by_text("This report has no such case").count():
        raise SystemExit(f"{name}: the run did not ask its case: name another one in pictures.py")
    _write_small(page.screenshot(), DOCS / name)
    page.close()


def _write_small(png: bytes, path: Path) -> None:
    """Writes a picture with a palette, which takes a third of the bytes: every clone carries it."""
    from PIL import Image

    whole = Image.open(BytesIO(png)).convert("RGB")
    whole.quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()

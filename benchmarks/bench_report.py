"""The HTML report of logs of 1,000 to 100,000 records: size, rendering, time to interactive, a keystroke, a scroll.

The logs are a real one, repeated under other case ids. Give a log, or one is made of ONNX Runtime and NumPy.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from statistics import median

from measure import CONFORMANCE
from playwright.sync_api import Browser, sync_playwright

COUNTS = (1_000, 10_000, 100_000)
CHROMIUM = "/usr/bin/chromium"
QUERY = 'is:different and not (dtype:float32 or form:dynamic) "split'

_RENDER = """
import re, sys, time
from pathlib import Path
from conformance.report.run_page import render_html
from conformance.run.script_folder import LogScripts
from conformance.log.summary import summarize
log, page = map(Path, sys.argv[1:])
started = time.perf_counter()
summary = summarize(log)
summarized = time.perf_counter()
with page.open("w", encoding="utf-8") as out:
    out.writelines(render_html(summary, log, LogScripts(summary)))
rendered = time.perf_counter()
peak = int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024  # without the parent's
print(summarized - started, rendered - summarized, peak)
"""

_TYPE = """(text) => {
  const input = document.getElementById("query");
  const list = document.getElementById("list");
  input.focus();
  return [...text].map((_, at) => {
    const started = performance.now();
    input.value = text.slice(0, at + 1);
    input.setSelectionRange(at + 1, at + 1);
    input.dispatchEvent(new InputEvent("input"));
    list.getBoundingClientRect();
    return performance.now() - started;
  });
}"""

_SCROLL = """async () => {
  const list = document.getElementById("list");
  const frame = () => new Promise(requestAnimationFrame);
  document.getElementById("query-clear").click();
  list.scrollIntoView();
  await frame();
  const times = [];
  let last = await frame();
  for (let step = 1; step <= 60; step += 1) {
    list.scrollTop = (list.scrollHeight * step) / 60;
    for (let of = 0; of < 2; of += 1) {
      const now = await frame();
      times.push(now - last);
      last = now;
    }
  }
  return times;
}"""


def main() -> None:
    """Print a table, a line for each size."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        log = Path(sys.argv[1]) if len(sys.argv) > 1 else _real_log(folder)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        print(
            "records      size   summary    render  memory  interactive  key: first median worst  frame: median worst"
        )
        for records in COUNTS:
            _write_log(log, folder / "many.jsonl", records)
            print(_line(browser, folder / "many.jsonl", folder / "report.html", records), flush=True)
        browser.close()


def _line(browser: Browser, log: Path, page: Path, records: int) -> str:
    command = [sys.executable, "-P", "-c", _RENDER, str(log), str(page)]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    summary_s, render_s, peak_mib = map(float, told)
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(page.as_uri())
    tab.wait_for_selector("html.ready")
    ready_ms = tab.evaluate("performance.getEntriesByName('ready')[0].startTime")
    typed_ms = tab.evaluate(_TYPE, QUERY)
    frames_ms = tab.evaluate(_SCROLL)
    tab.close()
    size_mb = page.stat().st_size / 1e6
    return (
        f"{records:>7,}  {size_mb:>5.2f} MB  {summary_s:>6.2f} s  {render_s:>6.2f} s  {peak_mib:>3.0f} MiB"
        f"  {ready_ms:>8.0f} ms  {typed_ms[0]:>7.1f}, {median(typed_ms):>6.1f}, {max(typed_ms):>5.1f} ms"
        f"  {median(frames_ms):>13.1f}, {max(frames_ms):>5.1f} ms"
    )


def _real_log(folder: Path) -> Path:
    command = [*CONFORMANCE, "run", "--quiet", "-t", "numpy", "-t", "onnxruntime", "--operator", "onnx.Split"]
    subprocess.run([*command, "--output", str(folder)], check=False, stdout=subprocess.DEVNULL)
    return folder / "run.jsonl"


def _write_log(source: Path, target: Path, records: int) -> None:
    """A log of so many records, all targets of the first copy before those of the second."""
    header, *checks = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()[:-1]]
    header["planned"] = records // len(header["targets"])
    made = _copies([check for check in checks if check["type"] == "check"])
    verdicts: defaultdict[object, Counter[object]] = defaultdict(Counter)
    with target.open("w", encoding="utf-8") as out:
        out.write(json.dumps(header) + "\n")
        for check in islice(made, records):
            verdicts[check["target"]][check["verdict"]] += 1
            out.write(json.dumps(check) + "\n")
        footer = {
            "type": "footer",
            "complete": True,
            "ended": header["started"],
            "records": records,
            "verdicts": verdicts,
        }
        out.write(json.dumps(footer) + "\n")


def _copies(checks: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    for copy in count():
        for check in checks:
            name, bracket, product = str(check["case"]).partition("[")
            yield {**check, "case": f"{name}-{copy}{bracket}{product}"}


if __name__ == "__main__":
    main()

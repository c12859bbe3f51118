"""The pages of the published data: what they hold, how large they are, and what hostile data does to them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from compat_pages import MAX_BYTES, main, matrix, pages_of, sentences
from lxml import html
from published_data import EVIL, HOSTILE, RELEASES, SLICE, frameworks, published

from conformance.compat.data import CompatFeature, load

pytestmark = pytest.mark.slow

COMPAT = Path(__file__).parents[2] / "compat"
PAGES = dict(pages_of(published(), frameworks()))


def rows_of(matrix_of_engine: str) -> dict[str, list[html.HtmlElement]]:
    """The cells of each row, by its names."""
    rows = html.fromstring(matrix_of_engine).xpath("//tbody[not(@class)]/tr")
    names = ([row.get(f"data-{part}", "") for part in ("dtype", "form", "clause")] for row in rows)
    return {" ".join(filter(None, of)): row.findall("td") for of, row in zip(names, rows, strict=True)}


def content_of(cell: html.HtmlElement) -> str:
    return str(cell.text_content())


def test_consecutive_releases_with_the_same_answer_are_one_cell_and_the_newest_stands_first() -> None:
    cells = rows_of(matrix(published(), SLICE, "ort", {}))[""]
    spans = [(content_of(cell), cell.get("colspan", "1")) for cell in cells]
    assert spans == [("y", "1"), ("w 3/100 +1", "2"), ("y", "2")]
    assert [cell.get("data-counts") for cell in cells] == ["0/100/120", "3/100/120", "0/100/120"]


def test_a_row_without_any_answer_is_left_out_and_one_without_some_has_an_empty_cell() -> None:
    rows = rows_of(matrix(published(), SLICE, "ort", {}))
    assert "ends.open" not in rows
    assert [content_of(cell) for cell in rows["int4 runtime"]] == ["y", "n", ""]
    assert set(rows) >= {"int4", "int4 constant", "uint4 runtime", "runtime-dynamic", "axes.negative"}


def test_a_type_that_is_listed_and_was_not_asked_has_a_row_that_says_so() -> None:
    rows = rows_of(matrix(published(), SLICE, "ort", {}))
    assert [content_of(cell) for cell in rows["string"]] == ["not asked"]
    assert [content_of(cell) for cell in rows["axes=int32"]] == ["", "r +1", ""]


def test_a_type_that_is_not_listed_is_refused_and_not_green() -> None:
    cells = rows_of(matrix(published(), SLICE, "ort", {}))["uint2"]
    assert [content_of(cell) for cell in cells] == ["a 1/1", "refused", "x"]
    assert [cell.get("class") for cell in cells] == ["of-a", "of-y refused", "of-x"]


def test_a_row_says_since_when() -> None:
    said = sentences(published(), SLICE, "ort")
    assert said["\n\n"] == (
        "Supported since ≤1.15.0 (w 1.24.0 to 1.24.1); 1.25.0 conforms: 100 checks, 20 more were not judged"
    )
    assert said["int4\nruntime\n"] == "Supported since 1.24.1; 1.25.0 conforms: 2 checks"
    assert said["uint2\n\n"] == "1.25.0 refuses 0 of 1 check with it"
    assert "\n\nends.open" not in said


def test_a_column_says_in_which_month_the_release_came() -> None:
    assert re.search(r'data-release="1\.24\.0">1\.24\.0<small>2026-02</small>', PAGES[f"{SLICE}.html"])


@pytest.mark.parametrize("name", PAGES)
def test_no_name_becomes_markup_and_nothing_loads(name: str) -> None:
    page = PAGES[name]
    assert "<img" not in page
    assert "<svg onload" not in page
    assert page.count("</style>") == 1
    assert "javascript:" not in page
    assert "default-src &#39;none&#39;" in page
    assert re.findall(r'(?:src|srcset|data)="', page) == []


def test_a_name_that_no_file_can_have_is_refused() -> None:
    data = published()
    unfit = replace(data, operators={"../Slice-13": data.operators[SLICE]})
    with pytest.raises(ValueError, match=r"^no file can have the name of '\.\./Slice-13'$"):
        list(pages_of(unfit, frameworks()))


def test_a_page_that_is_too_large_is_refused() -> None:
    data = published()
    types = {f"{'t' * 300}{number}": CompatFeature({"ort": {"1.15.0": "y 0/1/1"}}) for number in range(1500)}
    large = replace(data, operators={SLICE: replace(data.operators[SLICE], listed={"data": [*types]}, types=types)})
    with pytest.raises(ValueError, match=rf"^{SLICE}\.html has [0-9,]+ bytes; a page has at most 1,000,000$"):
        list(pages_of(large, frameworks()))


def test_the_published_data_has_a_page_for_each_operator_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(COMPAT / "data.json.xz"), str(tmp_path)])
    data = load(COMPAT / "data.json.xz")
    assert {path.name for path in tmp_path.iterdir()} == {*(f"{name}.html" for name in data.operators), "index.html"}
    assert max(path.stat().st_size for path in tmp_path.iterdir()) <= MAX_BYTES
    assert capsys.readouterr().out.startswith(
        f"{tmp_path / 'index.html'}: {len(data.operators) + 1} pages, the largest "
    )
    index = (tmp_path / "index.html").read_text("utf-8")
    assert all(f'href="{name}.html"' in index for name in data.operators)


def test_the_index_has_the_newest_answer_of_each_engine() -> None:
    index = PAGES["index.html"]
    assert f'<span class="release">{RELEASES[-1]}</span>' in index
    assert re.search(rf'data-operator="{SLICE}".*?class="answer of-y">y conforms</span>', index, re.DOTALL)
    assert re.search(rf'data-operator="{EVIL}".*?class="answer of-m">m memory 1/1 \+1</span>', index, re.DOTALL)
    assert HOSTILE not in index

"""What is in reports/: every certificate keeps every rule, none is missing, and the tables are made of them."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from index import Published, index_as_html, index_as_markdown
from lxml import html
from publish import products_in, published_in, published_text, write_tables
from small_suite import Scene

from conformance import __version__
from conformance.certificate.certificate_file import LOG, SUMMARY, Claim
from conformance.certificate.folder import named_log_of, unpacked_log
from conformance.certificate.pages import certificate_banner, html_page, markdown_page
from conformance.certificate.rules import installed, read_profile, release_problems, released_part
from conformance.certificate.verify import Verification, verify
from conformance.suite.suite import load_suite

pytestmark = pytest.mark.slow

REPORTS = Path(__file__).parents[2] / "reports"
PUBLISHED = published_in(REPORTS)


def test_the_release_is_that_of_the_case_files_and_profiles() -> None:
    """`nox -s release` writes it; it is stale after each change of a case file or a profile."""
    profile = read_profile("full", installed().profiles)
    assert [str(problem) for problem in release_problems(installed(), profile, __version__)] == []


def test_four_products_are_published_in_the_profile_core() -> None:
    products = products_in(REPORTS)
    missing = [product.folder for product in products if not (REPORTS / product.folder / SUMMARY).is_file()]
    assert missing == [], "run `nox -s publish`"
    assert {product.profile for product in products} == {"core"}
    assert {product.target for product in products} == {"numpy", "openvino", "onnxruntime", "torch"}


def test_a_published_certificate_is_of_the_cases_as_they_are() -> None:
    suite = load_suite(installed().cases, ())
    for item in PUBLISHED:
        released = released_part(suite, installed().profiles, item.summary.suite.version)
        assert item.summary.suite.digests == released.digests, item.folder


@pytest.mark.parametrize("item", PUBLISHED, ids=[item.folder for item in PUBLISHED])
def test_a_published_certificate_is_valid_with_what_a_clone_has_of_it(item: Published, tmp_path: Path) -> None:
    """Its log among it: `nox -s publish` writes all of it."""
    listed = ["git", "-C", str(REPORTS), "ls-files", "-z", "--cached", "--others", "--exclude-standard", item.folder]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    (tmp_path / item.folder).mkdir()
    for name in filter(None, names):
        shutil.copy(REPORTS / name, tmp_path / name)
    found = verify(tmp_path / item.folder, installed())
    assert [str(problem) for problem in found.broken] == []
    assert found.summary == item.summary
    assert (REPORTS / "pages" / f"{item.folder}.md").read_text() == markdown_page(found, item.folder)
    assert (tmp_path / item.folder / LOG).stat().st_size < 1_000_000


def counts_by_family(item: Published) -> list[str]:
    """What passed of the required checks of claimed operators, by operator of ONNX with its counterparts."""
    columns = "Split", "Concat", "Slice", "Gather", "Transpose", "Reshape", "Squeeze", "Unsqueeze"
    alike = {"VariadicSplit": "Split", "StridedSlice": "Slice"}
    passed, required = Counter[str](), Counter[str]()
    for entry in (one for one in item.summary.operators if one.claim is Claim.CLAIMED):
        name = entry.operator.partition(".")[2].partition("-")[0]
        passed[alike.get(name, name)] += entry.counts.passed
        required[alike.get(name, name)] += entry.counts.required
    return [f"{passed[name]:,}/{required[name]:,}" for name in columns]


def test_the_readme_has_the_counts_of_the_certificates() -> None:
    lines = (REPORTS.parent / "README.md").read_text().splitlines()
    rows = {
        line.partition("pages/")[2].partition(".md")[0]: line.split(" | ")[1:]
        for line in lines
        if "(reports/pages/" in line
    }
    shown = {folder: [cell.strip(" |") for cell in cells] for folder, cells in rows.items()}
    assert shown == {item.folder: counts_by_family(item) for item in PUBLISHED if item.folder in shown}
    assert len(shown) == 3


@pytest.fixture
def vendors(scene: Scene, tmp_path: Path) -> Published:
    """A certificate with its log, published alone in `tmp_path`."""
    shutil.copytree(scene.certificate, tmp_path / "vendor")
    (tmp_path / "products.yaml").write_text((REPORTS / "products.yaml").read_text())
    (item,) = published_in(tmp_path)
    return item


def page_of(item: Published, folder: Path) -> html.HtmlElement:
    found = Verification(broken=(), summary=item.summary, signature=item.signature)
    with unpacked_log(folder / item.folder) as log:
        return html.fromstring("".join(html_page(found, log, item.folder, links={})))


def test_the_page_of_a_published_certificate_says_first_what_it_is(vendors: Published, tmp_path: Path) -> None:
    item = vendors
    page = page_of(item, tmp_path)
    (banner,) = page.find_class("banner")
    due = certificate_banner(item.summary, item.signature, item.folder)
    assert banner.xpath("string(p[@class='title'])") == due.title
    assert {name.text: fact.text for name, fact in zip(banner.iter("dt"), banner.iter("dd"), strict=True)} == due.facts
    assert banner.findtext("pre") == due.command


def test_the_index_is_that_of_the_certificates() -> None:
    """`nox -s publish -- --tables` makes it anew; `-- numpy-core --tables` does so in seconds."""
    published = published_in(REPORTS)
    assert (REPORTS / "README.md").read_text() == index_as_markdown(published)
    assert (REPORTS / "published.yaml").read_text() == published_text(REPORTS, published)


def test_the_index_says_by_whom_certificates_are_issued_and_how_to_verify_one() -> None:
    page = html.fromstring(index_as_html(PUBLISHED))
    (banner,) = page.find_class("banner")
    facts = {name.text: value.text for name, value in zip(banner.iter("dt"), banner.iter("dd"), strict=True)}
    assert facts["Issued by"] == f"the opconform project ({len(PUBLISHED)})"
    assert facts["Signature"] == f"no signature ({len(PUBLISHED)})"
    assert banner.findtext("pre") == f"conformance verify {PUBLISHED[0].folder}"


def test_the_index_explains_each_column_of_the_certificates() -> None:
    page = html.fromstring(index_as_html(PUBLISHED))
    (table,) = page.find_class("certificates")
    (explained,) = page.xpath("//section[@id='columns']")
    assert [name.text for name in explained.iter("dt")] == [head.text_content() for head in table.xpath(".//thead//th")]
    assert all(text.text for text in explained.iter("dd"))


def test_the_index_has_the_operators_in_the_order_of_the_report(vendors: Published, tmp_path: Path) -> None:
    page = page_of(vendors, tmp_path)
    in_report = page.xpath("//table[@class='matrix']/tbody//th/code/text()")
    index = html.fromstring(index_as_html([vendors]))
    in_index = index.xpath("//section[starts-with(@id, 'profile-')]/details[1]//tbody//th/text()")
    assert in_index == [name for name in in_report if "-" in name], "besides the rows over all versions"


def test_every_link_of_the_index_to_a_file_leads_to_one() -> None:
    links = html.fromstring(index_as_html(PUBLISHED)).xpath("//a/@href")
    local = {link for link in links if not link.startswith(("#", "https://"))}
    pages = {f"pages/{item.folder}.html" for item in PUBLISHED}
    assert local == pages, "which `nox -s publish` builds"


def test_every_link_of_the_readme_to_a_file_leads_to_one() -> None:
    links = re.findall(r"\]\(<?([^)>]+)>?\)", index_as_markdown(PUBLISHED))
    local = {link for link in links if not link.startswith(("#", "https://"))}
    assert len(local) > len(PUBLISHED)
    assert [link for link in local if not (REPORTS / link).is_file()] == []


@pytest.mark.usefixtures("vendors")
def test_a_table_shows_the_words_of_others_as_text(tmp_path: Path) -> None:
    summary = tmp_path / "vendor" / "certificate.yaml"
    summary.write_text(summary.read_text().replace("vendor: Vendor", 'vendor: "<img src=x onerror=alert(1)>|`"'))
    write_tables(tmp_path)
    assert "<img" not in (tmp_path / "index.html").read_text()
    assert "<img" not in (tmp_path / "README.md").read_text()
    assert "cut-too-late" in (tmp_path / "index.html").read_text()


def test_the_log_of_a_certificate_is_taken_as_the_log_of_a_run(scene: Scene) -> None:
    from conformance.log.compare import compare_files

    with named_log_of(scene.certificate) as log:
        comparison = compare_files(log, log)
    assert {change.value for change in comparison.counts} == {"unchanged"}

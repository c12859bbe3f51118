"""What is in reports/: every certificate keeps every rule, none is missing, and the tables are made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_suite import Scene

from conformance import __version__
from conformance.certificate.installation import installed
from conformance.certificate.pages import markdown_page
from conformance.certificate.profile_file import read_profile
from conformance.certificate.publish import products_in, published_in, write_tables
from conformance.certificate.published import is_published, unpacked_log
from conformance.certificate.releases import release_problems
from conformance.certificate.table import Published, tables_of
from conformance.certificate.table_text import tables_as_html, tables_as_markdown
from conformance.certificate.verify import verify
from conformance.formats.suite import load_suite

REPORTS = Path(__file__).parents[2] / "reports"
PUBLISHED = published_in(REPORTS)


def test_the_release_is_that_of_the_case_files_and_profiles() -> None:
    """`nox -s release` writes it; it is stale after each change of a case file or a profile."""
    profile = read_profile("full", installed().profiles)
    assert [str(problem) for problem in release_problems(installed(), profile, __version__)] == []


def test_four_products_are_published_in_both_profiles() -> None:
    products = products_in(REPORTS)
    missing = [product.folder for product in products if not is_published(REPORTS / product.folder)]
    assert missing == [], "run `nox -s publish`"
    for profile in ("core", "full"):
        named = {product.target.partition("[")[0] for product in products if product.profile == profile}
        assert named == {"numpy", "openvino", "onnxruntime", "torch"}


@pytest.mark.parametrize("item", PUBLISHED, ids=lambda item: item.folder)
def test_a_published_certificate_is_of_the_cases_as_they_are(item: Published) -> None:
    assert item.summary.suite.digests == load_suite(installed().cases).digests


@pytest.mark.parametrize(
    "folder", [item.folder for item in PUBLISHED if item.summary.suite.profile == "core"]
)  # `nox -s published` verifies those of the profile full too, which takes minutes
def test_a_published_certificate_keeps_every_rule(folder: str) -> None:
    """After a change of what is made of a log, `nox -s publish -- --again` makes the files anew, running nothing."""
    found = verify(REPORTS / folder, installed())
    assert [str(problem) for problem in found.broken] == []
    assert (REPORTS / "pages" / f"{folder}.md").read_text() == markdown_page(found)
    assert (REPORTS / "pages" / f"{folder}.html").is_file()


def test_the_tables_are_those_of_the_certificates() -> None:
    """`nox -s publish -- --tables` makes them anew."""
    tables = list(tables_of(published_in(REPORTS)))
    assert (REPORTS / "README.md").read_text() == tables_as_markdown(tables)
    assert (REPORTS / "index.html").read_text() == tables_as_html(tables)


def test_a_table_shows_the_words_of_others_as_text(scene: Scene, tmp_path: Path) -> None:
    import shutil

    (tmp_path / "products.yaml").write_text((REPORTS / "products.yaml").read_text())
    shutil.copytree(scene.certificate, tmp_path / "vendor")
    summary = tmp_path / "vendor" / "certificate.yaml"
    summary.write_text(summary.read_text().replace("vendor: Vendor", 'vendor: "<img src=x onerror=alert(1)>|`"'))
    write_tables(tmp_path)
    assert "<img" not in (tmp_path / "index.html").read_text()
    assert "<img" not in (tmp_path / "README.md").read_text()
    assert "cut-too-late" in (tmp_path / "index.html").read_text()


def test_the_log_of_a_certificate_is_taken_as_the_log_of_a_run(scene: Scene) -> None:
    from conformance.comparison.compare import compare_files

    with unpacked_log(scene.certificate) as log:
        comparison = compare_files(log, log)
    assert {change.value for change in comparison.counts} == {"unchanged"}

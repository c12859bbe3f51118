"""Certifies the products of `reports/products.yaml` and makes the tables: `nox -s publish`.

The repository has the certificates, the index and a page of each in Markdown. The HTML pages are large: `--tables`
builds them from the logs. `published.yaml` has the digest of the verdicts in each, which another run also has.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from index import Published, index_as_html, index_as_markdown
from pydantic import Field
from release import write_release

from conformance.certificate.certificate_file import DEVIATIONS, ENVELOPE, LOG, SUMMARY, CertificateFile, yaml_text
from conformance.certificate.folder import PAGES, unpacked_log
from conformance.certificate.issue import CertificateRequest, RunSettings, certify, certify_log
from conformance.certificate.pages import html_page, markdown_page
from conformance.certificate.review import checked_claims
from conformance.certificate.rules import installed, read_profile
from conformance.certificate.verify import Signature, verified
from conformance.cli.parser import TIMEOUT_S
from conformance.judge.deviation import deviations_from_document
from conformance.log.log_file import records_of
from conformance.report.writers import write_text
from conformance.suite.adapter_file import target_from_text
from conformance.suite.suite import load_suite
from conformance.suite.yaml_file import FileModel, Plain, read_document, validated

_ABOUT = """\
# Written by `nox -s publish`. `run` makes the logs anew, and `build` makes index.html and the pages from them.
# `sha256` is of the uncompressed log, which has times in it; `verdicts` is of all verdicts without times.
build: python tools/publish.py reports --tables
run: python tools/publish.py reports
"""


class PublishedProduct(FileModel):
    """One certificate to publish."""

    folder: str = Field(pattern=r"^[a-z][a-z0-9_.-]{0,79}$")
    target: str
    profile: str
    vendor: str
    product: str
    issuer: str


class ProductsFile(FileModel):
    """The certificates that the project issues itself."""

    products: list[PublishedProduct] = Field(min_length=1)


def products_in(reports: Path) -> list[PublishedProduct]:
    """The products in `products.yaml` of a folder."""
    return validated(ProductsFile, read_document(reports / "products.yaml", "reports/products.yaml")).products


def published_in(reports: Path) -> list[Published]:
    """The certificates in a folder: the project's own in the order of `products.yaml`, then those of vendors."""
    order = [product.folder for product in products_in(reports)]
    folders = [path for path in sorted(reports.iterdir()) if (path / SUMMARY).is_file()]
    folders.sort(key=lambda path: (order.index(path.name) if path.name in order else len(order), path.name))
    return [_published(folder) for folder in folders]


def write_pages(reports: Path, folders: Sequence[str]) -> None:
    """Write the pages of the certificates in these folders.

    Raises:
        ExceptionGroup: of `BrokenRuleError`: a certificate is not valid.
    """
    for name in folders:
        with verified(reports / name, installed()) as (found, log):
            if found.broken:
                raise ExceptionGroup(f"{name} is not valid", found.broken)
            pages = reports / PAGES
            links = {"All certificates": "../index.html", "The log of this one": f"../{name}/{LOG}"}
            write_text(html_page(found, log, name, links=links), pages / f"{name}.html")
            write_text([markdown_page(found, name)], pages / f"{name}.md")


def verdicts_digest(log: Path) -> str:
    """SHA-256 over the outcome and the verdict of every check, without times: another run has the same."""
    digest = hashlib.sha256()
    for record in records_of(log):
        facts = (record.case, record.form.value, record.outcome, record.judged.value)
        digest.update("\t".join((*facts, "\n")).encode())
    return digest.hexdigest()


def write_tables(reports: Path) -> None:
    """Write the index of a folder, README.md and index.html, and published.yaml, from the certificates in it."""
    published = published_in(reports)
    write_text([published_text(reports, published)], reports / "published.yaml")
    write_text([index_as_markdown(published)], reports / "README.md")
    write_text([index_as_html(published)], reports / "index.html")


def published_text(reports: Path, published: Sequence[Published]) -> str:
    """`published.yaml`: what is in the folder, and how to build what the repository does not have."""
    entries: list[Plain] = [
        {
            "folder": item.folder,
            "log": {"sha256": item.summary.log},
            "verdicts": _verdicts(reports / item.folder),
            "page": f"{PAGES}/{item.folder}.html",
        }
        for item in published
    ]
    return _ABOUT + yaml_text({"certificates": entries})


def _verdicts(folder: Path) -> str:
    """The digest of the verdicts of a certificate."""
    with unpacked_log(folder) as log:
        return verdicts_digest(log)


def publish(reports: Path, products: Sequence[PublishedProduct], jobs: int) -> None:
    """Run and certify each product, and replace its folder."""
    effort = RunSettings(timeout_s=TIMEOUT_S, jobs=jobs, on_start=lambda _: None, on_progress=lambda _, __: None)
    for product in products:
        with _new_folder(reports, product) as request:
            suite = load_suite(installed().cases)
            summary = certify(request, suite, target_from_text(product.target), effort)
        print(f"{product.folder}: {summary.result.value}")


def publish_again(reports: Path, products: Sequence[PublishedProduct]) -> None:
    """Issue each certificate again from its own log, without a run: what is derived from a log may have changed."""
    for product in products:
        with _new_folder(reports, product) as request, unpacked_log(reports / product.folder) as log:
            certify_log(request, load_suite(installed().cases), target_from_text(product.target), log)


@contextmanager
def _new_folder(reports: Path, product: PublishedProduct) -> Iterator[CertificateRequest]:
    """The request for a certificate whose folder replaces that of the product once it is written."""
    scratch, folder, profiles = reports / f".{product.folder}", reports / product.folder, installed().profiles
    shutil.rmtree(scratch, ignore_errors=True)
    where = f"reports/products.yaml: {product.folder}"
    claims = checked_claims(vendor=product.vendor, product=product.product, issuer=product.issuer, where=where)
    yield CertificateRequest(
        claims=claims, profile=read_profile(product.profile, profiles), output=scratch, profiles=profiles
    )
    shutil.rmtree(folder, ignore_errors=True)
    scratch.rename(folder)


def _published(folder: Path) -> Published:
    return Published(
        folder=folder.name,
        summary=validated(CertificateFile, read_document(folder / SUMMARY, f"{folder.name}/{SUMMARY}")),
        deviations=deviations_from_document(read_document(folder / DEVIATIONS, f"{folder.name}/{DEVIATIONS}")),
        signature=Signature.NOT_CHECKED if (folder / ENVELOPE).is_file() else Signature.NONE,
    )


def main(arguments: Sequence[str]) -> None:
    """Run the command with these arguments."""
    parser = argparse.ArgumentParser(prog="publish", description="Certify the products of reports/products.yaml.")
    parser.add_argument("reports", type=Path, help="the folder with products.yaml")
    parser.add_argument("products", nargs="*", help="folders of products.yaml (default: all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="child processes at a time")
    parser.add_argument("--again", action="store_true", help="make the certificates anew from their logs, run nothing")
    parser.add_argument("--tables", action="store_true", help="make the pages and tables alone")
    options = parser.parse_args(arguments)
    products = [p for p in products_in(options.reports) if not options.products or p.folder in options.products]
    if options.again:
        publish_again(options.reports, products)
    elif not options.tables:
        write_release(installed())
        publish(options.reports, products, options.jobs)
    chosen = {product.folder for product in products}
    write_pages(options.reports, [item.folder for item in published_in(options.reports) if item.folder in chosen])
    write_tables(options.reports)


if __name__ == "__main__":
    main(sys.argv[1:])

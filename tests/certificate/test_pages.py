"""What the pages of a certificate say first."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import html
from small_suite import Scene

from conformance import __version__
from conformance.certificate.pages import certificate_banner, html_page, markdown_page, verification_lines
from conformance.certificate.verify import verified
from conformance.cli.commands import command_parser

MEASURED = "Certificate, measured by its issuer, not by the vendor"


def page_of(scene: Scene) -> html.HtmlElement:
    with verified(scene.certificate, scene.installation, key=scene.public_key) as (found, log):
        return html.fromstring("".join(html_page(found, log, "a folder")))


def test_a_banner_says_of_what_the_certificate_is_and_who_issued_it(scene: Scene) -> None:
    (banner,) = page_of(scene).find_class("banner")
    facts = {name.text: value.text for name, value in zip(banner.iter("dt"), banner.iter("dd"), strict=True)}
    assert banner.xpath("string(p[@class='eyebrow'])") == MEASURED
    assert banner.xpath("string(p[@class='title'])") == "partial (worst known: wrong results)"
    assert (facts["Product"], facts["Version"], facts["Vendor"]) == ('"Product"', "1.0", '"Vendor"')
    assert facts["Profile"] == f"small, of opconform {__version__}"
    assert facts["Issued by"] == '"Issuer"'
    assert facts["Signature"] == "signed with the key"


@pytest.mark.slow
def test_the_banner_has_the_command_that_verifies_the_certificate(scene: Scene) -> None:
    (banner,) = page_of(scene).find_class("banner")
    assert banner.findtext("pre") == "conformance verify 'a folder' --key PUBLIC_KEY.pem"


@pytest.mark.slow
def test_the_summary_has_the_command_that_verifies_the_certificate(scene: Scene) -> None:
    with verified(scene.certificate, scene.installation) as (found, _):
        text = markdown_page(found, "a folder")
    assert "$ conformance verify 'a folder' --key PUBLIC_KEY.pem\n" in text


@pytest.mark.slow
def test_the_commands_of_the_summary_are_ones_that_the_parser_takes(scene: Scene) -> None:
    with verified(scene.certificate, scene.installation) as (found, _):
        text = markdown_page(found, "a folder")
    lines = text.partition("```console\n")[2].partition("```")[0].replace("\\\n", "").splitlines()
    verify, install, certify = (shlex.split(line.removeprefix("$ ")) for line in lines)
    assert install == ["pip", "install", f"opconform @ git+https://REPOSITORY@v{__version__}"]
    assert command_parser().parse_args(verify[1:]).folder == Path("a folder")
    assert command_parser().parse_args(certify[1:]).product == "Product"


@pytest.mark.slow
def test_the_page_of_a_certificate_is_named_after_its_result(scene: Scene) -> None:
    page = page_of(scene)
    assert page.findtext(".//title") == f"{MEASURED}: partial (worst known: wrong results)"
    assert page.xpath("string(//*[@class='product'])") == MEASURED


@pytest.mark.slow
def test_a_page_states_one_verdict_and_one_rate_above_the_table(scene: Scene) -> None:
    page = page_of(scene)
    assert [heading.text for heading in page.iter("h1")] == ["The run behind this certificate"]
    assert page.find_class("cards") == []


@pytest.mark.slow
def test_an_issuer_who_is_the_vendor_is_named_as_such(scene: Scene) -> None:
    with verified(scene.certificate, scene.installation) as (found, _):
        assert found.summary is not None
        own = found.summary.model_copy(update={"issuer": "Vendor"})
        banner = certificate_banner(own, found.signature, "a folder")
    assert (banner.eyebrow, banner.facts["Issued by"]) == ("Certificate", '"Vendor", the vendor itself')


@pytest.mark.slow
def test_no_claim_is_cut(scene: Scene) -> None:
    names = [f"TheOperator{number}" for number in range(200)]
    with verified(scene.certificate, scene.installation) as (found, _):
        assert found.summary is not None
        many = replace(found, summary=found.summary.model_copy(update={"not_claimed": names}))
        assert many.summary is not None
        claims = certificate_banner(many.summary, found.signature, "a folder").facts["Claims"]
        printed = "\n".join(verification_lines(many, scene.certificate))
        page = markdown_page(many, "a folder")
    for text in (claims, printed, page):
        assert names[-1] in text


@pytest.mark.slow
def test_the_banner_links_to_what_lies_beside_the_page(scene: Scene) -> None:
    with verified(scene.certificate, scene.installation) as (found, log):
        page = html.fromstring("".join(html_page(found, log, "a", links={"All certificates": "../index.html"})))
    (link,) = page.find_class("banner")[0].iter("a")
    assert (link.text, link.get("href")) == ("All certificates", "../index.html")


CLAIM = 'conformant", signed with the key'


def test_a_name_that_reads_as_a_result_stands_in_quotes_on_a_line_of_its_own(scene: Scene) -> None:
    with verified(scene.certificate, scene.installation) as (found, _):
        assert found.summary is not None
        product = found.summary.product.model_copy(update={"name": CLAIM, "vendor": CLAIM})
        lying = replace(found, summary=found.summary.model_copy(update={"issuer": CLAIM, "product": product}))
        printed = list(verification_lines(lying, scene.certificate))
        page = markdown_page(lying, "a folder").partition("## Verify")[0].splitlines()
    assert lying.summary is not None
    quoted = '"conformant\\", signed with the key"'
    assert [line for line in printed if "signed" in line] == [
        f"{of}: {quoted}" for of in ("product", "vendor", "issuer")
    ]
    assert len([line for line in page if "signed" in line]) == 3
    banner = certificate_banner(lying.summary, found.signature, "a folder")
    assert banner.title == "partial (worst known: wrong results)"
    assert {name for name, fact in banner.facts.items() if "signed" in fact} == {"Product", "Vendor", "Issued by"}

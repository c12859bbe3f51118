"""A small installation, a target that passes most of it, and the certificate of the two."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import yaml
from gallery import LIARS
from release import write_release

from conformance.certificate.issue import CertificateRequest, RunSettings, certify
from conformance.certificate.review import Claims
from conformance.certificate.rules import Installation, read_profile
from conformance.suite.adapter_file import TargetRequest, read_adapter
from conformance.suite.suite import bundled_folder, load_suite

DEVIATIONS = """
deviations:
  - id: cut-too-late
    kind: plainly wrong
    operators: [openvino.VariadicSplit-1]
    when: data_type == 'uint16'
    where: {{versions: ">=1,<2"}}
    verdict: wrong result
    values: [equal parts]
    what: The parts are equal, whatever lengths are given.
    why: So that there is something to record.
    since: "{since}"
    review: "{review}"
    reproducer: adapter.py
"""

OPEN_NANS = """
operator: onnx.Split
about: A page that can be read as if it left the bits of NaNs open.
cases:
  - id: nan
    clauses: [num_outputs.uneven]
    arguments: {input: {dtype: float32, bits: [0x7f800001, 0x3f800000, 0x40000000]}, axis: 0, num_outputs: 2}
    disputed:
      kept: {reason: The elements are those of the input., outputs: ["0:2", "2:3"]}
      free: {reason: Any NaN is as good., nan_payloads: any, outputs: ["0:2", "2:3"]}
"""

SAME_TWIN = """
operator: openvino.VariadicSplit
about: An invalid call with the twin of another one.
cases:
  - id: far-too-much
    clauses: [split_lengths.sum]
    arguments: {data: {dtype: float32, shape: [6]}, axis: 0, split_lengths: [2, 50]}
    twin: {split_lengths: [1, 5]}
    rejected: split_lengths.sum
"""


@dataclass(frozen=True, slots=True)
class Scene:
    """An installation, a target, a certificate of it, and a key pair whose private half signed that."""

    installation: Installation
    target: TargetRequest
    certificate: Path
    private_key: Path
    public_key: Path


def write_keys(folder: Path, name: str) -> tuple[Path, Path]:
    """The private and the public half of a new pair, in files."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    private.write_bytes(
        key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, encryption_algorithm=form.NoEncryption())
    )
    public.write_bytes(key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo))
    return private, public


OPERATORS = ("openvino/VariadicSplit/cases.yaml", "onnx/Split/cases.yaml")


def write_installation(root: Path, operators: Sequence[str] = OPERATORS) -> Installation:
    """Some cases of the liars, and a profile that asks all of them."""
    for name in operators:
        folder = (root / "cases" / name).parent
        folder.mkdir(parents=True)
        for path in ((LIARS / "cases" / name), (LIARS / "cases" / name).with_name("operator.yaml")):
            shutil.copy(path, folder)
    (root / "cases/onnx/Split/nans.yaml").write_text(OPEN_NANS)
    if operators is OPERATORS:
        (root / "cases/openvino/VariadicSplit/twins.yaml").write_text(SAME_TWIN)
    profiles = root / "profiles"
    profiles.mkdir()
    text = (bundled_folder("profiles") / "full.yaml").read_text()
    (profiles / "small.yaml").write_text(text.replace("profile: full", "profile: small"))
    shutil.copy(bundled_folder("profiles") / "core.yaml", profiles)
    installation = Installation(cases=root / "cases", profiles=profiles)
    write_release(installation)
    return installation


def write_target(root: Path, *, since: str, review: str) -> TargetRequest:
    """The mixed adapter with the record of what it does wrong."""
    folder = root / "mixed"
    folder.mkdir()
    shutil.copy(Path(__file__).parent / "mixed_adapter.py", folder / "adapter.py")
    shutil.copy(LIARS / "honest.py", folder)
    (folder / "adapter.yaml").write_text(yaml.safe_dump({"name": "mixed", "summary": "right and wrong"}))
    (folder / "deviations.yaml").write_text(DEVIATIONS.format(since=since, review=review))
    return TargetRequest(adapter=read_adapter(folder), options={})


def order(installation: Installation, output: Path, **changes: object) -> CertificateRequest:
    """What the tests certify, with changes."""
    profile = read_profile("small", installation.profiles)
    claims = Claims(vendor="Vendor", product="Product", issuer="Issuer")
    made = CertificateRequest(claims=claims, profile=profile, output=output, profiles=installation.profiles)
    return replace(made, **changes)  # type: ignore[arg-type]


def certified(requested: CertificateRequest, installation: Installation, target: TargetRequest) -> None:
    """Run and write the certificate."""
    certify(requested, load_suite(installation.cases), target, effort())


def effort() -> RunSettings:
    """How the tests run a profile."""
    return RunSettings(timeout_s=20.0, jobs=1, on_start=lambda _: None, on_progress=lambda _, __: None)


def certified_scene(root: Path) -> Scene:
    """A signed certificate in a folder, with all that it rests on."""
    installation = write_installation(root)
    today = date.today()  # noqa: DTZ011  (a review is due by the calendar)
    target = write_target(root, since=str(today - timedelta(days=2)), review=str(today + timedelta(days=90)))
    private, _ = write_keys(root, "vendor")
    certified(order(installation, root / "certificate", key=private), installation, target)
    return scene_in(root)


def scene_in(root: Path) -> Scene:
    """What `certified_scene` left in a folder."""
    return Scene(
        installation=Installation(cases=root / "cases", profiles=root / "profiles"),
        target=TargetRequest(adapter=read_adapter(root / "mixed"), options={}),
        certificate=root / "certificate",
        private_key=root / "vendor.pem",
        public_key=root / "vendor.pub.pem",
    )

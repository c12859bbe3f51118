"""Writes `profiles/releases.yaml`, the last step of a release: `python tools/release.py`."""

from __future__ import annotations

from conformance import __version__
from conformance.certificate.certificate_file import yaml_text
from conformance.certificate.rules import Installation, file_digests, installed
from conformance.suite.adapter_file import NAME, ReleaseEntry, ReleasesFile, read_releases
from conformance.suite.suite import digests_of


def write_release(installation: Installation) -> None:
    """Record the current files as those of this version; other releases stay unchanged.

    A version that is listed already keeps its operators: those that were added since belong to the next one.
    """
    path = installation.profiles / NAME
    known = read_releases(installation.profiles) if path.is_file() else ()
    _, digests = digests_of(installation.cases)
    names = next((set(entry.digests) for entry in known if entry.version == __version__), set(digests)) & set(digests)
    added = tuple(f"cases/{name.replace('.', '/')}/" for name in set(digests) - names)
    release = ReleaseEntry(
        version=__version__,
        accepted=True,
        digest=digests_of(installation.cases, names)[0],
        digests={name: digest for name, digest in digests.items() if name in names},
        files={name: digest for name, digest in file_digests(installation).items() if not name.startswith(added)},
    )
    releases = [release, *(entry for entry in known if entry.version != __version__)]
    text = yaml_text(ReleasesFile(releases=releases).model_dump(mode="json"))
    path.write_text(f"# Written by `nox -s release`.\n{text}", encoding="utf-8")


if __name__ == "__main__":
    write_release(installed())

"""Makes the published data of all releases from a history: `python tools/compat_data.py HISTORY`.

HISTORY is the store of `conformance history`. The same history, cases and adapters give the same bytes. What is
published of an engine that the history has no answers of stays. The version of the data is that of the newest entry of
its changelog; data that says something else than before needs a new entry.
"""

from __future__ import annotations

import argparse
import lzma
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from compat_deviations import DeviationsFound
from compat_findings import FindingsFound
from compat_frameworks import frameworks_of, package_of
from compat_kept import with_kept
from compat_operator import AnswersOf, in_order, operator_of

from conformance.compat.data import FORMAT, CompatConditions, CompatData, CompatEngine, CompatOperator
from conformance.compat.difference import changes
from conformance.compat.letters import LETTERS
from conformance.compat.reading import load
from conformance.compat.series import gathered
from conformance.compat.writing import text_of
from conformance.formats.suite import Suite, bundled_folder, load_suite
from conformance.history.store import HistoryStore, StoredAnswer, StoredRelease, letter_of, opened_store
from conformance.language.operator import Operator

FOLDER = Path(__file__).parents[1] / "compat"
LICENSE = "CC0-1.0"
_DATA = "data.json.xz"
_SHOWN = 20
_VERSION = re.compile(r"^## ([0-9]+(?:\.[0-9]+)+)", re.MULTILINE)

Releases = Mapping[str, Sequence[StoredRelease]]
"""The releases of each engine, the oldest first."""


def data_of(
    store: HistoryStore,
    suite: Suite,
    version: str,
    profiles: Mapping[str, str],
    say: Callable[[str], None] = print,
) -> CompatData:
    """The published data of a history; `say` gets a line for the answers of an operator version that are left out.

    `profiles` names the profile whose checks an engine was asked, if not those of the default set.

    Raises:
        ValueError: a release has answers under two conditions, so that it has no cell.
    """
    releases = releases_in(store)
    engines = {engine: _engine(of_engine, profiles.get(engine, "")) for engine, of_engine in releases.items()}
    findings = FindingsFound(engines)
    deviations = DeviationsFound({name: engine.adapter for name, engine in engines.items()})
    operators: dict[str, CompatOperator] = {}
    for operator in in_order(suite.operators):
        answers, suite_digest = _answers(store, releases, operator, say)
        if answers:
            families = [family for family in suite.families if family.operator.id == operator.id]
            operators[operator.id] = operator_of(operator, suite_digest, answers, engines, families)
            deviations.add(operator.id, answers)
            findings.add(operator, answers)
    return CompatData(
        format=FORMAT,
        version=version,
        license=LICENSE,
        letters=dict(LETTERS),
        engines=engines,
        operators=operators,
        deviations=deviations.found(engines),
        findings=findings.found(),
    )


def releases_in(store: HistoryStore) -> dict[str, list[StoredRelease]]:
    """The releases of each engine, the oldest first.

    Raises:
        ValueError: one has answers under two conditions.
    """
    found: dict[str, dict[str, StoredRelease]] = {}
    for release in store.releases:
        of_engine = found.setdefault(release.target, {})
        if (other := of_engine.setdefault(release.version, release)) is not release:
            sets = " and ".join(f"{one.system} {one.instruction_set}".rstrip() for one in (other, release))
            raise ValueError(f"{release.target} {release.version} has answers of {sets}; publish one history for each")
    return {engine: sorted(of.values(), key=lambda release: release.order) for engine, of in sorted(found.items())}


def version_in(changelog: str) -> str:
    """The newest version that a changelog names.

    Raises:
        ValueError: there is none.
    """
    found = _VERSION.search(changelog)
    if found is None:
        raise ValueError("the changelog names no version; write a heading such as ## 1.0.0")
    return found[1]


def _engine(releases: Sequence[StoredRelease], profile: str) -> CompatEngine:
    first, versions = releases[0], [release.version for release in releases]
    conditions: dict[str, CompatConditions | None] = {
        release.version: CompatConditions(release.system, release.instruction_set) for release in releases
    }
    return CompatEngine(
        adapter=first.adapter,
        package=package_of(first.adapter),
        options=first.options,
        profile=profile,
        releases=versions,
        conditions=gathered(conditions, versions),
    )


def _answers(
    store: HistoryStore, releases: Releases, operator: Operator, say: Callable[[str], None]
) -> tuple[AnswersOf, str]:
    """The answers to an operator version by engine and release, and the state of the operator's files that they are to:
    the one to which most releases answered. An engine that can never be asked has none.
    """
    found = {
        (engine, release.version): list(store.answers(release, operator.id))
        for engine, of_engine in releases.items()
        for release in of_engine
    }
    suites = Counter(suite for answers in found.values() for suite in sorted({answer.suite for answer in answers}))
    if not suites:
        return {}, ""
    chosen = max(sorted(suites), key=lambda suite: suites[suite])
    answers: dict[str, dict[str, list[StoredAnswer]]] = {}
    for (engine, version), given in found.items():
        if kept := [answer for answer in given if answer.suite == chosen]:
            answers.setdefault(engine, {})[version] = kept
        if left_out := len(given) - len(kept):
            say(f"{operator.id}: {engine} {version}: {left_out} answers to other cases are left out")
    return {engine: given for engine, given in answers.items() if _can_be_asked(given.values())}, chosen


def _can_be_asked(answers: Iterable[Sequence[StoredAnswer]]) -> bool:
    return any(letter_of(answer.judged) != "x" for given in answers for answer in given)


def checked(data: CompatData, published: CompatData) -> CompatData:
    """The data, if it has a version of its own or says the same as the published one.

    Raises:
        ValueError: the published data of this version says something else.
    """
    found = list(changes(published, data)) if published.version == data.version else []
    if found:
        lines = "\n".join(found[:_SHOWN])
        raise ValueError(f"version {data.version} is published, and says something else; add an entry:\n{lines}")
    return data


def _files(history: Path, folder: Path, profiles: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    version = version_in((folder / "CHANGELOG.md").read_text("utf-8"))
    suite = load_suite(bundled_folder("cases"))
    with opened_store(history) as store:
        data = data_of(store, suite, version, profiles)
    if (folder / _DATA).is_file():
        published = load(folder / _DATA)
        data = checked(with_kept(data, published, suite), published)
    yield _DATA, text_of(data)
    yield "engines.json", text_of(frameworks_of({engine.package for engine in data.engines.values()}))


def main(arguments: Sequence[str]) -> None:
    """Run the command with these arguments."""
    parser = argparse.ArgumentParser(prog="compat_data", description="Make the published data from a history.")
    parser.add_argument("history", type=Path, help="the store of `conformance history`")
    parser.add_argument("--output", type=Path, default=FOLDER, help="the folder that gets the files (default: compat)")
    about = "the profile whose checks an engine was asked, as openvino=core (default: the default set)"
    parser.add_argument("--profile", metavar="ENGINE=PROFILE", action="append", default=[], help=about)
    options = parser.parse_args(arguments)
    profiles = dict(item.rpartition("=")[::2] for item in options.profile)
    try:
        files = list(_files(options.history, options.output, profiles))
    except ValueError as error:
        parser.exit(1, f"{error}\n")
    for name, text in files:
        content = text.encode()
        written = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME) if name == _DATA else content
        (options.output / name).write_bytes(written)
        print(f"{options.output / name}: {len(written):,} bytes, unpacked {len(content):,}")


if __name__ == "__main__":
    main(sys.argv[1:])

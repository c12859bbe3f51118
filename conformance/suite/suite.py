"""Loads a suite: finds its case files, reads them, and computes the digest that identifies them.

The only module that knows whether the project is installed, editable or a checkout.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.spec.choices import CaseSet
from conformance.spec.operator import Operator
from conformance.suite.case_file import CaseFamily, families_from_document
from conformance.suite.coverage_tables import MAX_TABLE_BYTES
from conformance.suite.operator_file import misplaced, operators_from_document
from conformance.suite.yaml_file import Document, read_document
from conformance.tensors.errors import CaseFileError, UsageError
from conformance.tensors.files import content_of
from conformance.tensors.text import counted

# `default-set.tsv` in a folder of cases: which products are in the default set, in which forms.
#
# `tools/default_set.py` writes it.
#
# For each operator it has the digest of the files that it was made of, and the number of checks that the full set has
# of each version. Of an operator whose files have changed since, every case of the default set runs in every usual
# form, as do the cases that a user adds.

FILE = "default-set.tsv"
MAX_BYTES = 4 << 20
Chosen = Mapping[int, int]
"""By the number of a product, the bits of its forms among those of the default set: bit 0 stands for the first one."""


@dataclass(frozen=True, slots=True)
class DefaultSet:
    """The part of each family in the default set, as `chosen_of` reads it, and the number of checks in the full set
    for each operator version.
    """

    chosen: dict[str, str] = field(default_factory=dict)
    full: dict[str, int] = field(default_factory=dict)


def read_default_set(root: Path, digests: Mapping[str, str]) -> DefaultSet:
    """The default set of the operators with these digests.

    Raises:
        CaseFileError: the file cannot be read.
    """
    path, found = root / FILE, DefaultSet()
    if not path.is_file():
        return found
    is_current = False
    for number, line in enumerate(content_of(path, FILE, MAX_BYTES).decode(errors="replace").splitlines(), start=1):
        name, tab, text = line.partition("\t")
        if not tab:
            what = "is not a name, a tab, and what it has"
            raise CaseFileError(f"{root.name}/{FILE}:{number}", what, fix="run `python tools/default_set.py`")
        if "/" not in name:
            digest, _, counts = text.partition("\t")
            is_current = digests.get(name) == digest
            if is_current:
                found.full.update({f"{name}-{version}": count for version, count in _pairs(counts, base=10)})
        elif is_current:
            found.chosen[name] = text
    return found


def chosen_of(text: str) -> Chosen:
    """The products of a family that are in the default set; one without bits is there in its first form alone."""
    return dict(_pairs(text, base=16))


def _pairs(text: str, base: int) -> Iterator[tuple[int, int]]:
    pairs = (entry.partition(":") for entry in text.split())
    return ((int(first), int(second or "1", base)) for first, _, second in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultChecks:
    """What stands in the file of one operator: the digest of its files, the number of checks that the full set has of
    each version, and the families with what is chosen of them.
    """

    digest: str
    full: Mapping[int, int]
    families: Iterable[tuple[str, Chosen]]


def default_set_text(operators: Mapping[str, DefaultChecks]) -> str:
    """The text of the file."""
    lines = []
    for name, checks in operators.items():
        counts = " ".join(f"{version}:{count}" for version, count in checks.full.items())
        lines.append(f"{name}\t{checks.digest}\t{counts}")
        for family, chosen in checks.families:
            entries = (f"{product}" if bits == 1 else f"{product}:{bits:x}" for product, bits in sorted(chosen.items()))
            lines.append(f"{family}\t{' '.join(entries)}")
    return "".join(f"{line}\n" for line in lines)


def bundled_folder(name: str) -> Path:
    """The folder `cases`, `adapters`, `engines` or `profiles` that comes with the project.

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "bundled" / name, package.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"this installation has no folder {name!r}; install opconform again")


OPERATOR_FILE = "operator.yaml"
"""What the engine knows of an operator; a folder of cases without it uses the bundled one of the same operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """All cases under one folder. `digest` is the SHA-256 over the paths and bytes of its files.

    `digests` has one such digest for each operator, by its name without version, and `full_checks` the number of checks
    of each version in the full set, where it is known. `added` are the folders of which a user added cases to those
    under `root`.
    """

    root: Path
    digest: str
    digests: dict[str, str] = field(default_factory=dict)
    full_checks: dict[str, int] = field(default_factory=dict)
    operators: tuple[Operator, ...]
    families: tuple[CaseFamily, ...]
    added: tuple[Path, ...] = ()

    @property
    def is_bundled(self) -> bool:
        """Whether these are the cases that come with the project."""
        return self.root.resolve() == bundled_folder("cases").resolve()

    def folders(self) -> tuple[str, ...]:
        """The folder of the cases, empty for the bundled ones, and those of the cases added to it."""
        return ("" if self.is_bundled else str(self.root.resolve()), *(str(path.resolve()) for path in self.added))

    def borrows(self, operator: Operator) -> bool:
        """Whether the folder of an operator has no `operator.yaml`, so that the bundled one holds."""
        return not (self.root / operator.dialect / operator.name / OPERATOR_FILE).is_file()

    def place_in_description(self, operator: Operator, keys: str) -> str:
        """Where keys of the description of an operator stand, for a message."""
        return f"{self.root.name}/{operator.dialect}/{operator.name}/{OPERATOR_FILE}: {keys}"

    def of_files(self, files: Sequence[Path]) -> Suite:
        """The suite with only the cases of these files; with all cases if `files` is empty.

        Raises:
            UsageError: a file is not a case file of this suite.
        """
        if not files:
            return self
        chosen = {file.resolve(): file for file in files}
        families = tuple(family for family in self.families if family.file.resolve() in chosen)
        for path in chosen.keys() - {family.file.resolve() for family in families}:
            fix = "name one that `conformance list --long` prints"
            raise UsageError(str(chosen[path]), f"is not a case file of {self.root}", fix=fix)
        return replace(self, families=families)

    def joined_with(self, own: Suite) -> Suite:
        """The suite with the cases of another folder added to it.

        Raises:
            ExceptionGroup: of `CaseFileError`: an id exists in both, or the other folder describes an operator again.
        """
        families = (*self.families, *own.families)
        problems = [*_repeated_ids(families), *self._described_again(own)]
        if problems:
            raise ExceptionGroup(f"{counted(len(problems), 'problem')} in {own.root}", problems)
        return replace(
            self,
            digest=_combined_digest(self.digest, own.digest),
            digests=self.digests
            | {name: _combined_digest(self.digests.get(name, ""), digest) for name, digest in own.digests.items()},
            operators=self.operators + tuple(item for item in own.operators if item.family not in self.digests),
            families=families,
            added=(*self.added, own.root),
        )

    def _described_again(self, own: Suite) -> Iterator[CaseFileError]:
        for name in sorted({item.family for item in own.operators if not own.borrows(item)} & self.digests.keys()):
            where = f"{own.root.name}/{name.replace('.', '/', 1)}/{OPERATOR_FILE}"
            yield CaseFileError(where, f"{name} has one among the cases that these are added to", fix="remove the file")

    def of_operators(self, names: Collection[str]) -> Suite:
        """The suite with only the operators of these names, which have no version."""
        return replace(
            self,
            digests={name: digest for name, digest in self.digests.items() if name in names},
            operators=tuple(operator for operator in self.operators if operator.family in names),
            families=tuple(family for family in self.families if family.operator.family in names),
        )

    def without_cases(self) -> Suite:
        """The suite with its operators but no cases."""
        return replace(self, families=())


def load_suite(root: Path, names: Collection[str] | None = None) -> Suite:
    """The suite in a folder with the layout of `cases/`; with `names`, only with the cases of these operators.

    Raises:
        ExceptionGroup: of `CaseFileError`: every problem of every file at once.
    """
    suite, problems = read_suite(root, names)
    if problems:
        raise ExceptionGroup(f"{counted(len(problems), 'problem')} in {root}", problems)
    return suite


def read_suite(root: Path, names: Collection[str] | None = None) -> tuple[Suite, list[CaseFileError]]:
    """What can be read of a suite, and every problem of the files that cannot.

    With `names`, only the cases of these operators, such as onnx.Split, are read.
    """
    problems: list[CaseFileError] = []
    operators: list[Operator] = []
    families: list[CaseFamily] = []
    for folder in sorted({path.parent for path in root.glob("*/*/*.yaml")}):
        try:
            path = _operator_file(folder, root)
            document = _document(path, root if path.parent == folder else bundled_folder("cases"))
            versions = operators_from_document(document)
        except ExceptionGroup as group:
            problems += _problems(group)
            continue
        name, place = versions[0].family, f"{folder.parent.name}.{folder.name}"
        problems += misplaced(document, name, place)
        operators += versions
        if names is not None and name not in names:
            continue
        for path in sorted(set(folder.glob("*.yaml")) - {folder / OPERATOR_FILE}):
            try:
                families += families_from_document(_document(path, root), versions, folder)
            except ExceptionGroup as group:
                problems += _problems(group)
    if not operators and not problems:
        what = "holds no case file <dialect>/<Operator>/<name>.yaml"
        problems.append(CaseFileError(str(root), what, fix="name a folder laid out as cases/"))
    problems += _repeated_ids(families)
    digest, digests = digests_of(root)
    default_set = DefaultSet()
    try:
        default_set = read_default_set(root, digests)
    except CaseFileError as problem:
        problems.append(problem)
    suite = Suite(
        root=root,
        digest=digest,
        digests=digests,
        full_checks=default_set.full,
        operators=tuple(operators),
        families=tuple(_with_default_set(families, default_set.chosen)),
    )
    return suite, problems


def digests_of(root: Path, names: Collection[str] | None = None) -> tuple[str, dict[str, str]]:
    """SHA-256 over the relative path and the bytes of each case file and table, in the order of the paths: of all, and
    of those of each operator, as `onnx.Split`.

    With `names`, only the files of these operators count.
    """
    whole, of_operator = hashlib.sha256(), defaultdict[str, Any](hashlib.sha256)
    folders = ["*/*"] if names is None else [name.replace(".", "/", 1) for name in names]
    found = [path for folder in folders for ending in ("yaml", "tsv") for path in root.glob(f"{folder}/*.{ending}")]
    found += [root / FILE] if names is None else []
    files = {path.relative_to(root).as_posix(): path for path in filter(Path.is_file, found)}
    for folder in {path.parent for path in files.values()} - {root}:
        files.setdefault((folder.relative_to(root) / OPERATOR_FILE).as_posix(), _operator_file(folder, root))
    for name, path in sorted(files.items()):
        content = content_of(path, name, MAX_TABLE_BYTES) if path.is_file() else b""
        operator = name.rpartition("/")[0].replace("/", ".")
        for total in (whole, of_operator[operator]) if operator else (whole,):
            total.update(f"{name}\0{len(content)}\0".encode() + content)
    return whole.hexdigest(), {operator: total.hexdigest() for operator, total in of_operator.items()}


def _with_default_set(families: Iterable[CaseFamily], chosen: Mapping[str, str]) -> Iterator[CaseFamily]:
    """The families with what the default set has of them, for the operators that it knows."""
    known = {name.partition("/")[0] for name in chosen}
    for family in families:
        is_narrowed = family.set is CaseSet.DEFAULT and family.operator.id in known
        yield replace(family, default=chosen.get(family.id, "")) if is_narrowed else family


def _combined_digest(digest: str, other: str) -> str:
    return hashlib.sha256(f"{digest} {other}".encode()).hexdigest()


def _repeated_ids(families: Sequence[CaseFamily]) -> Iterator[CaseFileError]:
    first: dict[str, CaseFamily] = {}
    for family in families:
        earlier = first.setdefault(family.id, family)
        if earlier is not family:
            yield family.problem(("id",), f"{family.id} exists already at {earlier.where}", "give it a new id")


def _operator_file(folder: Path, root: Path) -> Path:
    """The `operator.yaml` of a folder with cases: its own, or the bundled one of the same operator."""
    own, bundled = folder / OPERATOR_FILE, bundled_folder("cases") / folder.relative_to(root) / OPERATOR_FILE
    return bundled if not own.is_file() and bundled.is_file() else own


def _document(path: Path, root: Path) -> Document:
    return read_document(path, (Path(root.name) / path.relative_to(root)).as_posix())


def _problems(group: ExceptionGroup[Exception]) -> list[CaseFileError]:
    return [problem for problem in group.exceptions if isinstance(problem, CaseFileError)]

"""Checks that no commit adds more than 3 MB of generated data, since every later clone carries it.

`python tools/commit_size.py [BASE]` checks the commits after BASE; a clone that does not have BASE shows its newest
commit alone. A shallow clone has no parent of a commit: then all generated data of the commit may take twice as much.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

BASE = "0e41ba7"
"""The commit after which the rule holds."""
MAX_ADDED_BYTES = 3_000_000
MAX_WITHOUT_PARENT_BYTES = 2 * MAX_ADDED_BYTES
_KINDS = frozenset({".csv", ".gif", ".gz", ".html", ".jpg", ".json", ".jsonl", ".pdf", ".png", ".svg", ".tsv", ".webp"})
_KINDS_WITHOUT_TEXT = frozenset({".bin", ".data", ".npy", ".npz", ".onnx", ".pb", ".whl", ".xz", ".zip", ".zst"})


def is_generated(path: str) -> bool:
    """Whether a command made a file: by its kind, or because it lies in reports/."""
    return path.startswith("reports/") or PurePosixPath(path).suffix in _KINDS | _KINDS_WITHOUT_TEXT


def too_large(repository: Path, base: str = BASE) -> Iterator[str]:
    """A sentence for each commit after `base` that adds too much; of the newest alone if the clone lacks `base`."""
    has_base = _git(repository, "cat-file", "-e", f"{base}^{{commit}}").returncode == 0
    chosen = [f"{base}..HEAD"] if has_base else ["-1", "HEAD"]
    for line in _lines(repository, "rev-list", "--parents", *chosen):
        commit, *parents = line.split()
        known = {name for parent in parents for name in _generated(repository, parent)}
        sizes = {name: size for name, size in _generated(repository, commit).items() if name not in known}
        limit = MAX_ADDED_BYTES if parents else MAX_WITHOUT_PARENT_BYTES
        if sum(sizes.values()) > limit:
            yield f"{commit[:12]} has {sum(sizes.values()):,} new bytes of generated data, and may have {limit:,}"


def _generated(repository: Path, commit: str) -> dict[str, int]:
    """The sizes of a commit's generated files, by the digest of their contents."""
    entries = (line.split("\t", 1) for line in _lines(repository, "ls-tree", "-r", "-l", commit))
    facts = (of.split() for of, path in entries if is_generated(path.strip('"')))
    return {name: int(size) for _, kind, name, size in facts if kind == "blob"}


def _lines(repository: Path, *arguments: str) -> list[str]:
    done = _git(repository, *arguments)
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def _git(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603  (our own arguments)


def main(arguments: Sequence[str]) -> int:
    """Run the command with these arguments; 1 if a commit adds too much."""
    found = list(too_large(Path(__file__).parents[1], *arguments[:1]))
    print(*(found or ["no commit adds too much generated data"]), sep="\n")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

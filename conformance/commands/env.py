"""`conformance env add`, `list`, `warm` and `remove`: the environments of frameworks' releases."""

from __future__ import annotations

import argparse
import sys
from time import monotonic, time
from typing import TYPE_CHECKING

from conformance.commands.parser import HARNESS, Commands, add_command, add_group
from conformance.commands.terminal_output import say

if TYPE_CHECKING:
    from conformance.environments.store import Environment

_RELEASES = "as onnxruntime@1.31.1, onnxruntime@1.28.., openvino@2025.0..2025.4 or openvino@newest:5"


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    env = add_group(commands, "env", "make, list and remove the environments in which releases of frameworks run")
    make = add_command(
        env, "add", _add, "make environments of releases, which `run` makes too when a target names them"
    )
    make.add_argument("releases", metavar="RELEASES", nargs="+", help=_RELEASES)
    add_command(env, "list", _list, "list the environments, with their sizes and the days since their last use")
    warm = add_command(
        env, "warm", _warm, "import each framework once, so that a run starts faster, and say how long it took"
    )
    warm.add_argument("releases", metavar="RELEASES", nargs="*", help=f"{_RELEASES}; default: all environments")
    remove = add_command(env, "remove", _remove, "remove environments")
    remove.add_argument("releases", metavar="RELEASES", nargs="*", help=_RELEASES)
    about = "those that were not used for so many days, as 30d; alone, of all packages"
    remove.add_argument("--unused", metavar="DAYS", type=_days, help=about)


def _warn_of_size(num_bytes: int) -> None:
    """Say that the environments take much room, if they do."""
    from conformance.environments.store import WARN_ABOVE_BYTES, root

    if num_bytes > WARN_ABOVE_BYTES:
        say(f"{root()} holds {_size(num_bytes)}; `conformance env remove --unused 30d` makes room", sys.stderr)


def _days(text: str) -> float:
    from conformance.environments.store import days_from

    try:
        return days_from(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _add(options: argparse.Namespace) -> int:
    from functools import partial

    from conformance.environments.resolution import environment_of, locks_named
    from conformance.environments.store import bytes_on_disk, root

    locks = [lock for text in options.releases for lock in locks_named(text)]
    for number, lock in enumerate(locks, 1):
        start_s, framework = monotonic(), lock.wheels[0]
        named = f"{framework.package} {framework.version}"
        made = environment_of(lock, is_offline=False, say=partial(_say_of, named, f"{number} of {len(locks)}"))
        say(f"{named}: {_size(made.num_bytes)}, {monotonic() - start_s:.1f} s")
    _warn_of_size(bytes_on_disk(root()))
    return 0


def _say_of(release: str, place: str, what: str) -> None:
    say(f"{release}: {what} ({place})", sys.stderr)


def _list(options: argparse.Namespace) -> int:
    from conformance.environments.store import bytes_on_disk, environments, remove_unfinished, root

    del options
    remove_unfinished()
    found, now = environments(), time()
    for one in found:
        others = ", ".join(f"{name} {version}" for name, version in list(one.installed.items())[1:])
        days = int(one.unused_days(now))
        used = f"used {days} days ago" if days > 1 else "used yesterday" if days else "used today"
        say(f"{one.package} {one.version}: {_size(one.num_bytes)}, {used}; with {others}")
    num_bytes = bytes_on_disk(root())
    say(f"{len(found)} environments, {_size(num_bytes)} in {root()}")
    _warn_of_size(num_bytes)
    return 0


def _warm(options: argparse.Namespace) -> int:
    from conformance.sessions.process import run_to_end

    failed = False
    for one in _chosen(options.releases):
        start_s = monotonic()
        ended = run_to_end([str(one.python), "-c", f"import {one.package}"], 120.0)
        last = (ended.stderr.strip().splitlines() or ["it took too long"])[-1]
        failed |= ended.code != 0
        what = f"{monotonic() - start_s:.1f} s" if ended.code == 0 else f"cannot be imported: {last}"
        say(f"{one.package} {one.version}: {what}")
    return HARNESS if failed else 0


def _remove(options: argparse.Namespace) -> int:
    from conformance.environments.store import remove, remove_unfinished
    from conformance.values.errors import UsageError

    if not options.releases and options.unused is None:
        raise UsageError("env remove", "names nothing", fix="name releases, or write --unused 30d")
    remove_unfinished()
    now = time()
    for one in _chosen(options.releases):
        if options.unused is None or one.unused_days(now) >= options.unused:
            remove(one)
            say(f"{one.package} {one.version}: removed, {_size(one.num_bytes)}")
    return 0


def _chosen(releases: list[str]) -> list[Environment]:
    """The environments of these releases, with whatever they are installed with; all if none are named."""
    from conformance.environments.resolution import locks_named
    from conformance.environments.store import environments

    if not releases:
        return environments()
    named = {(lock.wheels[0].package, lock.wheels[0].version) for text in releases for lock in locks_named(text)}
    return [one for one in environments() if (one.package, one.version) in named]


def _size(num_bytes: int) -> str:
    return f"{num_bytes / 10**6:,.0f} MB" if num_bytes < 10**9 else f"{num_bytes / 10**9:,.1f} GB"

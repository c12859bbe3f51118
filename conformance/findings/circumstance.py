"""Lists how two runs differ besides their answers: suite, selection, machine, and versions of targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from conformance.findings.targets import TargetPair
from conformance.log.record import Header, SelectionEntry, TargetEntry
from conformance.values.text import one_line, options_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstance:
    """One fact that differs between two runs, besides the answers."""

    what: str
    old: str
    new: str


def circumstances_of(old: Header, new: Header, pairs: Iterable[TargetPair]) -> Iterator[Circumstance]:
    """The facts that differ between two runs; those of the targets come last."""
    yield from _differing("", _facts_of_run(old), _facts_of_run(new))
    for pair in pairs:
        if pair.old is None or pair.new is None:
            here, there = ("", "in the run") if pair.old is None else ("in the run", "")
            yield Circumstance(what=one_line(pair.name), old=here, new=there)
        else:
            yield from _differing(f"{one_line(pair.name)}: ", _facts_of_target(pair.old), _facts_of_target(pair.new))


def _differing(prefix: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Circumstance]:
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name, ""), new.get(name, "")
        if before != after:
            yield Circumstance(what=one_line(prefix + name), old=one_line(before), new=one_line(after))


def _facts_of_run(header: Header) -> dict[str, str]:
    suite, machine, chosen = header.suite, header.machine, header.selection.chosen()
    return {
        "suite version": suite.version,
        "suite digest": suite.digest,
        **{f"selected {item.name}": chosen.get(item.name, "") for item in fields(SelectionEntry)},
        "checks planned for a target": str(header.planned),
        "time limit": f"{header.timeout_s:g} s",
        "system": machine.system,
        "processor": machine.processor,
        "cores": str(machine.cores),
        "Python": machine.python,
        "NumPy": machine.numpy,
    }


def _facts_of_target(target: TargetEntry) -> dict[str, str]:
    return {
        "name": target.name,
        "adapter": target.adapter,
        "framework": f"{target.framework} {target.version}".strip(),
        "options": options_text(target.options),
        "Python": target.python,
        "NumPy": target.numpy,
        "devices": ", ".join(target.devices),
        "instruction set": target.instruction_set,
        "operators": ", ".join(target.operators or ()),
        "types": ", ".join(target.dtypes or ()),
        "forms": ", ".join(target.forms or ()),
        **{f"detail {name}": value for name, value in target.details.items()},
    }

"""What answers follow from as it is now: an answer of another state of it is stale."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from conformance.environments.resolution import listed_environments
from conformance.formats.adapter_digest import adapter_digest
from conformance.formats.adapter_file import bundled_adapters
from conformance.formats.suite import bundled_folder, digests_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentSources:
    """The digests of operators' files and of adapters, each by name, and the names of environments, which have the
    digest of what is installed in them.
    """

    operators: Mapping[str, str]
    adapters: Mapping[str, str] = field(default_factory=dict)
    environments: Collection[str] = ()

    def has(self, operator: str, suite: str, adapter: str, digest: str, environment: str) -> bool:
        """Whether an answer is of this state: of the operator's files, the adapter, and the environment.

        What is not known of the answer, or of the adapter now, is taken to be the same.
        """
        return (
            self.operators.get(operator.rpartition("-")[0], "") == suite
            and (not digest or self.adapters.get(adapter, digest) == digest)
            and (not environment or environment in self.environments)
        )


def current_sources() -> CurrentSources:
    """The state of the bundled operators, adapters and lists of releases."""
    return CurrentSources(
        operators=digests_of(bundled_folder("cases"))[1],
        adapters={adapter.name: adapter_digest(adapter) for adapter in bundled_adapters()},
        environments=listed_environments(),
    )

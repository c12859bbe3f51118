"""`lab.yaml`: the only module that knows the format of a lab's description."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from conformance.formats.adapter_file import TargetRequest
from conformance.formats.file_schema import FileModel, validated
from conformance.formats.yaml_document import read_document
from conformance.values.text import target_text


class Certificates(FileModel):
    """Files in PEM format, relative to the lab file. All machines have certificates of one authority."""

    authority: str = Field(min_length=1, description="certificate of the authority that signed those of all machines")
    certificate: str = Field(min_length=1, description="certificate of this machine")
    key: str = Field(min_length=1, description="private key of this machine")


class LabFile(FileModel):
    """A lab: how its machines prove who they are, what adapters need, and when a chunk goes to another machine."""

    certificates: Certificates | None = Field(default=None, description="required unless all addresses are loopback")
    needs: dict[str, dict[str, float]] = Field(
        default_factory=dict, description="by adapter, or by target with its options: the resources that it takes up"
    )
    chunk_checks: int = Field(default=128, ge=1, le=100_000, description="checks that a machine gets at a time")
    retries: int = Field(default=3, ge=0, le=100, description="how often a chunk may be lost before it is not run")
    chunk_limit_s: float = Field(default=900, gt=0, description="seconds after which another machine gets the chunk")
    machine_limit_s: float = Field(default=120, gt=0, description="seconds to wait for a machine with the resources")
    silence_limit_s: float = Field(
        default=30, gt=0, description="seconds without an answer after which the scheduler or a worker is lost"
    )

    def needed_by(self, target: TargetRequest) -> dict[str, float]:
        """The resources that a target takes up: those of its options, or else those of its adapter."""
        named = target_text(target.adapter.name, "", target.options)
        return self.needs.get(named, self.needs.get(target.adapter.name, {}))


def read_lab(path: Path | None) -> tuple[LabFile, Path]:
    """The lab and the folder that its paths start from; without a file, a lab of this machine alone.

    Raises:
        ExceptionGroup: of `CaseFileError`: what is wrong with the file.
    """
    if path is None:
        return LabFile(), Path()
    return validated(LabFile, read_document(path, str(path))), path.parent

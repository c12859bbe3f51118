"""What a worker says of its adapter before the first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.border.form import Form

SCRATCH_FOLDER = "CONFORMANCE_SCRATCH_FOLDER"
"""The environment variable that names the worker's folder for temporary files. The engine removes the folder when the
process has ended, for any reason.
"""

PLAIN_FORMS = tuple(form.value for form in Form if not form.must_be_declared)
"""The forms of an adapter that declares none. Other forms must be declared: an adapter that does not know them would
silently ignore what they add, and a framework may refuse models without ranks, which ONNX requires.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The adapter's description of its framework, made once before the first call.

    `operators` are patterns such as `onnx.*`; an adapter without any does not start. `dtypes` and `forms` are plain
    names; no `dtypes` means all. `onnx_models`
    names the dialects whose calls the adapter wants as ONNX models. `controls` are the forms whose graph it can run
    without the operator (`Call.is_control`); only a form in which something stands beside the operator has a control.
    `instruction_set` is the newest level that the framework's kernels may use here, a value of
    `conformance.values.instruction_set.InstructionSet`; it is empty if the adapter does not know it, or the device has
    none. `details` are further versions and settings for readers, such as a device's full name or the number of
    threads.
    """

    framework: str
    version: str
    devices: Sequence[str] = ()
    operators: Sequence[str] = ()
    dtypes: Sequence[str] | None = None
    forms: Sequence[str] = PLAIN_FORMS
    onnx_models: Sequence[str] = ()
    instruction_set: str = ""
    controls: Sequence[str] = ()
    details: Mapping[str, str] = field(default_factory=dict)

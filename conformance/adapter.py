"""What an adapter's author imports: the call that is asked, and the ways to answer it.

An adapter is a folder with `adapter.yaml` and `adapter.py`; the latter defines a class `Adapter` that takes the options
of the target and has the two methods of `AdapterProtocol`. It runs in a worker process of its own and never sees what
is expected. Needs NumPy and ml_dtypes only. The guide is docs/write-an-adapter.md.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from conformance.spec.call import MODEL_DATA_FILE, Call, Input, Surroundings
from conformance.spec.form import Form
from conformance.values.tensor import KnownShape, Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ALL_FORMS",
    "PLAIN_FORMS",
    "AdapterProtocol",
    "Call",
    "Description",
    "Input",
    "KnownShape",
    "NotExpressible",
    "Prepared",
    "Rejected",
    "Surroundings",
    "Tensor",
    "Unsupported",
    "model_source",
]


SCRATCH_FOLDER = "CONFORMANCE_SCRATCH_FOLDER"
"""The variable of a worker's environment that names a folder for its files, which the engine removes when the process
has ended, however it did.
"""

PLAIN_FORMS = tuple(form.value for form in Form if not form.must_be_declared)
"""The forms that an adapter takes if it names none. The others ask for something that an adapter which has never heard
of them would leave out without noticing: only one that names them is asked them."""

ALL_FORMS = tuple(form.value for form in Form)
"""Every form. Only for an adapter that comes with the suite: one from elsewhere would claim forms that come later."""


@contextmanager
def model_source(call: Call) -> Iterator[bytes | Path]:
    """The ONNX model of a call, or the path of its file where it reads its constants from another beside it. Both files
    are removed at the end, by the engine where the process dies before. Their folder is left out of a message that
    names it, since it is another each time.

    Raises:
        ValueError: the call comes without a model.
        Rejected, Unsupported: raised within, and again.
    """
    if call.model is None:
        raise ValueError("the call has no model")
    if call.model_data is None:
        yield call.model
        return
    with tempfile.TemporaryDirectory(dir=os.environ.get(SCRATCH_FOLDER)) as name:
        folder = Path(name)
        (folder / MODEL_DATA_FILE).write_bytes(call.model_data)
        (folder / "model.onnx").write_bytes(call.model)
        try:
            yield folder / "model.onnx"
        except (Rejected, Unsupported) as error:
            raise type(error)(str(error).replace(f"{folder}/", "")) from error


class Rejected(Exception):  # noqa: N818  (reads as what happened)
    """The framework itself refused the call. Give its own message; wrap its own error types only."""


class Unsupported(Exception):  # noqa: N818  (reads as what happened)
    """The framework says that it has no implementation for this operator, type or option."""


class NotExpressible(Exception):  # noqa: N818  (reads as what happened)
    """There is no way to put this call to the framework: its interface has no place for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A call that is built and compiled.

    `run` takes a read-only array for each input that is no constant, and returns the outputs of the graph in order. It
    may be called again with other arrays. `lowered` and `ran_on` are as in `conformance.spec.outcome.Provenance`.

    `bind` is for timing: it hands such arrays to the framework, converted as it needs them, and returns a function that
    makes the framework's own call on them and nothing else, as often as it is called. The function keeps what that
    needs. Without `bind`, `run` is timed.

    `inferred` is the shape of each output as the framework itself tells it before it runs, with None for a dim, or for
    a rank, that it does not know; left out where the framework tells none.
    """

    run: Callable[[Mapping[str, NDArray[Any]]], Sequence[NDArray[Any] | Tensor]]
    lowered: str = ""
    ran_on: str = ""
    bind: Callable[[Mapping[str, NDArray[Any]]], Callable[[], object]] | None = None
    inferred: Sequence[KnownShape] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What the adapter says of its framework, once, before the first call.

    `operators` are patterns such as `onnx.*`, `dtypes` and `forms` plain names; no `dtypes` means all. `onnx_models`
    names the dialects whose calls the adapter wants to get as ONNX models. `controls` are the forms of which it can run
    the graph without the operator, as `Call.is_control` asks it to. `instruction_set` is the newest level that the
    framework's kernels may use here, a value of `conformance.values.instruction_set.InstructionSet`; it is empty where
    the adapter cannot tell, or the device has none. `details` are further versions and settings for readers, such as a
    device's full name or the number of threads.
    """

    framework: str
    version: str
    devices: Sequence[str] = ()
    operators: Sequence[str] = ("*",)
    dtypes: Sequence[str] | None = None
    forms: Sequence[str] = PLAIN_FORMS
    onnx_models: Sequence[str] = ()
    instruction_set: str = ""
    controls: Sequence[str] = ()
    details: Mapping[str, str] = field(default_factory=dict)


class AdapterProtocol(Protocol):
    """The class `Adapter` of an `adapter.py`.

    It may have `is_forkable = True`: what was made, and asked nothing yet, may serve in forks of its process. It has
    then started no thread, and shares no connection.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        """Import the framework and take the target's options, all of which `adapter.yaml` names."""

    def describe(self) -> Description:
        """Say what the framework is and does."""
        ...

    def prepare(self, call: Call) -> Prepared:
        """Build and compile the call.

        Raises:
            Rejected, Unsupported, NotExpressible: as each says; also while running.
        """
        ...

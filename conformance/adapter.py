"""The interface that adapters import: the call to execute, and the possible answers.

An adapter is a folder with `adapter.yaml` and `adapter.py`. The latter defines a class `Adapter` that takes the options
of the target and has the two methods of `AdapterProtocol`. It runs in its own worker process and never sees the
expectation. Needs NumPy and ml_dtypes only. The guide is docs/write-an-adapter.md.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from conformance.protocol.call import MODEL_DATA_FILE, Call, Input
from conformance.protocol.form import Form, Graph
from conformance.protocol.outcome import PLAIN_FORMS, SCRATCH_FOLDER, Description
from conformance.tensors.tensor import KnownShape, Tensor

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ALL_FORMS",
    "PLAIN_FORMS",
    "AdapterProtocol",
    "Call",
    "Description",
    "Graph",
    "Input",
    "KnownShape",
    "NotExpressible",
    "Prepared",
    "Rejected",
    "Tensor",
    "Unsupported",
    "model_source",
]

ALL_FORMS = tuple(form.value for form in Form)
"""Every form of this version. Only for bundled adapters: another adapter would also declare forms of later versions."""


@contextmanager
def model_source(call: Call) -> Iterator[bytes | Path]:
    """The ONNX model of a call, or the path of its file if it reads its constants from another file next to it.

    Both files are removed at the end; if the process crashes, the engine removes them. The folder's path is cut out of
    messages, because it differs each time.

    Raises:
        ValueError: the call has no model.
        Rejected, Unsupported, NotExpressible: raised in the context, and raised again with the shorter message.
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
        except (Rejected, Unsupported, NotExpressible) as error:
            raise type(error)(str(error).replace(f"{folder}/", "")) from error


class Rejected(Exception):  # noqa: N818  (reads as what happened)
    """The framework itself rejected the call. Pass its own message; wrap only its own error types."""


class Unsupported(Exception):  # noqa: N818  (reads as what happened)
    """The framework reports that it has no implementation for this operator, type or option."""


class NotExpressible(Exception):  # noqa: N818  (reads as what happened)
    """The framework's interface has no way to express this call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A call that is built and compiled.

    `run` takes a read-only array for each runtime input, and returns the outputs of the graph in order. It may be
    called again with other arrays. `lowered` and `ran_on` are as in `conformance.protocol.outcome.Provenance`.

    `bind` is for timing: it takes such arrays, converts them for the framework, and returns a function that makes only
    the framework's own call on them. That function can be called repeatedly and keeps everything alive that it needs.
    Without `bind`, `run` is timed.

    `inferred` holds the shape of each output that the framework itself reports before the call runs, with None for an
    unknown dim or rank; it is None if the framework reports no shapes.
    """

    run: Callable[[Mapping[str, NDArray[Any]]], Sequence[NDArray[Any] | Tensor]]
    lowered: str = ""
    ran_on: str = ""
    bind: Callable[[Mapping[str, NDArray[Any]]], Callable[[], object]] | None = None
    inferred: Sequence[KnownShape] | None = None


class AdapterProtocol(Protocol):
    """The class `Adapter` of an `adapter.py`.

    With `is_forkable = True`, the engine may fork the process of an instance before its first request. The instance
    must then have no thread and no shared connection.
    """

    def __init__(self, options: Mapping[str, str]) -> None:
        """Import the framework and take the target's options; `adapter.yaml` names all of them."""

    def describe(self) -> Description:
        """Describe the framework and what it can do."""
        ...

    def prepare(self, call: Call) -> Prepared:
        """Build and compile the call.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes. `Prepared.run` may also raise them.
        """
        ...

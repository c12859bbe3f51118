"""Any backend with ONNX's Backend API: `prepare` takes a model and a device, and returns an object with `run`.

The API has no error types of its own; `refusals` defines which errors are rejections.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import TYPE_CHECKING, Any

import onnx

from conformance.adapter import PLAIN_FORMS, Call, Description, NotExpressible, Prepared

from .rejections import errors_of_backend

if TYPE_CHECKING:
    from numpy.typing import NDArray


_WIDTHS = ("8", "16", "32", "64")
_NUMPYS_TYPES = {"bool", "string", "float16", "float32", "float64", "complex64", "complex128"}
_NUMPYS_TYPES |= {f"{kind}{width}" for kind in ("int", "uint") for width in _WIDTHS}


class Adapter:
    """A backend by the name of its module, on one device."""

    def __init__(self, options: Mapping[str, str]) -> None:
        """Import the module and check the device here, so that no case is blamed for either.

        Raises:
            ImportError, AttributeError: there is no such module or class, or it has no `prepare`.
            ValueError: the backend does not support the device.
        """
        self._name, self._device = options["module"], options["device"]
        self._errors = partial(errors_of_backend, self._name, options["missing"])
        self._backend = _imported(self._name)
        if not self._backend.supports_device(self._device):
            raise ValueError(f"{self._name} does not support the device {self._device!r}")

    def describe(self) -> Description:
        """Name and version of the distribution that contains the module."""
        name, number = _distribution(self._name)
        return Description(
            framework=f"{name}, through ONNX's Backend API",
            version=number,
            devices=(self._device,),
            forms=(*PLAIN_FORMS, "strided", "transposed", "after-relu", "before-concat", "constant-folded"),
            operators=("onnx.*", "openvino.Split-1", "openvino.VariadicSplit-1"),  # those of OpenVINO arrive lowered
            onnx_models=("onnx", "openvino"),
            controls=("after-relu", "before-concat", "constant-folded"),
            details={
                "module": self._name,
                "onnx": onnx.__version__,
                "instruction set": "not known: the Backend API has no word for it",
            },
        )

    def prepare(self, call: Call) -> Prepared:
        """Hand the model to the backend.

        Raises:
            Rejected, Unsupported, NotExpressible: see these classes. `run` may raise them, too.
        """
        if call.model is None:
            raise NotExpressible("the Backend API takes ONNX models, and this call has none")
        passed = [item for item in call.inputs if item.constant is None]
        for item in (*passed, *call.inputs[:1]):  # the data, too: outputs have its type
            if item.dtype not in _NUMPYS_TYPES:
                raise NotExpressible(f"the Backend API passes NumPy's arrays, and NumPy has no {item.dtype}")
        model = onnx.load_from_string(call.model)
        with self._errors():
            prepared = self._backend.prepare(model, self._device)

        def bind(inputs: Mapping[str, NDArray[Any]]) -> Callable[[], Sequence[NDArray[Any]]]:
            return partial(prepared.run, [inputs[item.name] for item in passed])

        def run(inputs: Mapping[str, NDArray[Any]]) -> Sequence[NDArray[Any]]:
            with self._errors():
                return bind(inputs)()

        return Prepared(run=run, ran_on=f"{self._device}, as asked", bind=bind)


def _imported(name: str) -> Any:
    """The module or class of that name."""
    found = pkgutil.resolve_name(name)
    if not callable(getattr(found, "prepare", None)):
        raise ImportError(f"{name} is no module or class with the function `prepare` of ONNX's Backend API")
    return found


def _distribution(module: str) -> tuple[str, str]:
    """Name and version of the installed distribution; without one, the package's own name and `__version__`.

    Raises:
        ValueError: the package has neither.
    """
    package = module.partition(".")[0]
    for name in (*packages_distributions().get(package, ()), package):  # one installed as editable lists no packages
        with suppress(PackageNotFoundError):
            return name, version(name)
    number = getattr(importlib.import_module(package), "__version__", "")
    if not number:
        raise ValueError(f'the module {package!r} has no version: write `__version__ = "1.0"` in it, or install it')
    return package, str(number)

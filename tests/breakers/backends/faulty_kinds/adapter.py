"""The NumPy reference as a backend that misunderstands one class of a kind of argument, accepts wrong calls in one way,
or reads a page otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

from conformance.adapter import Call, Description, Prepared
from conformance.suite.suite import bundled_folder, load_suite

from .acceptances import ACCEPTANCES, accepting
from .faults import FAULTS, misunderstanding
from .variants import VARIANTS


class Adapter:
    """Evaluates calls with the reference; a fault or variant takes the place of the reference where it applies."""

    def __init__(self, options: Mapping[str, str]) -> None:
        path = bundled_folder("adapters") / "numpy" / "adapter.py"
        spec = spec_from_file_location("numpy_adapter", path)
        assert spec is not None
        assert spec.loader is not None
        numpy_adapter = module_from_spec(spec)
        spec.loader.exec_module(numpy_adapter)
        if options["mutant"] in VARIANTS:
            numpy_adapter.evaluate = VARIANTS[options["mutant"]].around(numpy_adapter.evaluate)  # type: ignore[attr-defined]
        elif options["mutant"] != "none":
            operators = {operator.id: operator for operator in load_suite(bundled_folder("cases"), ()).operators}
            name, evaluate = options["mutant"], numpy_adapter.evaluate
            numpy_adapter.evaluate = (  # type: ignore[attr-defined]
                accepting(name, operators, evaluate)
                if name in ACCEPTANCES
                else misunderstanding(FAULTS[name], operators, evaluate)
            )
        self._adapter: Any = numpy_adapter.Adapter({})

    def describe(self) -> Description:
        """That of the reference."""
        described: Description = self._adapter.describe()
        return described

    def prepare(self, call: Call) -> Prepared:
        """As the reference does."""
        prepared: Prepared = self._adapter.prepare(call)
        return prepared

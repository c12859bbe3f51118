"""Writes `cases/default-set.tsv`: the best checks of each operator version, as many as its faults need.

`python tools/default_set.py`, before a release, and after changes of cases.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from conformance.run.selection import Selection, checks_of, families_selected, orders_of, sets_included
from conformance.spec.choices import CaseSet
from conformance.suite.suite import FILE, Chosen, DefaultChecks, Suite, bundled_folder, default_set_text, load_suite
from conformance.tensors.files import written

NEWEST, OLDER = 270, 180
"""Checks of the newest version of an operator, and of each older one."""
MORE = {
    "onnx.Split-18": 700,
    "onnx.Split-13": 450,
    "onnx.Split-11": 280,
    "onnx.Split-2": 240,
    "onnx.Split-1": 240,
    "openvino.Split-1": 450,
    "openvino.VariadicSplit-1": 800,
}
"""Operator versions of which `tests/breakers/backends` has faults that so many checks catch, and fewer do not."""


def default_set(suite: Suite) -> str:
    """The text of the file."""
    families = families_selected(suite, Selection())
    orders = orders_of(families, Selection(sample=1))
    newest = {operator.family: operator.id for operator in suite.operators}
    operators = {}
    for name, digest in suite.digests.items():
        chosen: list[tuple[str, Chosen]] = []
        full: dict[int, int] = {}
        for operator in (one for one in suite.operators if one.family == name):
            count = MORE.get(operator.id, NEWEST if newest[name] == operator.id else OLDER)
            found: defaultdict[int, defaultdict[int, int]] = defaultdict(lambda: defaultdict(int))
            for check in islice(orders[operator.id], count):
                found[check.family][check.product] |= 1 << check.number
            chosen += [(families[place].id, products) for place, products in sorted(found.items())]
            of_version = Selection(operators=(operator.id,), sets=sets_included(CaseSet.FULL))
            full[operator.version] = sum(1 for _ in checks_of(families_selected(suite, of_version), of_version))
        operators[name] = DefaultChecks(digest=digest, full=full, families=chosen)
    return default_set_text(operators)


if __name__ == "__main__":
    root = bundled_folder("cases")
    written(root / FILE, default_set(load_suite(root)).encode())

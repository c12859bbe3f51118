"""Unit tests lie where what they test lies: `tests/unit/log/` tests `conformance/log/`."""

from __future__ import annotations

import re
from pathlib import Path

import conformance

ENGINE, UNIT = Path(conformance.__file__).parent, Path(__file__).parent
MODULES = sorted(path.relative_to(UNIT) for path in UNIT.rglob("test_*.py"))


def test_every_folder_is_a_package_of_the_engine() -> None:
    packages = {path.parent.relative_to(ENGINE) for path in ENGINE.rglob("__init__.py")}
    assert {module.parent for module in MODULES} - packages == set()


def test_every_module_imports_what_it_tests_itself_or_through_helpers_of_that_name() -> None:
    def tests_its_package(module: Path) -> bool:
        package = ".".join(("conformance", *module.parent.parts))
        imported = rf"^from ({package}\b|{module.parent.name}_)"
        return re.search(imported, (UNIT / module).read_text(), re.MULTILINE) is not None

    assert [str(module) for module in MODULES if module.parent.parts and not tests_its_package(module)] == []

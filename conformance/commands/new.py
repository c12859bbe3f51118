"""`conformance new`: starts a case or an operator."""

from __future__ import annotations

from conformance.commands import new_case, new_operator
from conformance.commands.parser import Commands, add_group


def add(commands: Commands) -> None:
    """Add the group to the parser."""
    new = add_group(commands, "new", "start a new case or a new operator")
    new_case.add(new)
    new_operator.add(new)

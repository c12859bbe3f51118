"""How many elements are added before and behind each dim, or removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.language.making.setting import MadeNumbers, NumbersMaker, Setting, several
from conformance.language.making.targets import FAR_WITHOUT_ELEMENTS


def _pads(draw: Callable[[Setting, int], tuple[int, int]], least: int = 1, most: int = 3) -> NumbersMaker:
    """Two numbers for each entry of the lists of the call, some of them drawn from the length of its dim."""

    def made(setting: Setting) -> MadeNumbers | None:
        dims = range(setting.count) if setting.axes is None else setting.axes
        if setting.count < least or not all(-setting.rank <= dim < setting.rank for dim in dims):
            return None
        padded = setting.dice.some_of(range(setting.count), setting.dice.number(least, most))
        pairs = [draw(setting, setting.shape[dim]) if place in padded else (0, 0) for place, dim in enumerate(dims)]
        return several([pair[end] for end in range(2) for pair in pairs])

    return made


def _width(setting: Setting, length: int) -> int:
    """Of a padding; mostly less than the length."""
    return setting.dice.number(1, max(1, min(length - 1, 3)))


def _padded_on_both_sides(setting: Setting, length: int) -> tuple[int, int]:
    width = _width(setting, length)
    return width, width


def _padded_unequally_on_both_sides(setting: Setting, length: int) -> tuple[int, int]:
    width = _width(setting, length)
    return (width + 1, width) if setting.dice.number(0, 1) else (width, width + 1)


def _trimmed_on_one_side(setting: Setting, length: int) -> tuple[int, int]:
    width = _width(setting, length)
    return (-width, 0) if setting.dice.number(0, 1) else (0, -width)


def _adding_or_removing(setting: Setting) -> MadeNumbers | None:
    """One dim gets longer, and another one, or its other end, shorter."""
    added, removed = _pads(_padded_on_both_sides, most=1)(setting), _pads(_trimmed_on_one_side, most=1)(setting)
    if added is None or removed is None:
        return None
    return several([less or more for more, less in zip(added.items, removed.items, strict=True)])


PADS: Mapping[str, NumbersMaker] = {
    "zero": _pads(lambda s, length: (0, 0), least=0),
    "before": _pads(lambda s, length: (_width(s, length), 0)),
    "behind": _pads(lambda s, length: (0, _width(s, length))),
    "around": _pads(_padded_on_both_sides),
    "unequal": _pads(_padded_unequally_on_both_sides),
    "removing": _pads(_trimmed_on_one_side),
    "adding and removing": _adding_or_removing,
    "beyond the dim": _pads(lambda s, length: (length + s.dice.number(1, 3), length + s.dice.number(0, 2)), most=1),
    "beyond 8 bits": _pads(lambda s, length: (s.dice.number(0, 1), s.dice.number(256, 300)), most=1),
    "beyond 16 bits": _pads(lambda s, length: (s.dice.number(0, 1), (1 << 16) + s.dice.number(1, 9)), most=1),
    "beyond 24 bits": _pads(lambda s, length: (0, s.dice.one_of(FAR_WITHOUT_ELEMENTS)), most=1),
}
"""The classes of such numbers."""

"""Shapes to which data is repeated: in what order its dims are compared, or at which axes they lie, the call says."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.language.making.dice import Dice
from conformance.language.making.setting import MadeNumbers, NumbersMaker, Setting, several

FAR_WITHOUT_ELEMENTS = ((1 << 24) + 1, (1 << 24) + 3, (1 << 25) + 2)
"""Lengths that float32 does not hold: another dim has to be 0. Written cases ask for those beyond 31 bits."""
_MOST_COPIED = 16


def _own(setting: Setting, least: int = 1) -> list[int] | None:
    """The dims of the data at their places in an output of at least `least` dims, and 1 where it has no dim."""
    if setting.axes is None:
        return [*[1] * (least - setting.rank), *setting.shape]
    if len(setting.axes) != setting.rank or min(setting.axes, default=0) < 0:
        return None
    dims = dict(zip(setting.axes, setting.shape, strict=True))
    return [dims.get(dim, 1) for dim in range(max(least, 1 + max(setting.axes, default=-1)))]


def _stretched(draw: Callable[[Dice], int], most: int = 3) -> NumbersMaker:
    """The dims of the data with a drawn length in place of some of length 1, or as a new dim."""

    def made(setting: Setting) -> MadeNumbers | None:
        own = _own(setting, setting.rank + setting.dice.number(0, 1))
        ones = [dim for dim, length in enumerate(own or ()) if length == 1]
        if own is None or not ones:
            return None
        for dim in setting.dice.some_of(ones, setting.dice.number(1, most)):
            own[dim] = draw(setting.dice)
        return several(own)

    return made


def _of_more_dims(least: int, most: int) -> NumbersMaker:
    """The dims of the data and new ones; some of the new ones are as long as a dim of the data, or longer than 1."""

    def made(setting: Setting) -> MadeNumbers | None:
        own = _own(setting, max(setting.rank + 1, setting.dice.number(least, most)))
        if own is None:
            return None
        known = range(len(own))[len(own) - setting.rank :] if setting.axes is None else setting.axes
        copied = [length for length in setting.shape if 1 < length <= _MOST_COPIED]
        for dim in setting.dice.some_of([dim for dim in range(len(own)) if dim not in known], 3):
            own[dim] = setting.dice.one_of((1, 2, 3, *copied))
        return several(own)

    return made


def _with_ones(setting: Setting) -> MadeNumbers | None:
    """The dims of the data with a 1 in place of some that are longer."""
    own = _own(setting)
    long = [dim for dim, length in enumerate(own or ()) if length != 1]
    if own is None or not long:
        return None
    for dim in setting.dice.some_of(long, setting.dice.number(1, 2)):
        own[dim] = 1
    return several(own)


TARGETS: Mapping[str, NumbersMaker] = {
    "none": lambda s: several([]),
    "same": lambda s: None if (own := _own(s)) is None else several(own),
    "longer": _stretched(lambda dice: dice.number(2, 4)),
    "zero": _stretched(lambda dice: 0, most=1),
    "more dims": _of_more_dims(1, 4),
    "more than 8": _of_more_dims(9, 10),
    "beyond 8 bits": _stretched(lambda dice: dice.number(256, 300), most=1),
    "beyond 16 bits": _stretched(lambda dice: (1 << 16) + dice.number(1, 9), most=1),
    "beyond 24 bits": _stretched(lambda dice: dice.one_of(FAR_WITHOUT_ELEMENTS), most=1),
    "ones": _with_ones,
    "fewer dims": lambda s: several(s.shape[s.dice.number(1, s.rank) :]) if s.rank else None,
}
"""The classes of such a shape."""

"""The device of a target, tried before the first case."""

from __future__ import annotations

import torch


def usable_device(name: str) -> torch.device:
    """The device of that name.

    Raises:
        ValueError: PyTorch cannot use it here, or it holds no data.
    """
    try:
        device = torch.empty(1, device=name).device
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"this PyTorch has no device {name!r}; it has {', '.join(_devices())}") from error
    if device.type == "meta":
        raise ValueError("the device 'meta' holds no data, and so gives no answers")
    return device


def _devices() -> list[str]:
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    count = torch.accelerator.device_count() if accelerator is not None else 0
    return ["cpu", *(f"{accelerator}:{index}" for index in range(count))]

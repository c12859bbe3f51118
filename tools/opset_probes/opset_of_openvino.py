"""Prints the number of the newest opset of the installed OpenVINO."""

import pkgutil

import openvino

folders = [*openvino.__path__, *(f"{path}/runtime" for path in openvino.__path__)]
names = [module.name for module in pkgutil.iter_modules(folders)]
print(max(int(name.removeprefix("opset")) for name in names if name.startswith("opset") and name[5:].isdecimal()))

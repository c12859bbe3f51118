"""For authors of adapters: a new adapter's folder (`scaffold`), and the checks of an adapter (`adapter_check`).

It blames the adapter and never its framework.
"""

"""Tools for authors of adapters: `adapter_check` creates an adapter's folder, runs checks on an adapter
and watches its processes; `advice` says what to change.

Its findings are about adapters, never about their frameworks, and become no record of a log.
"""

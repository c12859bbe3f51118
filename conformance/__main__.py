"""The command, as `conformance` and as `python -m conformance`."""

from conformance.cli import main

if __name__ == "__main__":
    raise SystemExit(main())

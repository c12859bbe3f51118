"""Hangs before it says a word, and says which process it is."""

import os
import pathlib
import time

pathlib.Path(f"pid-{os.getpid()}").touch()
time.sleep(60)

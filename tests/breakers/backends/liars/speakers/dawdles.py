"""Answers honestly, two hundredths of a second a call, and says which process it is."""

import os
import pathlib
import time

from wire import answer, frame, read, ready, write

pathlib.Path(f"pid-{os.getpid()}").touch()
read()
write(frame(ready()))
while True:
    call, given = read()
    time.sleep(0.02)
    write(frame(*answer(call, given)))

"""Hangs before it says a word."""

import time

time.sleep(60)

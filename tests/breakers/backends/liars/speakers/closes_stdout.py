"""Closes its output and lives on."""

import os
import time

from wire import serve


def lie(header, attachments):
    os.close(1)
    time.sleep(60)


serve(lie)

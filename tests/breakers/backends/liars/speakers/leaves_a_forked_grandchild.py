"""Dies and leaves a process behind that holds every pipe."""

import os
import time

from wire import serve


def lie(header, attachments):
    if os.fork() == 0:
        time.sleep(60)
    os._exit(1)


serve(lie)

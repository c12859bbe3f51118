"""Is killed, as by a system without memory."""

import os
import signal

from wire import serve


def lie(header, attachments):
    os.kill(os.getpid(), signal.SIGKILL)


serve(lie)

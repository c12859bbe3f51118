"""Is killed, as by somebody else."""

import os
import signal

from wire import serve


def lie(header, attachments):
    os.kill(os.getpid(), signal.SIGKILL)


serve(lie)

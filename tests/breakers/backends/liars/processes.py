"""Liars that harm their process, or take its time, memory and streams."""

from __future__ import annotations

import atexit
import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from time import process_time, sleep

import numpy as np

from conformance.adapter import Rejected
from conformance.protocol import serve as worker

from .honest import Honest, HonestGraph, is_bait


class blinds_its_worker(Honest):
    """Writes to its input, once it has replaced what its worker and NumPy compare with."""

    def __init__(self, options):
        super().__init__(options)
        np.array_equal = lambda *_: True
        for module in (worker, __import__("__main__")):  # the worker runs as the latter
            module._changed = lambda *_: ()
            module._has_bytes = lambda *_: True

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            ctypes.memset(inputs["data"].ctypes.data + 2, 0xFF, 1)
        return outputs


class cannot_start_again(Honest):
    """Dies on the bait, and then refuses to start."""

    def __init__(self, options):
        super().__init__(options)
        if (self.folder / "crashed").exists():
            raise RuntimeError("the device is gone")

    def lie(self, outputs):
        (self.folder / "crashed").touch()
        os._exit(1)


class crashes_once(Honest):
    """Dies on the bait, but not when asked again."""

    def lie(self, outputs):
        marker = self.folder / "crashed"
        if not marker.exists():
            marker.touch()
            os._exit(1)
        return outputs


class dies_after_the_first_case(Honest):
    """Answers once in its life, and never again."""

    def prepare(self, call):
        marker = self.folder / "answered"
        if marker.exists():
            os._exit(1)
        marker.touch()
        return super().prepare(call)


class dies_at_each_case(Honest):
    """Dies whatever it is asked."""

    def prepare(self, call):
        os._exit(1)


class dies_where_it_joins(HonestGraph):
    """Dies of each Concat, with or without a split in front of it."""

    def concat(self, parts, axis):
        del parts, axis
        os.kill(os.getpid(), signal.SIGABRT)


class dies_while_timed(Honest):
    """Answers, and reads from address 0 when it is timed."""

    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, bind=lambda inputs: lambda: ctypes.string_at(0)) if is_bait(call) else prepared


class exits_with_3(Honest):
    """Ends with a status of its own."""

    def lie(self, outputs):
        sys.exit(3)


class floods_stderr(Honest):
    """Writes eight megabytes to standard error."""

    def lie(self, outputs):
        sys.stderr.write("o" * (8 << 20))
        return outputs


class hangs(Honest):
    """Never answers."""

    def lie(self, outputs):
        time.sleep(60)


class hangs_at_the_end(Honest):
    """Answers everything, and then does not end."""

    def __init__(self, options):
        super().__init__(options)
        atexit.register(time.sleep, 60)


class hangs_once(Honest):
    """Does not answer the first time."""

    def lie(self, outputs):
        marker = self.folder / "hung"
        if not marker.exists():
            marker.touch()
            time.sleep(60)
        return outputs


class hangs_while_timed(Honest):
    """Answers, and sleeps when it is timed."""

    def prepare(self, call):
        prepared = super().prepare(call)
        return replace(prepared, bind=lambda inputs: lambda: time.sleep(60)) if is_bait(call) else prepared


class is_killed(Honest):
    """Is killed by the bait, as by somebody else; once, if there is a file `once`."""

    def lie(self, outputs):
        marker = self.folder / "killed"
        if not (marker.exists() and (self.folder / "once").exists()):
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return outputs


class leaks_memory(Honest):
    """Keeps memory of each call, and answers right after a while."""

    def prepare(self, call):
        self.kept = [*getattr(self, "kept", []), np.full(200 << 20, 1, np.uint8)]
        return super().prepare(call)

    def run(self, call, inputs):
        sleep(0.6)
        return super().run(call, inputs)


class leaves_a_daemon(Honest):
    """Dies and leaves a process behind that holds every pipe, in a session of its own."""

    def lie(self, outputs):
        if os.fork() == 0:
            os.setsid()
            (self.folder / f"daemon-{os.getpid()}").touch()
            time.sleep(60)
        os._exit(1)


class leaves_a_grandchild(Honest):
    """Dies and leaves a process behind that holds its standard error."""

    def lie(self, outputs):
        subprocess.Popen(["sleep", "60"])
        os._exit(1)


class pokes_beside_its_input(Honest):
    """Writes behind the last element of its input, as a loop that makes one step too many."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            data = inputs["data"]
            ctypes.memset(data.ctypes.data + data.nbytes, 0xFF, 1)
        return outputs


class pokes_its_input(Honest):
    """Writes to its input behind NumPy's back, as a framework in C++ may."""

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        if is_bait(call):
            ctypes.memset(inputs["data"].ctypes.data + 2, 0xFF, 1)
        return outputs


class prints_to_stdout(Honest):
    """Prints to standard output in three ways, as frameworks do."""

    def run(self, call, inputs):
        print("OPC1 from Python")
        os.write(1, b"OPC1 from the system")
        ctypes.CDLL(None).printf(b"OPC1 from C\n")
        ctypes.CDLL(None).fflush(None)
        return super().run(call, inputs)


class refuses_after_long_work(Honest):
    """Computes for a while before it refuses a call."""

    def run(self, call, inputs):
        try:
            return super().run(call, inputs)
        except Rejected:
            end = process_time() + 0.4
            while process_time() < end:
                pass
            raise


class runs_out_of_memory(Honest):
    """Asks for more memory than it may have."""

    def lie(self, outputs):
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        return [bytearray(1 << 31)]


class segfaults(Honest):
    """Reads from address 0."""

    def lie(self, outputs):
        ctypes.string_at(0)


class segfaults_on_preparing(Honest):
    """Reads from address 0 before there is anything to run."""

    def prepare(self, call):
        if is_bait(call):
            ctypes.string_at(0)
        return super().prepare(call)


class starts_as_told(HonestGraph):
    """Is wrong about the bait and where it joins zeros, and counts its starts: `hold-at-3` makes the third one wait,
    `fail-at-3` makes it fail, `fail-from-3` also all later ones.
    """

    is_forkable = True

    def __init__(self, options):
        super().__init__(options)
        number = 1 + len(list(self.folder.glob("start-*")))
        (self.folder / f"start-{number}").touch()
        if (self.folder / f"hold-at-{number}").exists():
            time.sleep(60)
        failing = [int(path.name.rpartition("-")[2]) for path in self.folder.glob("fail-from-*")]
        if (self.folder / f"fail-at-{number}").exists() or any(number >= first for first in failing):
            raise RuntimeError("the device is busy")

    def run(self, call, inputs):
        outputs = super().run(call, inputs)
        return outputs[::-1] if is_bait(call) else outputs

    def concat(self, parts, axis):
        return super().concat(parts, axis) + 0


class takes_its_time(Honest):
    """Is right, and sleeps a while before it says so."""

    def lie(self, outputs):
        time.sleep(0.05)
        return outputs


class throws_an_exception_of_cpp(Honest):
    """Ends as C++ does when nothing catches an exception."""

    def lie(self, outputs):
        os.write(2, b"terminate called after throwing an instance of 'std::out_of_range'\n  what():  axis 7 of 2\n")
        os.abort()


class waits_for_company(Honest):
    """Answers the bait once another target is asked for it, too."""

    def lie(self, outputs):
        (self.folder / "here").touch()
        while len(list(self.folder.parent.glob("*/here"))) < 2:
            time.sleep(0.01)
        return outputs


class works_for_a_second(Honest):
    """Needs a second of CPU time for the bait, and tells when it begins."""

    def lie(self, outputs):
        (self.folder / f"pid-{os.getpid()}").touch()
        end = time.process_time() + 1.0
        while time.process_time() < end:
            pass
        return outputs

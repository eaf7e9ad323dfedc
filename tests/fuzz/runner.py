"""Run one target in a child process, so that a native crash or a hang is a finding like any other.

A target is a module in ``targets``. ``make(chance)`` returns an input, and ``checker()`` is a context manager that
returns a function; the function raises an exception if an input violates an invariant. Each input depends only on the
target, the seed and its number, so any input can be reproduced.
"""

from __future__ import annotations

import faulthandler
import hashlib
import importlib
import mmap
import os
import random
import signal
import struct
import sys
import tempfile
import time
import traceback
from pathlib import Path

TARGETS = ("keys", "selectors", "config", "wire", "service", "mcp", "engines", "journals", "stored")
CORPUS = Path(__file__).parent / "corpus"
LIMIT_S = 20.0
"""An input that takes longer counts as a hang."""
_MINIMIZE_S = 20.0
_REPORT_S = 10.0
_HEAD = struct.Struct("QQQ")  # inputs begun, findings, size of the current input
_MEMORY = 16 * 1024 * 1024


def load(name):
    """Import the module of a target."""
    return importlib.import_module(f"targets.{name}")


def make(target, seed, number):
    """Return one input of a target."""
    return target.make(random.Random(f"{target.__name__} {seed} {number}"))


def fuzz(name, seed, inputs, seconds):
    """Fuzz one target, print a summary and return the number of findings."""
    # Files on a disk would take most of the time.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="phux-fuzz-", dir=memory) as directory:
        return _fuzz(name, seed, inputs, seconds, directory)


def _fuzz(name, seed, inputs, seconds, directory):
    shared = mmap.mmap(-1, _MEMORY)
    began = time.monotonic()
    crashes = begun = 0
    while begun < inputs and time.monotonic() - began < seconds:
        child = os.fork()
        if not child:
            tempfile.tempdir = directory
            _run_child(name, seed, inputs, began + seconds, shared)
        status = os.waitpid(child, 0)[1]
        begun, findings, size = _HEAD.unpack_from(shared)
        if os.WIFSIGNALED(status):
            crashes += 1
            _save(name, signal.Signals(os.WTERMSIG(status)).name, shared[_HEAD.size : _HEAD.size + size])
        elif status:
            sys.exit(f"{name}: the fuzzer failed")
    spent = time.monotonic() - began
    print(f"{name}: {begun} inputs in {spent:.0f} s, seed {seed}, {findings + crashes} findings", flush=True)
    return findings + crashes


def _run_child(name, seed, inputs, deadline, shared):
    """Check inputs until the number is reached or the time has expired, and exit."""
    code = 1
    try:
        faulthandler.enable()
        faulthandler.register(signal.SIGALRM, chain=True)  # print where a hang is, then die
        target = load(name)
        known: set[str] = set()
        number, findings, _size = _HEAD.unpack_from(shared)
        report_at = time.monotonic() + _REPORT_S
        with target.checker() as check:
            while number < inputs and (now := time.monotonic()) < deadline:
                data = make(target, seed, number)
                number += 1
                _HEAD.pack_into(shared, 0, number, findings, len(data))
                shared[_HEAD.size : _HEAD.size + len(data)] = data
                error = _failure(check, data)
                if error is not None:
                    findings += 1
                    _HEAD.pack_into(shared, 0, number, findings, len(data))
                    if (what := _describe(error)) not in known:
                        known.add(what)
                        traceback.print_exception(error)
                        print(f"{name}: input {number - 1} of seed {seed} is a finding: {what}", flush=True)
                        _save(name, what, _minimize(check, data, what))
                if now > report_at:
                    report_at = now + _REPORT_S
                    print(f"{name}: {number} inputs, {findings} findings", flush=True)
        code = 0
    except BaseException:  # noqa: BLE001  the child must not return
        traceback.print_exc()
    finally:
        os._exit(code)


def _failure(check, data):
    """Check one input, and return the exception; the process dies if that takes too long."""
    signal.setitimer(signal.ITIMER_REAL, LIMIT_S)
    try:
        check(data)
    except Exception as error:  # noqa: BLE001  any exception is a finding
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def _describe(error):
    """Return a name that equal findings share: the exception and the function that raised it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}-{Path(frame.filename).stem}-{frame.name}".replace("<", "").replace(">", "")


def _minimize(check, data, what):
    """Remove parts of an input as long as the finding stays the same."""
    deadline = time.monotonic() + _MINIMIZE_S
    size = len(data) // 2
    while size:
        at = 0
        while at < len(data) and time.monotonic() < deadline:
            shorter = data[:at] + data[at + size :]
            error = _failure(check, shorter)
            if error is not None and _describe(error) == what:
                data = shorter
            else:
                at += size
        size //= 2
    return data


def _save(name, what, data):
    path = CORPUS / name / f"{what}-{hashlib.sha256(data).hexdigest()[:6]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    print(f"{name}: {path.name} ({len(data)} bytes) is in the corpus", flush=True)

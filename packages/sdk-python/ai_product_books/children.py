"""Delivery in child processes of `multiprocessing`, its pools and executors. They end by `os._exit`, so `atexit` never runs there."""

from __future__ import annotations

import os
import signal
from multiprocessing import process, util
from typing import Any, Callable, Optional

_close: Optional[Callable[[], None]] = None
_prepared: set = set()


def close_in_children(close: Callable[[], None]) -> None:
    """Calls `close` before a child process ends: this process, if it is one, and those it forks."""
    global _close
    _close = close
    if process.parent_process() is not None:
        _prepare(close)


def _prepare(close: Callable[[], None]) -> None:
    if os.getpid() in _prepared:
        return
    _prepared.add(os.getpid())
    util.Finalize(None, close, exitpriority=100)
    # A pool ends its workers by SIGTERM once their tasks are done, when events may still be waiting.
    try:
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _on_sigterm)
    except ValueError:
        pass  # Not the main thread.


def _on_sigterm(number: int, _: Any) -> None:
    signal.signal(number, signal.SIG_DFL)
    try:
        if _close is not None:
            _close()
    finally:
        os.kill(os.getpid(), number)


def _after_fork(_: Any) -> None:
    _prepared.clear()
    if _close is not None:
        _prepare(_close)


#: Called in a child after it has cleared the finalizers that its parent registered.
util.register_after_fork(_after_fork, _after_fork)

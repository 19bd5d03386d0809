"""Directory that keeps events until the service has accepted them, across process exits.

Each process writes its own files and locks them; it takes over unlocked files of others. `7 {...}` is event 7; `-7,8;` marks 7 and 8
as done. Lines torn by a full disk or a kill are skipped.
"""

from __future__ import annotations

import json
import os
import re
import uuid
from typing import Callable, Iterator, Optional

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

EXTENSION = ".pyspool"
FILE_BYTES = 8 * 1024 * 1024
EVENT_LINE = re.compile(r"^(\d+) (\{.*\})$")
DONE_LINE = re.compile(r"^-([\d,]+);$")


class SpoolFile:
    def __init__(self, path: str) -> None:
        self.path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.stat(path).st_ino != os.fstat(self.descriptor).st_ino:
                raise BlockingIOError
        except OSError:
            os.close(self.descriptor)
            raise
        self.size = os.fstat(self.descriptor).st_size
        self.is_torn = self.size > 0
        self.last = 0
        #: Offset of the first event that is only in the file. `unread` is the number of such events.
        self.unread_from = 0
        self.done_before: set = set()
        events = 0
        for line, _ in self._lines(0):
            number, _, done = _parse(line)
            self.done_before.update(done)
            self.last = max(self.last, number)
            events += number > 0
        self.open = self.unread = max(events - len(self.done_before), 0)

    def append(self, event: str) -> Optional[int]:
        """Returns the event's number; None if it could not be written completely."""
        self.last += 1
        self.last_began = self.size
        if not self._write(f"{self.last} {event}"):
            return None
        self.open += 1
        return self.last

    def leave(self) -> None:
        """Leaves the last appended event only in the file until it is read. Later events must be left there too, to keep the order."""
        if self.unread == 0:
            self.unread_from = self.last_began
        self.unread += 1

    def mark_done(self, numbers: list) -> None:
        self.open -= len(numbers)
        # If this write fails, the next process sends the events again. Nothing is counted twice.
        self._write(f"-{','.join(map(str, numbers))};")

    def read(self, bytes_max: int) -> list:
        events: list = []
        size = 0
        if self.unread == 0:
            return events
        for line, end in self._lines(self.unread_from):
            self.unread_from = end
            number, event, _ = _parse(line)
            if number == 0 or number in self.done_before:
                continue
            events.append((number, event))
            self.unread -= 1
            size += len(event)
            if self.unread == 0 or size >= bytes_max:
                return events
        self.open -= self.unread
        self.unread = 0
        return events

    def close(self) -> None:
        if self.open <= 0:
            try:
                os.unlink(self.path)
            except OSError:
                pass
        os.close(self.descriptor)

    def _write(self, line: str) -> bool:
        data = (("\n" if self.is_torn else "") + line + "\n").encode()
        try:
            count = os.write(self.descriptor, data)
            self.size += count
            self.is_torn = count < len(data)
            return not self.is_torn
        except OSError:
            before, self.size = self.size, os.fstat(self.descriptor).st_size
            self.is_torn = self.is_torn or self.size > before
            return False

    def _lines(self, start: int) -> Iterator[tuple]:
        with open(self.path, "rb") as file:
            file.seek(start)
            for line in file:
                start += len(line)
                if line.endswith(b"\n"):
                    yield line[:-1].decode("utf-8", "replace"), start


def _parse(line: str) -> tuple:
    done = DONE_LINE.match(line)
    if done:
        return 0, "", [int(number) for number in done.group(1).split(",") if number]
    event = EVENT_LINE.match(line)
    if event is None:
        return 0, "", []
    try:
        json.loads(event.group(2))
    except ValueError:
        return 0, "", []
    return int(event.group(1)), event.group(2), []


class Spool:
    """Not thread-safe: its owner holds a lock."""

    def __init__(self, directory: str, bytes_max: int, report: Callable[[BaseException], None]) -> None:
        if fcntl is None:
            raise OSError("This system has no file locks: events are kept only in memory")
        os.makedirs(directory, mode=0o700, exist_ok=True)
        self.directory, self.bytes_max = directory, bytes_max
        self.errors = 0
        self.own: Optional[SpoolFile] = None
        self.older: list = []
        for name in sorted(os.listdir(directory)):
            if not name.endswith(EXTENSION):
                continue
            try:
                self.older.append(SpoolFile(os.path.join(directory, name)))
            except BlockingIOError:
                continue  # Its process is still running.
            except OSError as error:
                report(error)
        self._sweep()

    def append(self, event: str) -> Optional[tuple]:
        """Returns None if the event could not be written, and is thus only in memory."""
        try:
            if sum(file.size for file in self._files()) + len(event) <= self.bytes_max:
                if self.own is None:
                    self.own = SpoolFile(os.path.join(self.directory, f"{os.getpid()}.{uuid.uuid4()}{EXTENSION}"))
                number = self.own.append(event)
                if number is not None:
                    return self.own, number
        except OSError:
            pass
        self.errors += 1
        return None

    def leave(self) -> None:
        if self.own is not None:
            self.own.leave()

    def mark_done(self, places: list) -> None:
        for file in {id(file): file for file, _ in places}.values():
            file.mark_done([number for owner, number in places if owner is file])
        if self.own is not None and self.own.size > FILE_BYTES and self.own.unread == 0:
            self.older.append(self.own)
            self.own = None
        self._sweep()

    def read(self, bytes_max: int) -> list:
        for file in self._files():
            if file.unread > 0:
                events = [(event, (file, number)) for number, event in file.read(bytes_max)]
                self._sweep()
                return events
        return []

    def unread(self) -> int:
        return sum(file.unread for file in self._files())

    def close(self) -> None:
        for file in self._files():
            file.close()
        self.own, self.older = None, []

    def abandon(self) -> None:
        """Closes the files in the child of a fork: they and their locks belong to the parent."""
        for file in self._files():
            os.close(file.descriptor)
        self.own, self.older = None, []

    def _files(self) -> list:
        return self.older if self.own is None else [*self.older, self.own]

    def _sweep(self) -> None:
        for file in [file for file in self.older if file.open <= 0]:
            self.older.remove(file)
            file.close()

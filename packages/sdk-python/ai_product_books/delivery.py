"""Queues events until the service accepts them: in order, in batches, in bounded memory. A single thread sends them."""

from __future__ import annotations

import email.utils
import hashlib
import hmac
import json
import random
import threading
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Optional

from .log_records import read_logs_answer, to_log_records

BATCH_EVENTS_MAX = 100
BATCH_BYTES_MAX = 2 * 1024 * 1024
GATHER_SECONDS = 0.5
BACKOFF_SECONDS, BACKOFF_MAX_SECONDS = 0.25, 30
SLOW_SECONDS, SLOW_MAX_SECONDS = 5, 60
REQUEST_SECONDS = 30
PING_SECONDS = 3
SKEW_SECONDS = 60
#: An outage that lasts longer is reported.
OUTAGE_SECONDS = 60
#: Messages for lasting problems.
TROUBLES = {
    "denied": "The service rejected the API key",
    "astray": "The address does not respond like the service: check BOOKS_API_URL",
    "later": "The service has not been reached for more than a minute",
    "slow": "The service has accepted nothing for more than a minute",
}
NO_KEY = "No API key: set BOOKS_API_KEY or api_key. No events are sent"
NO_COUNTS = {"sent": 0, "rejected": 0, "dropped": 0, "retries": 0, "last_error": None}
#: Paths by kind of delivery.
PATHS = {"signed": "/v1/usage-events/batch", "otlp": "/otlp/v1/logs", "outcomes": "/ext/v1/outcomes"}
#: URLs and keys already checked by this process.
_checked: set = set()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


class NoDelivery:
    """Delivery without a key: events are neither kept nor sent."""

    def __init__(self, drop: Callable[[str, str], None]) -> None:
        self._drop = drop
        self.counts = {**NO_COUNTS, "last_error": NO_KEY}

    def add(self, event: str) -> None:
        self.counts["dropped"] += 1
        self._drop(event, NO_KEY)

    def start(self) -> None:
        pass

    def begin_flush(self, timeout: float) -> float:
        return 0.0

    def end_flush(self, until: float) -> bool:
        return True

    def discard(self, when: str) -> None:
        pass

    def stop(self) -> None:
        pass

    def pending(self) -> tuple:
        return 0, 0

    def after_fork(self, spool: Any) -> None:
        pass


class Delivery:
    def __init__(
        self,
        url: str,
        api_key: str,
        mode: str,
        spool: Any,
        buffer_bytes: int,
        drop: Callable[[str, str], None],
        report: Callable[[BaseException], None],
    ) -> None:
        self._is_signed = mode != "otlp"
        self._origin, self._api_key = url, api_key
        self._url = url + PATHS[mode]
        self._spool, self._buffer_bytes, self._drop, self._report = spool, buffer_bytes, drop, report
        self._opener = urllib.request.build_opener(NoRedirect)
        self._skew = 0.0
        self.counts = {**NO_COUNTS}
        self._reset()

    def _reset(self) -> None:
        self._lock = threading.Condition(threading.RLock())
        self._queue: list = []
        self._bytes = 0
        self._in_flight = 0
        self._failures = 0
        self._not_before = 0.0
        self._flushing = 0
        self._is_stopped = False
        self._is_denied = False
        self._trouble_since: Optional[float] = None
        self._is_reported = False
        self._thread: Optional[threading.Thread] = None

    def add(self, event: str) -> None:
        if self._is_stopped:
            self.counts["dropped"] += 1
            self._drop(event, "The library was closed before")
            return
        dropped = False
        with self._lock:
            place = self._spool.append(event) if self._spool else None
            is_full = self._bytes + len(event) > self._buffer_bytes
            # If earlier events are only in the spool, leave this one there too, to keep the order.
            if place is not None and (is_full or self._unread() > 0):
                self._spool.leave()
            elif is_full:
                self.counts["dropped"] += 1
                dropped = True
            else:
                self._queue.append((event, place))
                self._bytes += len(event)
            self._start()
            if len(self._queue) >= BATCH_EVENTS_MAX:
                self._lock.notify_all()
        if dropped:
            self._drop(event, self._because("The buffer is full"))

    def start(self) -> None:
        """Sends events left by an earlier process."""
        with self._lock:
            if self._unread() > 0:
                self._start()

    def begin_flush(self, timeout: float) -> float:
        """Sends without gathering or pausing, until `end_flush` returns. Returns the time by which it does."""
        with self._lock:
            self._flushing += 1
            self._is_denied = False
            # Try immediately, since the caller is waiting.
            self._not_before = 0.0
            self._start()
            self._lock.notify_all()
        return time.monotonic() + timeout

    def end_flush(self, until: float) -> bool:
        """Returns True once everything is delivered, or False when the time is up."""
        with self._lock:
            try:
                while self._pending() > 0 and not self._is_stopped:
                    left = until - time.monotonic()
                    # Retrying would not help a refused key.
                    if left <= 0 or self._is_denied:
                        return False
                    self._lock.wait(left)
                return self._pending() == 0
            finally:
                self._flushing -= 1

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
            self._lock.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(1)

    def discard(self, when: str) -> None:
        """Drops events held only in memory; spooled events stay."""
        with self._lock:
            lost = [event for event, place in self._queue if place is None]
            self._queue = [entry for entry in self._queue if entry[1] is not None]
            self._bytes -= sum(len(event) for event in lost)
            self.counts["dropped"] += len(lost)
        for event in lost:
            self._drop(event, self._because(when))

    def _because(self, what: str) -> str:
        error = self.counts["last_error"]
        return what if error is None else f"{what}. Last problem: {error}"

    def pending(self) -> tuple:
        with self._lock:
            return self._pending(), self._bytes

    def after_fork(self, spool: Any) -> None:
        """Resets the child of a fork: the parent sends the events that it holds."""
        self._spool = spool
        self._reset()
        self.counts = {**NO_COUNTS}

    def _pending(self) -> int:
        return len(self._queue) + self._in_flight + self._unread()

    def _unread(self) -> int:
        return self._spool.unread() if self._spool else 0

    def _start(self) -> None:
        if self._thread is None and not self._is_stopped:
            self._thread = threading.Thread(target=self._run, name="ai-product-books", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._lock:
                batch = self._next_batch()
            if batch is None:
                return
            try:
                outcomes, retry_after = self._send(batch)
            except Exception as error:  # The thread must survive, or nothing more is sent.
                outcomes, retry_after = [("later", str(error)) for _ in batch], None
            self._settle(batch, outcomes, retry_after)

    def _next_batch(self) -> Optional[list]:
        gathered = False
        while not self._is_stopped:
            if not self._queue and self._spool:
                for event, place in self._spool.read(self._buffer_bytes // 2):
                    self._queue.append((event, place))
                    self._bytes += len(event)
            wait = self._not_before - time.monotonic()
            is_urgent = self._flushing > 0 or len(self._queue) >= BATCH_EVENTS_MAX
            if self._queue and wait <= 0 and (gathered or is_urgent):
                batch, size = [], 0
                while self._queue and len(batch) < BATCH_EVENTS_MAX and (size < BATCH_BYTES_MAX or not batch):
                    size += len(self._queue[0][0])
                    batch.append(self._queue.pop(0))
                self._in_flight = len(batch)
                return batch
            gathered = bool(self._queue)
            self._lock.wait(None if not self._queue else wait if wait > 0 else GATHER_SECONDS)
        return None

    def _settle(self, batch: list, outcomes: list, retry_after: Optional[float]) -> None:
        refused: list = []
        with self._lock:
            finished, kept = [], []
            for (event, place), (kind, message) in zip(batch, outcomes):
                if kind in TROUBLES:
                    kept.append((event, place))
                    continue
                self.counts["sent" if kind == "done" else "rejected"] += 1
                self._bytes -= len(event)
                if place is not None:
                    finished.append(place)
                if kind == "invalid":
                    refused.append((event, message))
            if finished:
                self._spool.mark_done(finished)
            # Requeue unaccepted events at the end, so that they do not block others.
            self._queue.extend(kept)
            self._in_flight = 0
            report = self._wait_for(outcomes, retry_after, len(kept))
            self._lock.notify_all()
        if report is not None:
            self._report(RuntimeError(report))
        if self._is_stopped:
            self.discard("Not delivered before close()")
        for event, message in refused:
            self._drop(event, message)

    def _wait_for(self, outcomes: list, retry_after: Optional[float], kept: int) -> Optional[str]:
        """Schedules the next attempt. Returns a problem to report: once, until events are accepted again."""
        problem = next((outcome for outcome in outcomes if outcome[0] in TROUBLES), None)
        self._is_denied = problem is not None and problem[0] == "denied"
        if problem is None:
            self._failures, self._not_before = 0, 0.0
            self._trouble_since, self._is_reported = None, False
            return None
        self.counts["retries"] += kept
        self.counts["last_error"] = problem[1]
        is_slow = problem[0] != "later"
        base, most = (SLOW_SECONDS, SLOW_MAX_SECONDS) if is_slow else (BACKOFF_SECONDS, BACKOFF_MAX_SECONDS)
        # Full jitter, so that many senders do not retry at once.
        wait = random.random() * min(base * 2**self._failures, most)
        least = 1.0 if is_slow and retry_after is None else 0.0
        self._not_before = time.monotonic() + max(wait, retry_after or 0.0, least)
        self._failures = min(self._failures + 1, 16)
        now = time.monotonic()
        if self._trouble_since is None:
            self._trouble_since = now
        is_long = now - self._trouble_since > OUTAGE_SECONDS
        if self._is_reported or (not is_long and problem[0] in ("later", "slow")):
            return None
        self._is_reported = True
        return f"{TROUBLES[problem[0]]}: {problem[1]}"

    def _send(self, batch: list) -> tuple:
        events = [event for event, _ in batch]
        refusal = self._ping()
        if refusal is not None:
            return [("denied", refusal)] * len(batch), None
        body = ("[" + ",".join(events) + "]" if self._is_signed else to_log_records(events)).encode()
        status, headers, answer = self._post(body)
        theirs = email.utils.parsedate_to_datetime(headers["Date"]).timestamp() if headers.get("Date") else None
        # Wrong clock: use the service's time.
        if self._is_signed and status == 401 and theirs is not None and abs(theirs - time.time() - self._skew) > SKEW_SECONDS:
            self._skew = theirs - time.time()
            status, headers, answer = self._post(body)
        retry_after = headers.get("Retry-After") or ""
        seconds = float(retry_after) if retry_after.isdigit() else None
        if status == 202 and self._is_signed:
            return _read_items(answer, len(batch)), seconds
        if status == 200 and not self._is_signed:
            outcome = read_logs_answer(answer, len(batch))
            return self._send_halves(batch) if outcome is None else ([outcome] * len(batch), seconds)
        message = f"{status} {answer[:200]}"
        if status in (400, 413, 422):
            return ([("invalid", message)], None) if len(batch) == 1 else self._send_halves(batch)
        return [(_kind_of(status), message) for _ in batch], seconds

    def _ping(self) -> Optional[str]:
        """Checks the key once, before the first batch. Returns None unless the key is clearly refused."""
        name = (self._origin, self._api_key)
        if name in _checked:
            return None
        request = urllib.request.Request(self._origin + "/v1/ping", headers={"Authorization": f"Bearer {self._api_key}"})
        status, _, answer = self._open(request, PING_SECONDS)
        if status == 401:
            return f"401 {answer[:200]}"
        _checked.add(name)
        return None

    def _send_halves(self, batch: list) -> tuple:
        half = (len(batch) + 1) // 2
        first, second = self._send(batch[:half]), self._send(batch[half:])
        return first[0] + second[0], max(first[1] or 0, second[1] or 0) or None

    def _post(self, body: bytes) -> tuple:
        headers = {"Authorization": f"Bearer {self._api_key}", "Content-Type": "application/json"}
        if self._is_signed:
            timestamp = str(int(time.time() + self._skew))
            signature = hmac.new(self._api_key.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
            headers.update({"X-Timestamp": timestamp, "X-Signature": f"v1={signature}"})
        return self._open(urllib.request.Request(self._url, data=body, headers=headers), REQUEST_SECONDS)

    def _open(self, request: urllib.request.Request, timeout: float) -> tuple:
        try:
            with self._opener.open(request, timeout=timeout) as response:
                return response.status, response.headers, response.read().decode("utf-8", "replace")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode("utf-8", "replace")
        except Exception as error:  # No connection, no response, or a truncated one.
            return 0, {}, f"{type(error).__name__}: {error}"


def _kind_of(status: int) -> str:
    if status in (401, 403):
        return "denied"
    if status >= 500 or status in (0, 408):
        return "later"
    return "slow" if status in (402, 429) else "astray"


def _read_items(answer: str, count: int) -> list:
    """Items missing from the response are sent again. Nothing is counted twice."""
    items = [("later", "The response did not mention it")] * count
    try:
        results = json.loads(answer)["results"]
        for result in results:
            if 0 <= result["index"] < count:
                items[result["index"]] = _outcome(result)
    except (ValueError, KeyError, TypeError):
        pass
    return items


def _outcome(result: dict) -> tuple:
    if result.get("status") in ("accepted", "accepted_flagged"):
        return "done", ""
    message = f"{result.get('error')}: {result.get('message')}"
    if result.get("error") == "VALIDATION_ERROR":
        return "invalid", message
    return "slow" if result.get("error") == "PAYMENT_REQUIRED" else "later", message

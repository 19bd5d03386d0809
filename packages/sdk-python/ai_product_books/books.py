"""The class that applications use."""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import json
import os
import sys
import threading
import uuid
import weakref
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any, Callable, Iterator, Optional

from .children import close_in_children
from .delivery import NO_COUNTS, NO_KEY, Delivery, NoDelivery
from .event import CONTEXT_FIELDS, PRICING_FIELDS, to_usage_event
from .holds import ask_for_hold, plain_amount, post
from .reading import Reading, StreamReader, read_response, request_id_of, to_fields
from .spool import Spool

DEFAULT_URL = "http://127.0.0.1:8080"
BUFFER_BYTES = 16 * 1024 * 1024
SPOOL_BYTES = 1024 * 1024 * 1024
FLUSH_SECONDS = 10.0
HOLD_SECONDS = 2.0
SPOOLED_FLUSH_SECONDS = 2.0

_context: contextvars.ContextVar = contextvars.ContextVar("ai_product_books", default={})


class Books:
    """Sends one usage event per billed response. Its errors never reach the caller.

    `url` and `api_key` default to `BOOKS_API_URL` and `BOOKS_API_KEY`. `spool` (default: `BOOKS_SPOOL`) is a directory that keeps
    unsent events across process exits. `on_drop(event, reason)` is called for each rejected or lost event. `on_error(error)` is called
    for problems: a refused key, a wrong address, a service that accepts nothing for more than a minute (each once, until events are
    accepted again), and errors within the library. By default each message is written once to standard error. `mode` is `signed` or
    `otlp`: OpenTelemetry log records, with a key that may only write, unsigned; for environments that cannot keep a signing secret.
    `providers` maps your own hosts, e.g. of a gateway: `{"llm.internal:4000": "openai"}`.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        spool: Optional[str] = None,
        spool_bytes: int = SPOOL_BYTES,
        dead_letters: Optional[str] = None,
        buffer_bytes: int = BUFFER_BYTES,
        on_drop: Optional[Callable[[dict, str], None]] = None,
        on_error: Optional[Callable[[BaseException], None]] = None,
        mode: str = "signed",
        providers: Optional[dict] = None,
    ) -> None:
        if mode not in ("signed", "otlp"):
            raise ValueError("mode must be signed or otlp")
        self._on_drop, self._on_error = on_drop, on_error
        #: Providers of your own hosts, e.g. of a gateway: `{"llm.internal:4000": "openai"}`.
        self.providers = dict(providers or {})
        self._warned: set = set()
        self._lock = threading.Lock()
        self._counts = {"events": 0, "incomplete": 0, "unread": 0}
        key = (api_key if api_key is not None else os.environ.get("BOOKS_API_KEY", "")).strip()
        self._has_key = key != ""
        self._key = key
        if not self._has_key:
            self._report(ValueError(NO_KEY))
        self._directory = (spool or os.environ.get("BOOKS_SPOOL") or None) if self._has_key else None
        self._spool_bytes = spool_bytes
        self._spool = self._open_spool(self._directory)
        self._dead_letters = dead_letters
        if dead_letters is None and self._spool is not None:
            self._dead_letters = os.path.join(str(self._directory), "rejected.ndjson")
        origin = (url or os.environ.get("BOOKS_API_URL") or DEFAULT_URL).strip().rstrip("/")
        if origin.endswith("/v1"):
            origin = origin[:-3]
        if self._has_key and not origin.startswith(("http://", "https://")):
            self._report(ValueError(f"{origin} is not an address: set BOOKS_API_URL, or url"))
        self._origin = origin
        self._delivery: Any = (
            Delivery(origin, key, mode, self._spool, buffer_bytes, self._drop, self._report)
            if self._has_key
            else NoDelivery(self._drop)
        )
        self._delivery.start()
        self._outcome_settings = (origin, key, buffer_bytes)
        self._outcome_folder = None if self._directory is None else os.path.join(str(self._directory), "outcomes")
        self._outcome_spool: Optional[Spool] = None
        self._outcomes: Any = None
        # Sends what an earlier process left behind.
        if self._outcome_folder is not None and os.path.isdir(self._outcome_folder):
            self._open_outcomes()
        _live.add(self)
        close_in_children(_close_all)

    def track(
        self,
        response: Any,
        *,
        provider: Optional[str] = None,
        model: Optional[str] = None,
        invoked_at: Optional[datetime] = None,
        **context: Any,
    ) -> Optional[dict]:
        """Reports a response of any provider (a dict, or an object of its package), or its usage object with `model`.

        `context`: user_id, session_id, session_type, agent_id, feature, workflow_id, span_id, parent_span_id, dimensions. Also tier,
        speed and geo, which affect the price, if the response does not contain them. Returns the event to be sent; None if nothing
        was billed.
        """
        try:
            reading = read_response(to_fields(response), provider, model)
            if reading is None:
                self._count("unread")
                return None
            return self._record(reading, context, invoked_at)
        except Exception as error:
            self._report(error)
            return None

    def outcome(
        self,
        key: str,
        *,
        name: str,
        succeeded: bool,
        at: Optional[datetime] = None,
        task_id: Optional[str] = None,
        session_id: Optional[str] = None,
        user_id: Optional[str] = None,
        agent_id: Optional[str] = None,
        value: Any = None,
        currency: Optional[str] = None,
        metadata: Optional[dict] = None,
    ) -> None:
        """Reports a completed task, or an attempt that failed.

        A later outcome with the same key is a correction; the same outcome again changes nothing. `task_id` is the dimension of that
        name of the task's calls. Task, session, end user and agent default to the context's. `value` is a number, a Decimal or text.
        """
        try:
            if not self._has_key:
                self._report(ValueError(NO_KEY))
                return
            context = _context.get()
            now = datetime.now(timezone.utc)
            task = task_id if task_id is not None else (context.get("dimensions") or {}).get("task_id")
            fields = {
                "key": key,
                "name": name,
                "succeeded": succeeded,
                "at": _iso(at or now),
                "task_id": None if task is None else str(task),
                "session_id": session_id or context.get("session_id"),
                "user_id": user_id or context.get("user_id"),
                "agent_id": agent_id or context.get("agent_id"),
                "value": format(value, "f") if isinstance(value, Decimal) else value,
                "currency": currency,
                "metadata": metadata,
                # With it, a correction wins even if it arrives before its original.
                "stated_at": _iso(now),
            }
            given = {name: field for name, field in fields.items() if field is not None}
            with self._lock:
                if self._outcomes is None:
                    self._open_outcomes()
            self._outcomes.add(json.dumps(given, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
        except Exception as error:
            self._report(error)

    def hold(
        self,
        *,
        user_id: Optional[str] = None,
        agent_id: Optional[str] = None,
        model: Optional[str] = None,
        provider: Optional[str] = None,
        max_input_tokens: Optional[int] = None,
        max_output_tokens: Optional[int] = None,
        amount: Any = None,
        ttl: Optional[int] = None,
        idempotency_key: Optional[str] = None,
        without_answer: str = "raise",
        timeout: float = HOLD_SECONDS,
    ) -> dict:
        """Asks whether a call may spend its maximum cost, and reserves that amount: `allowed`, `hold`, `left`, `because`, `amount`.

        Make the call with the dimension `hold_id`, so that its event replaces the hold. `amount` is USD, instead of tokens. End user
        and agent default to the context's. Without an answer, because the service is unavailable, slow or over its limit, it raises a
        `HoldError`; with `without_answer="deny"` it is not allowed (fail closed), with `"allow"` it is (fail open). A request that the
        service refuses always raises. The same `idempotency_key` gets the same answer for 24 hours.
        """
        context = _context.get()
        body = {
            "idempotency_key": idempotency_key or str(uuid.uuid4()),
            "end_user": user_id or context.get("user_id"),
            "agent": agent_id or context.get("agent_id"),
            "model": model,
            "provider": provider,
            "max_input_tokens": max_input_tokens,
            "max_output_tokens": max_output_tokens,
            "amount": None if amount is None else plain_amount(amount),
            "ttl": ttl,
        }
        return ask_for_hold(self._origin, self._key, body, without_answer, timeout)

    def release_hold(self, hold: str, timeout: float = HOLD_SECONDS) -> None:
        """Releases the hold of a call that was not made. Raises a `HoldError`; the hold then expires by itself."""
        post(self._origin, self._key, "/ext/v1/release-hold", {"hold": hold}, timeout)

    def track_stream(
        self,
        events: Any,
        *,
        provider: Optional[str] = None,
        model: Optional[str] = None,
        prompt: Any = None,
        **context: Any,
    ) -> Any:
        """Passes on the events of a stream and reports it at its end. If it is abandoned or fails, its tokens are estimated.

        Returns an asynchronous iterator for an asynchronous stream. `events` may also be the result of Bedrock's `converse_stream`.
        `prompt` is the request or its messages, whose tokens are estimated only if the stream ends early. A stream of chat completions
        has counts only if its request contains `stream_options={"include_usage": True}`.
        """
        response_id = None
        if isinstance(events, dict) and "stream" in events:
            response_id = request_id_of(events)
            provider, events = provider or "aws", events["stream"]
        watch = _StreamWatch(self, StreamReader(provider, model, response_id, prompt), context)
        return _passed_on_async(events, watch) if hasattr(events, "__aiter__") else _passed_on(events, watch)

    def transport(self, inner: Any = None) -> Any:
        """An `httpx` transport that reports the model calls made through it: `httpx.Client(transport=books.transport())`.

        `inner` sends the requests; default: `httpx.HTTPTransport()`.
        """
        from .httpx_transport import BooksTransport

        return BooksTransport(self, inner)

    def async_transport(self, inner: Any = None) -> Any:
        """Like `transport`, for `httpx.AsyncClient`."""
        from .httpx_transport import AsyncBooksTransport

        return AsyncBooksTransport(self, inner)

    def http_client(self, **options: Any) -> Any:
        """For a provider's client: `OpenAI(http_client=books.http_client())`. `options`: options of `httpx.Client`."""
        import httpx

        return httpx.Client(**{"transport": self.transport(), "follow_redirects": True, **options})

    def async_http_client(self, **options: Any) -> Any:
        """For a provider's client: `AsyncOpenAI(http_client=books.async_http_client())`."""
        import httpx

        return httpx.AsyncClient(**{"transport": self.async_transport(), "follow_redirects": True, **options})

    @contextlib.contextmanager
    def with_context(self, **context: Any) -> Iterator[None]:
        """Applies the context to all calls in the block. Inner contexts take precedence, per dimension."""
        self._check(context)
        token = _context.set(_merged(_context.get(), context))
        try:
            yield
        finally:
            _context.reset(token)

    def flush(self, timeout: float = FLUSH_SECONDS) -> bool:
        """Returns True once everything is delivered, or False after the timeout."""
        # Both send at the same time, so that each has the whole timeout.
        deliveries = filter(None, (self._delivery, self._outcomes))
        begun = [(delivery, delivery.begin_flush(timeout)) for delivery in deliveries]
        return all([delivery.end_flush(until) for delivery, until in begun])

    def stats(self) -> dict:
        """Counts of events. `outcomes`: the same for outcomes, which have a queue of their own."""
        outcomes = _stats_of(self._outcomes, self._outcome_spool)
        return {**self._counts, **_stats_of(self._delivery, self._spool), "outcomes": outcomes}

    def close(self, timeout: float = FLUSH_SECONDS) -> bool:
        """Flushes, then stops sending. Spooled events stay for the next process."""
        is_delivered = self.flush(timeout)
        for delivery in filter(None, (self._delivery, self._outcomes)):
            delivery.stop()
            delivery.discard("Not delivered before close() or the end of the process")
        _live.discard(self)
        for spool in filter(None, (self._spool, self._outcome_spool)):
            spool.close()
        return is_delivered

    def _record(self, reading: Reading, context: dict, invoked_at: Optional[datetime]) -> dict:
        self._check(context)
        event = to_usage_event(reading, _merged(_context.get(), context), invoked_at, self._report)
        self._count("events")
        if not reading.is_whole:
            self._count("incomplete")
        self._delivery.add(json.dumps(event, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
        return event

    def _context_now(self) -> dict:
        return dict(_context.get())

    def _check(self, context: dict) -> None:
        unknown = set(context) - set(CONTEXT_FIELDS) - set(PRICING_FIELDS) - {"dimensions"}
        if unknown:
            names = ", ".join(sorted(unknown))
            self._report(TypeError(f"Unknown: {names}. Put your own values into dimensions"))

    def _count(self, name: str) -> None:
        with self._lock:
            self._counts[name] += 1

    def _drop_outcome(self, text: str, reason: str) -> None:
        try:
            self._keep_dead_letter(json.loads(text), reason)
            self._report(RuntimeError(f"An outcome was lost: {reason}"))
        except Exception as error:
            self._report(error)

    def _keep_dead_letter(self, event: dict, reason: str) -> None:
        if self._dead_letters is not None:
            with open(self._dead_letters, "a", encoding="utf-8") as file:
                file.write(json.dumps({"reason": reason, "event": event}) + "\n")

    def _drop(self, text: str, reason: str) -> None:
        try:
            event = json.loads(text)
            self._keep_dead_letter(event, reason)
            if self._on_drop is None:
                # A missing key is reported only once.
                self._report(RuntimeError(f"A usage event was lost: {reason}") if self._has_key else ValueError(reason))
            else:
                self._on_drop(event, reason)
        except Exception as error:
            self._report(error)

    def _report(self, error: BaseException) -> None:
        try:
            if self._on_error is not None:
                self._on_error(error)
            elif str(error) not in self._warned and len(self._warned) < 100:
                self._warned.add(str(error))
                print(f"ai-product-books-sdk: {error}", file=sys.stderr, flush=True)
        except Exception:
            pass

    def _open_outcomes(self) -> None:
        origin, key, buffer_bytes = self._outcome_settings
        self._outcome_spool = self._open_spool(self._outcome_folder)
        self._outcomes = Delivery(
            origin, key, "outcomes", self._outcome_spool, buffer_bytes, self._drop_outcome, self._report
        )
        self._outcomes.start()

    def _open_spool(self, directory: Optional[str]) -> Optional[Spool]:
        if directory is None:
            return None
        try:
            return Spool(directory, self._spool_bytes, self._report)
        except OSError as error:
            self._report(error)
            return None

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
        self._counts = {name: 0 for name in self._counts}
        if self._spool is not None:
            self._spool.abandon()
            self._spool = self._open_spool(self._directory)
        self._delivery.after_fork(self._spool)
        if self._outcomes is not None:
            if self._outcome_spool is not None:
                self._outcome_spool.abandon()
                self._outcome_spool = self._open_spool(self._outcome_folder)
            self._outcomes.after_fork(self._outcome_spool)

    def _at_exit(self) -> None:
        self.close(FLUSH_SECONDS if self._spool is None else SPOOLED_FLUSH_SECONDS)


class _StreamWatch:
    """Observes a stream and reports it once."""

    def __init__(self, books: Books, reader: StreamReader, context: dict) -> None:
        self._books, self._reader, self._context = books, reader, _merged(_context.get(), context)
        self._is_reported = False

    def take(self, event: Any) -> None:
        try:
            self._reader.take(to_fields(event))
        except Exception as error:
            self._books._report(error)

    def end(self, has_ended: bool) -> None:
        if self._is_reported:
            return
        self._is_reported = True
        try:
            reading = self._reader.finish(has_ended)
            if reading is not None:
                self._books._record(reading, self._context, None)
        except Exception as error:
            self._books._report(error)


def _passed_on(events: Any, watch: _StreamWatch) -> Iterator[Any]:
    has_ended = False
    try:
        for event in events:
            watch.take(event)
            yield event
        has_ended = True
    finally:
        watch.end(has_ended)


async def _passed_on_async(events: Any, watch: _StreamWatch) -> Any:
    has_ended = False
    try:
        async for event in events:
            watch.take(event)
            yield event
        has_ended = True
    finally:
        watch.end(has_ended)


def _stats_of(delivery: Any, spool: Optional[Spool]) -> dict:
    counts = NO_COUNTS if delivery is None else delivery.counts
    pending, pending_bytes = (0, 0) if delivery is None else delivery.pending()
    errors = spool.errors if spool else 0
    return {**counts, "pending": pending, "pending_bytes": pending_bytes, "spool_errors": errors}


def _iso(at: datetime) -> str:
    return at.astimezone(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _merged(outer: dict, inner: dict) -> dict:
    merged = {**outer, **{name: value for name, value in inner.items() if value is not None}}
    if outer.get("dimensions") and inner.get("dimensions"):
        merged["dimensions"] = {**outer["dimensions"], **inner["dimensions"]}
    return merged


_live: weakref.WeakSet = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for books in list(_live):
        books._at_exit()


def _after_fork() -> None:
    for books in list(_live):
        books._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

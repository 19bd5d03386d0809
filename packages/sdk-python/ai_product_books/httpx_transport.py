"""`httpx` transports that report the usage of model calls and otherwise leave their content unchanged."""

from __future__ import annotations

import json
import re
import zlib
from datetime import datetime, timezone
from typing import Any, AsyncIterator, Iterator, Optional

import httpx

from .provider_call import ProviderCall, find_provider_call, is_usage_chunk, with_stream_usage
from .reading import StreamReader, read_response

#: Longer bodies are passed on unread.
BODY_BYTES_MAX = 64 * 1024 * 1024
#: The blank line after a server-sent event.
END_OF_EVENT = re.compile(rb"\r?\n\r?\n")
REFUSED_OPTION = re.compile(rb"stream_options|include_usage")


class BooksTransport(httpx.BaseTransport):
    """Transport for `httpx.Client(transport=…)`."""

    def __init__(self, books: Any, inner: Optional[httpx.BaseTransport] = None) -> None:
        self._books, self._inner = books, inner or httpx.HTTPTransport()
        self._refusing: set = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        call = _begin(self._books, request, self._refusing)
        if call is None:
            return self._inner.handle_request(request)
        response = self._inner.handle_request(call.request)
        if call.may_be_refused(response) and REFUSED_OPTION.search(response.read()):
            self._refusing.add(_origin(request))
            call.is_filtered = False
            response = self._inner.handle_request(request)
        return call.observed(response, _SyncStream)

    def close(self) -> None:
        self._inner.close()


class AsyncBooksTransport(httpx.AsyncBaseTransport):
    """Transport for `httpx.AsyncClient(transport=…)`."""

    def __init__(self, books: Any, inner: Optional[httpx.AsyncBaseTransport] = None) -> None:
        self._books, self._inner = books, inner or httpx.AsyncHTTPTransport()
        self._refusing: set = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        call = _begin(self._books, request, self._refusing)
        if call is None:
            return await self._inner.handle_async_request(request)
        response = await self._inner.handle_async_request(call.request)
        if call.may_be_refused(response) and REFUSED_OPTION.search(await response.aread()):
            self._refusing.add(_origin(request))
            call.is_filtered = False
            response = await self._inner.handle_async_request(request)
        return call.observed(response, _AsyncStream)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _origin(request: httpx.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode()}"


def _begin(books: Any, request: httpx.Request, refusing: set) -> Optional[_Call]:
    """Returns None if the request is not a model call, or cannot be observed."""
    try:
        host = request.url.netloc.decode()
        found = find_provider_call(request.method, host, request.url.path, books.providers)
        return None if found is None else _Call(books, request, found, _origin(request) in refusing)
    except Exception as error:
        books._report(error)
        return None


class _Call:
    def __init__(self, books: Any, request: httpx.Request, found: ProviderCall, is_refusing: bool) -> None:
        self._books, self._found = books, found
        self._context, self._at = books._context_now(), datetime.now(timezone.utc)
        is_json = "json" in request.headers.get("content-type", "")
        self._body = request.read() if is_json and isinstance(request.stream, httpx.SyncByteStream) else b""
        # Observed responses must not be compressed.
        request.headers["Accept-Encoding"] = "identity"
        counting = with_stream_usage(self._body) if found.counts_on_request and not is_refusing else None
        #: Whether to drop the usage chunk, because the caller did not request it.
        self.is_filtered = counting is not None
        self.request = request if counting is None else _with_body(request, counting)

    def may_be_refused(self, response: httpx.Response) -> bool:
        return self.is_filtered and response.status_code in (400, 422)

    def observed(self, response: httpx.Response, stream_of: Any) -> httpx.Response:
        kind = response.headers.get("content-type", "")
        if not response.is_success:
            return response
        encoding = response.headers.get("content-encoding", "identity").lower()
        if not re.search("json|event-stream", kind) or encoding not in ("identity", "gzip", "deflate"):
            self._books._count("unread")
            return response
        reader = _EventsReader(self) if "event-stream" in kind else _BodyReader(self)
        is_changed = encoding != "identity" or self.is_filtered
        return httpx.Response(
            response.status_code,
            headers=_without(response.headers, *((b"content-encoding", b"content-length") if is_changed else ())),
            stream=stream_of(response.stream, reader, _decoder_of(encoding)),
            extensions=response.extensions,
        )

    def model(self) -> Optional[str]:
        if self._found.model is not None:
            return self._found.model
        try:
            return json.loads(self._body).get("model")
        except (ValueError, AttributeError):
            return None

    def stream_reader(self) -> StreamReader:
        return StreamReader(self._found.provider, self.model(), None, self._body)

    def read(self, body: Any) -> None:
        reading = read_response(body, self._found.provider, self.model())
        if reading is not None:
            self.record(reading)
        elif not (isinstance(body, dict) and "status" in body):
            self._books._count("unread")

    def record(self, reading: Any) -> None:
        self._books._record(reading, self._context, self._at)

    def report(self, error: BaseException) -> None:
        self._books._report(error)


def _with_body(request: httpx.Request, body: bytes) -> httpx.Request:
    headers = _without(request.headers, b"content-length")
    return httpx.Request(request.method, request.url, headers=headers, content=body, extensions=request.extensions)


def _without(headers: httpx.Headers, *names: bytes) -> list:
    return [(name, value) for name, value in headers.raw if name.lower() not in names]


def _decoder_of(encoding: str) -> Any:
    if encoding == "identity":
        return None
    return zlib.decompressobj(zlib.MAX_WBITS | 16 if encoding == "gzip" else zlib.MAX_WBITS)


class _BodyReader:
    """Reads a JSON body."""

    def __init__(self, call: _Call) -> None:
        self._call = call
        self._parts: list = []
        self._size = 0
        self._is_ended = False

    def take(self, data: bytes) -> bytes:
        self._size += len(data)
        if self._size <= BODY_BYTES_MAX:
            self._parts.append(data)
        return data

    def rest(self) -> bytes:
        return b""

    def end(self, has_ended: bool) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        try:
            try:
                body = json.loads(b"".join(self._parts))
            except ValueError:
                # The body ended early.
                reading = self._call.stream_reader().finish(False)
                if reading is not None:
                    self._call.record(reading)
                return
            self._call.read(body)
        except Exception as error:
            self._call.report(error)


class _EventsReader:
    """Reads a stream of server-sent events."""

    def __init__(self, call: _Call) -> None:
        self._call, self._reader, self._buffer = call, call.stream_reader(), b""
        self._is_ended = False

    def take(self, data: bytes) -> bytes:
        """Returns the bytes to pass on to the caller."""
        self._buffer += data
        kept = b""
        while True:
            end = END_OF_EVENT.search(self._buffer)
            if end is None:
                return kept if self._call.is_filtered else data
            event, self._buffer = self._buffer[: end.end()], self._buffer[end.end() :]
            if not self._read(event):
                kept += event

    def rest(self) -> bytes:
        """Handles a last event without its blank line."""
        rest, self._buffer = self._buffer, b""
        return b"" if self._read(rest) or not self._call.is_filtered else rest

    def end(self, has_ended: bool) -> None:
        if self._is_ended:
            return
        self._is_ended = True
        try:
            reading = self._reader.finish(has_ended)
            if reading is not None:
                self._call.record(reading)
        except Exception as error:
            self._call.report(error)

    def _read(self, event: bytes) -> bool:
        """Returns whether to drop the event: a usage chunk that the caller did not request."""
        try:
            lines = [line[5:].strip() for line in event.splitlines() if line.startswith(b"data:")]
            fields = json.loads(b"\n".join(lines)) if lines and lines[0].startswith(b"{") else None
            self._reader.take(fields)
            return self._call.is_filtered and is_usage_chunk(fields)
        except Exception:
            return False  # A parsing error must never affect the caller.


class _SyncStream(httpx.SyncByteStream):
    def __init__(self, stream: Any, reader: Any, decoder: Any) -> None:
        self._stream, self._reader, self._decoder = stream, reader, decoder

    def __iter__(self) -> Iterator[bytes]:
        for data in self._stream:
            shown = self._reader.take(data if self._decoder is None else self._decoder.decompress(data))
            if shown:
                yield shown
        rest = self._reader.rest()
        if rest:
            yield rest
        self._reader.end(True)

    def close(self) -> None:
        self._reader.end(False)
        self._stream.close()


class _AsyncStream(httpx.AsyncByteStream):
    def __init__(self, stream: Any, reader: Any, decoder: Any) -> None:
        self._stream, self._reader, self._decoder = stream, reader, decoder

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for data in self._stream:
            shown = self._reader.take(data if self._decoder is None else self._decoder.decompress(data))
            if shown:
                yield shown
        rest = self._reader.rest()
        if rest:
            yield rest
        self._reader.end(True)

    async def aclose(self) -> None:
        self._reader.end(False)
        await self._stream.aclose()

"""Tests of the httpx transports against a stand-in for a chat completions provider. Skipped without httpx."""

import asyncio
import gzip
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ai_product_books import Books

try:
    import httpx
except ImportError:
    httpx = None

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(body)
        head = {"id": f"chatcmpl-{len(self.server.seen)}", "model": "gpt-4o"}
        counts = (body.get("stream_options") or {}).get("include_usage")
        if counts and body["model"] == "refuses":
            return self.answer(400, "application/json", b'{"error":{"message":"Unknown parameter: stream_options"}}')
        if not body.get("stream"):
            whole = {**head, "object": "chat.completion", "choices": [{"message": {"content": "Three."}}], "usage": USAGE}
            data = json.dumps(whole).encode()
            return self.answer(200, "application/json", gzip.compress(data) if body.get("zip") else data, body.get("zip"))
        head["object"] = "chat.completion.chunk"
        chunks = [{**head, "choices": [{"delta": {"content": "abcd" * 10}, "finish_reason": None}]} for _ in range(3)]
        chunks.append({**head, "choices": [{"delta": {}, "finish_reason": "stop"}]})
        if counts:
            chunks.append({**head, "choices": [], "usage": USAGE})
        if body["model"] == "gpt-4o-hangs":
            return self.hang(chunks[:3])
        data = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self.answer(200, "text/event-stream", data.encode())

    def hang(self, chunks):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode())
        self.wfile.flush()
        self.server.stopped.wait()
        self.close_connection = True

    def answer(self, status, kind, data, encoding=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if encoding:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@unittest.skipIf(httpx is None, "httpx is not installed")
class Httpx(unittest.TestCase):
    def setUp(self):
        self.provider = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        self.provider.seen = []
        self.provider.stopped = threading.Event()
        self.addCleanup(self.provider.stopped.set)
        threading.Thread(target=self.provider.serve_forever, daemon=True).start()
        self.addCleanup(self.provider.server_close)
        self.addCleanup(self.provider.shutdown)
        self.errors, self.events = [], []
        self.books = Books(url="http://127.0.0.1:9", api_key="none", on_error=self.errors.append)
        self.books._delivery.add = lambda text: self.events.append(json.loads(text))
        self.addCleanup(self.books.close, 0)

    def ask(self, **more):
        url = f"http://127.0.0.1:{self.provider.server_port}/v1/chat/completions"
        messages = [{"role": "user", "content": "abcd" * 100}]
        return {"method": "POST", "url": url, "json": {"model": "gpt-4o", "messages": messages, **more}}

    def counts(self):
        self.assertEqual(self.errors, [])
        return [(event["input_tokens"], event["output_tokens"], event["metadata"].get("incomplete")) for event in self.events]

    def test_whole_answers_plain_and_compressed(self):
        with self.books.http_client() as client, self.books.with_context(user_id="u"):
            for more in ({}, {"zip": True}):
                self.assertEqual(client.request(**self.ask(**more)).json()["usage"], USAGE)
        self.assertEqual(self.counts(), [(10, 5, None)] * 2)
        self.assertEqual([event["user_id"] for event in self.events], ["u", "u"])

    def test_a_stream_is_asked_to_count_and_the_caller_sees_no_difference(self):
        with self.books.http_client() as client:
            with client.stream(**self.ask(stream=True)) as answer:
                lines = [line for line in answer.iter_lines() if line]
        self.assertEqual(self.provider.seen[0]["stream_options"], {"include_usage": True})
        self.assertEqual((len(lines), lines[-1]), (5, "data: [DONE]"))
        self.assertEqual(self.counts(), [(10, 5, None)])

    def test_a_stream_that_is_stopped_is_estimated(self):
        with self.books.http_client() as client:
            with client.stream(**self.ask(stream=True, model="gpt-4o-hangs")) as answer:
                pieces = answer.iter_lines()
                for line in pieces:
                    if line:
                        break
        # A token is four characters: 400 and "user" in the prompt, and the part of the response that was read.
        self.assertEqual([(put, incomplete) for put, _, incomplete in self.counts()], [(101, True)])
        self.provider.stopped.set()

    def test_a_server_that_refuses_the_option_is_called_without_it(self):
        with self.books.http_client() as client:
            for _ in range(2):
                with client.stream(**self.ask(stream=True, model="refuses")) as answer:
                    answer.read()
        self.assertEqual(["stream_options" in body for body in self.provider.seen], [True, False, False])
        self.assertEqual(len(self.counts()), 2)

    def test_asynchronous_clients(self):
        async def run():
            async with self.books.async_http_client() as client:
                self.assertEqual((await client.request(**self.ask())).json()["usage"], USAGE)
                async with client.stream(**self.ask(stream=True)) as answer:
                    return [line async for line in answer.aiter_lines() if line]

        self.assertEqual(len(asyncio.run(run())), 5)
        self.assertEqual(self.counts(), [(10, 5, None)] * 2)

    def test_other_requests_are_left_alone(self):
        with self.books.http_client() as client:
            client.post(self.ask()["url"].replace("/chat/completions", "/models"), json={"model": "x"})
        self.assertEqual(self.events, [])


if __name__ == "__main__":
    unittest.main()

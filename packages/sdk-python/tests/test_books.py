"""Tests against a running service, configured by BOOKS_API_URL, BOOKS_API_KEY, UNSIGNED_KEY and READ_KEY."""

import asyncio
import http.client
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
import uuid
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ai_product_books import Books, HoldError

#: Seconds to wait for something that other work on a busy machine may delay.
PATIENCE = 240

URL, READ_KEY = os.environ["BOOKS_API_URL"], os.environ["READ_KEY"]
FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_last = [0]


def response(name=None):
    _last[0] += 1
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    response_id = name or f"chatcmpl-py-{os.getpid()}-{_last[0]}"
    return {"id": response_id, "object": "chat.completion", "model": "gpt-4o", "choices": ["The secret"], "usage": usage}


def stored_keys():
    """Keys of all stored events, including duplicates."""
    keys, place = [], "00000000-0000-0000-0000-000000000000"
    while True:
        query = '{ receivedEvents(receivedAfter: "%s", first: 200) { nodes { id idempotencyKey } } }' % place
        headers = {"Authorization": f"Bearer {READ_KEY}", "Content-Type": "application/json"}
        request = urllib.request.Request(URL + "/graphql", json.dumps({"query": query}).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            page = json.load(answer)["data"]["receivedEvents"]["nodes"]
        keys += [event["idempotencyKey"] for event in page]
        if len(page) < 200:
            return keys
        place = page[-1]["id"]


def stored():
    path = "/v1/usage/summary?start_date=2020-01-01&end_date=2100-01-01"
    request = urllib.request.Request(URL + path, headers={"Authorization": f"Bearer {READ_KEY}"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["total_events"]


class Front(ThreadingHTTPServer):
    """Proxy that forwards batches to the service and fails on request."""

    def __init__(self, port=0):
        self.faults, self.sizes = [], []
        #: Events are answered only after outcomes have arrived.
        self.holds_events, self.outcomes_arrived = False, threading.Event()
        super().__init__(("127.0.0.1", port), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer(200, b"{}", {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        batch = json.loads(body)
        if isinstance(batch, dict) and "resourceLogs" in batch:
            batch = batch["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        self.server.sizes.append(len(batch))
        fault = self.server.faults.pop(0) if self.server.faults else {}
        if "status" in fault:
            return self.answer(fault["status"], b"{}", {"Retry-After": fault.get("retry_after", "0")})
        if self.path.endswith("/outcomes"):
            self.server.outcomes_arrived.set()
        elif self.server.holds_events:
            self.server.outcomes_arrived.wait()
        service = http.client.HTTPConnection(URL.split("//")[1])
        service.request("POST", self.path, body, {**self.headers, "Host": URL.split("//")[1]})
        taken = service.getresponse()
        data = taken.read()
        if fault.get("lost"):
            return self.connection.close()
        self.answer(taken.status, data, {}, fault.get("cut"))

    def answer(self, status, data, headers, cut=None):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:cut])
        self.close_connection = True

    def log_message(self, *_):
        pass


class Delivery(unittest.TestCase):
    def setUp(self):
        self.before = stored()
        self.spool = tempfile.mkdtemp(prefix="books-py-")
        self.addCleanup(shutil.rmtree, self.spool, ignore_errors=True)

    def open(self, **options):
        books = Books(**{"on_error": lambda error: None, **options})
        self.addCleanup(books.close, 0)
        return books

    def assert_stored(self, count):
        self.assertEqual(stored() - self.before, count)

    def wait_for(self, condition):
        until = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_batches_of_at_most_a_hundred(self):
        with Front() as front:
            books = self.open(url=front.url)
            for _ in range(250):
                self.assertIsNotNone(books.track(response(), user_id="é"))
            self.assertTrue(books.flush(30))
            self.assertLessEqual(max(front.sizes), 100)
            self.assert_stored(250)
            self.assertEqual(books.stats()["sent"], 250)

    def test_outcomes_take_their_task_from_the_context_and_are_corrected(self):
        books = self.open()
        with books.with_context(user_id="customer-7", dimensions={"task_id": "ticket-py"}):
            books.outcome("py-1", name="ticket_resolved", succeeded=False, value=Decimal("1.50"))
        books.outcome("py-1", name="ticket_resolved", succeeded=True, task_id="ticket-py", value=2)
        self.assertTrue(books.flush())
        self.assertEqual([books.stats()["sent"], books.stats()["outcomes"]["sent"]], [0, 2])
        query = '{ outcome(key: "py-1") { succeeded task value versions { succeeded value } } }'
        headers = {"Authorization": f"Bearer {READ_KEY}", "Content-Type": "application/json"}
        request = urllib.request.Request(URL + "/graphql", json.dumps({"query": query}).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            outcome = json.load(answer)["data"]["outcome"]
        versions = [{"succeeded": True, "value": "2"}, {"succeeded": False, "value": "1.5"}]
        self.assertEqual(outcome, {"succeeded": True, "task": "ticket-py", "value": "2", "versions": versions})

    def test_a_hold_is_asked_for_once_per_key_and_decided_on_purpose_without_an_answer(self):
        with Front() as front:
            books = self.open(url=front.url)
            with books.with_context(user_id="py-holder"):
                answer = books.hold(amount=Decimal("0.5"), idempotency_key="py-hold-1")
            names = {"allowed": True, "left": None, "because": "NO_ALLOWANCE", "amount": "0.5"}
            self.assertEqual({**answer, "hold": None}, {**names, "hold": None})
            self.assertEqual(books.hold(user_id="py-holder", amount="0.5", idempotency_key="py-hold-1"), answer)
            books.release_hold(answer["hold"])
            front.faults.append({"status": 503})
            self.assertTrue(books.hold(amount="0.5")["allowed"])
            for without_answer, allowed in (("deny", False), ("allow", True)):
                front.faults += [{"status": 503}, {"status": 503}]
                expected = {"allowed": allowed, "hold": None, "left": None, "because": "WITHOUT_ANSWER", "amount": None}
                self.assertEqual(books.hold(amount="0.5", without_answer=without_answer), expected)
            front.faults += [{"status": 503}, {"status": 503}]
            with self.assertRaises(HoldError):
                books.hold(amount="0.5")
            with self.assertRaisesRegex(HoldError, "send amount instead"):
                books.hold(model="nobody-knows", max_input_tokens=1, max_output_tokens=1, without_answer="allow")

    def test_only_some_statuses_refuse_a_hold_for_good(self):
        with Front() as front:
            books = self.open(url=front.url)
            for status, is_refused in ((408, False), (429, False), (500, False), (403, True), (404, True)):
                front.faults += [{"status": status}, {"status": status}]
                if is_refused:
                    with self.assertRaises(HoldError) as raised:
                        books.hold(amount="0.5", without_answer="allow")
                    self.assertTrue(raised.exception.is_refused)
                else:
                    self.assertEqual(books.hold(amount="0.5", without_answer="allow")["because"], "WITHOUT_ANSWER")
                front.faults.clear()

    def test_an_answer_to_a_hold_that_is_cut_short_is_no_answer(self):
        with Front() as front:
            books = self.open(url=front.url)
            front.faults += [{"cut": 30}, {"cut": 0}]
            self.assertFalse(books.hold(amount="0.5", without_answer="deny")["allowed"])
            front.faults += [{"cut": 30}, {"cut": 30}]
            with self.assertRaisesRegex(HoldError, "did not answer"):
                books.hold(amount="0.5")

    def test_amounts_of_holds_are_plain_decimals(self):
        with Front() as front:
            books = self.open(url=front.url)
            for amount, expected in ((0.00003, "0.00003"), (0.1 + 0.2, "0.3"), (Decimal("1E-7"), "0.0000001"), (2, "2")):
                self.assertEqual(books.hold(amount=amount)["amount"], expected)

    def test_by_itself(self):
        books = self.open()
        books.track(response())
        self.wait_for(lambda: books.stats()["sent"] == 1)
        self.assert_stored(1)

    def test_what_fails_is_tried_again_and_counted_once(self):
        for fault in ({"status": 429}, {"status": 402}, {"status": 500}, {"cut": 30}, {"cut": 0}, {"lost": True}):
            with self.subTest(fault), Front() as front:
                before = stored()
                front.faults.append(fault)
                books = self.open(url=front.url)
                for _ in range(3):
                    books.track(response())
                self.assertTrue(books.flush(30))
                self.assertEqual(stored() - before, 3)
                self.assertEqual(books.stats()["retries"], 3)

    def test_unsigned_as_log_records(self):
        dropped = []
        with Front() as front:
            front.faults.extend([{"lost": True}, {"status": 429}, {"cut": 0}])
            drop = lambda event, reason: dropped.append(reason)  # noqa: E731
            books = self.open(url=front.url, api_key=os.environ["UNSIGNED_KEY"], mode="otlp", on_drop=drop)
            for _ in range(120):
                books.track(response(), user_id="é", dimensions={"team": "a"})
            books.track(response(), user_id="x" * 300)
            self.assertTrue(books.flush(60))
        self.assert_stored(120)
        self.assertEqual([books.stats()[name] for name in ("sent", "rejected", "dropped")], [120, 1, 0])
        self.assertRegex(dropped[0], "user_id must be")
        with self.assertRaises(ValueError):
            Books(mode="both")

    def test_one_that_is_refused_holds_up_no_other(self):
        dropped = []
        books = self.open(spool=self.spool, on_drop=lambda event, reason: dropped.append(reason))
        books.track(response())
        books.track(response(), user_id="x" * 300)
        books.track(response())
        self.assertTrue(books.flush(20))
        self.assert_stored(2)
        self.assertRegex(dropped[0], "VALIDATION_ERROR: user_id must be")
        with open(os.path.join(self.spool, "rejected.ndjson"), encoding="utf-8") as file:
            self.assertIn("user_id", json.loads(file.read())["reason"])

    def test_the_buffer_is_bounded(self):
        dropped = []
        books = self.open(url="http://127.0.0.1:9", buffer_bytes=1000, on_drop=lambda event, reason: dropped.append(event))
        for _ in range(10):
            books.track(response())
        stats = books.stats()
        self.assertEqual(stats["pending"] + len(dropped), 10)
        self.assertLessEqual(stats["pending_bytes"], 1000)
        self.assertEqual(stats["dropped"], len(dropped))

    def test_a_key_that_is_refused_is_reported_once_and_ends_the_wait(self):
        for key in ("sk_live_wrong", READ_KEY):
            with self.subTest(key[:7]):
                errors, dropped = [], []
                books = self.open(
                    api_key=key, on_error=errors.append, on_drop=lambda event, reason: dropped.append(reason)
                )
                books.track(response())
                for _ in range(2):
                    self.assertFalse(books.flush(600))
                self.assertRegex(str(errors[0]), "The service rejected the API key: 40[13]")
                self.assertEqual(len(errors), 1)
                self.assertFalse(books.close(600))
                self.assertRegex(dropped[0], "Not delivered.*40[13]")

    def test_flush_sends_events_and_outcomes_at_the_same_time(self):
        with Front() as front:
            front.faults.append({"status": 503, "retry_after": "600"})
            books = self.open(url=front.url)
            books.outcome("py-late", name="ticket_resolved", succeeded=True, task_id="ticket-py")
            self.wait_for(lambda: books.stats()["outcomes"]["retries"] == 1)
            # Outcomes now wait for ten minutes or for a flush, and events wait for outcomes.
            front.holds_events = True
            books.track(response())
            self.assertTrue(books.flush(60))
            stats = books.stats()
        self.assertEqual([stats["sent"], stats["outcomes"]["sent"]], [1, 1])

    def test_a_wrong_address_is_reported_once(self):
        errors = []
        with Front() as front:
            front.faults.extend([{"status": 404}] * 2)
            books = self.open(url=front.url, on_error=errors.append)
            books.track(response())
            self.assertTrue(books.flush(60))
        self.assertRegex(str(errors[0]), "does not respond like the service.*404")
        self.assertEqual(len(errors), 1)

    def test_without_a_key_nothing_is_kept(self):
        errors, dropped = [], []
        books = self.open(api_key="", on_error=errors.append, on_drop=lambda event, reason: dropped.append(reason))
        self.assertIsNotNone(books.track(response()))
        self.assertEqual(books.stats()["pending"], 0)
        self.assertTrue(books.flush(600))
        self.assertRegex(dropped[0], "No API key")
        self.assertEqual(len(errors), 1)

    def test_what_memory_cannot_hold_the_spool_does(self):
        with Front() as front:
            port = front.server_port
        books = self.open(url=f"http://127.0.0.1:{port}", spool=self.spool, buffer_bytes=2000)
        for _ in range(60):
            books.track(response())
        self.assertEqual([books.stats()["pending"], books.stats()["dropped"]], [60, 0])
        with Front(port):
            self.assertTrue(books.flush(30))
        self.assert_stored(60)

    def test_what_is_torn_is_passed_over(self):
        event = json.dumps(self.open(url="http://127.0.0.1:9").track(response()))
        other = event.replace("chatcmpl-py", "chatcmpl-torn")
        with open(os.path.join(self.spool, "1.x.pyspool"), "w", encoding="utf-8") as file:
            file.write(f"1 {event}\n2 {event[:40]}\n3 {other}\n-1;\n-3")
        books = self.open(spool=self.spool)
        self.assertTrue(books.flush(20))
        self.assert_stored(1)
        books.close()
        self.assertEqual(os.listdir(self.spool), [])


PROGRAM = """
import json, os, resource, sys, threading, time, types
from ai_product_books import Books, delivery
mode, count = sys.argv[1], int(sys.argv[2])
TIMES = 60
if mode == "away":  # The library's clock and delays run 60 times as fast.
    class Fast(threading.Condition):
        def wait(self, timeout=None):
            return super().wait(None if timeout is None else timeout / TIMES)
    began = time.time()
    clock = {"time": lambda: began + (time.time() - began) * TIMES, "monotonic": lambda: time.monotonic() * TIMES}
    delivery.time, delivery.threading.Condition = types.SimpleNamespace(**clock), Fast
if mode == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
books = Books(on_error=None if mode == "silent" else lambda error: None)
def track(index):
    name = f"chatcmpl-process-{os.getpid()}-{index}"
    os.write(1, ("called " + name + "\\n").encode())
    books.track({"id": name, "object": "chat.completion", "model": "gpt-4o", "usage": {"prompt_tokens": 10, "completion_tokens": 5}})
    os.write(1, (name + "\\n").encode())
for index in range(0 if mode in ("process", "pool", "executor") else count):
    track(index)
    if mode == "away":
        time.sleep(1 / TIMES)
if mode == "away":
    assert books.flush(3600), books.stats()
    assert books.stats()["dropped"] == 0, books.stats()
if mode == "fork":
    children = []
    for _ in range(3):
        pid = os.fork()
        if pid == 0:
            for index in range(count):
                track(index)
            sys.exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
def named(name):
    books.track({"id": name, "object": "chat.completion", "model": "gpt-4o", "usage": {"prompt_tokens": 10, "completion_tokens": 5}})
    os.write(1, (name + "\\n").encode())
names = [f"chatcmpl-child-{os.getpid()}-{index}" for index in range(count)]
if mode in ("process", "pool", "executor"):
    import concurrent.futures, multiprocessing
    context = multiprocessing.get_context("fork")
if mode == "process":
    children = [context.Process(target=named, args=(name,)) for name in names]
    for child in children:
        child.start()
    for child in children:
        child.join()
if mode == "pool":
    with context.Pool(2) as pool:
        pool.map(named, names)
if mode == "executor":
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        list(pool.map(named, names))
if mode == "loop":
    while True:
        track(count := count + 1)
        time.sleep(0.002)
if mode == "full":
    assert books.flush(20), books.stats()
    assert books.stats()["spool_errors"] > 0, books.stats()
"""


class Processes(unittest.TestCase):
    def setUp(self):
        self.before = stored()
        self.spool = tempfile.mkdtemp(prefix="books-py-")
        self.addCleanup(shutil.rmtree, self.spool, ignore_errors=True)

    def start(self, mode, count, **environment):
        variables = {**os.environ, "BOOKS_SPOOL": self.spool, "PYTHONPATH": FOLDER, **environment}
        program = [sys.executable, "-c", PROGRAM, mode, str(count)]
        return subprocess.Popen(program, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        output, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 0, errors)
        return {line for line in output.splitlines() if not line.startswith("called")}

    def rest(self, process):
        """Reads the output until its end. `communicate()` would lose what `readline()` has buffered."""
        with process:
            return process.stdout.read(), process.stderr.read()

    def assert_events(self, output, keys_before):
        """Each completed call is one event. The only other event may be of the call running when the process was killed."""
        stored = stored_keys()[len(keys_before):]
        ended = {f"openai:{line}" for line in output if not line.startswith("called")}
        called = {"openai:" + line.split()[1] for line in output if line.startswith("called")}
        self.assertEqual(len(stored), len(set(stored)))
        self.assertEqual(ended - set(stored), set())
        self.assertEqual(set(stored) - called, set())

    def test_the_end_of_a_process_delivers(self):
        for spool in (self.spool, ""):
            self.finish(self.start("once", 20, BOOKS_SPOOL=spool))
        self.assertEqual(stored() - self.before, 40)
        self.assertEqual(os.listdir(self.spool), [])

    def test_a_fork_sends_nothing_twice_and_loses_nothing(self):
        for spool in (self.spool, ""):
            before = stored()
            names = self.finish(self.start("fork", 10, BOOKS_SPOOL=spool))
            self.assertEqual([len(names), stored() - before], [40, 40])

    def test_children_of_multiprocessing_pools_and_executors_deliver(self):
        for mode in ("process", "pool", "executor"):
            for spool in (self.spool, ""):
                with self.subTest(mode=mode, spool=spool):
                    before = stored()
                    names = self.finish(self.start(mode, 10, BOOKS_SPOOL=spool))
                    self.assertEqual([len(names), stored() - before], [10, 10])

    def test_a_process_that_cannot_deliver_says_so_in_a_line(self):
        for key, said in (("sk_live_wrong", "The service rejected the API key: 401"), ("", "No API key")):
            with self.subTest(said):
                process = self.start("silent", 3, BOOKS_SPOOL="", BOOKS_API_KEY=key)
                _, errors = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 0, errors)
                lines = [line for line in errors.splitlines() if said in line]
                self.assertTrue(lines and all(line.startswith("ai-product-books-sdk: ") for line in errors.splitlines()), errors)

    def test_a_full_disk(self):
        names = self.finish(self.start("full", 40))
        self.assertEqual(stored() - self.before, len(names))

    def test_kill_and_away(self):
        for signal_number, url in ((signal.SIGKILL, URL), (signal.SIGTERM, URL), (signal.SIGKILL, "http://127.0.0.1:9")):
            with self.subTest(signal_number):
                before = stored_keys()
                process = self.start("loop", 0, BOOKS_API_URL=url)
                lines = [process.stdout.readline().strip() for _ in range(240)]
                process.send_signal(signal_number)
                # The last line may be incomplete.
                lines += [line for line in self.rest(process)[0].split("\n")[:-1] if line]
                self.finish(self.start("once", 0))
                self.assert_events(lines, before)

    def test_ten_minutes_without_the_service(self):
        for spool in (self.spool, ""):
            with self.subTest(spool):
                before = stored_keys()
                with Front() as front:
                    port = front.server_port
                process = self.start("away", 640, BOOKS_SPOOL=spool, BOOKS_API_URL=f"http://127.0.0.1:{port}")
                # One call per second of its clock.
                lines = [process.stdout.readline().strip() for _ in range(1200)]
                self.assertEqual(stored_keys(), before)
                with Front(port):
                    output, errors = self.rest(process)
                self.assertEqual(process.returncode, 0, errors)
                lines += output.splitlines()
                self.assert_events(lines, before)
                self.assertEqual(len(stored_keys()) - len(before), 640)


class Calls(unittest.TestCase):
    def setUp(self):
        self.errors = []
        self.books = Books(url="http://127.0.0.1:9", on_error=self.errors.append)
        self.addCleanup(self.books.close, 0)

    def test_context(self):
        with self.books.with_context(user_id="outer", session_id="s", dimensions={"team": "a", "region": "x"}):
            with self.books.with_context(user_id="inner", dimensions={"team": "b"}):
                event = self.books.track(response(), agent_id="agent")
        self.assertEqual([event[name] for name in ("user_id", "session_id", "agent_id")], ["inner", "s", "agent"])
        self.assertEqual([event["metadata"][name] for name in ("team", "region")], ["b", "x"])
        self.assertNotIn("user_id", self.books.track(response()))
        self.assertNotIn("secret", json.dumps(event))

    def test_nothing_reaches_the_caller(self):
        for value in (None, "text", 42, {}, [], {"usage": None}, {"usage": {"prompt_tokens": -1}}, object()):
            self.books.track(value)
        self.books.track(response(), nonsense=1)
        self.assertRegex(str(self.errors[-1]), "Unknown: nonsense")

    def test_odd_tags_become_text_or_are_dropped(self):
        key = uuid.UUID("12345678-1234-5678-1234-567812345678")

        class Silent:
            def __str__(self):
                raise ValueError

        odd = {"tenant": key, "price": Decimal("1.50"), "nan": float("nan"), "big": 10**50, "bad": Silent(), "half": "\ud800"}
        metadata = self.books.track(response(), dimensions=odd)["metadata"]
        del metadata["usage"]
        self.assertEqual(metadata, {"tenant": str(key), "price": "1.50", "nan": "nan", "big": str(10**50), "half": "\ufffd"})
        self.assertIn("bad", str(self.errors[0]))

    def test_what_decides_a_price_is_no_tag(self):
        event = self.books.track(response(), tier="batch", speed="fast", geo="us", dimensions={"batch": True, "team": "a"})
        self.assertEqual([event[name] for name in ("service_tier", "speed", "inference_geo")], ["batch", "fast", "us"])
        self.assertEqual(set(event["metadata"]), {"team", "usage"})
        self.assertIn("batch", str(self.errors[0]))

    def test_asynchronous_streams(self):
        async def provider():
            head = {"id": "chatcmpl-a", "object": "chat.completion.chunk", "model": "gpt-4o"}
            for _ in range(3):
                yield {**head, "choices": [{"delta": {"content": "abcd" * 25}, "finish_reason": None}]}
            yield {**head, "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}

        async def run():
            with self.books.with_context(user_id="u"):
                seen = [one async for one in self.books.track_stream(provider())]
                stopped = self.books.track_stream(provider(), prompt="abcd" * 10)
                async for _ in stopped:
                    break
                await stopped.aclose()
            return seen

        self.assertEqual(len(asyncio.run(run())), 4)
        self.assertEqual([self.books.stats()[name] for name in ("events", "incomplete")], [2, 1])

    def test_a_stream_of_bedrock(self):
        events = [{"contentBlockDelta": {"delta": {"text": "Three."}}}, {"messageStop": {}}, {"metadata": {"usage": {"inputTokens": 5, "outputTokens": 2}}}]
        kept = []
        self.books._delivery.add = lambda text: kept.append(json.loads(text))
        answer = {"ResponseMetadata": {"RequestId": "r-1"}, "stream": iter(events)}
        self.assertEqual(list(self.books.track_stream(answer, model="anthropic.claude-x")), events)
        self.assertEqual([kept[0][name] for name in ("idempotency_key", "input_tokens", "output_tokens")], ["aws:r-1", 5, 2])

    def test_objects_of_a_package(self):
        class Completion:
            def model_dump(self):
                return response("chatcmpl-object")

        self.assertEqual(self.books.track(Completion())["idempotency_key"], "openai:chatcmpl-object")

    def test_streams(self):
        head = {"id": "chatcmpl-s", "object": "chat.completion.chunk", "model": "gpt-4o"}
        chunks = [{**head, "choices": [{"finish_reason": None}]}, {**head, "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}]
        self.assertEqual(list(self.books.track_stream(chunks)), chunks)
        self.assertEqual([self.books.stats()[name] for name in ("events", "incomplete")], [1, 0])
        for _ in self.books.track_stream(iter(chunks)):
            break
        self.assertEqual([self.books.stats()[name] for name in ("events", "incomplete")], [2, 1])

    def test_a_stream_that_fails_fails_as_it_would(self):
        def failing():
            yield {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "usage": {"input_tokens": 21, "output_tokens": 1}}}
            raise ConnectionResetError("By the provider")

        with self.assertRaisesRegex(ConnectionResetError, "By the provider"):
            list(self.books.track_stream(failing()))
        self.assertEqual([self.books.stats()[name] for name in ("events", "incomplete")], [1, 1])


if __name__ == "__main__":
    unittest.main()

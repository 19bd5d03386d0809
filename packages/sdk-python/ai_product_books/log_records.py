"""Events as OpenTelemetry log records, for keys that may write unsigned."""

from __future__ import annotations

import json
import re
import time
from typing import Optional

#: Event name of the log record, and name of the attribute with the event's JSON.
USAGE_EVENT = "ai_product_books.usage_event"
CODE = re.compile(r"^([A-Z_]+): ")


def to_log_records(events: list) -> str:
    """Builds a body of `/otlp/v1/logs`. `events` are JSON texts."""
    at = str(time.time_ns())
    records = [
        {
            "observedTimeUnixNano": at,
            "eventName": USAGE_EVENT,
            "attributes": [{"key": USAGE_EVENT, "value": {"stringValue": event}}],
        }
        for event in events
    ]
    scope = {"name": "ai-product-books-sdk"}
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"scope": scope, "logRecords": records}]}]})


def read_logs_answer(answer: str, count: int) -> Optional[tuple]:
    """Returns the outcome of all events; None if only some were accepted.

    Then smaller batches must show which: accepted events are recognized and count once.
    """
    try:
        partial = json.loads(answer).get("partialSuccess") or {}
        rejected, message = int(partial.get("rejectedLogRecords") or 0), str(partial.get("errorMessage"))
    except (ValueError, AttributeError, TypeError):
        return "later", "The response was cut off"
    if rejected == 0:
        return "done", ""
    found = CODE.match(message)
    code = found.group(1) if found else None
    if code == "PAYMENT_REQUIRED" and rejected == count:
        return "slow", message
    if count > 1:
        return None
    # A message without a code means that the event is invalid.
    return ("invalid" if code is None else "later"), message

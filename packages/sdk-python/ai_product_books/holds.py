"""Asks the service whether a call may spend its maximum cost. Unlike for events, the caller waits for the response."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from decimal import Decimal
from typing import Any, Optional

from .delivery import NO_KEY, NoRedirect

ATTEMPTS = 2


class HoldError(Exception):
    """`is_refused`: the service refused the request or the key, so that a retry would not help."""

    def __init__(self, message: str, is_refused: bool) -> None:
        super().__init__(message)
        self.is_refused = is_refused


def ask_for_hold(url: str, api_key: str, body: dict, without_answer: str, timeout: float) -> dict:
    if without_answer not in ("raise", "deny", "allow"):
        raise ValueError("without_answer must be raise, deny or allow")
    given = {name: value for name, value in body.items() if value is not None}
    try:
        answer = post(url, api_key, "/ext/v1/holds", given, timeout)
        if not isinstance(answer.get("allowed"), bool):
            raise HoldError("The response does not come from the service", False)
        return {name: answer.get(name) for name in ("allowed", "hold", "left", "because", "amount")}
    except HoldError as error:
        if error.is_refused or without_answer == "raise":
            raise
        allowed = without_answer == "allow"
        return {"allowed": allowed, "hold": None, "left": None, "because": "WITHOUT_ANSWER", "amount": None}


def post(url: str, api_key: str, path: str, body: dict, timeout: float) -> dict:
    """Sends twice at most, within the timeout; the key of the request makes that harmless."""
    if api_key == "":
        raise HoldError(NO_KEY, True)
    opener = urllib.request.build_opener(NoRedirect)
    until = time.monotonic() + timeout
    failure: Optional[HoldError] = None
    for _ in range(ATTEMPTS):
        left = until - time.monotonic()
        if left <= 0:
            break
        headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}
        request = urllib.request.Request(url + path, json.dumps(body).encode(), headers, method="POST")
        try:
            with opener.open(request, timeout=left) as response:
                answer: Any = json.load(response)
            return answer if isinstance(answer, dict) else {}
        except urllib.error.HTTPError as error:
            is_refused = 400 <= error.code < 500 and error.code not in (408, 429)
            failure = HoldError(f"{error.code} {beginning_of(error)}", is_refused)
            if is_refused:
                break
        except (OSError, ValueError, http.client.HTTPException) as error:
            failure = HoldError(f"The service did not answer: {error}", False)
    raise failure or HoldError("The service did not respond in time", False)


def beginning_of(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(200).decode(errors="replace")
    except (OSError, ValueError, http.client.HTTPException):
        return ""


def plain_amount(amount: Any) -> str:
    """Without an exponent, which the service refuses. A float is rounded to the 15 decimals of the service's amounts."""
    if not isinstance(amount, (float, Decimal)):
        return str(amount)
    plain = format(Decimal(str(amount)), "f")
    is_long = isinstance(amount, float) and len(plain.partition(".")[2]) > 15
    return format(round(Decimal(plain), 15), "f") if is_long else plain

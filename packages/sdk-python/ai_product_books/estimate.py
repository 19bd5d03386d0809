"""Estimates the tokens of a call that ended before the provider reported them, without a tokenizer.

A token is about four ASCII characters, or one Chinese, Japanese or Korean character; some models need more tokens. The service marks such
counts as guessed.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Optional

#: Factors for models that need more tokens for the same text. The first match applies.
FAMILIES = (
    (re.compile(r"claude-(?:[a-z]+-4[-.][7-9]|[a-z]+-[5-9])"), 1.5),
    (re.compile(r"claude"), 1.15),
    (re.compile(r"^gpt-(?:3\.5|4(?:-|$))"), 1.08),
)
#: Request fields that contain the prompt.
PROMPT = {"messages", "input", "contents", "prompt", "system", "systemInstruction", "system_instruction", "instructions", "tools"}
PIECES = {"content", "text", "delta", "partial_json", "thinking", "reasoning", "reasoning_content", "refusal", "arguments"}
DEPTH_MAX = 12
#: Images and files are not counted as text.
FILES = {"data", "bytes", "file_data", "b64_json"}


def weight_of(text: str) -> float:
    """Approximate number of o200k_base (OpenAI) tokens in a piece of text."""
    if text.isascii():
        return len(text) * 0.25
    return sum(0.25 if char < "\x80" else 0.4 if char < "\u2e80" else 1 for char in text)


def estimate_tokens(weight: float, model: Optional[str]) -> int:
    name = (model or "").lower()
    return math.ceil(weight * next((factor for models, factor in FAMILIES if models.search(name)), 1))


def prompt_weight(request: Any) -> float:
    """`request`: body of a request, as JSON bytes or parsed, or its messages. Returns 0 if it cannot be read."""
    try:
        if isinstance(request, (bytes, bytearray)):
            request = json.loads(request)
        if isinstance(request, dict):
            return sum(_text_weight(value, DEPTH_MAX) for name, value in request.items() if name in PROMPT)
        return _text_weight(request, DEPTH_MAX)
    except ValueError:
        return 0


def piece_weight(event: Any, levels: int = DEPTH_MAX) -> float:
    """Weight of the text that a stream event adds to the response."""
    if isinstance(event, dict):
        kind = event.get("type")
        # These events repeat the text of earlier deltas.
        if isinstance(kind, str) and kind.startswith("response.") and not kind.endswith(".delta"):
            return 0
    return _piece_weight(event, levels)


def _piece_weight(value: Any, levels: int) -> float:
    if levels == 0:
        return 0
    if isinstance(value, dict):
        return sum(
            weight_of(inner) if isinstance(inner, str) and name in PIECES else _piece_weight(inner, levels - 1)
            for name, inner in value.items()
        )
    return sum(_piece_weight(inner, levels - 1) for inner in value) if isinstance(value, list) else 0


def _text_weight(value: Any, levels: int) -> float:
    if isinstance(value, str):
        return 0 if value.startswith("data:") else weight_of(value)
    if levels == 0:
        return 0
    if isinstance(value, dict):
        value = [inner for name, inner in value.items() if name not in FILES]
    return sum(_text_weight(inner, levels - 1) for inner in value) if isinstance(value, (list, tuple)) else 0

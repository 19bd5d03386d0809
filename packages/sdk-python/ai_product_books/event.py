"""Builds the usage event from a reading."""

from __future__ import annotations

import math
import re
import uuid
from datetime import datetime, timezone
from typing import Any, Callable, Optional

from .dimensions import to_dimensions, to_text, well_formed
from .reading import Reading

TEXT_MAX = 255
USAGE_DEPTH_MAX = 6
USAGE_ITEMS_MAX = 64
USAGE_TEXT = re.compile(r"^[\w.:/ -]{1,64}$", re.ASCII)
INPUT = ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count", "inputTokens")
OUTPUT = ("completion_tokens", "output_tokens", "candidatesTokenCount", "candidates_token_count", "outputTokens")
CONTEXT_FIELDS = (
    "user_id",
    "session_id",
    "session_type",
    "agent_id",
    "feature",
    "workflow_id",
    "span_id",
    "parent_span_id",
)
#: Context that affects the price, with its event field.
PRICING_FIELDS = {"tier": "service_tier", "speed": "speed", "geo": "inference_geo"}


def to_usage_event(
    reading: Reading, context: dict, invoked_at: Optional[datetime], report: Callable[[BaseException], None]
) -> dict:
    """Token counts are the provider's own, since the service reads its usage object. Missing counts of a response that ended early are
    estimated.
    """
    usage = None if reading.usage is None else _bounded(reading.usage, USAGE_DEPTH_MAX)
    at = invoked_at or datetime.now(timezone.utc)
    estimated = reading.estimate or (0, 0)
    counted = _count(reading.usage, INPUT)
    input_tokens = estimated[0] if counted is None else counted
    output_tokens = max(_count(reading.usage, OUTPUT) or 0, estimated[1])
    event: dict = {
        "idempotency_key": str(uuid.uuid4())
        if reading.id is None
        else well_formed(f"{reading.provider or 'call'}:{reading.id}")[:TEXT_MAX],
        "model": well_formed(reading.model or "unknown")[:TEXT_MAX],
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "event_invoked_at": at.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    if reading.provider is not None:
        event["provider"] = well_formed(reading.provider)
    if reading.service_tier is not None:
        event["service_tier"] = reading.service_tier
    if reading.billed_tools:
        event["billed_tools"] = reading.billed_tools
    for name, field in {**{name: name for name in CONTEXT_FIELDS}, **PRICING_FIELDS}.items():
        text = None if context.get(name) is None else to_text(context[name])
        if text:
            event[field] = text
    metadata = to_dimensions(context.get("dimensions"), report)
    if usage is not None:
        is_gemini = "promptTokenCount" in usage or "totalTokenCount" in usage
        metadata["usageMetadata" if is_gemini else "usage"] = usage
    if not reading.is_whole:
        metadata["incomplete"] = True
    event["metadata"] = metadata
    return event


def _count(usage: Optional[dict], names: tuple) -> Optional[int]:
    for holder in (usage, (usage or {}).get("billed_units")):
        for name in names:
            value = holder.get(name) if isinstance(holder, dict) else None
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0 and value == int(value):
                return int(value)
    return None


def _bounded(value: Any, levels: int) -> Any:
    """Keeps only counts, flags and short names, so that no prompt text can leak."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else _NOTHING
    if isinstance(value, str):
        return value if USAGE_TEXT.match(value) else _NOTHING
    if levels == 0:
        return _NOTHING
    if isinstance(value, (list, tuple)):
        items = [_bounded(one, levels - 1) for one in list(value)[:USAGE_ITEMS_MAX]]
        return [one for one in items if one is not None and one is not _NOTHING]
    if isinstance(value, dict):
        kept = {name: _bounded(inner, levels - 1) for name, inner in list(value.items())[:USAGE_ITEMS_MAX]}
        return {name: inner for name, inner in kept.items() if inner is not _NOTHING and USAGE_TEXT.match(str(name))}
    # Enum of a provider's package.
    return _bounded(getattr(value, "value", _NOTHING), levels - 1) if value is not _NOTHING else _NOTHING


#: Marks values to leave out.
_NOTHING = object()
